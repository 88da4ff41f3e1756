#!/bin/bash
# each.sh N CASE: start N ranks of ddp.py by hand, one log file for each
export WORLD_SIZE=$1 MASTER_ADDR=127.0.0.1 MASTER_PORT=29533
for rank in $(seq 0 $(($1 - 1))); do
	RANK=$rank python3 ddp.py "$2" >"$LOGS/rank$rank.log" 2>&1 &
	pids="$pids $!"
done
bad=0
for pid in $pids; do
	wait "$pid" || bad=$?
done
exit $bad
