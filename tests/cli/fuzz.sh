# The fuzz targets over the inputs that broke them once, and over their seeds.
. "$TOP/tests/lib.sh"
need gzip bzip2 xz zstd lz4 7z

replay=$BUILD/tests/fuzz/replay
for target in taxonomy policy archive lines blocks records jsonlines store \
	scan overlay diff history export dump; do
	begin "inputs for $target"
	known=$TOP/tests/fuzz/regressions/$target
	files=$(find "$known" -type f 2>/dev/null | wc -l)
	status 0 "$PYTHON" "$TOP/tests/fuzz/inputs.py" seeds "$target" seeds
	files=$((files + $(find seeds -type f | wc -l)))
	t test "$files" -gt 10
	# The name of the file that broke it stands before the reason.
	"$replay" "$target" "$known" seeds >count 2>err
	got=$?
	[ "$got" -eq 0 ] || why="status $got: $(tail -n 12 err)"
	t test "$(cat count)" -eq "$files"
	rm -rf seeds
done
done_cases
