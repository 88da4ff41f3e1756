# What the time of trainings goes into: a made day whose truth is known, a job
# that is really killed and goes on, and what is told where nothing is known.
. "$TOP/tests/lib.sh"

# phase NAME: a figure of the goodput in out, which holds one diagnosis
phase() {
	"$PYTHON" -c 'import json, sys
print(json.loads(open("out").readline())["goodput"][sys.argv[1]])' "$1"
}

begin 'a made day: each phase of each attempt as it was made'
for seed in 5 7; do
	t "$PYTHON" "$TOP/tests/cli/goodput_day.py" make day$seed $seed
	status 0 "$JT" scan --goodput --jobs day$seed/records.csv -f jsonl \
		-o day$seed.jsonl day$seed/logs
	t "$PYTHON" "$TOP/tests/cli/goodput_day.py" check day$seed <day$seed.jsonl
	status 0 "$JT" report -f json -o day$seed.json day$seed.jsonl
	t "$PYTHON" "$TOP/tests/cli/goodput_day.py" report day$seed day$seed.json
done

begin 'one section in every format, with the same figures'
"$PYTHON" -c 'import json
g = json.load(open("day5.json"))["goodput"]
print("share=%.1f ettr=%.1f hanging=%d ratio=%d.%04d" % (g["goodput"] / 100,
    g["ettr"] / 100, g["hanging"], *divmod(g["goodput"], 10000)))' >figures
. ./figures
status 0 "$JT" report day5.jsonl
has out "goodput $share %: training that was kept" "ETTR $ettr %:" \
	'recomputing after a restart' 'JOB ' 'USER ' 'CLUSTER '
status 0 "$JT" report -f markdown day5.jsonl
has out "goodput $share %: training that was kept" '| hanging |'
status 0 "$JT" report -f csv day5.jsonl
has out '"goodput","all","hanging","now"' ",$hanging," \
	'"goodput_user","user1","lost"' '"goodput_cluster","c0","queued"'
status 0 "$JT" report -f prometheus day5.jsonl
has out "jobtriage_goodput_ratio $ratio" jobtriage_ettr_ratio \
	"jobtriage_goodput_gpu_seconds{part=\"hanging\"} $hanging"
status 0 "$JT" report -f html day5.jsonl
has out '<section id="goodput"' "Goodput <strong>$share" '>hanging<'

begin 'MTTF by job size: observed, its limits, one rate for each GPU'
cat >sizes.py <<'P'
import json
by, n, gpu_seconds = {}, 0, 0
for line in open("day5.jsonl"):
    d = json.loads(line)
    gpus, run = d["usage"]["gpus"], d["usage"]["runtime_seconds"]
    row = by.setdefault(1 << (gpus - 1).bit_length(), [0, 0, 0, 0])
    failed = d["family"] == "infrastructure"
    for i, v in enumerate((1, failed, run, gpus * run)):
        row[i] += v
    n, gpu_seconds = n + failed, gpu_seconds + gpus * run
assert n
rows = json.load(open("day5.json"))["goodput"]["mttf_by_size"]
assert [r["gpus_up_to"] for r in rows] == sorted(by), rows
for r in rows:
    attempts, failures, run, used = by[r["gpus_up_to"]]
    assert (r["attempts"], r["failures"], r["seconds"]) == (
        attempts, failures, run), r
    assert abs(r["mttf_model"] - run * gpu_seconds / (n * used)) < 2, r
    if failures:
        assert abs(r["mttf_seconds"] - run / failures) < 1, r
        assert r["mttf_low"] < r["mttf_seconds"] < r["mttf_high"], r
    else:
        assert r["mttf_seconds"] is None is r["mttf_high"], r
        # no failure: e to the minus mean is 5 % at the limit
        assert abs(r["mttf_low"] - run / 2.9957) < 3, r
P
t "$PYTHON" sizes.py
status 0 "$JT" report day5.jsonl
has out 'MTTF by job size' MODEL
status 0 "$JT" report -f csv day5.jsonl
has out '"mttf_gpus_up_to","8"'
status 0 "$JT" report -f prometheus day5.jsonl
has out 'jobtriage_size_failures{gpus="8"}'
status 0 "$JT" report -f html day5.jsonl
has out 'MTTF by job size'

begin 'the same from a store'
status 0 "$JT" scan --goodput --store sqlite:s.db --jobs day5/records.csv \
	-f jsonl day5/logs
status 0 "$JT" report --store sqlite:s.db --since 2026-03-09 \
	--until 2026-03-11 -f json
t "$PYTHON" -c 'import json
a, b = (json.load(open(f))["goodput"] for f in ("out", "day5.json"))
assert a == b, (a, b)'

if "$PYTHON" -c 'from jsonschema import Draft202012Validator' 2>/dev/null; then
	begin 'its JSON is what the schema promises'
	t "$PYTHON" -c 'import json, sys
from jsonschema import Draft202012Validator as V
V(json.load(open(sys.argv[1]))).validate(json.load(open("day5.json")))' \
		"$TOP/reports/report.schema.json"
fi

begin 'nothing of it without --goodput'
status 0 "$JT" scan --jobs day5/records.csv -f jsonl day5/logs
hasnt out '"goodput"'
cp out plain.jsonl
status 0 "$JT" report plain.jsonl
hasnt out Goodput
status 0 "$JT" report -f json plain.jsonl
has out '"goodput":'
t "$PYTHON" -c 'import json
assert json.load(open("out"))["goodput"] is None'
status 0 "$JT" report -f prometheus plain.jsonl
hasnt out goodput

begin 'the same for one thread, an archive and a byte at a time'
status 0 "$JT" scan --goodput -j 1 --jobs day5/records.csv -f jsonl day5/logs
t cmp out day5.jsonl
one=day5/logs/train-0/attempt-1/train.log
status 0 "$JT" scan --goodput -f jsonl $one
sed 's/.*"goodput":\({[^}]*}\).*/\1/' out >whole
status 0 sh -c '"$1" scan --goodput -f jsonl - <"$2"' sh "$JT" $one
sed 's/.*"goodput":\({[^}]*}\).*/\1/' out >piped
t cmp whole piped

begin 'a job that is killed and goes on tells the times that it kept itself'
cat >train.py <<'P'
import json, os, signal, sys, time

def say(text):
    now = int(time.time() * 1000) / 1000
    print(time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(now)) +
        ",%03d INFO %s" % (now * 1000 % 1000, text), flush=True)
    return now

upto, dies = int(sys.argv[1]), sys.argv[2] == "dies"
kept = {"begun": say("loading data"), "saving": 0}
at = json.load(open("model.json"))["step"] if os.path.exists("model.json") else 0
if at:
    say(f"resumed from step {at}")
time.sleep(.5)
for step in range(at + 1, upto + 1):
    time.sleep(.1)
    now = say(f"step {step} loss {1 / step:.4f}")
    kept.setdefault("first", now)
    kept["last"] = now
    if step % 10 == 0:
        before = say(f"saving checkpoint at step {step} to model.pt")
        with open("model.json", "w") as f:
            json.dump({"step": step}, f)
        time.sleep(.7)
        kept["last"] = say(f"saved checkpoint at step {step} to model.pt")
        kept["saving"] += kept["last"] - before
with open(sys.argv[3], "w") as f:
    json.dump(kept, f)
if dies:
    os.kill(os.getpid(), signal.SIGKILL)
say("Training finished")
P
cat >same.py <<'P'
import json, sys
bad = 0
for line in open("out"):
    d = json.loads(line)
    g, kept = d["goodput"], json.load(open(f"kept{d['attempt']}"))
    want = {"initializing": kept["first"] - kept["begun"],
        "checkpointing": kept["saving"],
        "training": kept["last"] - kept["first"] - kept["saving"]}
    for k, v in want.items():
        bad += abs(g[k] - v) > 1.5 or print(k, g[k], v) is not None
    bad += (g["first_step"], g["last_step"]) != {1: (1, 17), 2: (11, 30)}[
        d["attempt"]]
    bad += sum(g[k] for k in ("initializing", "training", "recomputing",
        "checkpointing", "evaluating", "hanging", "stopping", "unknown")) != \
        d["usage"]["runtime_seconds"]
sys.exit(bad)
P
mkdir -p job/attempt-1 job/attempt-2
"$PYTHON" train.py 17 dies kept1 >job/attempt-1/log.txt 2>&1
"$PYTHON" train.py 30 well kept2 >job/attempt-2/log.txt 2>&1
status 0 "$JT" scan --goodput -f jsonl job
t "$PYTHON" same.py

begin 'two launches in one log: steps made again are told apart'
{
	i=0
	for m in 00 01 02 03 04 05 06 07 08 09 10; do
		echo "2026-03-09 10:$m:00,000 INFO step $((i += 10)) loss 2.1"
		[ $i != 60 ] ||
			echo "2026-03-09 10:$m:20,000 INFO saved checkpoint to out/step_60.pt"
	done
	printf '%s\n' 'Traceback (most recent call last):' \
		'  File "train.py", line 3, in <module>' 'KeyError: 1'
	echo '2026-03-09 11:00:00,000 INFO resumed from checkpoint at step 60'
	i=60
	for m in 05 06 07 08 09 10 11 12; do
		echo "2026-03-09 11:$m:00,000 INFO step $((i += 10)) loss 2.1"
	done
} >two.log
status 0 "$JT" scan --goodput -f jsonl two.log
# 70 to 110 again: 4 minutes; 110 to 140: 3; the save took 20 s
t test "$(phase recomputing) $(phase checkpointing)" = '240 20'
t test "$(phase training)" = $((580 + 180))
t test "$(phase first_step) $(phase last_step)" = '10 140'

begin 'what the log does not date is unknown, and no guess'
cat >undated.log <<'L'
2026-03-09 10:00:00 INFO starting up
step 10 loss 2.1
step 20 loss 2.0
2026-03-09 10:05:00 INFO done
L
status 0 "$JT" scan --goodput -f jsonl undated.log
t test "$(phase unknown) $(phase training)" = '300 0'
printf '2026-03-09 10:00:00 INFO hello\n2026-03-09 10:05:00 INFO bye\n' >no.log
status 0 "$JT" scan --goodput -f jsonl no.log
t test "$(phase unknown) $(phase initializing)" = '300 0'

begin 'words that the training begins end what comes before'
cat >words.log <<'L'
2026-03-09 10:00:00 INFO loading data
2026-03-09 10:01:00 INFO ***** Running training *****
2026-03-09 10:05:00 INFO step 100 loss 2.1
2026-03-09 10:09:00 INFO step 200 loss 2.0
2026-03-09 10:09:10 INFO Training finished
L
status 0 "$JT" scan --goodput -f jsonl words.log
t test "$(phase initializing) $(phase training) $(phase stopping)" = '60 480 10'

done_cases
