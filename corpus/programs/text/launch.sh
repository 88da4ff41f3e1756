#!/bin/bash
echo "Job 481516 running on $(hostname), 1 node, 4 tasks"
echo "module load cuda/12.1"
cd /mnt/data/projects/qa
echo "starting at $(date -u -d @1741680000)"
python3 trian_qa.py --task qa --out /mnt/data/out
status=$?
echo "finished with status $status"
exit $status
