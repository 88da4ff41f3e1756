# Parts of a tree written to one store while they are killed, the server starts
# anew and connections are cut: in the end the store has what one scan puts
# there. Sourced by postgres.sh, with a few kills; run by `make kills`, with
# KILLS=200. Prints what it did.
# shellcheck shell=sh
# shellcheck disable=SC2154 # lib.sh's, lab.sh's and run's

PARTS=4

# scan_part I: in the background; its process is in pid_I
scan_part() {
	"$JT" scan -q --timezone UTC --jobs kills/sacct.txt --shard "$1/$PARTS" \
	    --store "$URL" -o "part.$1" kills/logs >"part.$1.err" 2>&1 &
	eval "pid_$1=$!"
}

# part_failed I: which it may when it began while the server was away; then it
# runs again.
part_failed() {
	if grep -q 'connection to server' "part.$1.err"; then
		late=$((late + 1))
		scan_part "$1"
		eval "wait \$pid_$1" && return
	fi
	why="${why:-part $1: $(cat "part.$1.err")}"
}

# kill_part I: and run it again. What ended before was none.
kill_part() {
	eval "pid=\$pid_$1"
	kill -KILL "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	case $? in
	137) killed=$((killed + 1)) ;;
	0) ;;
	*) part_failed "$1" ;;
	esac
	scan_part "$1"
}

# One store, written under ten kills or as many as are left, and looked at.
kill_round() {
	empty
	step=0
	for i in $(seq $PARTS); do
		scan_part "$i"
	done
	while [ "$step" -lt 10 ] && [ "$killed" -lt "$1" ]; do
		step=$((step + 1))
		sleep "0.$((step * 37 % 4))$((killed * 7 % 10))"
		kill_part $((killed % PARTS + 1))
		case $step in
		3 | 6 | 9)
			cuts=$((cuts + 1))
			sql "SELECT pg_terminate_backend(pid) FROM
			    pg_stat_activity WHERE application_name =
			    'jobtriage'" >/dev/null 2>&1 ;;
		5)
			restarts=$((restarts + 1))
			server pg_ctl -D "$base/data" -m immediate stop >/dev/null
			start ;;
		esac
	done
	for i in $(seq $PARTS); do
		eval "pid=\$pid_$i"
		wait "$pid" || part_failed "$i"
	done
	reports kills.server "$URL"
	t cmp kills.server kills.file
}

# kill_rounds N: until N parts were killed
kill_rounds() {
	killed=0 cuts=0 restarts=0 rounds=0 late=0
	"$PYTHON" "$TOP/tests/cli/shard_tree.py" kills 700
	"$PYTHON" -c "
for i in range(4000):
    print(f'{i + 900001}|ada|FAILED|1:0|2026-03-01T00:00:00|'
          f'2026-03-01T01:00:{i % 60:02}|gres/gpu=4|n{i % 50}')" \
		>>kills/sacct.txt
	"$JT" scan -q --timezone UTC --jobs kills/sacct.txt \
	    --store sqlite:kills.db kills/logs >/dev/null 2>&1
	reports kills.file sqlite:kills.db
	t test -s kills.file
	while [ "$killed" -lt "$1" ] && [ -z "$why" ] && [ "$rounds" -lt "$1" ]
	do
		rounds=$((rounds + 1))
		kill_round "$1"
	done
	echo "info: $killed writers killed, $restarts server restarts," \
	    "$cuts times all connections cut, in $rounds stores; $late began" \
	    "while it was away and ran again;" \
	    "wrong reports: $([ -z "$why" ] && echo none || echo some)"
}

if [ "${0##*/}" = kills.sh ]; then
	. "$TOP/tests/lib.sh"
	. "$TOP/tests/integration/postgres/lab.sh"
	need initdb pg_ctl psql setpriv "$PYTHON"
	trap finish EXIT
	trap 'exit 1' INT TERM
	make_server || exit 1
	begin 'kills, server restarts and dropped connections lose nothing'
	kill_rounds "${KILLS:-200}"
	done_cases
fi
