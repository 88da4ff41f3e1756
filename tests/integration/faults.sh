# Nightly runs that are killed at random moments, and a folder of very many
# files. FAULT_ROUNDS= killed nights (200), FAULT_FILES= files (100,000; with
# ALL=1 a million).
. "$TOP/tests/lib.sh"
need flock "$PYTHON"
rounds=${FAULT_ROUNDS:-200}
files=${FAULT_FILES:-${ALL:+1000000}}
files=${files:-100000}

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
"$PYTHON" - "$JT" "$files" <<'P' || : "${why:=see above}"
import os, resource, subprocess, sys, time
program, n = sys.argv[1], int(sys.argv[2])
os.mkdir("many")
for i in range(n):
    with open("many/job%07d.log" % i, "w") as f:
        f.write("KeyError: 'k'\n" if i % 10 == 0 else "step 1\n")
start = time.time()
with open("many.jsonl", "wb") as out:
    code = subprocess.call([program, "scan", "--no-progress", "-f", "jsonl",
                            "many"], stdout=out)
took = time.time() - start
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
print("# %d files: %.1f s, peak %d MiB" % (n, took, peak))
assert code == 0, code
lines = failed = 0
with open("many.jsonl", "rb") as f:
    for line in f:
        lines += 1
        failed += b'"category":"key_not_found"' in line
assert (lines, failed) == (n, (n + 9) // 10), (lines, failed)
assert peak < 512 and took < 30 + n / 1000, (peak, took)
P
rm -rf many many.jsonl

done_cases
