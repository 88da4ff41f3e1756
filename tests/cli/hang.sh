# Jobs that hang in a collective: which rank did not come, or came with
# something else, and where it stood, by dumps of flight recorders, NCCL's own
# lines and stacks (hang_job.py says where their forms are from). And ranks that
# are slow.
. "$TOP/tests/lib.sh"

# made KIND: the job, and what is said of it
made() {
	rm -rf "job_$1"
	"$PYTHON" "$TOP/tests/cli/hang_job.py" "$1" "job_$1" || exit 1
}

explained() {
	made "$1"
	status 0 "$JT" explain "job_$1"
	tr -s '\n ' '  ' <out >flat
}

begin 'a rank that never came, by pickles of all protocols, of c10, and JSON'
explained absent
has flat 'ranks 0-4, 6, 7 wait in all_reduce 21 of group 0 (default_pg); rank 5 never came' \
	'rank 5 called all_reduce 20 last, at reduce_gradients (/work/train.py:88)' \
	'Verdict: retry'
status 0 "$JT" scan --format jsonl job_absent
t test "$(wc -l <out)" -eq 1
has out '"rule":"network_communication.collective_timeout"' \
	'"by":"flight_recorder"' '"how":"absent"' '"adjust":null'

begin 'the same in an archive, in another folder, and with one thread'
tar -czf job.tgz -C job_absent .
status 0 "$JT" scan --layout archive --format jsonl job.tgz
has out '"missing_ranks":[5]' '"by":"flight_recorder"'
mkdir job_absent/comm_traces
for r in 0 1 2 3 4 5 6 7; do
	mv "job_absent/nccl_trace_rank_$r" "job_absent/comm_traces/rank_$r"
done
status 0 "$JT" scan --format jsonl -j 1 job_absent
has out '"missing_ranks":[5]' '"by":"flight_recorder"'
t test "$(wc -l <out)" -eq 1

begin 'dumps alone are an answer'
rm job_absent/*.log
status 0 "$JT" scan --format jsonl job_absent
has out '"rule":"network_communication.recorder"' '"missing_ranks":[5]'

begin 'a rank that came with another operation, size or type'
for what in type size dtype; do
	explained "$what"
	has flat 'ranks 0-7 wait in all_reduce 21'
	case $what in
	type) has flat '3 came with another operation: broadcast, others with all_reduce' ;;
	size) has flat '3 came with another size: [[512]] Float, others with [[1024]] Float' ;;
	*) has flat '3 came with another type: [[1024]] Half, others with [[1024]] Float' ;;
	esac
done
status 0 "$JT" scan --format jsonl job_size
has out '"how":"differs","differs_in":"size"' '"missing_ranks":[]'

begin 'a rank that died left no word'
explained dead
has flat 'rank 5 never came' 'rank 5 left no word of what it called'
status 0 "$JT" scan --format jsonl job_dead
has out '"rank":5,"node":null,"how":"silent"'

begin 'where it stood, by py-spy and by faulthandler'
explained loader
has flat 'it stood at next_batch (data/pipeline.py:71) in threading.py:wait, waiting for data'
rm job_loader/nccl_trace_rank_*
status 0 "$JT" explain job_loader
has out 'it stood at'
explained fault
has flat 'it stood at fetch_shard (/work/data/fetch.py:52) in ssl.py:read'

begin 'its own failure is the root, though another rank died before'
explained disk
has flat 'OSError: [Errno 5]' 'first on rank 5'
rm job_disk/nccl_trace_rank_*
status 0 "$JT" explain job_disk
has out 'FileNotFoundError'

begin 'its node is left out for a fault of the node, never for being late'
made gpu
mkdir -p nodes
for r in 0 1 2 3 4 5 6 7; do
	sed -i "s/^2026/n$((r / 4)): 2026/; s/^\[Mon/n$((r / 4)): [Mon/" \
		"job_gpu/rank_$r.log"
done
status 0 "$JT" scan --format jsonl job_gpu
has out '"category":"gpu_hardware_fault"' '"exclude_nodes":["n1"]'
made absent
for r in 0 1 2 3 4 5 6 7; do
	sed -i "s/^2026/n$((r / 4)): 2026/" "job_absent/rank_$r.log"
done
status 0 "$JT" scan --format jsonl job_absent
has out '"verdict":"retry"' '"adjust":null'

begin 'who waits for whom over groups of ranks'
explained pipeline
has flat 'rank 0 never came: look there first' 'rank 0 called all_reduce 8 last'
explained deadlock
has flat 'each waits for others elsewhere'
status 0 "$JT" scan --format jsonl job_deadlock
has out '"deadlock":true'

begin "NCCL's debug lines and its RAS"
explained nccl
has flat 'ranks 0, 1, 3 wait in AllReduce 29 of group 0xa1b2c3; rank 2 never came'
explained ras
has flat 'rank 7 never came' 'rank 7 on n17 called operation 60 last'

begin 'what a dump holds runs nothing, and is told'
mkdir -p bad/job
cat >evil.py <<'P'
import os, pickle, sys
class Run:
    def __reduce__(self):
        return os.system, ("touch ran",)
def write(name, data):
    with open("bad/job/nccl_trace_rank_" + name, "wb") as f:
        f.write(data)
keys = {"version": "2.9", "pg_config": {}, "entries": []}
write("0", pickle.dumps(dict(keys, evil=Run()), protocol=2))
deep = []
for _ in range(100):
    deep = [deep]
write("1", pickle.dumps(dict(keys, deep=deep), protocol=4))
own = dict(keys)
own["entries"] = [own]
write("2", pickle.dumps(own, protocol=5))
whole = pickle.dumps(keys, protocol=2)
write("3", whole[:-20])
write("4", whole)
P
"$PYTHON" evil.py
status 3 "$JT" scan --format jsonl bad
has out 'it asks for more than texts, numbers, lists and dicts' \
	'its lists are too deep' 'a list or dict grows after its end' \
	'it ends too early'
has err 'nccl_trace_rank_0: damaged'
t test ! -e ran
hasnt err 'nccl_trace_rank_4'

begin 'names and texts of a dump stay in their lines'
cat >names.py <<'P'
import pickle, sys
sys.path.insert(0, sys.argv[1])
from hang_job import dump, entry
e = entry(1, state="started", group=("0", "a\nKeyError: 'x'\x1b[31m\n"))
with open("bad/job/nccl_trace_rank_4", "wb") as f:
    f.write(pickle.dumps(dump([e], {("0", "b\nc"): [0, 1]}), protocol=2))
P
rm bad/job/*
"$PYTHON" names.py "$TOP/tests/cli"
status 0 "$JT" scan --format jsonl bad
hasnt out '"category":"key_not_found"'
has out '"rule":"network_communication.recorder"'

begin 'a model that is pickled is no dump'
mkdir model
"$PYTHON" -c 'import pickle
pickle.dump({"layer%d" % i: list(range(300)) for i in range(300)},
            open("model/rank_0.log", "wb"), protocol=4)'
status 3 "$JT" scan --format jsonl model
has err 'it is no text'

begin 'a rank that is slower than the others, and its node'
explained slow
has flat 'The step time of rank 5 is 1.41' 'It runs on n1.' \
	'No failure seen'
status 0 "$JT" scan --trends --format jsonl job_slow
has out '"rule":"trend.slow_rank"' '"rank":5,"node":"n1"' '"category":"none"'
status 0 "$JT" scan --format jsonl job_slow
hasnt out 'slow_rank'
sed -i 's/step_time 1\.4/step_time 1.0/' job_slow/train.log
status 0 "$JT" explain job_slow
hasnt out 'slower than the others'
done_cases
