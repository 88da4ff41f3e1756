#!/bin/sh
# Builds the program twice, from copies of the source in folders of different
# names, with another umask, locale, time zone and number of jobs, and compares
# the bytes of the program.
set -eu
unset CDPATH MAKEFLAGS MAKELEVEL
top=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# copy NAME: the source as it would be committed, without what was built
copy() {
	mkdir -p "$work/$1"
	(cd "$top" && tar -cf - --exclude=./.git --exclude='./build*' .) |
		tar -xf - -C "$work/$1"
}

copy one
copy a-second-folder
(umask 022; LC_ALL=C TZ=UTC make -s -C "$work/one" -j1 all >"$work/log")
(umask 077; LC_ALL=C.UTF-8 TZ=Asia/Tokyo make -s \
	-C "$work/a-second-folder" -j4 BUILD=made all >"$work/log")
for f in taxonomy_data.c taxonomy_image.c assets_data.c jobtriage; do
	cmp "$work/one/build/$f" "$work/a-second-folder/made/$f" || exit 1
done
echo "the same $(wc -c <"$work/one/build/jobtriage") bytes twice:" \
	"$(sha256sum "$work/one/build/jobtriage" | cut -d' ' -f1)"
