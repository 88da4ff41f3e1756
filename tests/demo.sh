#!/bin/sh
# The demonstration behind `make demo`: the corpus is diagnosed as it lies in
# folders, then packed as a zip inside a tar.gz, and the diagnoses must be the
# same, byte for byte, once the archive's name is taken off the paths.
#
# usage: tests/demo.sh PROGRAM DIR
set -eu
# A user's own settings must not change what is shown.
JOBTRIAGE_CONFIG=
export JOBTRIAGE_CONFIG

case $1 in
/*) program=$1 ;;
*) program=$PWD/$1 ;;
esac
dir=$2
corpus=$PWD/corpus

[ -d "$corpus" ] || { echo 'demo: no corpus/ here' >&2; exit 1; }
rm -rf "$dir"
mkdir -p "$dir/corpus"
cd "$dir"

# Logs only: the programs that made them are not jobs.
for folder in "$corpus"/*/; do
	folder=${folder%/}
	case $folder in
	*/programs) ;;
	*) cp -R "$folder" corpus/ ;;
	esac
done
find corpus -type f | LC_ALL=C sort | zip -q -X corpus.zip -@
tar -czf corpus.tar.gz corpus.zip
rm corpus.zip

"$program" scan --no-progress --format jsonl -o folders.jsonl corpus
"$program" scan --no-progress --format jsonl -o archive.jsonl corpus.tar.gz
LC_ALL=C sort folders.jsonl >folders.sorted
sed 's/corpus\.tar\.gz!corpus\.zip!//g' archive.jsonl |
	LC_ALL=C sort >archive.sorted

"$program" scan --no-progress corpus.tar.gz
echo
if ! cmp folders.sorted archive.sorted >/dev/null; then
	echo "demo: the diagnoses differ; see $dir/folders.jsonl, archive.jsonl"
	diff folders.sorted archive.sorted | cut -c 1-300 | head -n 8
	exit 1
fi
jobs=$(wc -l <folders.jsonl)
[ "$jobs" -gt 0 ] || { echo 'demo: no job was found' >&2; exit 1; }
"$program" report -q -f html --title 'The corpus' -o report.html folders.jsonl
echo "a report of it to open in a browser: $dir/report.html"
echo "the same $jobs diagnoses from folders and from corpus.tar.gz!corpus.zip"
