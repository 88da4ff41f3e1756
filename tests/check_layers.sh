#!/bin/sh
# The rules of the source tree that a compiler does not check:
#   - includes point one way: base <- input <- rules <- diagnose <- jobs <-
#     live <- cli; reports uses all but input, live and cli; only cli uses
#     reports
#   - a third-party header is included in one file (cmocka.h in tests/test.h)
#   - no file over 800 lines, no function over 80
#   - threads that compute are those of base/pool.c; the others, which wait for
#     input or the clock, are named here
#   - nothing is left marked as unfinished
# One line for each breach, as file:line: what; status 1 if there is any.
#
# usage: tests/check_layers.sh [TOP]
set -u
LC_ALL=C
export LC_ALL

cd "${1:-$(dirname "$0")/..}" || exit 1

MAX_FILE=800
MAX_FUNCTION=80

sources=$(find classifier reports tests -type f -name '*.[ch]' | sort)
scripts=$(find classifier corpus tests .ci -type f \
    \( -name '*.sh' -o -path '*/run' \) | sort)
# Not `unfinished` itself but its words, cut so that this file is clean.
words='TO''DO|FIX''ME|XX''X'

[ -n "$sources" ] || { echo "no sources under $PWD"; exit 1; }

# shellcheck disable=SC2086 # names without blanks, checked here
check_includes() {
	awk '
	BEGIN {
		n = split("base input rules diagnose jobs live cli", order, " ")
		for (i = 1; i <= n; i++)
			rank[order[i]] = i
		# The header, and the name of the library it belongs to.
		split("pcre2.h pcre2 yaml.h yaml archive.h archive " \
		      "archive_entry.h archive jansson.h jansson " \
		      "zlib.h zlib cmocka.h cmocka sqlite3.h sqlite " \
		      "libpq-fe.h pq xxhash.h xxhash " \
		      "isa-l/igzip_lib.h isal zstd.h zstd", pairs, " ")
		for (i = 1; i in pairs; i += 2)
			library[pairs[i]] = pairs[i + 1]
	}
	function breach(what) {
		printf "%s:%d: %s\n", FILENAME, FNR, what
	}
	function layer(path) {
		if (path ~ /^classifier\//)
			sub(/^classifier\//, "", path)
		sub(/\/.*/, "", path)
		return path
	}
	/^[ \t]*#[ \t]*include[ \t]/ {
		name = $0
		sub(/^[^<"]*[<"]/, "", name)
		sub(/[>"].*/, "", name)
		mine = layer(FILENAME)
		if (name in library)
			third(library[name])
		else if ($0 ~ /"/)
			project(name)
	}
	function third(lib) {
		if (lib == "cmocka") {
			if (FILENAME != "tests/test.h")
				breach("only tests/test.h includes " name)
			return
		}
		if (mine == "tests")
			return
		if (!(lib in owner))
			owner[lib] = FILENAME
		else if (owner[lib] != FILENAME)
			breach(name " is already included in " owner[lib])
	}
	function project(path,    theirs) {
		if (path ~ /\.\.\//) {
			breach("include \"" path "\" climbs out of its folder")
			return
		}
		if (mine == "tests")
			return
		theirs = path ~ /\// ? layer(path) : mine
		if (path ~ /^tests\//)
			breach(mine " may not include tests")
		else if (theirs == mine)
			return
		else if (mine == "reports") {
			if (theirs == "input" || theirs == "live" ||
			    theirs == "cli" || !(theirs in rank))
				breach("reports may not include " theirs)
		} else if (theirs == "reports") {
			if (mine != "cli")
				breach(mine " may not include reports")
		} else if (!(theirs in rank) || !(mine in rank))
			breach("unknown layer in \"" path "\"")
		else if (rank[theirs] > rank[mine])
			breach(mine " may not include " theirs)
	}' $sources
}

# shellcheck disable=SC2086
check_sizes() {
	awk -v max="$MAX_FILE" '
	FNR == max + 1 {
		printf "%s:%d: file over %d lines\n", FILENAME, FNR, max
	}' $sources $scripts
	# K&R: the braces of a function are alone in the first column.
	awk -v max="$MAX_FUNCTION" '
	FNR == 1 { start = 0 }
	/^{/ { start = FNR }
	/^}/ {
		if (start && FNR - start + 1 > max)
			printf "%s:%d: function of %d lines, over %d\n",
			    FILENAME, start, FNR - start + 1, max
		start = 0
	}' $sources
}

# shellcheck disable=SC2086
check_words() {
	grep -nwE "$words" $sources $scripts Makefile /dev/null |
		sed 's/\(:[0-9]*:\).*/\1 marked as unfinished/'
}

# shellcheck disable=SC2086
check_threads() {
	grep -n 'pthread_create(' $sources /dev/null | grep -vE \
	    '^(classifier/(base/pool|cli/progress|live/(pump|listener))|tests/.*)\.c:' |
		sed 's/\(:[0-9]*:\).*/\1 a thread outside base\/pool.c/'
}

breaches=$(check_includes; check_sizes; check_threads; check_words)
[ -z "$breaches" ] || { printf '%s\n' "$breaches"; exit 1; }
