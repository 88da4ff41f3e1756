#!/bin/sh
# Every text in what a diagnosis points to stands in a table that redaction goes
# by, or is named there as safe: a new field cannot be forgotten.
set -u
. "$TOP/tests/lib.sh"

# "struct.member" of all members that are texts, or lists of them.
declared() {
	cat "$DIAGNOSE"/*.h "$DIAGNOSE"/*/*.h | awk '
	/^\/\*/ { comment = 1 }
	comment { if (/\*\//) comment = 0; next }
	/^struct [a-z_]+ \{$/ { of = $2; next }
	/^\}/ { of = ""; inner = "" }
	of && /^\tstruct [a-z_]+ \{$/ { of = of "." }
	of && /^\t+(const )?char / {
		line = $0
		sub(/^\t+(const )?char /, "", line)
		sub(/;.*/, "", line)
		n = split(line, v, ",")
		for (i = 1; i <= n; i++) {
			gsub(/[ \t*]|const|\[.*/, "", v[i])
			if (v[i] != "")
				print of "." v[i]
		}
	}' | sort -u
}

# The same, of those in the tables.
known() {
	cat "$DIAGNOSE/decision/redaction.c" "$DIAGNOSE/job_record.c" | tr -s '\n\t ' ' ' |
	    grep -oE '(FIELDS?\( ?[A-Z]+, |offsetof\( ?)struct [a-z_]+, [a-z_.]+' |
	    sed 's/.*struct //; s/, /./; s/event\.frame\./frame./; s/findings\.declared\./declared./' | sort -u
}

DIAGNOSE=$TOP/classifier/diagnose
# Of no diagnosis: what the history and the ranking work with, and readers and
# tables of a scan.
others='^(attempt|candidate|frames_last|open|source|[a-z]+_reader|recall|repeat|metric_name|metrics_table)\.'

declared | grep -vE "$others" > declared
known > known

begin every_text_is_hidden_or_safe
t test "$(wc -l < known)" -gt 30
t test -z "$(comm -23 declared known | tr '\n' ' ')"
begin no_text_is_listed_that_is_gone
t test -z "$(comm -13 declared known | tr '\n' ' ')"
done_cases
