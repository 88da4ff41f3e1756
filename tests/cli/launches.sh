# Logs that several launches wrote, made by scripts that really run them: loops,
# requeued jobs, nohup, a later step that misses an output.
. "$TOP/tests/lib.sh"

need python3 nohup make

cat >train.py <<'EOF'
import os, sys
how = sys.argv[1] if len(sys.argv) > 1 else 'well'
print('Reading tiles from the shelf')
print('Using seed', 17)
print('Model has 1204 parameters')
for epoch in range(1, 6):
    print('epoch %d step %d loss %.3f' % (epoch, epoch * 100, 2.0 / epoch))
    sys.stdout.flush()
    if epoch == 3 and how == 'key':
        print({}['order'])
    if epoch == 3 and how == 'int':
        raise KeyboardInterrupt
    if epoch == 3 and how == 'kill':
        os.kill(os.getpid(), 9)
print('Training complete')
EOF
cat >score.py <<'EOF'
print('scoring')
open('model.pt')
EOF
cat >job.sh <<'EOF'
echo "SLURM_JOB_ID = 71"
python3 train.py $1
EOF

# answer CATEGORY LAUNCHES: of the log that was written.
answer() {
	status 0 "$JT" scan -q --format jsonl log
	t grep -q "\"category\":\"$1\"" out
	t test "$(grep -o '"number":[0-9]*,"line"' out | wc -l)" -eq "$2"
}

begin 'an attempt that died, and one that ended well behind it'
(python3 train.py key; python3 train.py) >log 2>&1
answer none 2

begin 'the other way round'
(python3 train.py; python3 train.py key) >log 2>&1
answer key_not_found 2

begin 'three of nohup, the last one ends well'
for how in key int well; do
	nohup python3 train.py $how
done >log 2>&1 </dev/null
answer none 3

begin 'a requeued job'
(sh job.sh kill; sh job.sh well) >log 2>&1
answer none 2
(sh job.sh well; sh job.sh key) >log 2>&1
answer key_not_found 2

begin 'a sweep: a run of several that failed is no failure of those behind it'
for i in 1 2 3; do
	echo "=== run $i of 3 ==="
	if [ $i = 2 ]; then python3 train.py key; else python3 train.py; fi
done >log 2>&1
answer none 3

begin 'set -x shows which command begins'
sh -xc 'for i in 1 2 3; do
	if [ $i = 3 ]; then python3 train.py key; else python3 train.py; fi
done' >log 2>&1
answer key_not_found 3

begin 'a later step that misses the output of one that died is no launch'
(python3 train.py key; python3 score.py; mv out.csv kept.csv) >log 2>&1
answer key_not_found 0

begin 'a warning that was logged with its traceback, and lived through'
python3 - >log 2>&1 <<'EOF'
import logging
logging.basicConfig(level=20)
log = logging.getLogger('train')
for epoch in range(60):
    log.info('epoch %d loss %.3f', epoch, 2.0 / (epoch + 1))
    if epoch == 5:
        try:
            open('/none/extra.csv')
        except OSError:
            log.exception('no extra tiles, going on')
log.info('Training finished')
EOF
answer none 0

begin 'a parent that only tells what its child ended of'
python3 - >log 2>&1 <<'EOF'
import subprocess, sys
subprocess.run([sys.executable, 'train.py', 'key'], check=True)
EOF
answer key_not_found 0

begin 'make'
printf 'all:\n\tpython3 train.py key\n' >Makefile
make >log 2>&1
answer key_not_found 0

done_cases
