# The gate: one job, one answer, whatever happens.
. "$TOP/tests/lib.sh"

# gate STATUS VERDICT ARGUMENT...: the line's verdict, and the exit status
gate() {
	want=$1 verdict=$2
	shift 2
	status "$want" "$JT" gate "$@"
	has out "verdict=$verdict "
	[ "$(wc -l <out)" -eq 1 ] || [ -n "$why" ] || why="not one line: $*"
}

# key NAME VALUE: of the line in out, as it stands there
key() {
	grep -qF -- " $1=$2 " out || [ -n "$why" ] ||
		why="no $1=$2 in $(head -c 300 out)"
}

missing() {
	cat <<'L'
Traceback (most recent call last):
  File "train.py", line 3, in <module>
    data = open("/data/train.bin")
FileNotFoundError: [Errno 2] No such file or directory: '/data/train.bin'
L
}

network() {
	echo "step $1 loss 2.5"
	cat <<'L'
Traceback (most recent call last):
  File "train.py", line 9, in <module>
    fetch()
ConnectionResetError: [Errno 104] Connection reset by peer
L
}

missing >stop.log
network 1 >retry.log
printf 'step 1 loss 2\nstep 2 loss 1\nTraining finished\nDone.\n' >well.log
: >empty.log

begin 'usage'
for words in '--print word' '--on-error maybe' '--on-error none' \
	'--exit-map nosuch' '--exit-map stop=256' '--exit-map stop=' \
	'--exit-map stop=1,stop=2' '--exit-map halt=1' \
	'--exit-map stop=1,slurm' '--exit-map stop=-1' '--job=' \
	'--attempt 0' '--exit-code 256' '--settle soon' '--nosuch'; do
	# shellcheck disable=SC2086 # an option and its value
	status 2 "$JT" gate --on-error retry $words stop.log
	t test ! -s out
	t test -s err
done

begin 'the answers'
gate 1 stop stop.log
key category path_not_found
key attempt 1
key history unknown
gate 0 retry retry.log
gate 1 none well.log
gate 3 undecided empty.log
has out 'the log is empty'
status 1 "$JT" gate --print verdict stop.log
t test "$(cat out)" = stop

begin 'the line: every key, in this order'
status 1 "$JT" gate stop.log
sed 's/="\(\\.\|[^"\]\)*"/=/g; s/=[^ ]*/=/g' out >keys
t test "$(cat keys)" = "verdict= category= rule= attempt= retries= \
retries_left= delay= exclude= memory_factor= time_factor= checkpoint= \
confidence= history= reason= place= evidence="

begin 'JSON'
status 1 "$JT" gate --print json --job 7 --attempt 2 stop.log
t "$PYTHON" - <<'P'
import json
d = json.load(open("out"))
assert d["job"] == "7" and d["attempt"] == 2, d
assert d["verdict"] == d["gate"]["answer"] == "stop", d["gate"]
assert d["gate"] == {"answer": "stop", "exit_status": 1, "shadow": False,
                     "doubts": []}, d["gate"]
assert d["history"]["known"] is False, d["history"]
assert d["history"]["retries_left"] is None
P
status 3 "$JT" gate --print json nowhere.log
t "$PYTHON" - <<'P'
import json
d = json.load(open("out"))
assert d["verdict"] == "undecided" and d["adjust"] is None
assert "nowhere.log" in d["gate"]["doubts"][0], d["gate"]
P

begin 'JSON is what the schema says'
if "$PYTHON" -c 'from jsonschema import Draft202012Validator' 2>/dev/null; then
	for log in stop.log retry.log well.log empty.log nowhere.log; do
		"$JT" gate -q --print json --exit-code 1 "$log" >out
		t "$PYTHON" - "$TOP/reports/diagnosis.schema.json" <<'P'
import json, sys
from jsonschema import Draft202012Validator
with open(sys.argv[1], encoding="utf-8") as f:
    schema = json.load(f)
Draft202012Validator(schema).validate(json.load(open("out")))
P
	done
fi

begin 'exit maps'
status 93 "$JT" gate --exit-map nvrx stop.log
status 1 "$JT" gate --exit-map nvrx retry.log
status 202 "$JT" gate --exit-map metaflow stop.log
status 75 "$JT" gate --exit-map sysexits retry.log
status 75 "$JT" gate --exit-map slurm retry.log
status 3 "$JT" gate --exit-map slurm,stop=3 stop.log
status 93 "$JT" gate --exit-map kubernetes stop.log
status 0 "$JT" gate --exit-map kubernetes well.log
status 0 "$JT" gate --exit-map stop=0,retry=9 stop.log
status 9 "$JT" gate --exit-map stop=0,retry=9 retry.log

begin 'several paths are one job'
mkdir both
network 4 >both/a.log
gate 1 stop --job 5 both stop.log

begin 'doubt: no log'
gate 3 undecided
has out 'there is no log'
gate 3 undecided nowhere.log
has out 'No such file'
gate 3 undecided stop.log nowhere.log
has out 'as far as is known'
mkdir hollow
gate 3 undecided hollow
has out 'there is no log'

begin 'doubt: unreadable'
missing >secret.log
chmod 0 secret.log
if ! cat secret.log >t.out 2>&1; then
	gate 3 undecided secret.log
	has out 'Permission denied'
fi

begin 'doubt: a damaged archive'
# random, so that half of it is not the whole
head -c 200000 /dev/urandom | od -x >long.log
missing >>long.log
gzip -c long.log >whole.log.gz
gate 1 stop whole.log.gz
head -c "$(($(wc -c <whole.log.gz) / 2))" whole.log.gz >cut.log.gz
gate 3 undecided cut.log.gz
has out 'damaged'

begin 'doubt: ranks without a log'
mkdir ranks
for rank in 0 1 2 3; do
	{
		echo "world_size=4 rank=$rank"
		missing
	} >ranks/rank$rank.log
done
gate 1 stop ranks
rm ranks/rank1.log ranks/rank3.log
gate 3 undecided ranks
has out '2 of 4 ranks have no log, the first is rank 1'
rm -r ranks
mkdir ranks
for rank in 0 1 3; do
	missing >ranks/rank$rank.log
done
gate 3 undecided ranks
has out '1 of 4 ranks'

begin 'doubt: the end is told otherwise'
gate 3 undecided --exit-code 1 well.log
has out 'the scheduler that it failed'
gate 3 undecided --signal 9 well.log
gate 1 none --exit-code 0 well.log
gate 3 undecided --exit-code 0 stop.log
gate 1 stop --exit-code 1 stop.log

begin 'job records'
cat >sacct.txt <<'S'
JobID|User|State|ExitCode|Start|End|Elapsed|AllocTRES|NodeList
11|ann|TIMEOUT|0:0|2026-11-20T10:00:00|2026-11-20T11:00:00|01:00:00|billing=4,gres/gpu=4|n1
12|ann|RUNNING|0:0|2026-11-20T10:00:00|Unknown|01:00:00|billing=4,gres/gpu=4|n1
13|ann|FAILED|1:0|2026-11-20T10:00:00|2026-11-20T11:00:00|01:00:00|billing=4,gres/gpu=4|n1
14|ann|COMPLETED|0:0|2026-11-20T10:00:00|2026-11-20T11:00:00|01:00:00|billing=4,gres/gpu=4|n1
S
printf 'step 1 loss 2\nstep 2 loss 1\n' >short.log
status 4 "$JT" gate --jobs sacct.txt --job 11 short.log
key category time_limit_exceeded
# what the record proves needs no log
status 4 "$JT" gate --jobs sacct.txt --job 11 nowhere.log
status 4 "$JT" gate --jobs sacct.txt --job 11
gate 3 undecided --jobs sacct.txt --job 12 stop.log
has out 'has not ended'
# the record is older than what the scheduler says now
gate 1 stop --jobs sacct.txt --job 12 --exit-code 1 stop.log
gate 1 stop --jobs sacct.txt --job 13 stop.log
gate 3 undecided --jobs sacct.txt --job 13 well.log
gate 3 undecided --jobs sacct.txt --job 14 stop.log
gate 1 none --jobs sacct.txt --job 14 well.log
# sacct keeps the last attempt only
status 4 "$JT" gate --jobs sacct.txt --job 11 --attempt 3 short.log
key attempt 3
# of another job nothing is known
gate 1 stop --jobs sacct.txt --job 99 stop.log
# the exit code alone is evidence, too
status 0 "$JT" gate --exit-code 139 --print json --job 1 short.log
has out '"native_crash' '"exit status"'

begin 'on error'
echo 'rules: [' >bad.yaml
status 2 "$JT" gate --taxonomy bad.yaml stop.log
has out 'verdict=error ' 'bad.yaml'
status 0 "$JT" gate --taxonomy bad.yaml --on-error retry stop.log
has out 'verdict=retry ' 'bad.yaml'
status 1 "$JT" gate --taxonomy bad.yaml --on-error stop stop.log
status 77 "$JT" gate --taxonomy bad.yaml --on-error undecided \
	--exit-map slurm stop.log
status 2 "$JT" gate --taxonomy bad.yaml --print json stop.log
has out '"schema":"jobtriage.error/1"' '"answer":"error"'
status 2 "$JT" gate --jobs nowhere.txt stop.log
has out 'verdict=error ' 'nowhere.txt'

begin 'output that fails leaves the status'
"$JT" gate stop.log >&- 2>err
t test $? -eq 1
has err 'standard output'
"$JT" gate stop.log >&- 2>&- <&-
t test $? -eq 1
if [ -e /dev/full ]; then
	"$JT" gate stop.log >/dev/full 2>err
	t test $? -eq 1
fi
"$JT" gate retry.log 2>err | true
status 0 "$JT" gate -o nowhere/out retry.log
has err 'nowhere/out'
status 1 "$JT" gate -o answer stop.log
has answer 'verdict=stop '

begin 'closed descriptors: nothing is printed into the store'
"$JT" gate --store sqlite:closed.db --job 1 stop.log >&- 2>&- <&-
t test $? -eq 1
status 0 "$JT" store info --store sqlite:closed.db
has out '1 of 1 jobs, 1 failed'

begin 'control characters and quotes stay on the line'
printf 'x' >"$(printf 'a\n"b\033\\.log')"
rm -f "$(printf 'a\n"b\033\\.log')"
gate 3 undecided "$(printf 'a\n"b\033\\.log')"
has out '\"b' '\\'
if grep -q "$(printf '\033')" out; then
	why="an escape character in the line"
fi

begin 'shadow'
status 0 "$JT" gate --shadow --store sqlite:shadow.db --job 1 stop.log
has out 'verdict=retry ' 'shadow, the verdict is stop'
has err 'shadow: job 1 attempt 1: stop: '
status 0 "$JT" gate --shadow --print json --job 1 stop.log
has out '"verdict":"stop"' '"answer":"retry"' '"shadow":true'
status 0 "$JT" gate --shadow nowhere.log
gate 1 none --shadow well.log
t "$PYTHON" - <<'P'
import sqlite3
rows = sqlite3.connect("shadow.db").execute(
    "SELECT job, attempt, verdict, given, shadow FROM answer").fetchall()
assert rows == [("1", 1, "stop", "retry", 1)], rows
P

begin 'history: the same failure at the same place is not retried for ever'
retried=0
for n in 1 2 3 4 5 6 7 8; do
	network 7 >again.log
	echo "attempt $n" >>again.log
	"$JT" gate --store sqlite:h.db --job 21 --attempt "$n" again.log \
		>out 2>err
	case $? in
	0) retried=$((retried + 1)) ;;
	1) break ;;
	*) why="status $? at attempt $n" ;;
	esac
done
[ "$retried" -ge 1 ] && [ "$retried" -le 5 ] || why="retried $retried times"
key history known
key attempt "$n"
# another job has none
status 0 "$JT" gate --store sqlite:h.db --job 22 again.log
key history none
# and asked for the first attempt again, the later ones are not known yet
status 0 "$JT" gate --store sqlite:h.db --job 21 --attempt 1 again.log
key history none
# without an id nothing is looked up
status 0 "$JT" gate --store sqlite:h.db again.log
key history unknown

begin 'history: another user of the same number is another job'
head -1 sacct.txt >users.txt
cat >>users.txt <<'S'
31|ann|FAILED|1:0|2026-11-20T10:00:00|2026-11-20T11:00:00|01:00:00|billing=4,gres/gpu=4|n1
S
sed 's/ann/bob/' users.txt >bob.txt
status 0 "$JT" gate --store sqlite:u.db --job 31 --attempt 1 \
	--jobs users.txt retry.log
status 0 "$JT" gate --store sqlite:u.db --job 31 --attempt 2 \
	--jobs bob.txt retry.log
key history none
status 0 "$JT" gate --store sqlite:u.db --job 31 --attempt 3 \
	--jobs bob.txt retry.log
key history known

begin 'scan and gate keep the same thing'
mkdir logs
missing >logs/slurm-77.out
status 0 "$JT" scan -q -f jsonl --store sqlite:scan.db logs
status 1 "$JT" gate --store sqlite:scan.db --job 77 logs/slurm-77.out
status 0 "$JT" store info --store sqlite:scan.db
has out '1 of 1 jobs, 1 failed'

begin 'a log that scan met later is not counted twice'
for n in 1 2; do
	network "$n" >logs/slurm-78.out
	status 0 "$JT" gate --store sqlite:scan.db --job 78 --attempt "$n" \
		logs/slurm-78.out
done
key history known
# for scan this is attempt 1
status 0 "$JT" scan -q --store sqlite:scan.db logs
status 0 "$JT" gate --store sqlite:scan.db --job 78 --attempt 2 \
	--print json logs/slurm-78.out
t "$PYTHON" - <<'P'
import json
h = json.load(open("out"))["history"]
assert h["known"] and h["same_place"] <= 1, h
P

begin 'a store that fails does not stop the answer'
# newer
cp h.db newer.db
"$PYTHON" -c "import sqlite3
sqlite3.connect('newer.db').execute('PRAGMA user_version = 99')"
cksum <newer.db >before
status 0 "$JT" gate --store sqlite:newer.db --job 22 again.log
key history unknown
has err 'newer version'
cksum <newer.db >after
t cmp before after
# no store at all, broken, not to be written
echo 'no database' >text.db
status 1 "$JT" gate --store sqlite:text.db --job 22 stop.log
has err 'not an SQLite file'
status 1 "$JT" gate --store sqlite:nowhere/s.db --job 22 stop.log
status 1 "$JT" gate --store nosuch:s.db --job 22 stop.log
has err "no store's URL"
head -c 6000 h.db >broken.db
status 0 "$JT" gate --store sqlite:broken.db --job 22 again.log

begin 'a store that is locked: the answer comes in time'
cat >lock.py <<'P'
import sqlite3, sys, time
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute("BEGIN EXCLUSIVE")
print("locked", flush=True)
time.sleep(30)
P
mkfifo locked
"$PYTHON" lock.py h.db >locked &
lock=$!
read -r _ <locked
from=$(date +%s)
status 0 "$JT" gate --store sqlite:h.db --job 22 again.log
t test $(($(date +%s) - from)) -lt 8
has err 'locked by another process'
kill "$lock"
wait "$lock" 2>/dev/null

begin 'a full disk'
if [ -n "$(command -v unshare)" ] && mkdir -p small &&
	unshare -rm sh -c 'mount -t tmpfs -o size=64k none small' 2>/dev/null
then
	missing >small.log
	unshare -rm sh -c 'mount -t tmpfs -o size=64k none small &&
	    "$0" gate --store sqlite:small/s.db --job 1 small.log' "$JT" \
		>out 2>err
	t test $? -eq 1
	has out 'verdict=stop '
	has err ' kept: ' 'space'
fi

begin 'no history: the number of the attempt stands in for it'
for n in 1 3; do
	status 0 "$JT" gate --job 61 --attempt "$n" retry.log
	status 0 "$JT" gate --store sqlite:text.db --job 61 --attempt "$n" \
		retry.log
done
status 1 "$JT" gate --job 61 --attempt 50 retry.log
has out 'verdict=stop ' 'history=unknown' \
	'of 49 earlier attempts nothing is known'
status 1 "$JT" gate --store sqlite:text.db --job 61 --attempt 50 retry.log
has out 'history=unknown' 'of 49 earlier attempts nothing is known'
# a store that has been lost, or that others than the gate count for
status 0 "$JT" gate --store sqlite:lost.db --job 61 --attempt 4 retry.log
key history none
status 1 "$JT" gate --store sqlite:lost.db --job 61 --attempt 50 retry.log
has out 'tried again 49 times, of which nothing is known of 48'
# what is no failure of the job counts for no budget
printf 'step 5\nslurmstepd: error: *** JOB 7 ON n1 CANCELLED AT %s\n' \
	'2026-01-01T00:00:00 DUE TO PREEMPTION ***' >preempted.log
status 0 "$JT" gate --job 62 --attempt 50 preempted.log

begin '--root: copies are told of by where they were copied from'
mkdir -p copies/home/ann
cp stop.log copies/home/ann/slurm-71.out
status 1 "$JT" gate --root "$PWD/copies" --store sqlite:root.db --job 71 \
	--print json /home/ann/slurm-71.out
has out '"paths":["/home/ann/slurm-71.out"]'
t test -z "$(grep copies out)"
status 0 "$JT" store export --store sqlite:root.db
has out '|/home/ann/' '"/home/ann/slurm-71.out"'
t test -z "$(grep copies out)"
status 3 "$JT" gate --root "$PWD/copies" --job 72 /home/ann/slurm-72.out
has out '"/home/ann/slurm-72.out: unreadable'
status 2 "$JT" gate --root "$PWD/copies" --job 72 slurm-72.out
has err 'a path from the root is expected'

begin 'many gates for one job at once'
for n in 1 2 3 4 5 6 7 8; do
	"$JT" gate --store sqlite:many.db --job 5 --attempt 2 retry.log \
		>many.$n 2>&1 &
	pids="${pids:-} $!"
done
for pid in $pids; do
	wait "$pid" || why="a gate ended with $?"
done
for n in 2 3 4 5 6 7 8; do
	t cmp many.1 many.$n
done
status 0 "$JT" store info --store sqlite:many.db
has out '1 of 1 jobs, 1 failed'

begin 'SIGTERM in the middle'
mkfifo never
for on in error undecided; do
	case $on in
	error) want=2 with= ;;
	*) want=3 with="--on-error $on" ;;
	esac
	sleep 30 >never &
	writer=$!
	# shellcheck disable=SC2086 # an option and its value
	"$JT" gate --store sqlite:term.db --job 6 $with never >out 2>err &
	gate=$!
	sleep 0.5
	kill -TERM "$gate"
	from=$(date +%s)
	wait "$gate"
	t test $? -eq "$want"
	t test $(($(date +%s) - from)) -lt 3
	has out "verdict=$on " 'ended by a signal'
	has err 'ended by a signal'
	kill "$writer"
	wait "$writer" 2>/dev/null
done
# killed at any moment, the store is whole
for n in 1 2 3 4 5 6 7 8 9 10 11 12; do
	"$JT" gate --store sqlite:term.db --job "$n" retry.log >out 2>&1 &
	gate=$!
	sleep "0.00$n"
	kill -KILL "$gate" 2>/dev/null
	wait "$gate" 2>/dev/null
done
status 0 "$JT" gate --store sqlite:term.db --job 6 retry.log
key history none
t "$PYTHON" -c "import sqlite3
db = sqlite3.connect('term.db')
assert db.execute('PRAGMA integrity_check').fetchone() == ('ok',)"

begin 'settle: a log that comes later'
(
	sleep 0.7
	missing >late.part
	mv late.part late.log
) &
gate 1 stop --settle 10 late.log
wait
from=$(date +%s)
gate 3 undecided --settle 0.5 nowhere.log
t test $(($(date +%s) - from)) -lt 3

begin 'settle: a log that grows'
(
	n=0
	# often, as below
	while [ "$n" -lt 40 ]; do
		echo "step $n" >>grows.log
		n=$((n + 1))
		sleep 0.05
	done
	missing >>grows.log
) &
gate 1 stop --settle 20 grows.log
wait
(
	n=0
	# often: on a busy machine a pause is not to look like an end
	while [ ! -e enough ] && [ "$n" -lt 500 ]; do
		missing >>ever.log
		n=$((n + 1))
		sleep 0.02
	done
) &
sleep 0.3
gate 3 undecided --settle 1.5 ever.log
# where reading it is slow, that tells it first
t grep -Eq 'still growing|it grew while' out
touch enough
wait

begin 'a log that changes while another one is read'
mkfifo slow
missing >moved.log
{
	sleep 0.5
	echo more >>moved.log
	echo step 1
} >slow &
gate 3 undecided moved.log slow
has out 'changed while they were read'
wait

begin 'settle: an old log is not waited for'
touch -d '2026-01-01' stop.log
"$PYTHON" - "$JT" >t.out 2>&1 <<'P' || why="waited: $(tail -1 t.out)"
import subprocess, sys, time
begin = time.monotonic()
assert subprocess.run([sys.argv[1], "gate", "--settle", "60",
                       "stop.log"]).returncode == 1
assert time.monotonic() - begin < 10
P

begin 'the corpus: scan and gate agree where there is no doubt'
t "$PYTHON" - "$JT" "$TOP/corpus" <<'P'
import csv, json, subprocess, sys
program, corpus = sys.argv[1:]
with open(corpus + "/labels.tsv", encoding="utf-8") as f:
    rows = list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))
ask = lambda *a: subprocess.run([program, *a], stdout=subprocess.PIPE,
                                check=False).stdout.splitlines()
doubts, wrong, stops = [], [], []
for row in rows[::4]:
    path = corpus + "/" + row["file"]
    gate = json.loads(ask("gate", "-q", "--print", "json", path)[0])
    scan = [json.loads(d) for d in ask("scan", "-q", "-f", "jsonl", path)]
    if gate["gate"]["doubts"]:
        doubts.append(row["file"])
        wrong += [row["file"]] if gate["verdict"] != "undecided" else []
    elif len(scan) == 1:
        wrong += [row["file"] + ": " + k
                  for k in ("verdict", "rule", "reason", "job", "adjust")
                  if gate[k] != scan[0][k]]
    if gate["verdict"] == "stop" and row["retry"] in ("yes", "conditional"):
        stops.append(row["file"])
assert not wrong, wrong
assert not stops, stops
assert len(doubts) * 10 < len(rows[::4]), doubts
P

begin 'a disk of the node, a quota, a kill, a scale, a layout, a monitor'
verdict() {
	printf '%b' "$3" >one.log
	"$JT" gate one.log >out 2>err
	has out "verdict=$1 category=$2"
}
verdict adjust storage_fault \
	"step 5\nOSError: [Errno 28] No space left on device: '/tmp/ada/7'\n"
has out 'rule=storage_fault.local_full'
verdict stop storage_fault \
	"step 5\nOSError: [Errno 28] No space left on device: '/work/ada/7'\n"
verdict stop storage_fault \
	"step 5\nOSError: [Errno 122] Disk quota exceeded: '/tmp/ada/7'\n"
verdict adjust cpu_out_of_memory 'step 5\nKilled\n'
has out 'memory_factor= '
verdict adjust cpu_out_of_memory \
	'step 5\nslurmstepd: error: Detected 1 oom_kill event in StepId=7.batch.\nKilled\n'
has out 'memory_factor=2'
verdict adjust loss_nan \
	'Traceback (most recent call last):\n  File "/home/ada/t.py", line 3, in <module>\n    f()\nFloatingPointError: Minimum loss scale reached (0.0001). Your loss is probably exploding.\n'
verdict stop illegal_argument \
	'step 5\nTraceback (most recent call last):\n  File "/home/ada/t.py", line 3, in <module>\n    f()\nAssertionError: hidden_size value from checkpoint (64) is not equal to the input argument value (80).\n'
verdict undecided none 'step 5\nmonitor: GPU health check failed: 91 C\nstep 6\n'

done_cases
