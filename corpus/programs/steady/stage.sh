#!/bin/bash
# stage.sh: a start script that tries much and needs little of it
mkdir out 2>/dev/null
mkdir out
rm last.ckpt
ls /mnt/data/extra/*.tar
module load cuda/12.1
nvidia-smi -L || echo "no GPU tool on this node, going on"
kill -0 999999
cp /mnt/data/cache.tar . || echo "no cache, starting cold"
set -x
grep -n "RuntimeError\|Error occurred\|out of memory" notices.py | cut -c1-72
python3 -c 'exit("ERROR: probe of the optional cache failed")' || true
timeout 1 sleep 5 || echo "probe timed out, as expected"
python3 figures.py patience
{ set +x; } 2>/dev/null
echo "stage.sh: done, status 0"
