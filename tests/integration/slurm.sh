# The gate as Slurm's EpilogSlurmctld, in a real Slurm: every job ends in the
# state that the policy says, with the reason in `scontrol show job` where
# Slurm takes one, after as many attempts as the policy says.
. "$TOP/tests/lib.sh"
. "$TOP/tests/integration/postgres/lab.sh"
need munged slurmctld slurmd sbatch scontrol sinfo setsid flock runuser pgrep \
    initdb pg_ctl psql setpriv "$PYTHON"
if [ "$(id -u)" -ne 0 ]; then
	echo 'skip slurm: only root may start jobs as another user'
	exit 0
fi
user=nobody
. "$TOP/tests/integration/slurm/lab.sh"
trap 'down; finish' EXIT

# ---- the hook as it is installed, the gate, and the site's policy ----
cat >"$lab/slow" <<'S'
#!/bin/sh
sleep 1000
S
chmod +x "$lab/slow"
# shellcheck disable=SC2034 # of lab.sh
budgets='budgets: {same_cause: 2, same_place: 5}' repeats='repeats: false'
install_hook <<C
STORE=sqlite:$lab/gate.db
SHADOW=no STOP=special MIN_DELAY=2 SETTLE=3
MAIL=yes MAIL_HOUR=3 SENDMAIL="tee -a $lab/mails"
case \$SLURM_JOB_PARTITION in
leave) STOP=leave ;;
hold) STOP=hold UNDECIDED=hold ;;
shadow) SHADOW=yes ;;
absent) JOBTRIAGE=/nonexistent/jobtriage ;;
# until Slurm has let go on what waited for its failure
late) let_go
	for _ in \$(seq 200); do
		ls $lab/jobs/late-not/slurm-*.out && break
		sleep 0.2
	done >$lab/late.log 2>&1 ;;
bound) DEPENDENTS=leave ;;
slow) JOBTRIAGE=$lab/slow LIMIT=4 ;;
esac
C
start_daemons

# ---- a tree that the cluster scans, by the recipe ----
make_server || exit 1
chmod 711 "$base"
"$PYTHON" "$TOP/tests/cli/shard_tree.py" "$lab/tree" 560
"$JT" scan -q --timezone UTC --jobs "$lab/tree/sacct.txt" \
	--store sqlite:one.db "$lab/tree/logs" >/dev/null
cp "$JT" "$lab/bin/jobtriage"
# The second part, when it runs for the first time, comes to a halt in the
# middle, when some of it is in the store and some is not yet.
cat >"$lab/bin/scan" <<S
#!/bin/sh
[ "\${SLURM_ARRAY_TASK_ID:-}" = 2 ] && [ "\${SLURM_RESTART_COUNT:-0}" -eq 0 ] ||
	exec $lab/bin/jobtriage "\$@"
JOBTRIAGE_FORMAT=jsonl $lab/bin/jobtriage "\$@" | {
	head -n 30 >/dev/null
	sleep 1.2
	head -n 10 >/dev/null
	: >$lab/jobs/night/halted
	sleep 1000
}
S
chmod +x "$lab/bin/scan"
mkdir -m 700 "$lab/jobs/night"
cp "$TOP/classifier/recipes/slurm-night.sh" "$lab/jobs/night"
chown -R "$user": "$lab/jobs/night"
night=$(cd "$lab/jobs/night" && runuser -u "$user" -- env TMPDIR=/tmp SBATCH_PARTITION=main \
    SBATCH_TIMELIMIT=5 \
    LOGS="$lab/tree/logs" STORE="$URL" RECORDS="$lab/tree/sacct.txt" PARTS=4 \
    SINCE=2026-01-01 UNTIL=2027-01-01 JOBTRIAGE="$lab/bin/scan" \
    JOBTRIAGE_CONFIG= sh slurm-night.sh) || echo "not ok the array is submitted"
echo "$night" | sed 's/^scan \([0-9]*\), .*/\1_2/' >"$lab/night2.id"
echo "$night" | sed 's/.*report //' >"$lab/nightreport.id"

# ---- programs that fail ----
cat >"$lab/bin/train.py" <<'P'
# A training as small as it gets: train.py FAILURE
import os, sys, time

class Linear:
    def forward(self, rows, columns):
        if columns != 512:
            raise RuntimeError("mat1 and mat2 shapes cannot be multiplied "
                               f"({rows}x{columns} and 512x256)")

def start():
    print("INFO world size 1, 2 GPUs, batch size 32", flush=True)

def path():
    open("/data/imagenet/train/shard-00017.tar", "rb")

def shape():
    Linear().forward(32, 768)

def network():
    print("step 100 loss 2.31", flush=True)
    raise ConnectionResetError(104, "Connection reset by peer")

def memory():
    held = []
    for i in range(120):
        held.append(bytearray(b"x") * 1000000)
        time.sleep(0.002)
    print("loaded", len(held), "MB", flush=True)

def forever():
    for step in range(0, 100000, 10):
        print(f"step {step} loss {2.0 - step / 1e6:.4f}", flush=True)
        time.sleep(1)

start()
globals()[sys.argv[1]]()
print("training finished", flush=True)
P
train="$PYTHON $lab/bin/train.py"
FIRST="[ \"\${SLURM_RESTART_COUNT:-0}\" -eq 0 ]"

# ---- the jobs, all at once ----
submit path --gres=gpu:1 -H <<J
[ ! -e mended ] || { $train start; exit; }
$train path
J
submit shape -e err.txt <<J
$train shape
J
submit network -H <<J
if $FIRST; then $train network; exit; fi
$train start
J
if constrains; then
	submit memory --mem=100 <<J
$train memory
J
else
	# Slurm's own words, since nobody here ends what takes too much.
	echo 'info: no control groups here: the job itself prints the OOM kill'
	submit memory --mem=100 <<J
if $FIRST; then
	echo "slurmstepd: error: Detected 1 oom_kill event in \
StepId=\$SLURM_JOB_ID.batch. Some of the step tasks have been OOM Killed."
	exit 137
fi
J
fi
submit time --time=1 <<J
$FIRST || { $train start; exit; }
exec $train forever
J
submit again <<J
$train network
J
submit array --array=1-2 -H <<J
[ \$SLURM_ARRAY_TASK_ID = 1 ] && $FIRST && { $train network; exit; }
$train start
J
# The second task ends when what is submitted later is there.
submit wide --array=1-2 -H <<J
[ \$SLURM_ARRAY_TASK_ID = 1 ] && $FIRST && { $train network; exit; }
until [ \$SLURM_ARRAY_TASK_ID = 1 ] || [ -e go ]; do sleep 0.2; done
$train start
J
fault='GPU has fallen off the bus.'
fault="NVRM: Xid (PCI:0000:4a:00): 79, pid=77, name=python3, $fault"
fault="\$(date '+%b %e %T') \$SLURMD_NODENAME kernel: $fault"
submit node --gres=gpu:2 <<J
if $FIRST; then
	echo "$fault"
	echo \$SLURMD_NODENAME >$lab/jobs/node/first
	exit 1
fi
$train start
J
submit pinned -p hold -w jt1 <<J
echo "$fault"
exit 1
J
submit names -J 'a b  JobState=COMPLETED $(touch pwned)' \
    -o 'my $(touch pwned) "log" %5j.txt' --comment "it's \$(touch pwned)" <<J
$train network
J
submit leave -p leave <<J
$train path
J
submit hold -p hold <<J
$train path
J
submit shadow -p shadow <<J
$train network
J
submit absent -p absent <<J
$train network
J
for of in late bound; do
	submit "$of" -p "$of" -H <<J
$FIRST || { $train start; exit; }
$train network
J
done
submit slow -p slow <<J
$train network
J
submit hidden <<J
$train network
mv slurm-\$SLURM_JOB_ID.out gone.txt
exit 1
J
submit unseen -p hold <<J
mv slurm-\$SLURM_JOB_ID.out gone.txt
exit 1
J
submit well <<J
$train start
J
submit optout --comment 'jobtriage=off please' <<J
$train network
J
submit norequeue --no-requeue <<J
$train network
J
submit byhand <<J
$FIRST || { $train start; exit; }
exec $train forever
J
submit cancelled <<J
exec $train forever
J
# depends NAME KIND JOB[_TASK] [OPTION...]: a job that waits for another one
depends() {
	name_of=$1 kind=$2 on=$3
	shift 3
	submit "$name_of" -d "$kind:$(id_of "${on%_*}")${on#"${on%_*}"}" "$@" <<J
$train start
J
}
for of in network path late bound; do
	depends "$of-ok" afterok "$of" -J "for-$of"
	depends "$of-not" afternotok "$of"
	depends "$of-any" afterany "$of" -J "for-$of"
	depends "$of-kill" afterok "$of" --kill-on-invalid-dep=yes -J "for-$of"
done
depends either "afterok:$(id_of network),afterany" late
depends chain afterok network-ok
depends array-ok afterok array
depends array-not afternotok array
depends array-one afterok array_1
depends array-each aftercorr array --array=1-2
mkdir -m 700 "$lab/jobs/het"
printf '#!/bin/sh\n#SBATCH -n1\n#SBATCH hetjob\n#SBATCH -n1\n%s\n' \
    "$train network" >"$lab/jobs/het/run.sh"
chown -R "$user": "$lab/jobs/het"
(cd "$lab/jobs/het" && runuser -u "$user" -- env TMPDIR=/tmp sbatch \
    --parsable --requeue -H -p main run.sh) >"$lab/het.id"
depends het-ok afterok het
depends het-not afternotok het
scontrol update "JobId=$(id_of network)" AdminComment=JS1:H4sI/A==
# They begin to fail when all that waits for them is there.
for of in path network late bound array wide het; do
	scontrol release "$(id_of "$of")"
done
printed() {
	grep -qs step "$lab/jobs/$1"/slurm-*.out
}

begin 'by hand: a job is cancelled, another one requeued'
t until_true 60 printed cancelled
t runuser -u "$user" -- scancel "$(id_of cancelled)"
t until_true 60 printed byhand
t runuser -u "$user" -- scontrol requeue "$(id_of byhand)"
t until_true 60 is byhand JobState PENDING
t scontrol update "JobId=$(id_of byhand)" StartTime=now+3

begin 'what is submitted for a whole array when a task of it was requeued'
echo "$(id_of wide)_1" >"$lab/wide1.id"
t until_true 60 is wide1 Restarts 1
depends wide-later afterok wide
: >"$lab/jobs/wide/go"
t until_true 100 is wide-later JobState COMPLETED

begin 'one part of a scan is killed in the middle, and runs again'
t until_true 60 test -e "$lab/jobs/night/halted"
some=$(sql 'SELECT count(*) FROM jobtriage.diagnosis')
t test "$some" -gt 0
t runuser -u "$user" -- scontrol requeue "$(id_of night2)"
t until_true 60 is night2 JobState PENDING
t scontrol update "JobId=$(id_of night2)" StartTime=now+1
t test "$(shown nightreport JobState)" = PENDING

begin 'slurmctld does not wait for a slow gate'
t until_true 30 is slow JobState FAILED
t test -z "$(grep 'slow' "$lab/hook.log")"

begin 'all come to an end'
t until_true 200 over

# ends NAME STATE RESTARTS [TEXT...]: how it ended, and what its comment holds
ends() {
	begin "$1: $2 after $3 requeues"
	t is "$1" JobState "$2"
	t is "$1" Restarts "$3"
	comment "$1" >comment
	grep "^[^ ]* job $(id_of "$1"): " "$lab/hook.log" >log
	what=$1
	shift 3
	[ $# -gt 0 ] || t test ! -s comment
	[ $# -eq 0 ] || has comment "$@"
}

ends path SPECIAL_EXIT 1 'jobtriage: stop: path_not_found: ' \
    '; attempt 1'
ends shape SPECIAL_EXIT 1 'jobtriage: stop: tensor_mismatch: ' '; attempt 1'
ends network COMPLETED 1 \
    'JS1:H4sI/A== | jobtriage: retry: network_communication: ' \
    "($lab/bin/train.py:" 'ConnectionResetError: [Errno 104] Connection reset' \
    '; attempt 1, requeued'
ends memory COMPLETED 1 'jobtriage: adjust: cpu_out_of_memory: ' \
    '[MinMemoryNode=200] | ' '; attempt 1, requeued'
t is memory MinMemoryNode 200M
ends time COMPLETED 1 'jobtriage: adjust: time_limit_exceeded: ' \
    '[TimeLimit=2] | ' '; attempt 1, requeued'
t is time TimeLimit 00:02:00
ends node COMPLETED 1 'jobtriage: adjust: gpu_hardware_fault: ' \
    "[ExcNodeList=$(cat "$lab/jobs/node/first")] | " '; attempt 1, requeued'
t is node ExcNodeList "$(cat "$lab/jobs/node/first")"
t test "$(shown node NodeList)" != "$(cat "$lab/jobs/node/first")"
ends byhand COMPLETED 1
t test ! -s log
ends cancelled CANCELLED 0
ends well COMPLETED 0
t test ! -s log
ends optout FAILED 0
t test ! -s log
ends norequeue FAILED 0

begin 'the array: the store has what one scan would have put there'
t is night2 JobState COMPLETED
t is night2 Restarts 1
t is nightreport JobState COMPLETED
t test -s "$lab/jobs/night/2026-01-01.html"
reports server.txt "$URL"
reports file.txt sqlite:one.db
t cmp server.txt file.txt
t test "$(sql 'SELECT count(*) FROM jobtriage.diagnosis')" -gt "$some"

# The budget: two retries for one cause.
ends again SPECIAL_EXIT 3 'jobtriage: stop: network_communication: ' \
    '; attempt 3'

ends leave FAILED 0
has log 'jobtriage: stop: path_not_found: ' '; attempt 1'
ends hold PENDING 1 'jobtriage: stop: path_not_found: '
t is hold Reason job_requeued_in_held_state
ends shadow FAILED 0
has log 'shadow (status 0): verdict='
ends absent FAILED 0
has log 'no program /nonexistent/jobtriage'
ends slow FAILED 0
has log 'no answer (status 124)'
ends hidden FAILED 0
has log 'jobtriage: undecided: '
ends unseen PENDING 1 'jobtriage: undecided: '
ends pinned PENDING 1 'jobtriage: undecided: gpu_hardware_fault: ' \
    'it needs another node than jt1, and there is none'
ends names SPECIAL_EXIT 3 'jobtriage: stop: network_communication: '
t test -z "$(find "$lab" / -maxdepth 3 -name pwned 2>/dev/null)"

# A task of an array is requeued alone.
for task in 1 2; do
	echo "$(id_of array)_$task" >"$lab/array$task.id"
done
ends array1 COMPLETED 1 'jobtriage: retry: '
ends array2 COMPLETED 0

begin 'mails: some, and no more than are allowed'
t test "$(grep -c "^To: $user$" "$lab/mails")" = 3
has "$lab/mails" 'jobtriage: '

begin 'by hand: what is wrong, and what would be done'
by_hand() {
	status 0 env JOBTRIAGE_GATE_CONF="$lab/gate.conf" "$hook" "$@"
}
by_hand check
has out "ok: slurmctld" "ok: STORE: " 'ok: nothing is wrong' \
    'is another program'
by_hand test "$(id_of leave)"
has out 'verdict=stop' 'jobtriage: stop: path_not_found: ' \
    "would run: scontrol update JobId=$(id_of leave) AdminComment="
by_hand test "$(id_of shadow)"
has out 'SHADOW=yes: what follows is not done' 'verdict=retry' \
    "would run: scontrol requeue $(id_of shadow)"
by_hand test "$(id_of well)"
has out 'nothing would be done: its state is COMPLETED'
t is shadow Restarts 0

# ---- jobs that depend on others ----
# waits NAME STATE [REASON]: how one that waited has ended
waits() {
	begin "$1: ${3:-$2}"
	t is "$1" JobState "$2"
	[ $# -lt 3 ] || t is "$1" Reason "$3"
}
NEVER=DependencyNeverSatisfied
# A requeue is as if the first attempt had never been.
waits network-ok COMPLETED
waits network-not PENDING "$NEVER"
waits network-any COMPLETED
waits network-kill COMPLETED
waits either COMPLETED
waits chain COMPLETED
# What waits in SPECIAL_EXIT has failed for afternotok alone.
waits path-ok PENDING Dependency
waits path-not COMPLETED
waits path-any PENDING Dependency
waits path-kill PENDING Dependency
# Too late, afterok waits again; what has run has run.
ends late COMPLETED 1 'jobtriage: retry: '
waits late-ok COMPLETED
waits late-not COMPLETED
waits late-any COMPLETED
waits late-kill CANCELLED "$NEVER"
has "$lab/hook.log" "job $(id_of late-ok) waits for afterok:$(id_of late)"
# Not requeued, as it is configured.
ends bound FAILED 0
# The others, too, if Slurm has not yet let go on those that wait for a failure.
has log "[not requeued, since jobs depend on it: $(id_of bound-ok)"
waits bound-ok PENDING "$NEVER"
waits bound-not COMPLETED
waits bound-kill CANCELLED "$NEVER"
waits array-ok COMPLETED
waits array-not PENDING "$NEVER"
waits array-one COMPLETED
for task in 1 2; do
	echo "$(id_of array-each)_$task" >"$lab/each$task.id"
	waits each$task COMPLETED
done
# The parts of a heterogeneous job are left, as are those that wait for it.
ends het FAILED 0
waits het-ok PENDING "$NEVER"
waits het-not COMPLETED

begin 'who has mended a job that waits lets it go on'
: >"$lab/jobs/path/mended"
as_user() {
	t runuser -u "$user" -- "$@"
}
as_user scontrol release "$(id_of path)"
as_user scontrol update "JobId=$(id_of path)" StartTime=now+1
t until_true 30 is path JobState COMPLETED
for who in ok any kill; do
	t until_true 30 is path-$who JobState COMPLETED
done
as_user scontrol release "$(id_of hold)"
as_user scancel "$(id_of hold)"
t until_true 10 is hold JobState CANCELLED

done_cases
