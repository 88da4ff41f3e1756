#!/bin/bash
# steps.sh N CASE: N ranks into one log, labelled like srun --label
export WORLD_SIZE=$1 MASTER_ADDR=127.0.0.1 MASTER_PORT=29544
for rank in $(seq 0 $(($1 - 1))); do
	(
		set -o pipefail
		RANK=$rank python3 ddp.py "$2" 2>&1 |
			python3 ~/tools/tag.py "${3:-srun}" "$rank"
	) &
	pids="$pids $!"
done
bad=0
for pid in $pids; do
	wait "$pid" || bad=$?
done
[ $bad -eq 0 ] || echo "srun: error: gn0142: task failed, exit code $bad"
exit $bad
