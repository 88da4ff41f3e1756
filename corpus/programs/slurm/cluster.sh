#!/bin/bash
# cluster.sh: a Slurm cluster of two nodes inside the sandbox, and one job on
# it. Sourced by day.sh. Daemons, keys, spool and state are private to the
# namespace and die with it; the only real node plays both gn0142 and gn0143.
lab=/tmp/slurm

# conf [LINE...]: slurm.conf, with more lines for one job's needs
conf() {
	cat <<-END
	ClusterName=lab
	SlurmctldHost=gn0142(10.61.4.142)
	SlurmUser=root
	AuthType=auth/munge
	CredType=cred/munge
	StateSaveLocation=$lab/state
	SlurmdSpoolDir=/var/spool/slurmd/%n
	SlurmctldPidFile=$lab/slurmctld.pid
	SlurmdPidFile=$lab/slurmd.%n.pid
	SlurmctldLogFile=$lab/slurmctld.log
	SlurmdLogFile=$lab/slurmd.%n.log
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	SwitchType=switch/none
	MpiDefault=none
	SelectType=select/cons_tres
	SelectTypeParameters=CR_Core_Memory
	SchedulerType=sched/backfill
	SchedulerParameters=sched_interval=2,bf_interval=2
	SlurmdParameters=config_overrides
	GresTypes=gpu
	FirstJobId=$first
	ReturnToService=0
	InactiveLimit=0
	KillWait=2
	MinJobAge=300
	OverTimeLimit=0
	SlurmctldTimeout=30
	SlurmdTimeout=6
	Waittime=0
	AccountingStorageType=accounting_storage/none
	NodeName=gn0142 NodeAddr=10.61.4.142 Port=17142 CPUs=8 Boards=1 \\
	 SocketsPerBoard=1 CoresPerSocket=8 ThreadsPerCore=1 \\
	 RealMemory=4000 Gres=gpu:2
	NodeName=gn0143 NodeAddr=10.61.4.142 Port=17143 CPUs=8 Boards=1 \\
	 SocketsPerBoard=1 CoresPerSocket=8 ThreadsPerCore=1 \\
	 RealMemory=4000 Gres=gpu:2
	END
	[ $# -eq 0 ] || printf '%s\n' "$@"
}

# up [LINE...]: start the daemons and wait until both nodes are idle
up() {
	first=${first:-481601}
	# mounts and daemons must never reach a real machine
	[ "$(hostname)" = gn0142 ] && mountpoint -q /home ||
		exit 1
	mkdir -p $lab/state
	mount -t tmpfs -o mode=755 tmpfs /var/spool
	mkdir -p /run/munge
	mount -t tmpfs -o mode=755 tmpfs /run/munge
	mkdir -p /var/spool/slurmd
	mknod -m 666 $lab/nvidia0 c 1 3
	mknod -m 666 $lab/nvidia1 c 1 3
	sed 's|^root:|ada:x:1000:1000:Ada:/home/ada:/bin/bash\n&|' \
		/etc/passwd >$lab/passwd
	echo 'ada:x:1000:' | cat /etc/group - >$lab/group
	mount --bind $lab/passwd /etc/passwd
	mount --bind $lab/group /etc/group
	chown -R 1000:1000 /home/ada
	# the C library gives no address to listen on where lo has only its own
	ip addr add 10.61.4.142/32 dev lo
	printf '127.0.0.1 localhost\n10.61.4.142 gn0142 gn0143\n' >/etc/hosts
	head -c 1024 /dev/urandom >$lab/key
	chmod 600 $lab/key
	conf "$@" >$lab/slurm.conf
	echo "NodeName=gn[0142-0143] Name=gpu File=$lab/nvidia[0-1]" \
		>$lab/gres.conf
	printf '%s\n' CgroupPlugin=cgroup/v1 CgroupMountpoint=/sys/fs/cgroup \
		ConstrainRAMSpace=yes ConstrainSwapSpace=no >$lab/cgroup.conf
	export SLURM_CONF=$lab/slurm.conf
	{
		munged --force --key-file=$lab/key \
			--pid-file=$lab/munged.pid --seed-file=$lab/seed \
			--log-file=$lab/munged.log
		slurmctld
		for node in gn0142 gn0143; do
			mkdir -p /var/spool/slurmd/$node
			slurmd -N $node
		done
	} >$lab/start.log 2>&1
	for _ in $(seq 60); do
		[ "$(sinfo -h -o %T 2>/dev/null)" = idle ] && return 0
		sleep 0.25
	done
	cat $lab/start.log $lab/*.log
	return 1
}

# ada COMMAND...: as the user whose job it is
ada() {
	setpriv --reuid=1000 --regid=1000 --clear-groups "$@"
}

# state JOB: its state, in a word
state() {
	scontrol show job "$1" 2>/dev/null |
		sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p' | tail -1
}

# until_seen TEXT FILE: a running job's output decides what happens next
until_seen() {
	for _ in $(seq 400); do
		grep -qF -e "$1" "$2" 2>/dev/null && return 0
		sleep 0.1
	done
	echo "never seen: $1"
	return 1
}

# over JOB: wait for its end; an array is one job here
over() {
	for _ in $(seq 600); do
		[ -z "$(squeue -h -j "$1" 2>/dev/null)" ] && break
		sleep 0.25
	done
	sleep 0.6
}
