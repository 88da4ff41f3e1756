#!/bin/sh
# How fast jobtriage is beside other tools, and how its cost grows. Makes its
# data below $BUILD/speed, prints Markdown; README.md says what each number
# means.
#
# usage: [BUILD=DIR] [NAME=VALUE...] tests/bench/speed.sh
#   SIZE=512    MiB of plain log; everything else is made in proportion
#   ROUNDS=5    runs of each command, in turn with the others of its table
#   PARTS=...   of: plain archives growth shapes hostile gate (default: all)
#   OUT=FILE    all figures as JSON
#   SEED=1      of the data;  FAILED=60  percent of the jobs that fail
#   LIMIT=60    seconds after which a command is given up
# Status 1: a command of jobtriage failed.
set -u
TOP=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
BUILD=${BUILD:-build}
case $BUILD in
/*) ;;
*) BUILD=$TOP/$BUILD ;;
esac
PYTHON=${PYTHON:-$(PATH=/usr/bin:$PATH command -v python3 || echo python3)}
# What a user has set must not decide a measurement.
JOBTRIAGE_CONFIG=
LC_ALL=C
PYTHONDONTWRITEBYTECODE=1
export JOBTRIAGE_CONFIG LC_ALL BUILD PYTHONDONTWRITEBYTECODE
[ -x "$BUILD/jobtriage" ] && [ -x "$BUILD/bench/speed_make" ] || {
	echo "no $BUILD/jobtriage or $BUILD/bench: run make bench" >&2
	exit 2
}
exec "$PYTHON" -W error "$TOP/tests/bench/speed.py" \
    --size "${SIZE:-512}" --rounds "${ROUNDS:-5}" --out "${OUT:-}" \
    --parts "${PARTS:-plain archives growth shapes hostile gate}" \
    --seed "${SEED:-1}" --failed "${FAILED:-60}" --limit "${LIMIT:-60}"
