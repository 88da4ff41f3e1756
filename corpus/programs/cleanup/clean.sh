#!/bin/bash
# clean.sh STEP...: the stages of the text pipeline, one after the other
set -o pipefail
say() { printf '%s clean[%s]: %s\n' "Mar 11 08:00:0$SECONDS" "$1" "$2"; }
seq -f 'line %.0f of the raw text' 1 400 >raw.txt
say raw "$(wc -l <raw.txt) lines, $(wc -w <raw.txt) words"
for step in "$@"; do
	say "$step" "start"
	case $step in
	segment) perl segment.pl <raw.txt >sentences.txt ;;
	vocab) perl vocab.pl <raw.txt >vocab.tsv ;;
	lengths) awk -v parts="$PARTS" '{ n[NF]++ }
		END { for (k in n) print k, n[k] / parts }' raw.txt ;;
	*) perl score.pl "$step" ;;
	esac
	status=$?
	if [ $status -ne 0 ]; then
		say "$step" "stage failed with status $status"
		say "$step" "keeping raw.txt, removing the rest"
		exit $status
	fi
	say "$step" "ok"
done
say all "done"
