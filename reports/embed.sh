#!/bin/sh
# embed.sh OUTPUT NAME=FILE...: write a C source that holds the bytes of each
# file as `const char NAME[]`, with a NUL after them, and `const size_t
# NAME_len` without it. The output is written aside and then renamed, so that
# a build which is interrupted leaves no half-made source behind.
set -eu

if [ $# -lt 1 ]; then
	echo "usage: embed.sh OUTPUT NAME=FILE..." >&2
	exit 2
fi
out=$1
shift
tmp=$out.tmp.$$
trap 'rm -f "$tmp"' EXIT

{
	echo '/* Made by reports/embed.sh. */'
	echo '#include <stddef.h>'
	for asset in "$@"; do
		name=${asset%%=*}
		file=${asset#*=}
		case $name in
		'' | *[!a-z0-9_]* | "$asset")
			echo "embed.sh: '$asset' is not NAME=FILE" >&2
			exit 2 ;;
		esac
		[ -r "$file" ] || {
			echo "embed.sh: cannot read $file" >&2
			exit 1
		}
		echo
		echo "extern const char $name[];"
		echo "extern const size_t ${name}_len;"
		echo "const char $name[] = {"
		od -A n -v -t u1 "$file" | awk '{
			for (i = 1; i <= NF; i++)
				printf "%s,", $i < 128 ? $i : "(char)" $i
			print ""
		}'
		echo '0};'
		echo "const size_t ${name}_len = sizeof $name - 1;"
	done
} >"$tmp"
mv "$tmp" "$out"
