# Each row of the limit table, lowered: what it bounds is reached, and what it
# says happens; with the standard it does not. tests/cli/limits.sh has what is
# made to reach the standards.
. "$TOP/tests/lib.sh"
need "$PYTHON" 7z

"$PYTHON" - <<'P'
import json, os, random
KEY = """Traceback (most recent call last):
  File "a.py", line %d, in f
    x = d[k]
KeyError: 'k%d'
"""
def put(name, text):
    os.makedirs(os.path.dirname(name) or ".", exist_ok=True)
    with open(name, "w") as f:
        f.write(text)
def keys(n):
    return "".join(KEY % (i, i) for i in range(n))
put("plain.log", keys(1))
put("two/a.log", keys(1))
put("two/b.log", keys(1))
put("deep/%s/%s/a.log" % ("d" * 150, "e" * 150), keys(1))
put("two-mib.log", "step 1 loss 0.25\n" * 130000)
put("70-mib.log", "step 1 loss 0.25\n" * 4200000)
r = random.Random(1)
put("seek.log", "".join("%064x\n" % r.getrandbits(256) for _ in range(50000)))
put("line.log", "aaa " + "x" * 20000 + " zzz\n")
put("block.log", "Traceback (most recent call last):\n" + "".join(
    '  File "a.py", line %d, in f%d\n' % (i, i) for i in range(200)) +
    "KeyError: 'k'\n")
put("ranks.log", "".join("[rank%d]: %s\n" % (rank, line)
    for line in keys(1).splitlines() for rank in range(3)))
put("ten.log", keys(10))
put("thirty.log", keys(30))
put("many.log", keys(300))
put("steps.log", ("a" * 12 + "!\n") * 3)
put("slow.log", ("a" * 3000 + "!\n") * 120)
for i in range(8):
    put("held/job%d.log" % i, keys(1000))
put("records.json", json.dumps({"jobs": [
    {"job_id": 7, "comment": "c" * 3000000}]}))
put("sacct.txt", "JobID|State|ExitCode|Start|End|Comment\n"
    "7|FAILED|1:0|1700000000|1700003600|\n"
    "8|FAILED|1:0|1700000000|1700003600|%s\n" % ("c" * 3000000))
put("many.csv", "job_id,state,exit\n" +
    "".join("%08d,FAILED,1\n" % i for i in range(200000)))
rule = ("  - {id: storage_fault.%s, title: T, where: %s, pattern: '%s', "
    "role: root, examples: {match: ['%s'], no_match: [b]}}\n")
put("rules.yaml", "category: storage_fault\nrules:\n" +
    rule % ("apart", "line", "aaa.*zzz", "aaa zzz") +
    rule % ("middle", "block", "in f150\\b", "in f150") +
    rule % ("slow", "line", "(a+)+$", "aaaa"))
P
tar cf in.tar two
tar cf nested.tar in.tar
tar cf held.tar held
gzip -k two-mib.log 70-mib.log
7z a -bd seek.7z seek.log >/dev/null
tar cf seek.tar seek.7z
"$JT" scan -f jsonl -o jobs.jsonl plain.log || exit 1
"$PYTHON" - <<'P'
import json
with open("jobs.jsonl") as f:
    job = json.load(f)
with open("jobs.jsonl", "a") as f:
    f.write(json.dumps(dict(job, job="long", remedies=["c" * 100000])) + "\n")
    f.write(json.dumps(dict(job, job="last")) + "\n")
P

# row LIMIT STATUS WORDS COMMAND...: with --limit LIMIT the status is this and
# the words are there, in the output or beside it; without it they are not
row() {
	limit=$1 want=$2 words=$3
	shift 3
	begin "${limit%%=*}${words:+: $words}"
	echo "${limit%%=*}" >>tried
	"$JT" "$@" >out 2>err
	cat err >>out
	hasnt out "$words"
	status "$want" "$JT" "$@" --limit "$limit"
	cat err >>out
	has out "$words"
}
# What is told of the limits of reading.
lost() {
	row "$1" 3 "(limit ${1%%=*})" scan -f jsonl "$2"
}

lost archive-depth=1 nested.tar
lost archive-members=1 in.tar
lost archive-bytes=1M two-mib.log.gz
lost archive-ratio=10 70-mib.log.gz
lost nested-seek=1M seek.tar
lost path=256 deep
lost job-time=1 70-mib.log
lost owner-time=1 70-mib.log
lost run-time=1 70-mib.log
row record=64K 3 'records.json:1: the rest is not read: a record of more than 65536 bytes (limit record)' \
	scan -f jsonl --jobs records.json plain.log
has out '"job":"plain"'
row record=64K 3 'sacct.txt:3: the rest is not read: a record of more than 65536 bytes (limit record)' \
	scan -f jsonl --jobs sacct.txt plain.log
has out '"job":"plain"' '"job":"7"'
row records=64K 3 'the rest is not read: job records of more than 65536 bytes (limit records)' \
	scan -f jsonl --records joined --jobs many.csv --jobs sacct.txt plain.log
has out '"job":"plain"' 'many.csv:' 'sacct.txt:1: '
row record=64K 3 'jobs.jsonl:2: no diagnosis: too long (limit record)' \
	report -f json jobs.jsonl
has out '"attempts": 2'
row record=64K 3 'jobs.jsonl:2: too long (limit record)' \
	store import --store sqlite:jobs.db jobs.jsonl
has out '2 imported, 1 bad'
row pending=1M 3 'reported before its archive was read to the end (limit pending)' \
	scan -f jsonl --limit evidence=64K --limit rule-hits=1K held.tar
row spool=1 0 ' of 1 bytes (limit spool)' gate --job 1 --exit-code 1 \
	--exit-map stop=0,undecided=0 --store sqlite:no/such/folder.db \
	--spool spool plain.log
row line=8K 0 '"category":"none"' scan -f jsonl -t rules.yaml line.log
row block=4K 0 'true,"key_not_found"' scan -f csv -t rules.yaml block.log
row open-blocks=1 0 'ranks.log",12,2,' scan -f csv ranks.log
row evidence=16 0 'limit evidence: only the first and last' \
	scan -f jsonl --limit rule-hits=1K thirty.log
row rule-hits=2 0 'limit evidence: only the first and last' \
	scan -f jsonl ten.log
row confirm=100 3 'limit confirm: some rules were not run to the end' \
	scan -f jsonl many.log
row match=1K 3 'limit match: rule storage_fault.slow gave up on a line' \
	scan -f jsonl -t rules.yaml steps.log
row give-ups=1 3 'limit give-ups: rule storage_fault.slow was put aside' \
	scan -f jsonl -t rules.yaml --limit match=1K steps.log
row match-time=10 3 'limit match-time: no rule was run after a while' \
	scan -f jsonl -t rules.yaml slow.log

begin 'no row of the table is left out'
"$JT" help limits | cut -d ' ' -f 1 | sort >table
sort -u tried >tried.sorted
t test -s table
t diff table tried.sorted

done_cases
