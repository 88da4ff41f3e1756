# gate replay: what the gate would have said, against what happened.
. "$TOP/tests/lib.sh"

# past JOB ATTEMPT CATEGORY VERDICT FINGERPRINT GPU-SECONDS [STEP]
# "-": it ended well; "?" for GPU-seconds: not known
past() {
	failed=true category=$3 print="\"$5\"" seconds=$6
	[ "$3" != - ] || failed=false category=none print=null
	[ "$6" != '?' ] || seconds=null
	printf '{"schema":"jobtriage.diagnosis/1","job":"%s","attempt":%d,' \
	    "$1" "$2"
	printf '"paths":["/l/%s.%d"],"failed":%s,"category":"%s",' \
	    "$1" "$2" "$failed" "$category"
	printf '"confidence":"high","verdict":"%s","fingerprint":%s,' \
	    "$4" "$print"
	printf '"reason":"why %s","ended":"2026-11-%02dT00:00:00Z",' "$1" "$2"
	printf '"facts":{"last_step":%s},"usage":{"gpu_seconds":%s}}\n' \
	    "${7:-null}" "$seconds"
}
A=00000000000000aa B=00000000000000bb
{
	# the same path is missing four times: three right stops
	past same 1 path_not_found stop $A 3600
	past same 2 path_not_found stop $A 7200
	past same 3 path_not_found stop $A 7200
	past same 4 path_not_found stop $A 3600
	# somebody made the folder: a stop would have been wrong
	past made 1 path_not_found stop $A 3600
	past made 2 - none - 36000
	# the network came back
	past net 1 network_communication retry $B 60
	past net 2 - none - 1800
	# further each time, then the end
	past step 1 network_communication retry $B 60 100
	past step 2 network_communication retry $B 60 200
	past step 3 - none - 60
	# retried in vain
	past vain 1 uncaught_exception retry $B 60
	past vain 2 uncaught_exception retry $B 10800
	# another failure; a doubt; a gap; no GPU time
	past other 1 uncaught_exception retry $A 60
	past other 2 uncaught_exception retry $B 60
	past doubt 1 unknown undecided $A 60
	past doubt 2 - none - 60
	past gap 1 hang retry $A 60
	past gap 3 - none - 60
	past free 1 syntax_error stop $A '?'
	past free 2 syntax_error stop $A '?'
	# alone
	past one 1 path_not_found stop $A 60
} >past.jsonl

begin 'usage'
status 2 "$JT" gate replay
has err '--store URL is missing'
status 2 "$JT" gate replay --store sqlite:s.db -f csv
has err 'expected text or json'
status 2 "$JT" gate replay --store sqlite:s.db some.log
status 2 "$JT" gate replay --store sqlite:s.db --since soonish
has err '--since soonish'
status 2 "$JT" gate replay --store sqlite:s.db --since 2026-11-02 \
    --until 2026-11-01
status 2 "$JT" gate replay --store sqlite:s.db --policy missing.yaml
status 3 "$JT" gate replay --store sqlite:s.db
has err 'sqlite:s.db'
t test ! -e s.db

begin 'all figures of a generated store'
status 0 "$JT" store import --store sqlite:s.db past.jsonl
status 0 "$JT" gate replay --store sqlite:s.db -f json
t "$PYTHON" - <<'P'
import json
d = json.load(open("out"))
assert d["schema"] == "jobtriage.replay/1" and d["given"] is None, d
assert d["jobs"] == 9 and d["unclear"] == 0, d
zero = dict.fromkeys(d["sums"], 0)

def check(got, **want):
    want = {**zero, **want}
    assert got == want, {k: (got[k], want[k]) for k in got
                         if got[k] != want[k]}
check(d["sums"], attempts=12, right_stops=4, wrong_stops=1,
      right_retries=3, wrong_retries=1, otherwise_retries=1, undecided=1,
      unknown=1, unmeasured=1, gpu_seconds_saved=18000,
      gpu_seconds_lost=36000, gpu_seconds_burnt=10800)
c = d["categories"]
assert sorted(c) == list(c) and len(c) == 6, list(c)
check(c["path_not_found"], attempts=4, right_stops=3, wrong_stops=1,
      gpu_seconds_saved=18000, gpu_seconds_lost=36000)
check(c["network_communication"], attempts=3, right_retries=3)
check(c["uncaught_exception"], attempts=2, wrong_retries=1,
      otherwise_retries=1, gpu_seconds_burnt=10800)
check(c["unknown"], attempts=1, undecided=1)
check(c["hang"], attempts=1, unknown=1)
check(c["syntax_error"], attempts=1, right_stops=1, unmeasured=1)
assert d["wrong_stops"] == [{
    "job": "made", "user": None, "attempt": 1, "category": "path_not_found",
    "rule": None, "reason": "why made", "then": "recovered",
    "judged": False, "by": None, "gpu_seconds": 36000}], d["wrong_stops"]
P

begin 'the table'
status 0 "$JT" gate replay --store sqlite:s.db
has out '12 failed attempts of 9 jobs that another attempt followed' \
    'Wrong stops' 'why made' '10.0'
t grep -Eq '^path_not_found +3 +1 +0 +0 +0 +0$' out
t grep -Eq '^network_communication +0 +0 +3 +0 +0 +0$' out
t grep -Eq '^all +4 +1 +3 +1 +1 +2$' out
t grep -Eq '^path_not_found +5.0 +10.0 +0.0 +0$' out
t grep -Eq '^all +5.0 +10.0 +3.0 +1$' out
status 0 "$JT" gate replay --store sqlite:s.db -o table
status 0 "$JT" gate replay --store sqlite:s.db
t cmp out table

begin 'a period'
status 0 "$JT" gate replay --store sqlite:s.db --since 2026-11-02T00:00:00Z \
    --until 2026-11-03T00:00:00Z -f json
t "$PYTHON" - <<'P'
import json
d = json.load(open("out"))
assert d["since"] == "2026-11-02T00:00:00Z", d["since"]
s = d["sums"]
assert (s["attempts"], s["right_stops"], s["right_retries"]) == (2, 1, 1), s
assert s["gpu_seconds_saved"] == 10800, s
P

begin 'a policy decides otherwise about the history'
cat >patient.yaml <<'P'
budgets:
  same_cause: none
  same_place: none
  total: none
policy:
  - category: uncaught_exception
    verdict: retry
    retries: unlimited
    reason: A site that tries whatever fails again.
P
{
	past twice 1 uncaught_exception retry $B 60 7
	past twice 2 uncaught_exception retry $B 60 7
	past twice 3 - none - 60
} >twice.jsonl
status 0 "$JT" store import --store sqlite:t.db twice.jsonl
status 0 "$JT" gate replay --store sqlite:t.db
t grep -Eq '^all +0 +1 +0 +1 +0 +0$' out
has out 'attempt 2 ends in the same failure at step 7'
status 0 "$JT" gate replay --store sqlite:t.db --policy patient.yaml
t grep -Eq '^all +0 +0 +1 +1 +0 +0$' out

begin 'attempts of scan --jobs, and the answers that were given'
mkdir -p logs/41/attempt_1 logs/41/attempt_2 logs/42/attempt_1 \
    logs/42/attempt_2
for n in 1 2; do
	cat >logs/41/attempt_$n/train.log <<'P'
2026-11-20 01:00:05 INFO world_size=8 backend=nccl
Traceback (most recent call last):
  File "train.py", line 3, in <module>
    open("/data/train.jsonl")
FileNotFoundError: [Errno 2] No such file or directory: '/data/train.jsonl'
P
done
cat >logs/42/attempt_1/train.log <<'P'
2026-11-20 01:00:05 INFO world_size=8 backend=nccl
Traceback (most recent call last):
  File "train.py", line 3, in <module>
    main()
ConnectionResetError: [Errno 104] Connection reset by peer
P
printf 'epoch 1 step 5 loss 1.0\nTraining completed successfully\n' \
    >logs/42/attempt_2/train.log
cat >records.csv <<'P'
job,attempt,user,state,exit_code,gpus,start,end
41,1,ann,FAILED,1,8,2026-11-20T01:00:00Z,2026-11-20T02:00:00Z
41,2,ann,FAILED,1,8,2026-11-20T03:00:00Z,2026-11-20T04:30:00Z
42,1,bob,FAILED,1,8,2026-11-20T01:00:00Z,2026-11-20T02:00:00Z
42,2,bob,COMPLETED,0,8,2026-11-20T03:00:00Z,2026-11-20T05:00:00Z
P
status 0 "$JT" scan --store sqlite:r.db --jobs records.csv -f jsonl logs
status 0 "$JT" gate replay --store sqlite:r.db -f json
t "$PYTHON" - <<'P'
import json
d = json.load(open("out"))
s = d["sums"]
assert d["jobs"] == 2 and s["attempts"] == 2, d
assert s["right_stops"] == s["right_retries"] == 1, s
assert s["gpu_seconds_saved"] == 8 * 5400, s
P
# in shadow the first one was retried, whatever its verdict
status 0 "$JT" gate --store sqlite:r.db --job 41 --attempt 1 --exit-code 1 \
    --shadow logs/41/attempt_1
status 0 "$JT" gate replay --store sqlite:r.db -f json
t "$PYTHON" - <<'P'
import json
g = json.load(open("out"))["given"]
assert g["answers"] == 1 and g["sums"]["attempts"] == 1, g
assert g["sums"]["right_stops"] == 1 and g["wrong_stops"] == [], g
P

begin 'output that fails'
status 4 "$JT" gate replay --store sqlite:s.db -o /nonexistent/folder/x
if [ -e /dev/full ]; then
	status 4 "$JT" gate replay --store sqlite:s.db -o /dev/full
fi

done_cases
