# A Slurm cluster of two nodes on this machine, with keys, ports and state of
# its own: munged, slurmctld and two slurmds, started by hand. Nothing of a
# Slurm that is installed is read or written. Sourced by slurm*.sh.
# shellcheck shell=sh
# shellcheck disable=SC2154 # bad, JT, PYTHON, TOP: of lib.sh and run

# Short, for the socket's name, and open to the jobs' user.
lab=$(mktemp -d /tmp/jt-slurm.XXXXXX) || exit 1
hook=$lab/epilogslurmctld
NODES='jt1 jt2'
groups=/sys/fs/cgroup/memory
SLURM_CONF=$lab/slurm.conf
export SLURM_CONF

# workers: the hooks at work, each with a session of its own
workers() {
	pgrep -f "$hook (work|drain|decide)"
}

# stop NAME...: by its pid file, and wait until it has gone
stop() {
	for name in "$@"; do
		pid=$(cat "$lab/$name.pid" 2>/dev/null) || continue
		kill "$pid" 2>/dev/null
		for _ in $(seq 100); do
			kill -0 "$pid" 2>/dev/null || continue 2
			sleep 0.1
		done
		kill -KILL "$pid" 2>/dev/null
	done
}

down() {
	trap '' HUP INT TERM
	timeout 10 scancel -u "$user" >/dev/null 2>&1
	for _ in $(seq 50); do
		[ -n "$(timeout 10 squeue -h -t R,CG 2>/dev/null)" ] || break
		sleep 0.2
	done
	stop slurmctld
	# Hooks at work have nobody left to talk to.
	for pid in $(workers); do
		pkill -KILL -s "$pid"
	done
	for node in $NODES; do
		stop "slurmd.$node"
		[ ! -d "$groups/slurm_$node" ] ||
			find "$groups/slurm_$node" -depth -type d \
			    -exec rmdir {} \; 2>/dev/null
	done
	accounting_down
	stop munged
	# KEEP=FOLDER: for who wants to read what the daemons and the hook said
	[ -z "${KEEP:-}" ] || cp -r "$lab" "$KEEP" 2>/dev/null
	rm -rf "$lab"
}
trap down EXIT
trap 'exit 1' HUP INT TERM

# ports N: free ones, a line each
ports() {
	"$PYTHON" -c 'import socket, sys
held = [socket.socket() for _ in range(int(sys.argv[1]))]
for s in held:
    s.bind(("127.0.0.1", 0))
    print(s.getsockname()[1])' "$1"
}

# Memory limits are enforced where this may make control groups (version 1:
# for version 2 slurmd asks systemd).
constrains() {
	[ -w "$groups/cgroup.procs" ]
}

slurm_conf() {
	# shellcheck disable=SC2046 # a list of numbers
	set -- $(ports 3)
	host=$(hostname -s)
	cat <<-C
	ClusterName=jt
	SlurmctldHost=$host(127.0.0.1)
	SlurmctldPort=$1
	SlurmUser=root
	AuthType=auth/munge
	AuthInfo=socket=$lab/munge.socket
	CredType=cred/munge
	StateSaveLocation=$lab/state
	SlurmdSpoolDir=$lab/spool/%n
	SlurmctldPidFile=$lab/slurmctld.pid
	SlurmdPidFile=$lab/slurmd.%n.pid
	SlurmctldLogFile=$lab/slurmctld.log
	SlurmdLogFile=$lab/slurmd.%n.log
	EpilogSlurmctld=$lab/epilog
	ProctrackType=proctrack/linuxproc
	TaskPlugin=$(constrains && echo task/cgroup || echo task/none)
	JobAcctGatherType=jobacct_gather/none
	SwitchType=switch/none
	MpiDefault=none
	SelectType=select/cons_tres
	SelectTypeParameters=CR_Core_Memory
	SchedulerType=sched/backfill
	SchedulerParameters=sched_interval=1,bf_interval=1,sched_min_interval=0
	SlurmdParameters=config_overrides
	GresTypes=gpu
	KillWait=2
	MinJobAge=${min_job_age:-3600}
	SlurmdTimeout=60
	ReturnToService=2
	$accounting
	NodeName=jt1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$2 CPUs=16 RealMemory=3000 Gres=gpu:2
	NodeName=jt2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$3 CPUs=16 RealMemory=3000 Gres=gpu:2
	PartitionName=DEFAULT Nodes=ALL DefMemPerNode=50 MaxTime=60 DefaultTime=10
	C
	for partition in \
	    ${partitions:-main leave hold shadow absent slow late bound}; do
		echo "PartitionName=$partition"
	done
}

# Accounting: none, but where accounting.sh is sourced, too.
accounting=AccountingStorageType=accounting_storage/none
accounting_up() { :; }
accounting_down() { :; }

# install_hook <SETTINGS: the hook as it is installed, and gate.conf: the
# example, what a laboratory needs, and the test's own settings
install_hook() {
	cp "$TOP/classifier/slurm/jobtriage-epilogslurmctld" "$hook"
	cp "$TOP"/classifier/slurm/*.sh "$lab"
	cat >"$lab/epilog" <<-H
	#!/bin/sh
	JOBTRIAGE_GATE_CONF=$lab/gate.conf
	export JOBTRIAGE_GATE_CONF
	exec $hook
	H
	chmod +x "$hook" "$lab/epilog"
	{
		cat "$TOP/classifier/slurm/gate.conf"
		cat <<-C
		SLURM_CONF=$lab/slurm.conf
		JOBTRIAGE_CONFIG=
		TMPDIR=$lab
		export SLURM_CONF JOBTRIAGE_CONFIG TMPDIR
		DIR=$lab/hook
		JOBTRIAGE=$JT
		POLICY=$lab/policy.yaml
		LOG=$lab/hook.log
		C
		cat
	} >"$lab/gate.conf"
	# The network is mended in seconds.
	cat >"$lab/policy.yaml" <<-Y
	${budgets:-}
	policy:
	  - category: network_communication
	    verdict: retry
	    delay_seconds: ${delay:-2}
	    ${repeats:-}
	    reason: The network of the laboratory comes back.
	Y
}

# start_daemons: a case of its own; without them the test ends
start_daemons() {
	begin 'the daemons start'
	up >start.log 2>&1 || {
		why="$(tail -n 5 start.log "$lab"/*.log | tr '\n' ' ')"
		done_cases
	}
}

# up: start the daemons and wait until both nodes are idle
up() {
	chmod 711 "$lab"
	mkdir "$lab/state" "$lab/spool" "$lab/bin" "$lab/jobs"
	slurm_conf >"$lab/slurm.conf"
	for i in 0 1; do
		mknod -m 666 "$lab/gpu$i" c 1 3 || : >"$lab/gpu$i"
	done
	echo "NodeName=jt[1-2] Name=gpu File=$lab/gpu[0-1]" >"$lab/gres.conf"
	printf '%s\n' CgroupPlugin=cgroup/v1 CgroupMountpoint=/sys/fs/cgroup \
	    ConstrainRAMSpace=yes MinRAMSpace=20 >"$lab/cgroup.conf"
	head -c 1024 /dev/urandom >"$lab/key"
	chmod 600 "$lab/key"
	munged --force --key-file="$lab/key" --pid-file="$lab/munged.pid" \
	    --seed-file="$lab/seed" --log-file="$lab/munged.log" \
	    --socket="$lab/munge.socket" && accounting_up &&
		slurmctld -i || return 1
	for node in $NODES; do
		mkdir "$lab/spool/$node"
		slurmd -N "$node" || return 1
	done
	for _ in $(seq 100); do
		[ "$(sinfo -h -p main -o %T:%D 2>/dev/null)" != idle:2 ] ||
			return 0
		kill -0 "$(cat "$lab/slurmctld.pid")" || return 1
		sleep 0.2
	done
	return 1
}

# submit NAME [OPTION...] <SCRIPT: as the user, from a folder that only the
# user may enter; the number of the job in $job and in the file NAME.id
submit() {
	what=$1
	shift
	mkdir -m 700 "$lab/jobs/$what"
	{
		echo '#!/bin/sh'
		# What slurmstepd prints into each job where /proc is read-only.
		echo 'echo "slurmstepd: error: failed to open' \
		    '/proc/self/oom_score_adj: Read-only file system" >&2'
		cat
	} >"$lab/jobs/$what/run.sh"
	chown -R "$user": "$lab/jobs/$what"
	job=$(cd "$lab/jobs/$what" && runuser -u "$user" -- env TMPDIR=/tmp sbatch \
	    --parsable --requeue -p main "$@" run.sh) || {
		echo "not ok sbatch takes $what"
		exit 1
	}
	echo "$job" >"$lab/$what.id"
}

# id_of NAME: its number
id_of() {
	cat "$lab/$1.id"
}

# shown NAME KEY: a value of scontrol show job; the first line has the name
shown() {
	scontrol show job "$(id_of "$1")" 2>/dev/null | awk -v key="$2=" '
	/^   / {
		for (i = 1; i <= NF && !found; i++)
			if (index($i, key) == 1) {
				found = 1
				print substr($i, length(key) + 1)
			}
	}'
}

# is NAME KEY VALUE
is() {
	[ "$(shown "$1" "$2")" = "$3" ]
}

# comment NAME: what the hook has written where users look
comment() {
	scontrol show job "$(id_of "$1")" | sed -n 's/^   AdminComment=//p'
}

# until_true SECONDS COMMAND...
until_true() {
	seconds=$1
	shift
	for _ in $(seq $((seconds * 4))); do
		"$@" && return 0
		sleep 0.25
	done
	return 1
}

# over: no job runs or is going to run, and no hook is at work. What waits for
# the job "path" waits until it is mended.
over() {
	# a busy slurmctld that does not answer is no empty queue
	left=$(squeue -h -o '%T %r %j') || return 1
	echo "$left" | grep -qvE \
	    '^SPECIAL_EXIT|held|NeverSatisfied|for-path$|^$' && return 1
	! workers
}

# said NAME N: whether the hook has said something of it N times
said() {
	[ "$(grep -c "^[^ ]* job $(id_of "$1"): " "$lab/hook.log")" -ge "$2" ]
}
# attempts NAME: how many of it are in the store
attempts() {
	"$JT" store export --store "$store" |
		grep -c "\"record\":{[^{]*\"job\":\"$(id_of "$1")\""
}
kept() {
	[ "$(attempts "$1")" -eq "$2" ]
}

# make_programs: one that lacks a file, and one that lacks the network at first;
# $run begins the command
make_programs() {
	run="$PYTHON $lab/bin"
	cat >"$lab/bin/path.py" <<-'P'
	print("step 10 loss 2.5", flush=True)
	open("missing.txt")
	print("training finished")
	P
	cat >"$lab/bin/network.py" <<-'P'
	import os
	print("step 10 loss 2.5", flush=True)
	if os.environ.get("SLURM_RESTART_COUNT", "0") == "0":
	    raise ConnectionResetError(104, "Connection reset by peer")
	print("training finished")
	P
}
