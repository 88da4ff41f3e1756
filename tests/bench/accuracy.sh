#!/bin/sh
# jobtriage against four simple classifiers on labelled logs: accuracy,
# macro-F1, healthy jobs called failed, seconds. README.md tells more.
#
# usage: [BUILD=DIR] [DIRS='DIR...'] tests/bench/accuracy.sh
#   DIRS  folders with labels.tsv or one folder a category; default: corpus
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
export JOBTRIAGE_CONFIG

[ -x "$BUILD/jobtriage" ] || { echo "no $BUILD/jobtriage: run make"; exit 2; }
# DIRS is a list of names without blanks.
# shellcheck disable=SC2086
exec "$PYTHON" -W error "$TOP/tests/bench/baselines.py" "$BUILD/jobtriage" \
    ${DIRS:-"$TOP/corpus"}
