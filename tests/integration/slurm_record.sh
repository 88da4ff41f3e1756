# The hook's record of a cluster, in a real Slurm: every job that ran is in the
# store, with its logs where its user has them; a replay sees wrong stops and
# right ones; a store that does not work is told of and bounds the retries; and
# of a burst of failures none is lost.
. "$TOP/tests/lib.sh"
need munged slurmctld slurmd sbatch scontrol sinfo setsid flock runuser pgrep \
    "$PYTHON"
if [ "$(id -u)" -ne 0 ]; then
	echo 'skip slurm: only root may start jobs as another user'
	exit 0
fi
# BURST: tasks of the array
: "${BURST:=60}"
# shellcheck disable=SC2034 # of lab.sh
user=nobody partitions='main shadow lost full burst'
. "$TOP/tests/integration/slurm/lab.sh"
small() {
	[ ! -d "$lab/small" ] || umount "$lab/small" 2>/dev/null
}
trap 'small; down' EXIT

# shellcheck disable=SC2034 # of lab.sh
delay=3
install_hook <<C
STORE=sqlite:$lab/jobs.db
METRICS=$lab/hook.prom
SHADOW=no STOP=special MIN_DELAY=3 SETTLE=3 WORKERS=4
case \$SLURM_JOB_PARTITION in
shadow) SHADOW=yes ;;
burst) STOP=leave ;;
lost) STORE=sqlite:$lab/nowhere/jobs.db ;;
full) STORE=sqlite:$lab/small/jobs.db ;;
esac
C
start_daemons
JOBTRIAGE_CONFIG=
export JOBTRIAGE_CONFIG
store=sqlite:$lab/jobs.db
make_programs
cat >"$lab/bin/nan.py" <<'P'
print("step 10 loss 2.5\nstep 20 loss nan", flush=True)
raise FloatingPointError("Loss became nan at step 20, stopping training")
P

begin 'every job that ran is recorded, with the paths of its logs'
submit well -p main <<J
echo 'step 10 loss 2.5'
echo 'training finished'
J
submit norequeue --no-requeue -o own/%x-%j.txt -J train <<J
$run/path.py
J
mkdir "$lab/jobs/norequeue/own"
chown "$user" "$lab/jobs/norequeue/own"
submit cancelled <<J
echo begun
sleep 1000
J
submit held --hold <<J
true
J
runuser -u "$user" -- scancel "$(id_of held)"
t until_true 60 test -s "$lab/jobs/cancelled/slurm-$(id_of cancelled).out"
t runuser -u "$user" -- scancel "$(id_of cancelled)"
for each in well norequeue cancelled; do
	t until_true 120 kept "$each" 1
done
t kept held 0
t until_true 60 said norequeue 1
log=$lab/jobs/norequeue/own/train-$(id_of norequeue).txt
"$JT" explain "$(id_of norequeue)" --store "$store" >out 2>err
has out 'missing.txt' "train-$(id_of norequeue).txt"
"$JT" store export --store "$store" >all.jsonl
t grep -qF "\"paths\":[\"$log\"]" all.jsonl
t grep -qF '"cluster":"jt"' all.jsonl
has all.jsonl '"state":"COMPLETED"' '"state":"CANCELLED"' "\"user\":\"$user\""
grep "job $(id_of norequeue): " "$lab/hook.log" >log
has log 'path_not_found' 'it may not be requeued'
t is norequeue JobState FAILED

begin 'shadow: a replay sees a wrong stop'
for each in mended same; do
	submit "$each" -p shadow <<J
$run/path.py
J
done
submit flaky -p shadow <<J
$run/network.py
J
for each in mended same flaky; do
	t until_true 120 said "$each" 1
done
: >"$lab/jobs/mended/missing.txt"
for each in mended same flaky; do
	t scontrol requeue "$(id_of "$each")"
	t scontrol update "JobId=$(id_of "$each")" StartTime=now+3
done
for each in mended same flaky; do
	t until_true 120 kept "$each" 2
done
# figures KEY...: of a replay, one after the other
figures() {
	"$JT" gate replay --store "$store" --format json >replay.json
	"$PYTHON" -c 'import json, sys
d = json.load(open("replay.json"))
print(*(d["sums"][k] for k in sys.argv[1:]),
      *(d["given"]["sums"][k] for k in sys.argv[1:]))' "$@"
}
t test "$(figures right_stops wrong_stops right_retries wrong_retries)" = \
    '1 1 1 0 1 1 1 0'
"$JT" gate replay --store "$store" >out
has out "job $(id_of mended), attempt 1: path_not_found; then it recovered"

begin 'live: the same figures'
submit live <<J
$run/network.py
J
submit stopped <<J
$run/path.py
J
t until_true 120 is stopped JobState SPECIAL_EXIT
: >"$lab/jobs/stopped/missing.txt"
t scontrol release "$(id_of stopped)"
t scontrol update "JobId=$(id_of stopped)" StartTime=now+3
for each in live stopped; do
	t until_true 120 kept "$each" 2
	t until_true 120 is "$each" JobState COMPLETED
done
t test "$(figures right_stops wrong_stops right_retries wrong_retries)" = \
    '1 2 2 0 1 2 2 0'
"$JT" report --store "$store" --format json >report.json
t "$PYTHON" - <<'P'
import json
d = json.load(open("report.json"))["now"]
# once well and cancelled, once --no-requeue, and twice each the five others
assert d["attempts"] == 13, d
P

begin 'a store that is lost, or full: told, counted and bounded'
submit lost -p lost <<J
$run/nan.py
J
full=''
mkdir "$lab/small"
if mount -t tmpfs -o size=256k none "$lab/small" 2>/dev/null; then
	full=full
	"$JT" gate --store "sqlite:$lab/small/jobs.db" --job 1 /dev/null \
	    >/dev/null 2>&1
	dd if=/dev/zero of="$lab/small/other" 2>/dev/null
	submit full -p full <<J
$run/nan.py
J
fi
for each in lost $full; do
	t until_true 120 is "$each" JobState SPECIAL_EXIT
	t until_true 60 over
	grep "job $(id_of "$each"): " "$lab/hook.log" >log
	has log 'STORE: ' 'earlier attempts nothing is known'
	t test "$(shown "$each" Restarts)" -le 4
done
small
t test "$(sed -n 's/^jobtriage_hook_not_kept_total 0*//p' \
    "$lab/hook.prom")" -ge 4

begin 'a burst: each task has a decision'
sed -i 's/^MinJobAge=.*/MinJobAge=5/' "$lab/slurm.conf"
t scontrol reconfigure
submit burst -p burst --array="1-$BURST" -c 1 --mem=10 <<J
exec $run/path.py
J
decided() {
	[ "$(grep -o "job $(id_of burst)_[0-9]*: " "$lab/hook.log" |
		sort -u | wc -l)" -eq "$BURST" ]
}
t until_true 300 decided
t until_true 60 over
t test -z "$(ls "$lab/hook/queue")$(ls "$lab/hook/slots")"
grep "job $(id_of burst)_" "$lab/hook.log" >log
t test "$(grep -c path_not_found log)" -eq "$BURST"
done_cases
