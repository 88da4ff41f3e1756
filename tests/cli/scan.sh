# What scan prints, and its exit statuses.
. "$TOP/tests/lib.sh"

mkdir -p logs/good
cat >logs/slurm-1001.out <<'L'
2024-05-01 10:00:00,000 - train - INFO - epoch 1 step 10 loss 0.9
2024-05-01 10:00:09,000 - train - INFO - epoch 1 step 20 loss 0.8
L
cat >logs/slurm-1001.err <<'L'
Traceback (most recent call last):
  File "/home/ada/train.py", line 12, in main
    table = open(path)
FileNotFoundError: [Errno 2] No such file or directory: '/data/train.csv'
L
printf 'step 1\nstep 2\nTraining finished\n' >logs/good/run.log

begin 'text: a row for the failure, then the sums'
status 0 "$JT" scan logs
has out 1001 path_not_found stop slurm-1001.err:4 'FileNotFoundError' \
	'2 jobs: 1 failed, 1 ended well (3 logs' execution_environment \
	'stop 1' 'high 1'
t test ! -s err

begin 'of a project only the logs are jobs'
mkdir -p project/src project/conf project/out
cp "$TOP/corpus/key_not_found/beam_size.log" project/out/slurm-12.out
printf 'raise ValueError("x")\n' >project/src/train.py
printf 'Traceback (most recent call last):\n' >project/README.md
printf 'lr: 0.1\n' >project/conf/model.yaml
printf '{"loss": 0.1}\n' >project/out/metrics.jsonl
printf '{"level": "error", "msg": "KeyError: 1"}\n' >project/out/events.json
printf 'all:\n' >project/Makefile
: >project/out/model.safetensors
status 0 "$JT" scan project
has out '2 jobs: ' '6 other files left out'
status 0 "$JT" scan --all-files project
has out '8 jobs: '
hasnt out 'left out'
status 0 "$JT" scan --include '*.py' --include '*/conf/*' project
has out '2 jobs: ' '6 other files'
status 0 "$JT" scan --exclude 'slurm-*' project
has out '1 job: ' '7 other files'
status 0 "$JT" scan project/README.md project/out/metrics.jsonl
has out '2 jobs: '
tar cf project.tar project
status 0 "$JT" scan project.tar
has out '3 jobs: ' '5 other files left out'
status 0 "$JT" explain project/out
has err 'these are 2 jobs'
status 1 "$JT" gate --exclude '*.json' project
has out 'category=key_not_found'

begin 'how sure a good end is: in words, totals and keys'
mkdir ends
printf 'epoch 1\nepoch 2\nTraining finished\n' >ends/well.log
printf 'epoch 1 loss 2.1\nepoch 2 loss 1.9\n' >ends/silent.log
printf 'load\n 40%%|####      | 4/10 [00:04<00:06,  1.0it/s]' >ends/bar.log
printf 'epoch 1\n 10%%|# | 1/10\n 40%%|#### | 4/10\n' >ends/lines.log
printf 'epoch 1\n 40%%|####      | 4/10 [00:04<00:06]\n' >ends/closed.log
printf 'step 8 loss 2.31\nstep 9 loss 2.30\nstep 10 lo' >ends/line.log
printf 'a\nTraceback (most recent call last):\n  File "x.py", line 3' >ends/trace.log
printf 'a\n 40%%|#### | 4/10 [00:04<00:06, 1.0it/s]Killed\n' >ends/killed.log
printf 'a\nmemwatch: job 7 exceeded its memory quota (9G of 8G)\nKilling process 4\n' \
	>ends/quota.log
"$PYTHON" -c 'import random; random.seed(7)
open("ends/noise.log", "wb").write(random.Random(7).randbytes(300000))'
status 3 "$JT" scan ends
has out '10 jobs: 2 failed, 1 ended well, 2 without a sign of failure' \
	'4 cut off, 1 cannot be told' 'in a progress bar that is not full' \
	'in the middle of a line' 'what was read is no text'
has err 'noise.log: unreadable: it is no text'
"$JT" scan --format jsonl ends >out 2>err
t "$PYTHON" - <<'P'
import json
want = {
    "well": ("none", False, "proven", "none"),
    "silent": ("none", None, "unproven", "undecided"),
    "closed": ("none", None, "unproven", "undecided"),
    "bar": ("unknown", None, "cut", "undecided"),
    "lines": ("unknown", None, "cut", "undecided"),
    "line": ("unknown", None, "cut", "undecided"),
    "trace": ("unknown", None, "cut", "undecided"),
    "noise": ("unknown", None, None, "undecided"),
    "killed": ("cpu_out_of_memory", True, None, "adjust"),
    "quota": ("cpu_out_of_memory", True, None, "adjust"),
}
for line in open("out"):
    o = json.loads(line)
    name = o["job"].split("/")[-1]
    got = o["category"], o["failed"], o["facts"]["ending"], o["verdict"]
    assert got == want.pop(name), (name, got)
    if o["failed"] is None:
        assert o["confidence"] == "low", name
assert not want, want
P
status 3 "$JT" scan --format csv ends
t "$PYTHON" -c 'import csv
v = {r["job"].split("/")[-1]: r["ending"]
     for r in csv.DictReader(open("out", newline=""))}
assert (v["well"], v["silent"], v["bar"], v["killed"]) == (
    "proven", "unproven", "cut", ""), v'
for f in silent bar line noise; do
	status 3 "$JT" gate ends/$f.log
	has out 'verdict=undecided'
done
status 0 "$JT" explain ends/silent.log
has out 'No failure seen:'
status 0 "$JT" explain ends/bar.log
has out 'Cut off:' 'in a progress bar that is not full'

begin 'a job that only a record knows failed without a log'
printf 'JobID|State|ExitCode|Start|End\n77|FAILED|1:0|2024-05-01T10:00:00|2024-05-01T11:00:00\n' \
	>only.sacct
status 0 "$JT" scan --jobs only.sacct ends/well.log
has out 'failed, no log'
status 0 "$JT" scan --format jsonl -o only.jsonl --jobs only.sacct ends/well.log
status 0 "$JT" report only.jsonl
has out 'Failed, no log'

begin 'no colour and no escapes when it is no terminal'
status 0 "$JT" scan logs
hasnt out "$(printf '\033')"
status 0 "$JT" scan --color=always logs
has out "$(printf '\033[31m')"
NO_COLOR=1 status 0 "$JT" scan logs
hasnt out "$(printf '\033')"

begin 'jsonl: one object a job'
status 0 "$JT" scan --format jsonl logs
t test "$(wc -l <out)" -eq 2
has out '"schema":"jobtriage.diagnosis/1"' '"job":"1001"' \
	'"category":"path_not_found"' '"verdict":"stop"' '"path":"/data/train.csv"'

begin 'json: one array'
status 0 "$JT" scan --format json logs
t "$PYTHON" -c 'import json; d = json.load(open("out")); assert len(d) == 2'

begin 'csv: one line a job, formulas are disarmed'
printf 'RuntimeError: =cmd|calc, "x"\nKeyError: "=1+1"\n' >'=evil.log'
status 0 "$JT" scan --format csv logs ./=evil.log
t "$PYTHON" - <<'P'
import csv
rows = list(csv.DictReader(open("out", newline="")))
assert len(rows) == 3, rows
assert rows[1]["category"] == "path_not_found"
assert all(v[:1] not in "=+-@" or v[:1] == "" for r in rows for v in r.values())
P
rm ./=evil.log

begin 'the schema accepts real output'
if "$PYTHON" -c 'import jsonschema' 2>/dev/null; then
	status 0 "$JT" scan --format jsonl logs "$TOP/corpus"
	t "$PYTHON" - "$TOP/reports/diagnosis.schema.json" <<'P'
import json, sys
import jsonschema
schema = json.load(open(sys.argv[1]))
check = jsonschema.validators.validator_for(schema)
check.check_schema(schema)
n = 0
for line in open("out", encoding="utf-8"):
    check(schema).validate(json.loads(line)); n += 1
assert n > 60, n
bad = json.loads(line); bad["verdict"] = "maybe"
try:
    check(schema).validate(bad)
except jsonschema.ValidationError:
    sys.exit(0)
sys.exit("the schema accepts a verdict that does not exist")
P
else
	report
	name='the schema accepts real output' why=
	echo "skip $name: python3-jsonschema is missing"
	name=
fi

begin '-j1 and -j8 print the same bytes'
"$JT" scan -j1 --format jsonl "$TOP/corpus" >one 2>/dev/null
"$JT" scan -j8 --format jsonl "$TOP/corpus" >eight 2>/dev/null
t cmp one eight
t test -s one

begin 'without the prefilter the same bytes'
"$JT" scan --no-prefilter --format jsonl "$TOP/corpus" >none 2>/dev/null
t cmp one none

begin 'without the instructions of some processors the same bytes'
JOBTRIAGE_PORTABLE=1 "$JT" scan --format jsonl "$TOP/corpus" >plain 2>/dev/null
t cmp one plain

begin 'standard input'
"$JT" scan --format jsonl - <logs/slurm-1001.err >out 2>err
has out '"paths":["-"]' path_not_found

begin '--fail-on'
status 1 "$JT" scan --fail-on failed logs
status 1 "$JT" scan --fail-on stop logs
status 1 "$JT" scan --fail-on path_not_found logs
status 1 "$JT" scan --fail-on execution_environment logs
status 0 "$JT" scan --fail-on unknown --fail-on retry logs
status 2 "$JT" scan --fail-on nonsense logs
has err "--fail-on nonsense: no such"

begin '-o writes aside and renames'
echo old >report.jsonl
status 0 "$JT" scan --format jsonl -o report.jsonl logs
t test ! -s out
t grep -q path_not_found report.jsonl
status 4 "$JT" scan -o /nonexistent/x logs
has err '/nonexistent/x'
t test "$(ls | grep -c '^report.jsonl')" -eq 1

begin 'a full disk is an error'
if [ -e /dev/full ]; then
	"$JT" scan --format jsonl logs >/dev/full 2>err
	t test $? -eq 4
	has err 'No space left'
	status 4 "$JT" scan --format jsonl -o /dev/full logs
fi

begin 'usage errors'
status 2 "$JT"
status 2 "$JT" scan
status 2 "$JT" scan --nonsense logs
has err "no option '--nonsense'"
status 2 "$JT" scan --format yaml logs
has err 'yaml: no such format; see jobtriage scan --help'
status 2 "$JT" scan -j 0 logs
status 2 "$JT" scan --limit nonsense=1 logs
has err 'no such limit'
status 2 "$JT" scan --layout '(' logs
has err "layout '('"
status 2 "$JT" frobnicate
status 0 "$JT" --version
has out jobtriage
status 0 "$JT" --help
has out scan taxonomy eval

begin 'flags beat the environment, which beats the file'
printf '# site\nformat = csv\n' >conf
JOBTRIAGE_CONFIG=$PWD/conf status 0 "$JT" scan logs
has out 'job,attempt'
JOBTRIAGE_CONFIG=$PWD/conf JOBTRIAGE_FORMAT=jsonl status 0 "$JT" scan logs
has out '"schema"'
JOBTRIAGE_CONFIG=$PWD/conf JOBTRIAGE_FORMAT=jsonl status 0 "$JT" scan \
	--format text logs
has out 'jobs: '
printf 'nonsense = 1\n' >conf
JOBTRIAGE_CONFIG=$PWD/conf status 2 "$JT" scan logs
has err "conf:1: no option 'nonsense'"

begin '--layout'
mkdir -p odd/j7
cp logs/slurm-1001.err odd/j7/a.txt
cp logs/slurm-1001.out odd/j7/b.txt
status 0 "$JT" scan --format jsonl odd
t test "$(wc -l <out)" -eq 2
status 0 "$JT" scan --layout directory --format jsonl odd
t test "$(wc -l <out)" -eq 1
status 0 "$JT" scan --layout 'j(?<job>\d+)/(?<node>[a-z])' --format jsonl odd
t test "$(wc -l <out)" -eq 1
has out '"job":"7"' '"node":"a"'

done_cases
