# Nightly runs that are killed at random moments, and a folder of very many
# files. FAULT_ROUNDS= killed nights (200), FAULT_FILES= files (100,000).
. "$TOP/tests/lib.sh"
need flock "$PYTHON"
rounds=${FAULT_ROUNDS:-200}
files=${FAULT_FILES:-100000}

begin "$rounds nightly runs are killed: the store stays whole, nothing is lost"
"$PYTHON" "$TOP/tests/integration/month.py" month --nights 2 --jobs 300 ||
	exit 1
cat >nightly.conf <<C
LOGS="$PWD/month/logs/*"
JOBS_FILES="$PWD/month/sacct/*.txt"
STORE=sqlite:\$DB
OUT=\$REPORTS
TIMEZONE=UTC0
JOBTRIAGE=$JT
C
t "$PYTHON" "$TOP/tests/faults/killed.py" "$rounds" \
	"$TOP/reports/nightly/jobtriage-nightly" -c nightly.conf 2025-03-01
grep '^#' t.out || :
t "$PYTHON" "$TOP/tests/faults/killed.py" "$rounds" \
	"$JT" scan --no-progress --store 'sqlite:$DB' -o '$REPORTS/out' \
	-f jsonl month/logs
grep '^#' t.out || :

begin "$files files in a folder"
t "$PYTHON" "$TOP/tests/faults/many.py" "$JT" "$files"
grep '^#' t.out || :

done_cases
