#!/bin/sh
# The fuzz targets as OSS-Fuzz, ClusterFuzzLite and other services build them:
# $OUT gets a program for each target, with seeds, a dictionary and options,
# and the libraries that are loaded when they are needed. The packages that
# tests/deps.sh names must be there.
#
# usage: [CC=clang] [CFLAGS=...] [LIB_FUZZING_ENGINE=-fsanitize=fuzzer]
#        OUT=DIR tests/fuzz/build.sh
set -eu
unset CDPATH
TOP=$(cd "$(dirname "$0")/../.." && pwd)
cd "$TOP"
: "${OUT:?the folder for what is built}"
CC=${CC:-clang}
CFLAGS=${CFLAGS:--O1 -g -fsanitize=fuzzer-no-link,address,undefined}
ENGINE=${LIB_FUZZING_ENGINE:--fsanitize=fuzzer}
BUILD=${BUILD:-$TOP/build-oss-fuzz}
JOBTRIAGE=$BUILD/jobtriage
JOBTRIAGE_CONFIG=
ASAN_OPTIONS=detect_leaks=0:${ASAN_OPTIONS:-}
export TOP JOBTRIAGE JOBTRIAGE_CONFIG ASAN_OPTIONS
unset MAKEFLAGS

targets=$(sed -n "/^ALL='/,/'\$/p" tests/fuzz/run.sh | tr -d "'" |
	sed 's/^ALL=//')
mkdir -p "$OUT/lib"
make -j"${JOBS:-$(nproc)}" BUILD="$BUILD" CC="$CC" CFLAGS="$CFLAGS" all

objects=
for source in tests/fuzz/*.c; do
	[ "${source##*/}" != replay.c ] || continue
	object=$BUILD/fuzz_$(basename "$source" .c).o
	# shellcheck disable=SC2086
	"$CC" $CFLAGS -std=c11 -D_POSIX_C_SOURCE=200809L -Iclassifier -I. \
	    -c "$source" -o "$object"
	objects="$objects $object"
done
# Engines of OSS-Fuzz are C++.
# shellcheck disable=SC2086
"${CXX:-$CC}" $CFLAGS -o "$BUILD/libfuzzer" $objects \
    "$BUILD/libjobtriage.a" $ENGINE -pthread -lpcre2-8 \
    -Wl,-rpath,'$ORIGIN/lib'

# The machine that runs them has none of the libraries.
for library in pcre2-8 jansson archive isal xxhash zstd sqlite3 yaml z; do
	for name in lib$library.so lib$library-0.so; do
		ldconfig -p | sed -n "s|^\t$name\.[0-9.]* .* => ||p" |
		    while read -r path; do cp -nL "$path" "$OUT/lib/"; done
	done
done

for target in $targets; do
	cp "$BUILD/libfuzzer" "$OUT/fuzz_$target"
	rm -rf "$BUILD/seeds"
	python3 tests/fuzz/inputs.py seeds "$target" "$BUILD/seeds" >/dev/null
	if [ -d "tests/fuzz/regressions/$target" ]; then
		cp "tests/fuzz/regressions/$target"/* "$BUILD/seeds/"
	fi
	rm -f "$OUT/fuzz_${target}_seed_corpus.zip"
	(cd "$BUILD/seeds" &&
		python3 -m zipfile -c \
		    "$OUT/fuzz_${target}_seed_corpus.zip" .)
	python3 tests/fuzz/inputs.py dict "$target" >"$OUT/fuzz_$target.dict"
	printf '[libfuzzer]\nmax_len = 32768\ntimeout = 20\n' \
	    >"$OUT/fuzz_$target.options"
done
