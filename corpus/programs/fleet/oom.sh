#!/bin/bash
# oom.sh LIMIT COMMAND...: run COMMAND in a memory control group of LIMIT
# bytes, as a node's scheduler does, and keep what the kernel says beside what
# the job says. Needs root and the kernel's log; what names this machine's
# kernel is replaced.
limit=$1
shift
if grep -qw memory /sys/fs/cgroup/cgroup.controllers 2>/dev/null; then
	group=/sys/fs/cgroup/uid_1000/job_481720/step_0
	mkdir -p $group
	for above in /sys/fs/cgroup /sys/fs/cgroup/uid_1000 \
		/sys/fs/cgroup/uid_1000/job_481720; do
		echo +memory >$above/cgroup.subtree_control
	done
	echo "$limit" >$group/memory.max
	top=/sys/fs/cgroup/uid_1000
else
	group=/sys/fs/cgroup/memory/uid_1000/job_481720/step_0
	mkdir -p $group
	echo "$limit" >$group/memory.limit_in_bytes
	top=/sys/fs/cgroup/memory/uid_1000
fi
before=$(dmesg | wc -l)
(
	echo $BASHPID >$group/cgroup.procs
	exec bash ~/tools/run.sh "$@"
) >"$LOGS/stdout.log" 2>&1
status=$?
sleep 0.3
dmesg | tail -n "+$((before + 1))" |
	sed -n '/invoked oom-killer/,/oom_reaper: reaped\|Killed process/p' |
	sed -e "s/$(uname -r)/6.1.0-31-amd64/" -e '/Hardware name/d' \
		>"$LOGS/dmesg.log"
find $top -depth -type d -exec rmdir {} +
exit $status
