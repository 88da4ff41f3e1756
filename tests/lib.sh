# Sourced by tests/cli/*.sh: `case NAME` begins a check, `t COMMAND...` runs a
# condition of it, `done_cases` ends the script. A failed condition is told
# with its place. JT is the program, quiet and without a configuration file.
# shellcheck shell=sh disable=SC2034
set -u
JOBTRIAGE_CONFIG=
export JOBTRIAGE_CONFIG
JT=$JOBTRIAGE
cd "$TMPDIR" || exit 1
name= why= bad=0

report() {
	[ -n "$name" ] || return 0
	if [ -z "$why" ]; then
		echo "ok $name"
	else
		echo "not ok $name: $why"
		bad=1
	fi
}

begin() {
	report
	name=$1 why=
}

# t COMMAND...: must succeed
t() {
	"$@" >t.out 2>&1 && return 0
	[ -n "$why" ] || why="failed: $* ($(head -c 300 t.out | tr '\n' ' '))"
}

# status N COMMAND...: must exit with N; output in out and err
status() {
	want=$1
	shift
	"$@" >out 2>err </dev/null
	got=$?
	[ "$got" -eq "$want" ] && return 0
	[ -n "$why" ] ||
		why="status $got instead of $want: $* ($(head -c 300 err |
			tr '\n' ' '))"
}

# has FILE TEXT...: the file holds each text
has() {
	file=$1
	shift
	for text in "$@"; do
		grep -qF -- "$text" "$file" && continue
		[ -n "$why" ] || why="no '$text' in $file ($(head -c 400 "$file" |
			tr '\n' ' '))"
	done
}

hasnt() {
	if grep -qF -- "$2" "$1"; then
		[ -n "$why" ] || why="'$2' in $1"
	fi
}

need() {
	for tool in "$@"; do
		command -v "$tool" >/dev/null 2>&1 && continue
		echo "skip ${0##*/}: $tool is missing"
		exit 0
	done
}

done_cases() {
	report
	exit "$bad"
}
