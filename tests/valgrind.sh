#!/bin/sh
# The commands over the whole corpus under valgrind: no bad access, nothing
# uninitialised used, nothing lost. A row for each, and a total.
#
# usage: [BUILD=DIR] tests/valgrind.sh
set -u
unset CDPATH
cd "$(dirname "$0")/.." || exit 1
program=$(realpath "${BUILD:-build}")/jobtriage
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
JOBTRIAGE_CONFIG=
export JOBTRIAGE_CONFIG
passed=0 failed=0
command -v valgrind >/dev/null || { echo 'no valgrind here' >&2; exit 1; }

# The sandbox's rules come from a program that valgrind does not know; without
# it the same code runs. What --sandbox is not for does not take it.
open=--sandbox=off

# row STATUS ARG...: the program ends with STATUS, and valgrind says nothing
row() {
	want=$1
	shift
	valgrind -q --error-exitcode=99 --leak-check=full \
	    --errors-for-leak-kinds=definite,possible --num-callers=20 \
	    --suppressions=tests/valgrind.supp --log-file="$work/valgrind" \
	    "$program" "$@" >"$work/out" 2>"$work/err" </dev/null
	got=$?
	# what valgrind says of itself: of a call that is newer than it is
	sed -i '/^--[0-9]*-- /d' "$work/valgrind"
	if [ "$got" -eq "$want" ] && [ ! -s "$work/valgrind" ]; then
		passed=$((passed + 1))
		echo "ok $(printf %s "$*" | sed "s|$work/||g" | cut -c 1-70)"
		return
	fi
	failed=$((failed + 1))
	echo "not ok (status $got): $*"
	head -n 40 "$work/valgrind" "$work/err"
}

log=$(find corpus/gpu_out_of_memory -type f -name '*.log' | sort | head -n 1)
tar -czf "$work/corpus.tar.gz" corpus
cat >"$work/overlay.yaml" <<'END'
category: {id: corrupt_data}
rules:
  - id: corrupt_data.of_the_site
    title: The site's own
    pattern: 'site says: bad record (?<n>\d+)'
    extract: [n]
    role: root
    examples: {match: ['site says: bad record 7'], no_match: ['bad record']}
END
sed 's/id: corrupt_data}/id: [/' "$work/overlay.yaml" >"$work/bad.yaml"

row 0 scan "$open" -j1 --format jsonl -o "$work/all.jsonl" corpus
row 0 scan "$open" -j8 --format csv --store "sqlite:$work/store.db" \
	"$work/corpus.tar.gz"
row 0 scan "$open" --taxonomy "$work/overlay.yaml" --format text "$log"
row 2 scan "$open" --taxonomy "$work/bad.yaml" "$log"
row 0 eval corpus
row 0 taxonomy test
for format in text json markdown csv prometheus html; do
	row 0 report "$open" --format "$format" "$work/all.jsonl"
done
row 0 report "$open" --store "sqlite:$work/store.db"
row 0 store info --store "sqlite:$work/store.db"
row 0 explain "$open" "$log"
row 0 explain "$open" --format json --why "$log"
row 0 gate "$open" --exit-map retry=0,stop=0,adjust=0,undecided=0 "$log"
row 1 run -- sh -c 'cat "$1"; exit 1' sh "$log"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
