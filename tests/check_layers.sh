#!/bin/sh
# The rules of the source tree that a compiler does not check:
#   - includes point one way: base <- input <- rules <- diagnose <- jobs <-
#     live <- cli; reports uses all but input, live and cli; only cli uses
#     reports
#   - a third-party header is included in one file (cmocka.h in tests/test.h)
#   - no file over 800 lines, no function over 80
#   - what a file exports begins with the first word of its name (limits.c:
#     limits_ or limit_), and a file that a comment or HACKING.md names exists
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

# Made by the build, or headers of libraries that comments speak of.
made='taxonomy_data.c taxonomy_image.c engine_image.c assets_data.c rarity_table.c'

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
		      "isa-l/igzip_lib.h isal zstd.h zstd lzma.h xz", pairs, " ")
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

# A definition begins in the first column and has no `static`.
# shellcheck disable=SC2086
check_names() {
	# shellcheck disable=SC2046 # names without blanks
	awk '
	FNR == 1 {
		word = FILENAME
		sub(/.*\//, "", word)
		sub(/[_.].*/, "", word)
		stem = word
		sub(/s$/, "", stem)
		head = ""
	}
	/^[a-z]/ && !/^(static|typedef|extern|struct [a-z0-9_]+ \{|enum|union)/ {
		head = $0
	}
	# A function has its body in the first column; data have `= {`.
	/^{/ && head != "" {
		sub(/\(.*/, "", head)
		breach(head)
		head = ""
	}
	/^[a-z].* = / && head != "" {
		sub(/( *\[.*| = .*)/, "", head)
		breach(head)
		head = ""
	}
	/[;}]$/ { head = "" }
	function breach(name) {
		sub(/.*[ *]/, "", name)
		if (name != "main" && name != word &&
		    index(name, word "_") != 1 &&
		    index(name, stem "_") != 1 &&
		    index(name, stem "s_") != 1)
			printf "%s:%d: %s is exported without the prefix %s_\n",
			    FILENAME, FNR, name, word
	}' $(printf '%s\n' $sources | grep -E '^(classifier|reports)/.*\.c$')
}

# A name in a comment is of a file of the tree, or of one that is made.
# shellcheck disable=SC2086
check_comments() {
	# shellcheck disable=SC2046
	awk -v all="$sources" -v made="$made" '
	BEGIN {
		n = split(all " " made, files, /[ \n]+/)
		for (i = 1; i <= n; i++) {
			path = files[i]
			while (path != "") {
				known[path] = 1
				if (!sub(/^[^\/]*\//, "", path))
					break
			}
		}
	}
	FNR == 1 { inside = 0 }
	{
		text = $0
		comment = FILENAME ~ /\.md$/ || inside || text ~ /\/\*/
		if (!inside && FILENAME !~ /\.md$/)
			sub(/.*\/\*/, "", text)
		inside = comment && FILENAME !~ /\.md$/ && text !~ /\*\//
		sub(/\*\/.*/, "", text)
	}
	comment && !/#[ \t]*include/ {
		while (match(text, /[A-Za-z0-9_\/.-]*[a-z0-9_]\.[ch]([^A-Za-z0-9_.\/]|\.?$|\.[^a-z])/)) {
			name = substr(text, RSTART, RLENGTH)
			text = substr(text, RSTART + RLENGTH)
			match(name, /^[A-Za-z0-9_\/.-]*\.[ch]/)
			name = substr(name, 1, RLENGTH)
			if (!(name in known))
				printf "%s:%d: there is no file %s\n",
				    FILENAME, FNR, name
		}
	}' $(printf '%s\n' $sources | grep -E '^(classifier|reports)/') HACKING.md
}

breaches=$(check_includes; check_names; check_comments; check_sizes; check_threads; check_words)
[ -z "$breaches" ] || { printf '%s\n' "$breaches"; exit 1; }
