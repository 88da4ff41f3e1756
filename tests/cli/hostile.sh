# The store under its feet, hidden characters, and surroundings that are not
# as they should be: each has an answer of its own.
. "$TOP/tests/lib.sh"

printf 'step 1\nTraceback (most recent call last):\n%s\nKeyError: 1\n' \
	'  File "x.py", line 3, in f' >a.log

begin 'a store that is deleted or replaced during a scan'
mkfifo slow
for how in 'rm -f s.db' 'mv other.db s.db' 'mv s.db away.db'; do
	rm -f ./*.db ./*.db-* && "$JT" scan -q --store sqlite:other.db a.log \
		>/dev/null
	"$JT" scan --format jsonl --store sqlite:s.db slow >out 2>err &
	pid=$!
	# open for writing: the scan has opened it, and the store before
	exec 3>slow
	t test -s s.db
	$how
	cat a.log >&3
	exec 3>&-
	wait $pid
	t test $? -eq 4
	has err 'sqlite:s.db: it was deleted or replaced meanwhile'
done
rm -f ./*.db ./*.db-*
status 0 "$JT" scan --store sqlite:s.db a.log
status 0 "$JT" scan --store sqlite:s.db a.log

begin 'a damaged row is not exported as if it were whole'
cat >damage.py <<'P'
import sqlite3, sys, zlib
db = sqlite3.connect("s.db")
b = sys.argv[1].encode()
if sys.argv[1] == "stored":     # by the mark of what is not packed
    b = b"\0" + b'{"schema": "job'
if sys.argv[1] == "cut":
    b = db.execute("select record from diagnosis").fetchone()[0][:-5]
db.execute("update diagnosis set record = ?", (b,))
db.commit()
P
for b in cut '' '{' 'no json' '[]' stored; do
	rm -f s.db*
	"$JT" scan -q --store sqlite:s.db a.log >/dev/null
	t "$PYTHON" damage.py "$b"
	status 4 "$JT" store export --store sqlite:s.db
	has err damaged
	t test ! -s out
	status 4 "$JT" store export --store sqlite:s.db -o export.jsonl
	t test ! -e export.jsonl
done
begin 'hidden characters are escaped in JSON and seen elsewhere'
"$PYTHON" - <<'P'
chars = "".join(map(chr, [0x85, 0x9b, 0x202e, 0x2066, 0x2069, 0x200b, 0xfeff,
    0x61c, 0xe0041, 0xe007f, 0x2028]))
with open("hidden.log", "wb") as f:
    f.write(("step 1\nTraceback (most recent call last):\n"
        '  File "x.py", line 3, in f\n    k = d["a"]\n'
        "KeyError: 'a%sz'\n" % chars).encode())
    f.write(b"\x9b31mraw\n")
P
cat >seen.py <<'P'
import json, re, sys
text = open(sys.argv[1], encoding="utf-8").read()
bad = re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e007f]", text)
assert not bad, (hex(ord(bad.group())), text[max(0, bad.start() - 80):][:120])
if sys.argv[2:]:
    said = json.dumps(json.loads(text), ensure_ascii=False)
    assert "\u202e" in said and "\U000e0041" in said, said
    assert "\\u202E" in text and "\\uDB40\\uDC41" in text
P
keep() {
	"$JT" "$@" >got 2>said
	[ "$?" -lt 4 ] || [ -n "$why" ] || why="$*: status"
}
for f in jsonl json; do
	keep scan --format $f hidden.log
	t "$PYTHON" seen.py got json
done
keep scan --format jsonl -o file.jsonl hidden.log
t "$PYTHON" seen.py file.jsonl json
keep explain --format json hidden.log
t "$PYTHON" seen.py got json
keep gate --print json hidden.log
t "$PYTHON" seen.py got
rm -f s.db*
keep scan --store sqlite:s.db hidden.log
t "$PYTHON" seen.py got
keep store export --store sqlite:s.db
t "$PYTHON" seen.py got json
for f in text markdown json csv html prometheus; do
	keep report --format $f file.jsonl
	t "$PYTHON" seen.py got
done
for f in text markdown; do
	keep explain --format $f hidden.log
	t "$PYTHON" seen.py got
done
keep gate hidden.log
t "$PYTHON" seen.py got

begin 'the gate at a FIFO that nobody writes'
mkfifo silent
status 3 timeout 60 "$JT" gate --timeout 1 silent
has out verdict=undecided
status 3 timeout 60 "$JT" gate --timeout 1 silent a.log
has out verdict=undecided

begin 'what a killed run has left is removed by the next'
mkdir reports
echo older >reports/r.jsonl
echo mine >reports/r.jsonl.backup
echo mine >reports/r.jsonl.jobtriage.notes
i=0
while [ $i -lt 5 ]; do
	rm -f slow && mkfifo slow
	"$JT" scan --format jsonl -o reports/r.jsonl slow 2>/dev/null &
	pid=$!
	exec 3>slow
	kill -9 $pid
	wait $pid 2>/dev/null
	exec 3>&-
	i=$((i + 1))
done
t test "$(cat reports/r.jsonl)" = older
t test "$(find reports -name 'r.jsonl.jobtriage.??????' | wc -l)" -le 1
# one that is being written stays
rm -f slow && mkfifo slow
"$JT" scan --format jsonl -o reports/r.jsonl slow 2>err3 &
pid=$!
exec 3>slow
status 0 "$JT" scan --format jsonl -o reports/r.jsonl a.log
cat a.log >&3
exec 3>&-
wait $pid
t test $? -eq 0
has reports/r.jsonl slow
t test "$(find reports -type f | wc -l)" -eq 3
t test "$(cat reports/r.jsonl.backup)" = mine

begin 'little memory: its own words, or it goes well'
echo '[{"JobID": "1", "State": "FAILED"}]' >jobs.json
# a sanitizer alone takes more
sizes=
[ -n "${SANITIZE:-}" ] || sizes='12000 16000 20000 25000 30000 40000 60000'
for v in $sizes; do
	for c in 'scan -f jsonl a.log' 'gate a.log' 'explain -f json a.log' \
		'taxonomy list -f json' 'scan --jobs jobs.json a.log' \
		'report file.jsonl' 'report -f json file.jsonl'; do
		# shellcheck disable=SC2086,SC3045 # ulimit -v: dash has it
		(ulimit -v $v && exec "$JT" $c) >got 2>said
		got=$?
		t test $got -le 4 -o $got -eq 127
		hasnt said '(null)'
		hasnt said '-1:-1'
		[ -z "$why" ] || break 2
	done
done

begin 'a HOME that belongs to somebody else'
if [ "$(id -u)" -eq 0 ] && ! command -v setpriv >/dev/null; then
	echo 'skip a HOME of somebody else: setpriv is missing'
	name=
else
	as=
	[ "$(id -u)" -ne 0 ] ||
		as='setpriv --reuid=65534 --regid=65534 --clear-groups'
	chmod 755 . "$TMPDIR"
	cp "$JT" jt && chmod 755 jt && chmod 644 a.log
	mkdir home && chmod 0 home
	unset JOBTRIAGE_CONFIG
	# shellcheck disable=SC2086
	status 1 env -u XDG_CONFIG_HOME HOME="$PWD/home" $as ./jt gate a.log
	has err 'home/.config/jobtriage/config: Permission denied: left out'
	has out verdict=stop
	# one that is named must be there
	# shellcheck disable=SC2086
	status 2 env JOBTRIAGE_CONFIG="$PWD/home/c" $as ./jt gate a.log
	JOBTRIAGE_CONFIG=
	export JOBTRIAGE_CONFIG
	chmod 755 home
fi

done_cases
