# The recipe for Grid Engine with a real one: a master and an execution daemon
# of our own, on ports of our own, as root on one machine.
. "$TOP/tests/lib.sh"
daemons=/usr/lib/gridengine
if [ ! -x $daemons/sge_qmaster ] || [ ! -x $daemons/sge_execd ] ||
	! command -v qsub >/dev/null; then
	echo 'skip gridengine: no gridengine-master, gridengine-exec'
	exit 0
fi
if [ "$(id -u)" -ne 0 ]; then
	echo 'skip gridengine: its daemons take root'
	exit 0
fi
# Its daemons must find this machine's own name.
if ! getent hosts "$(hostname)" >/dev/null; then
	if [ "$(hostname)" = localhost ] || ! unshare --uts true 2>/dev/null; then
		echo 'skip gridengine: the name of this machine has no address'
		exit 0
	fi
	exec unshare --uts sh -c 'hostname localhost && exec sh "$0"' \
	    "$TOP/tests/integration/gridengine.sh"
fi

# Jobs are another user's, who must be able to look in.
lab=$(mktemp -d /tmp/jobtriage-ge.XXXXXX) || exit 1
chmod 755 "$lab"
# shellcheck disable=SC2317
over() {
	# By their files, which they may take with them when they end.
	pids=$(cat "$lab"/spool/execd/*/execd.pid \
	    "$lab/spool/qmaster/qmaster.pid" 2>/dev/null)
	for pid in $pids; do
		kill "$pid" 2>/dev/null
	done
	left=50
	for pid in $pids; do
		while kill -0 "$pid" 2>/dev/null; do
			left=$((left - 1))
			[ $left -gt 0 ] || kill -s KILL "$pid"
			[ $left -gt -20 ] || break
			sleep 0.2
		done
	done
	rm -rf "$lab"
}
trap over EXIT
trap 'exit 1' HUP INT TERM

cp -a /var/lib/gridengine "$lab/sge"
cp -a /var/spool/gridengine "$lab/spool"
rm -rf "$lab"/spool/qmaster/qmaster.pid "$lab"/spool/execd/*
chown -R root "$lab"
# Two ports that nobody has now.
# shellcheck disable=SC2046
set -- $("$PYTHON" -c 'import socket
both = [socket.socket() for _ in "ab"]
for s in both: s.bind(("", 0))
print(*(s.getsockname()[1] for s in both))')
SGE_ROOT=$lab/sge SGE_CELL=default SGE_QMASTER_PORT=$1 SGE_EXECD_PORT=$2
export SGE_ROOT SGE_CELL SGE_QMASTER_PORT SGE_EXECD_PORT
common=$SGE_ROOT/default/common
sed -i "s,/var/spool/gridengine,$lab/spool,; s,^admin_user.*,admin_user root," \
    "$common/bootstrap"
echo localhost >"$common/act_qmaster"
# Whatever this machine calls itself: one name for all.
echo "localhost $(hostname) $(hostname -f 2>/dev/null)" >"$common/host_aliases"

# until_so COMMAND...: for a minute and a half at most
until_so() {
	left=450
	until "$@" >/dev/null 2>&1; do
		left=$((left - 1))
		[ $left -gt 0 ] || return 1
		sleep 0.2
	done
}
ge() { timeout 60 "$@"; }

begin 'a cluster of one machine'
t ge $daemons/sge_qmaster
t until_so ge qconf -sh
ge qconf -as localhost >/dev/null 2>&1
# Not so lazy as on a real one, where a load above 1.75 closes a queue.
mkdir "$lab/conf"
ge qconf -sconf | sed "s,/var/spool/gridengine,$lab/spool,
	s/^load_report_time .*/load_report_time 00:00:02/
	s/^min_uid .*/min_uid 0/; s/^min_gid .*/min_gid 0/" >"$lab/conf/global"
t ge qconf -Mconf "$lab/conf/global"
ge qconf -ssconf | sed 's/^schedule_interval .*/schedule_interval 0:0:1/
	s/^flush_submit_sec .*/flush_submit_sec 1/
	s/^flush_finish_sec .*/flush_finish_sec 1/' >"$lab/conf/sched"
t ge qconf -Msconf "$lab/conf/sched"
cat >"$lab/edit" <<'S'
#!/bin/sh
exec sed -i 's/^hostlist .*/hostlist localhost/; s/^slots .*/slots 4/
	s/^pe_list .*/pe_list NONE/; s/^ckpt_list .*/ckpt_list NONE/
	s,^shell .*,shell /bin/sh,; s/^load_thresholds .*/load_thresholds NONE/
	s/^shell_start_mode .*/shell_start_mode unix_behavior/' "$1"
S
chmod 755 "$lab/edit"
t env EDITOR="$lab/edit" timeout 60 qconf -aq all.q
t ge $daemons/sge_execd
t until_so ge qconf -se localhost
[ -z "$why" ] || done_cases

# What is submitted: each in a folder of its own.
install -m 755 "$TOP/classifier/recipes/gridengine.sh" \
    "$TOP/classifier/recipes/jobtriage-retry" "$JOBTRIAGE" "$lab"
printf 'open("/no/such/folder/train.jsonl")\n' >"$lab/dead.py"
cat >"$lab/once.py" <<'P'
import os
if not os.path.exists("been"):
    open("been", "w").close()
    raise ConnectionResetError(104, "Connection reset by peer")
print("done")
P

# submit NAME SCRIPT: its number in the variable `job`
submit() {
	mkdir "$lab/$1"
	chown 65534:65534 "$lab/$1"
	job=$(cd "$lab/$1" && timeout 60 setpriv --reuid 65534 --regid 65534 \
	    --clear-groups env HOME="$lab/$1" qsub -terse \
	    -v "PATH=$lab:$PATH,JOBTRIAGE_LOGS=$lab/$1/jobtriage" \
	    "$lab/gridengine.sh" "$PYTHON" "$lab/$2" 2>"$lab/said")
	[ -n "$job" ] || why="qsub: $(cat "$lab/said")"
}

state() { ge qstat -u '*' | awk -v j="$1" '$1 == j { print $5 }' | grep -qx "$2"; }
gone() { ! ge qstat -j "$1"; }

begin 'a stop waits in the error state'
submit dead dead.py
dead=$job
t until_so state "$dead" Eqw
t test "$(cat "$lab/dead/train.e$dead" | grep -c verdict=stop)" -eq 1
t test -e "$lab/dead/jobtriage/$dead.1.log"

begin 'a retry is queued again, and then ends well'
submit once once.py
t until_so gone "$job"
has "$lab/once/train.o$job" done
t test -e "$lab/once/jobtriage/$job.2.log"
has "$lab/once/train.e$job" verdict=retry

begin 'its owner lets it go on, or not'
t state "$dead" Eqw
ge qmod -cj "$dead" >out # its status is 1, for whatever reason
has out 'cleared error state'
t until_so test -e "$lab/dead/jobtriage/$dead.2.log"
t until_so state "$dead" Eqw
t ge qdel "$dead"
t until_so gone "$dead"

done_cases
