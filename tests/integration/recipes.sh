# The recipes for other schedulers: the wrapper as it runs, and each example
# against what its scheduler documents (recipes.py).
. "$TOP/tests/lib.sh"
recipes=$TOP/classifier/recipes
retry=$recipes/jobtriage-retry

if ! "$PYTHON" -c 'import yaml, jsonschema' 2>/dev/null; then
	echo 'skip recipes: no python3-yaml or python3-jsonschema'
	exit 0
fi

# A gate that answers as the test wants: the word in `word`; it notes what it
# was asked.
cat >fake <<'S'
#!/bin/sh
for a in "$@"; do printf '%s\n' "$a"; done >asked
for log in "$@"; do :; done
cat "$log" >seen
word=$(cat word)
[ "$word" = slow ] && exec sleep 30
[ "$word" = broken ] && { echo 'jobtriage: no such thing' >&2; exit 2; }
map=
for a in "$@"; do
	[ -z "$map" ] || { map=$a; break; }
	[ "$a" != --exit-map ] || map=next
done
echo "verdict=$word category=hang$(cat asks 2>/dev/null) reason=\"time_factor=9 \""
printf '%s\n' "$map" | tr , '\n' | sed -n "s/^$word=//p" >number
exit "$(cat number)"
S
chmod +x fake
JOBTRIAGE=$PWD/fake
export JOBTRIAGE
unset SLURM_JOB_ID SLURM_RESTART_COUNT AWS_BATCH_JOB_ID AWS_BATCH_JOB_ATTEMPT

begin 'a command that ends well asks nobody'
echo stop >word
status 0 "$retry" -- sh -c 'echo out; echo err >&2'
has out out
has err err
t test ! -e asked

begin 'the answer is the exit status'
for pair in stop:93 retry:75 adjust:76 undecided:7 none:7; do
	echo "${pair%:*}" >word
	status "${pair#*:}" "$retry" -- sh -c 'exit 7'
	has err "jobtriage-retry: verdict=${pair%:*}"
done
echo stop >word
status 202 "$retry" --exit-map stop=202,retry=0 -- sh -c 'exit 7'
echo retry >word
status 7 "$retry" --exit-map stop=202,retry=0 -- sh -c 'exit 7'

begin 'an adjust may have a status of its own for what it asks'
echo adjust >word
three='memory=77,time=78,nodes=79'
for pair in '76: exclude= memory_factor= time_factor= checkpoint=' \
    '77: exclude= memory_factor=2 time_factor=1.5 checkpoint=' \
    '78: exclude=n1 memory_factor= time_factor=1.5 checkpoint=/a' \
    '79: exclude="n1,n2" memory_factor= time_factor= checkpoint='; do
	echo "${pair#*:}" >asks
	status "${pair%%:*}" "$retry" --adjust "$three" -- false
done
status 7 "$retry" --adjust time=78 --exit-map adjust=0 -- sh -c 'exit 7'
echo ' exclude= memory_factor= time_factor=2' >asks
status 78 "$retry" --adjust time=78 --exit-map adjust=0 -- sh -c 'exit 7'
status 76 "$retry" --adjust memory=77 -- false
for wrong in memory=0 disk=3 memory memory=256 time=x nodes=1000; do
	status 2 "$retry" --adjust "$wrong" -- true
done
echo retry >word
status 75 "$retry" --adjust "$three" -- false
rm asks

begin 'what the gate is asked'
status 75 "$retry" --job=a/b --attempt 3 --store sqlite:s.db --settle=2 \
    --policy p.yaml --on-error retry --logs kept -- sh -c 'echo "x  y"; exit 9'
t test "$(cat kept/a_b.3.log)" = 'x  y'
t test "$(cat seen)" = 'x  y'
printf '%s\n' gate --print line --job a/b --attempt 3 --exit-code 9 --exit-map \
    stop=93,retry=75,adjust=76,undecided=0,none=0 --store sqlite:s.db \
    --policy p.yaml --on-error retry --settle 2 kept/a_b.3.log >want
t diff want asked

begin 'both streams are in the log, and apart'
status 75 "$retry" --logs kept --job both -- sh -c 'echo one; echo two >&2; exit 1'
t grep -qx one out
t grep -qx two err
hasnt out two
has kept/both.1.log one two

begin 'attempts are counted by the logs, or by the scheduler'
status 75 "$retry" --logs kept --job both -- false
has asked 2
t test -e kept/both.2.log
status 75 env SLURM_JOB_ID=12 SLURM_RESTART_COUNT=4 "$retry" -- false
t grep -qx 12 asked
t grep -qx 5 asked
status 75 env AWS_BATCH_JOB_ID=u-1 AWS_BATCH_JOB_ATTEMPT=2 "$retry" -- false
t grep -qx u-1 asked
t grep -qx 2 asked

begin 'a command that a signal ended'
echo stop >word
# shellcheck disable=SC2016 # for the inner shell
status 93 "$retry" -- sh -c 'kill -KILL $$'
t grep -qx -- --signal asked
t grep -qx 9 asked
echo undecided >word
# shellcheck disable=SC2016
status 137 "$retry" -- sh -c 'kill -KILL $$'

begin 'signals reach the command'
echo retry >word
for signal in TERM USR1; do
	rm -f up down
	"$retry" -- sh -c "trap 'echo got >down; exit 3' $signal; : >up
		while :; do sleep 0.05; done" >out 2>err </dev/null &
	wrapper=$!
	n=0
	while [ ! -e up ] && [ $n -lt 100 ]; do
		sleep 0.05
		n=$((n + 1))
	done
	kill -s "$signal" "$wrapper"
	wait "$wrapper"
	got=$?
	t test "$got" -eq 75
	t test -e down
	t grep -qx 3 asked
done

begin 'SIGINT reaches the command'
t "$PYTHON" - "$retry" <<'P'
import os, signal, subprocess, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
p = subprocess.Popen([sys.argv[1], "--", sys.executable, "-c",
                      "import time\ntry:\n    print('up', flush=True)\n"
                      "    time.sleep(20)\n"
                      "except KeyboardInterrupt:\n    raise SystemExit(4)"],
                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
assert p.stdout.readline() == b"up\n"
p.send_signal(signal.SIGINT)
assert p.wait(15) == 75, p.returncode
asked = open("asked").read().split("\n")
assert asked[asked.index("--exit-code") + 1] == "4", asked
P

begin 'the last lines are kept when every process is signalled'
t "$PYTHON" - "$retry" <<'P'
import os, signal, subprocess, sys
p = subprocess.Popen([sys.argv[1], "--logs", "kept", "--job", "group", "--",
                      sys.executable, "-c",
                      "import signal, sys, time\n"
                      "def end(*_):\n"
                      "    time.sleep(0.3)\n"
                      "    print('last words', flush=True)\n"
                      "    sys.exit(5)\n"
                      "signal.signal(signal.SIGTERM, end)\n"
                      "print('up', flush=True)\n"
                      "time.sleep(20)\n"],
                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                     start_new_session=True)
assert p.stdout.readline() == b"up\n"
os.killpg(p.pid, signal.SIGTERM)
assert p.wait(15) == 75, p.returncode
assert open("kept/group.1.log").read() == "up\nlast words\n"
assert "5" in open("asked").read().split("\n")
P

begin 'without an answer the status is its own'
echo broken >word
status 7 "$retry" -- sh -c 'exit 7'
has err 'no such thing' 'no answer from the gate'
status 7 env JOBTRIAGE=/nonexistent/jobtriage "$retry" -- sh -c 'exit 7'
has err 'no answer from the gate'
echo slow >word
status 7 "$retry" --timeout 1 -- sh -c 'exit 7'
has err 'no answer from the gate'
echo stop >word
status 127 env JOBTRIAGE=/nonexistent/jobtriage "$retry" -- ./no-such-command

begin 'its time is up'
echo stop >word
status 93 "$retry" --job='a,"b' --time-limit 1 -- \
    sh -c 'trap "echo saved; exit 5" TERM; while :; do sleep 0.05; done'
has out saved
has err 'over its time limit of 1 s'
t grep -qx -- --jobs asked
t grep -qx 5 asked
# one that ends in time has neither a record nor anything left running
status 93 "$retry" --time-limit 600 -- sh -c 'echo $PPID >up; exit 1'
t sh -c '! grep -qx -- --jobs asked'
t sh -c "! ps -o args= --ppid $(cat up) 2>/dev/null | grep sleep"
status 2 "$retry" --time-limit 5m -- true

begin 'standard input, and what the command leaves running'
echo 'from stdin' | "$retry" -- cat >out 2>err
has out 'from stdin'
before=$(date +%s)
status 93 "$retry" -- sh -c 'sleep 20 & exit 1'
t test $(($(date +%s) - before)) -lt 15

begin 'usage'
status 2 "$retry"
status 2 "$retry" --job
status 2 "$retry" --frobnicate x -- true
status 2 "$retry" --attempt two -- true

begin 'nothing is left in the temporary folder'
mkdir -p tmp
echo stop >word
status 93 env TMPDIR="$PWD/tmp" "$retry" -- false
t rmdir tmp

JOBTRIAGE=$JT
begin 'with the real gate'
if "$JT" gate --help >/dev/null 2>&1; then
	cat >train.py <<'P'
import sys
print("loading", flush=True)
open("/no/such/folder/train.jsonl")
P
	status 93 "$retry" --job real --logs kept --store sqlite:real.db \
	    -- "$PYTHON" train.py
	has err 'verdict=stop' 'category=path_not_found'
	cat >net.py <<'P'
raise ConnectionResetError(104, "Connection reset by peer")
P
	status 75 "$retry" --job net --logs kept --store sqlite:real.db \
	    -- "$PYTHON" net.py
	has err 'verdict=retry'
	status 0 "$retry" --job good -- "$PYTHON" -c 'print("done")'
	status 78 "$retry" --job 'long, "and" so on' --time-limit 1 \
	    --adjust memory=77,time=78 -- sleep 60
	has err category=time_limit_exceeded
else
	why='no command gate'
fi

begin 'Airflow: the DAG compiles, and what it raises'
t "$PYTHON" -m py_compile "$recipes/airflow_dag.py"
rm -rf "$recipes/__pycache__"
for check in kubernetes shards outside jobset aws htcondor airflow nextflow \
    pbs; do
	begin "$check: the example, and examples that are wrong"
	t "$PYTHON" -B "$TOP/tests/integration/recipes.py" "$check" "$recipes"
done

begin 'the manual shows the same'
man=$TOP/man/jobtriage-gate.7
t "$PYTHON" - "$man" "$recipes" <<'P'
import json, re, sys, yaml
text = open(sys.argv[1]).read().replace("\\e\n", "\n")
blocks = [b.split("\n.Ed")[0] for b in re.split(r"\.Bd [^\n]*\n", text)[1:]]

def block(word):
    found = [b for b in blocks if word in b]
    assert len(found) == 1, (word, len(found))
    return found[0]
job = yaml.safe_load(open(sys.argv[2] + "/kubernetes-job.yaml"))
mine = yaml.safe_load(block("podFailurePolicy"))
for key in "backoffLimit", "podFailurePolicy":
    assert mine["spec"][key] == job["spec"][key], key
for m in (mine, job):
    pod = m["spec"]["template"]["spec"]
    assert pod["restartPolicy"] == "Never"
    assert pod["containers"][0]["env"] == \
        job["spec"]["template"]["spec"]["containers"][0]["env"]
batch = json.load(open(sys.argv[2] + "/aws-batch.json"))
mine = json.loads("{" + block("evaluateOnExit") + "}")
assert mine["retryStrategy"] == batch["retryStrategy"]
squeeze = lambda s: re.sub(r"\s+", "", s)
jobset = yaml.safe_load(open(sys.argv[2] + "/jobset-kueue.yaml"))
mine = yaml.safe_load(block("FailJobSet"))
assert mine["spec"]["failurePolicy"] == jobset["spec"]["failurePolicy"]
condor = squeeze(open(sys.argv[2] + "/htcondor.sub").read())
for line in re.split(r"\n(?=\S)", block("retry_until")):
    if not re.match("arguments|on_exit_hold_reason", line):
        assert squeeze(line) in condor, line
nextflow = squeeze(open(sys.argv[2] + "/nextflow.config").read())
for line in re.findall(r"(?:errorStrategy|memory) =.*?\}|\w+ = [-0-9]+",
                       block("withLabel"), re.S):
    assert squeeze(line) in nextflow, line
engine = squeeze(open(sys.argv[2] + "/gridengine.sh").read())
engine = engine.replace("\\", "")
assert squeeze(block("stop=100")) in engine
P
printf 'open("/no/such/file")\n' >stop.py
"$PYTHON" stop.py >stop.log 2>&1
for preset in slurm kubernetes nvrx metaflow sysexits; do
	number=$(awk -v p="$preset" '$1 == ".It" && $2 == p { print $8 }' "$man")
	status "$number" "$JT" gate --job 1 --exit-code 1 \
	    --exit-map "$preset" stop.log
done

done_cases
