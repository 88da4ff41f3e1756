#!/bin/bash
# day.sh CASE: bring a cluster up, submit one job, do to it what CASE says,
# print what it left behind. Slurm's words in the log are Slurm's own; only the
# date is moved, to the one that all logs of the corpus have.
# shellcheck disable=SC2016,SC2154,SC2317
# shellcheck source=cluster.sh disable=SC1091
. ./cluster.sh
gpu='PartitionName=gpu Nodes=ALL Default=YES MaxTime=INFINITE State=UP'
started=$(date +%s)

# batch OPTIONS LINE...: submit a script of these lines, job id in $job
batch() {
	local options=$1
	shift
	{
		printf '#!/bin/bash\n'
		printf '#SBATCH %s\n' '--job-name=sft-7b'
		printf '%s\n' 'echo "job $SLURM_JOB_ID on $SLURM_JOB_NODELIST"'
		printf '%s\n' "$@"
	} >job.sh
	# shellcheck disable=SC2086
	job=$(ada sbatch --parsable $options job.sh) || exit 1
	log=slurm-$job.out
}

# tell FILE...: the logs, on the corpus's date
tell() {
	python3 redate.py "$started" "$@"
}

# freeze NODE: it does not answer any more. Its daemon, its step's daemon and
# the tasks stay where they are, as on a machine whose kernel hangs.
freeze() {
	local task parent
	kill -STOP "$(cat "$lab/slurmd.$1.pid")"
	for task in /proc/[0-9]*; do
		tr '\0' '\n' <"$task/environ" 2>/dev/null |
			grep -qx "SLURMD_NODENAME=$1" || continue
		parent=$(sed -n 's/^PPid:[[:space:]]*//p' "$task/status")
		kill -STOP "$parent" "${task#/proc/}"
	done
}

scancel_job() {
	up "$gpu" || return
	batch "-N2 --ntasks-per-node=2" \
		'srun python3 train.py quiet 900' 'echo "srun ended with $?"'
	until_seen "step=28 " "$log"
	ada scancel "$job"
	over "$job"
	tell "$log"
}

scancel_step() {
	up "$gpu" || return
	batch "-N1 -n2 --gres=gpu:2" \
		'srun python3 train.py plain 900' 'code=$?' \
		'echo "training ended with status $code, skipping the evaluation"' \
		'exit $code'
	until_seen "saved checkpoint" "$log"
	ada scancel "$job.0"
	over "$job"
	tell "$log"
}

interrupt() {
	up "$gpu" || return
	batch "-N1 -n3" 'srun --label python3 train.py quiet 900'
	until_seen "step=16 " "$log"
	ada scancel --signal=INT "$job.0"
	over "$job"
	tell "$log"
}

walltime() {
	up "$gpu" || return
	batch "-N1 -n1 --time=1" 'python3 train.py grace 9000'
	until_seen "saved checkpoint" "$log"
	scontrol update JobId="$job" EndTime=now+4
	over "$job"
	tell "$log"
}

deaf() {
	up "$gpu" || return
	batch "-N1 -n2 --time=1" \
		'srun python3 train.py stubborn 9000' \
		'code=$?; echo "pretraining: $code"; exit $code'
	until_seen "saved checkpoint" "$log"
	scontrol update JobId="$job" EndTime=now+4
	over "$job"
	tell "$log"
}

requeue() {
	up "$gpu" || return
	batch "-N1 -n1 --requeue --open-mode=append" \
		'python3 train.py plain 9000'
	until_seen "saved checkpoint" "$log"
	scontrol requeue "$job"
	sleep 5
	tell "$log"
}

partitions() {
	up "PreemptType=preempt/partition_prio" "PreemptMode=$1" \
		"PartitionName=urgent Nodes=ALL PriorityTier=9 State=UP" \
		"PartitionName=gpu Nodes=ALL Default=YES PriorityTier=1 $2 State=UP"
}

preempt_requeue() {
	partitions REQUEUE "" || return
	batch "-N2 --ntasks-per-node=1 --exclusive --requeue" \
		'srun --label python3 train.py plain 9000'
	until_seen "saved checkpoint" "$log"
	ada sbatch -p urgent -N2 --exclusive -o urgent.out \
		--wrap 'srun sleep 20' >/dev/null
	for _ in $(seq 100); do
		[ "$(state "$job")" = PENDING ] && break
		sleep 0.2
	done
	sleep 1
	tell "$log"
}

preempt_cancel() {
	partitions CANCEL "GraceTime=3" || return
	batch "-N1 -n1 --exclusive -w gn0143" 'exec python3 train.py grace 9000'
	until_seen "saved checkpoint" "$log"
	ada sbatch -p urgent -N2 --exclusive -o urgent.out \
		--wrap 'srun sleep 20' >/dev/null
	over "$job"
	tell "$log"
}

memory_poll() {
	up "$gpu" JobAcctGatherType=jobacct_gather/linux \
		JobAcctGatherFrequency=1 JobAcctGatherParams=OverMemoryKill ||
		return
	batch "-N1 -n1 --mem=700" 'srun python3 train.py cache 200'
	over "$job"
	tell "$log"
}

memory_cgroup() {
	up "$gpu" TaskPlugin=task/cgroup || return
	batch "-N1 -n1 --mem=600" 'srun python3 train.py cache 200'
	over "$job"
	tell "$log"
	# control groups are the machine's, not the namespace's
	for pid in "$lab"/slurmd.*.pid; do
		kill "$(cat "$pid")"
	done
	sleep 0.5
	find /sys/fs/cgroup/*/slurm* -depth -type d -exec rmdir {} + 2>/dev/null
}

bad_task() {
	up "$gpu" || return
	batch "-N2 --ntasks-per-node=2" \
		'srun --label --kill-on-bad-exit=1 python3 train.py tokens 30'
	over "$job"
	tell "$log"
}

array() {
	up "$gpu" || return
	echo '{"0": [0, 51], "1": [51, 102], "3": [102, 153]}' >folds.json
	batch "--array=0-3 -n1 --output=fold-%A_%a.out" \
		'python3 train.py fold 12'
	over "$job"
	tell "fold-${job}_2.out"
}

execve() {
	up "$gpu" || return
	batch "-N2 --ntasks-per-node=1" \
		'srun --label /opt/sft/bin/launch --config sft.toml'
	over "$job"
	tell "$log"
}

no_right() {
	up "$gpu" || return
	batch "-N1 -n2" 'srun ./train.py plain 20'
	over "$job"
	tell "$log"
}

node_down() {
	up "$gpu" || return
	batch "-N2 --ntasks-per-node=2 --no-requeue" \
		'srun python3 train.py quiet 9000'
	until_seen "step=24 " "$log"
	scontrol update NodeName=gn0143 State=DOWN Reason='fan failure'
	over "$job"
	tell "$log"
}

node_dead() {
	up "$gpu" || return
	batch "-N2 --ntasks-per-node=1 --no-requeue -o %j.out -e %j.err" \
		'srun --label python3 train.py plain 9000'
	log=$job.out
	until_seen "saved checkpoint" "$log"
	freeze gn0143
	over "$job"
	tell "$log" >"$LOGS/stdout.log"
	tell "$job.err" >"$LOGS/stderr.log"
}

munge_gone() {
	up "$gpu" || return
	batch "-N1 -n1" 'echo "preparing shards"' 'sleep 3' \
		'srun python3 train.py plain 9000'
	until_seen "preparing" "$log"
	kill "$(cat "$lab/munged.pid")"
	sleep 14
	tell "$log"
}

segfault() {
	up "$gpu" || return
	batch "-N2 --ntasks-per-node=2" \
		'srun --label --kill-on-bad-exit=1 python3 train.py kernel 40'
	over "$job"
	tell "$log"
}

too_many() {
	up "$gpu" || return
	batch "-N1 -n4" 'module_list="cuda/12.1 nccl/2.18"' \
		'echo "modules: $module_list"' \
		'srun -n 12 python3 train.py plain 20'
	over "$job"
	tell "$log"
}

first_exit() {
	up "$gpu" || return
	batch "-N2 --ntasks-per-node=2" \
		'srun --wait=4 python3 train.py early 12'
	over "$job"
	tell "$log"
}

"$1"
exit 1
