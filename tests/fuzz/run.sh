#!/bin/sh
# Runs libFuzzer over each target in turn, from the seeds of inputs.py and what
# earlier runs have learned, and prints a table. An input that breaks a target
# is kept as tests/fuzz/regressions/TARGET/KIND-HASH, to be named by what it
# shows; the status is 1 then.
#
# usage: [SECONDS_EACH=60] [CORPUS=DIR] [MAX_RSS=2048] tests/fuzz/run.sh [TARGET...]
#        CORPUS keeps the inputs that reach new code ($BUILD/fuzz/corpus)
set -u
TOP=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
cd "$TOP" || exit 1
BUILD=${BUILD:-build-fuzz}
case $BUILD in
/*) ;;
*) BUILD=$TOP/$BUILD ;;
esac
JOBTRIAGE=$BUILD/jobtriage
JOBTRIAGE_CONFIG=
export TOP JOBTRIAGE JOBTRIAGE_CONFIG
SECONDS_EACH=${SECONDS_EACH:-60}
CORPUS=${CORPUS:-$BUILD/fuzz/corpus}
work=$BUILD/fuzz
# Leaks at exit are told by libFuzzer's own check of each input.
ASAN_OPTIONS=detect_stack_use_after_return=1:allocator_may_return_null=1
UBSAN_OPTIONS=print_stacktrace=1
export ASAN_OPTIONS UBSAN_OPTIONS

ALL='taxonomy policy archive lines blocks records jsonlines store scan overlay
diff history export dump'
[ $# -gt 0 ] || set -- $ALL

# The last number behind a word in a log of libFuzzer.
last() {
	sed -n "s/.*$1 *\([0-9]*\).*/\1/p" "$log" | tail -n 1
}

# Inputs that broke it become regression files.
keep() {
	n=0
	for input in "$found"/*; do
		[ -e "$input" ] || continue
		case ${input##*/} in
		slow-unit-*) continue ;;
		esac
		mkdir -p "tests/fuzz/regressions/$target"
		cp "$input" "tests/fuzz/regressions/$target/"
		echo "  tests/fuzz/regressions/$target/${input##*/}"
		n=$((n + 1))
	done
	[ "$n" -eq 0 ]
}

bad=0
format='%-10s %11s %8s %7s %9s %6s %s\n'
# shellcheck disable=SC2059
printf "$format" TARGET EXECUTIONS EXEC/S EDGES FEATURES NEW FINDINGS
for target in "$@"; do
	found=$work/found/$target log=$work/$target.log
	rm -rf "$found" "$work/seeds/$target"
	mkdir -p "$found" "$CORPUS/$target" || exit 1
	python3 tests/fuzz/inputs.py seeds "$target" "$work/seeds/$target" \
	    >"$log" 2>&1 &&
		python3 tests/fuzz/inputs.py dict "$target" \
		    >"$work/$target.dict" || {
		cat "$log"
		exit 1
	}
	ln -sf "$BUILD/tests/fuzz/libfuzzer" "$work/fuzz_$target"
	known=tests/fuzz/regressions/$target
	[ -d "$known" ] || known=
	# shellcheck disable=SC2086 # nothing when there is none
	"$work/fuzz_$target" -max_total_time="$SECONDS_EACH" \
	    -dict="$work/$target.dict" -artifact_prefix="$found/" \
	    -max_len=32768 -timeout=20 -rss_limit_mb="${MAX_RSS:-2048}" \
	     -print_final_stats=1 \
	    "$CORPUS/$target" "$work/seeds/$target" $known >"$log" 2>&1
	status=$?
	findings=$(ls "$found" | grep -vc '^slow-unit-')
	# shellcheck disable=SC2059
	printf "$format" "$target" \
	    "$(last 'stat::number_of_executed_units:')" \
	    "$(last 'stat::average_exec_per_sec:')" "$(last 'cov:')" \
	    "$(last 'ft:')" "$(last 'stat::new_units_added:')" "$findings"
	if ! keep || [ "$status" -ne 0 ]; then
		bad=1
		grep -E 'ERROR|SUMMARY|does not hold|differs' "$log" |
			sed 's/^/  /'
		echo "  see $log"
	fi
done
exit "$bad"
