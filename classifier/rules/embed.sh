#!/bin/sh
# embed.sh OUTPUT FILE...: write a C source that holds the bytes of each file.
# The output is written aside and then renamed, so that a build which is
# interrupted leaves no half-made source behind.
set -eu

if [ $# -lt 1 ]; then
	echo "usage: embed.sh OUTPUT FILE..." >&2
	exit 2
fi
out=$1
shift
tmp=$out.tmp.$$
trap 'rm -f "$tmp"' EXIT

{
	echo '/* Made by classifier/rules/embed.sh. */'
	echo '#include "rules/embedded.h"'
	i=0
	for file in "$@"; do
		[ -r "$file" ] || {
			echo "embed.sh: cannot read $file" >&2
			exit 1
		}
		echo
		echo "static const unsigned char data_$i[] = {"
		od -A n -v -t u1 "$file" | sed 's/  *\([0-9][0-9]*\)/\1,/g'
		echo '0};'
		i=$((i + 1))
	done
	echo
	echo 'const struct embedded embedded_files[] = {'
	i=0
	for file in "$@"; do
		name=$(printf '%s' "$file" | sed 's/[\\"]/\\&/g')
		echo "{\"$name\", data_$i, sizeof data_$i - 1},"
		i=$((i + 1))
	done
	echo '{0, 0, 0}};'
	echo
	echo "const size_t embedded_count = $i;"
} >"$tmp"
mv "$tmp" "$out"
