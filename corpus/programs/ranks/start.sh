#!/bin/bash
# start.sh SHAPE N PROGRAM ARGUMENT...: N ranks of a Python program by hand.
# SHAPE: mixed (one stream), srun or rank (labelled lines), folder (one log
# for each rank), streams (stdout and stderr of each rank apart). Once a rank
# has failed, what still runs after GRACE seconds is terminated.
shape=$1 count=$2
shift 2
export WORLD_SIZE=$count MASTER_ADDR=127.0.0.1 MASTER_PORT=${PORT:-29561}
for rank in $(seq 0 $((count - 1))); do
	export RANK=$rank LOCAL_RANK=$rank
	case $shape in
	folder) python3 "$@" >"$LOGS/rank_$rank.log" 2>&1 & ;;
	streams)
		python3 "$@" >"$LOGS/node0_rank$rank.out" \
			2>"$LOGS/node0_rank$rank.err" &
		;;
	mixed) python3 "$@" 2>&1 & ;;
	*) python3 "$@" > >(python3 ~/tools/tag.py "$shape" "$rank") 2>&1 & ;;
	esac
	pids="$pids $!"
done
bad=0
for _ in $pids; do
	wait -n
	status=$?
	[ $status -eq 0 ] || [ $bad -ne 0 ] || {
		bad=$status
		# shellcheck disable=SC2086
		(sleep "${GRACE:-9}"; kill -TERM $pids) 2>/dev/null &
		reaper=$!
		disown "$reaper"
	}
done
[ $bad -eq 0 ] || kill "$reaper"
sleep 0.3
exit "$bad"
