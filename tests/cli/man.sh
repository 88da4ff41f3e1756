# The manual names what the program has, and is well formed.
. "$TOP/tests/lib.sh"
man=$TOP/man/jobtriage.1

begin 'every option of every command is in the manual'
for c in scan report gate policy store taxonomy eval; do
	status 0 "$JT" "$c" --help
	for o in $(sed -n 's/^ .*  *--\([a-z-]*\).*/\1/p' out); do
		t grep -Eq -- "Fl (-|\\\\-\\\\-|\\\\-)?-?$o|$o" "$man"
	done
done

begin 'every limit is in the help'
status 0 "$JT" help limits
has out archive-depth pending line

begin 'mandoc has nothing to say'
if command -v mandoc >/dev/null 2>&1; then
	t mandoc -T lint -W warning "$man"
else
	echo "skip mandoc: it is missing"
	name=
fi

done_cases
