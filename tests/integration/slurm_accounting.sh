# The hook and the night with Slurm's accounting, a real slurmdbd over MariaDB:
# the reason of a job that Slurm has forgotten, or lets nobody change any more,
# is where sacct shows it, and the night's records and the hook's are one.
. "$TOP/tests/lib.sh"
need munged slurmctld slurmd slurmdbd sbatch sacct sacctmgr scontrol sinfo \
    setsid flock runuser pgrep mariadbd mariadb-install-db mariadb "$PYTHON"
if [ "$(id -u)" -ne 0 ]; then
	echo 'skip slurm: only root may start jobs as another user'
	exit 0
fi
# shellcheck disable=SC2034 # of lab.sh
user=nobody partitions='main leave remark shadow gone'
. "$TOP/tests/integration/slurm/lab.sh"
. "$TOP/tests/integration/slurm/accounting.sh"
# A job that Slurm forgets while the gate thinks
mkdir "$lab/gone"
cat >"$lab/gone/scontrol" <<'S'
#!/bin/sh
echo 'slurm_load_jobs error: Invalid job id specified' >&2
exit 1
S
chmod +x "$lab/gone/scontrol"
install_hook <<C
STORE=sqlite:$lab/jobs.db
SHADOW=no STOP=leave MIN_DELAY=2 SETTLE=30
case \$SLURM_JOB_PARTITION in
remark) REASON_FIELD=Comment ;;
shadow) SHADOW=yes ;;
gone) [ -z "\${entry:-}" ] || PATH=$lab/gone:\$PATH ;;
esac
C
start_daemons
store=sqlite:$lab/jobs.db
make_programs
cat >"$lab/bin/worse.py" <<'P'
import os
if os.environ.get("SLURM_RESTART_COUNT", "0") == "0":
    raise ConnectionResetError(104, "Connection reset by peer")
open("missing.txt")
P

begin 'jobs of all kinds come to an end'
submit well <<J
echo 'step 10 loss 2.5'
echo 'training finished'
J
for each in leave gone shadow; do
	submit "$each" -p "$each" <<J
$run/path.py
J
done
submit theirs -p remark --comment 'JS1:H4sI/A==' <<J
$run/path.py
J
submit small -p remark --comment 'their own' <<J
$run/path.py
J
submit worse <<J
$run/worse.py
J
submit network <<J
$run/network.py
J
submit array --array=3-4 <<J
$run/path.py
J
for each in well:1 leave:1 gone:1 shadow:1 theirs:1 small:1 worse:2 network:2
do
	t until_true 60 kept "${each%:*}" "${each#*:}"
done
for task in 3 4; do
	echo "$(id_of array)_$task" >"$lab/array$task.id"
	t until_true 60 kept array$task 1
done
t until_true 60 over

# reason NAME TEXT...: what sacct -o $field shows at last; sacctmgr writes
# small letters
field=AdminComment
reason() {
	accounted "$1" "$field" >reason
	shift
	has reason "$@"
}
begin 'sacct shows the reason of what is left, though Slurm lets nobody write it'
reason leave 'jobtriage: stop: path_not_found: ' 'missing.txt' '; attempt 1'
reason gone 'jobtriage: stop: path_not_found: ' \
    '[not requeued: slurm has forgotten it]' '; attempt 1'
for task in 3 4; do
	reason array$task 'jobtriage: stop: path_not_found: ' '; attempt 1'
done

begin 'what failed after a requeue has the last reason, and no other'
reason worse 'jobtriage: stop: path_not_found: ' '; attempt 2'
hasnt reason requeued
t test "$(accounted worse State -D | tr '\n' ' ')" = 'REQUEUED FAILED '
reason network 'jobtriage: retry: network_communication: ' \
    '; attempt 1, requeued'

begin 'what others have written is beside it, or is left as it is'
field=Comment
reason small 'their own | jobtriage: stop: path_not_found: '
reason theirs 'JS1:H4sI/A=='
hasnt reason jobtriage
grep "^[^ ]* job $(id_of theirs): " "$lab/hook.log" >log
has log 'jobtriage: stop: path_not_found' 'sacctmgr would spoil'

# figures: of the report, then of a replay
figures() {
	"$JT" report --store "$store" --format json >report.json
	"$JT" gate replay --store "$store" --format json >replay.json
	"$PYTHON" - <<-'P'
	import json
	report = json.load(open("report.json"))["now"]
	replay = json.load(open("replay.json"))["sums"]
	print(report["attempts"], report["failed"],
	      *(replay[k] for k in ("right_stops", "wrong_stops",
	                            "right_retries", "wrong_retries")))
	P
}

begin 'the night: its records are of the attempts that the hook knows'
figures >before
cat >nightly.conf <<C
LOGS=
STORE=$store
OUT=$PWD/reports
TEXTFILE=
KEEP_DAYS=
JOBTRIAGE=$JT
C
status 0 "$TOP/reports/nightly/jobtriage-nightly" -c nightly.conf \
    "$(date -d yesterday +%F)" "$(date -d tomorrow +%F)"
# Slurm 22.05 has no Restarts.
sacct --helpformat | grep -qw Restarts ||
	has err "This Slurm's sacct has no Restarts."
figures >after
t cmp before after
for each in well:1 leave:1 gone:1 shadow:1 theirs:1 small:1 worse:2 \
    network:2 array3:1 array4:1; do
	t kept "${each%:*}" "${each#*:}"
done
# two of ten recovered, or were tried again
t test "$(cut -d ' ' -f 1,2 after)" = '12 10'
"$JT" explain "$(id_of worse)" --store "$store" >out 2>err
has out 'missing.txt'

begin 'check: with accounting there is nothing to remark on it'
JOBTRIAGE_GATE_CONF=$lab/gate.conf "$hook" check >out 2>&1
hasnt out 'no accounting'
done_cases
