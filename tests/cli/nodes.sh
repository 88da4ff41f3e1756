# What nodes say of themselves: the lines that drivers, the kernel, the BMC and
# health checks print, and what of it is a job's failure.
. "$TOP/tests/lib.sh"

begin 'each table of lines: 95 % right, and what is benign is quiet'
status 0 "$PYTHON" "$TOP/tests/rules/node_lines.py" "$JT" \
	"$TOP/tests/rules/node_lines.tsv"
has out 'xid ' 'benign '
[ -z "${TABLES:-}" ] || cat out

begin 'a server that answers again has ended nothing'
cat >nfs.log <<'L'
[Mon Mar  9 03:12:44 2026] nfs: server nas3 not responding, still trying
L
status 0 "$JT" scan --format jsonl nfs.log
has out '"rule":"storage_fault.nfs_slow"'
cat >>nfs.log <<'L'
[Mon Mar  9 03:13:44 2026] nfs: server nas3 OK
L
status 0 "$JT" scan --format jsonl nfs.log
has out '"category":"none"' 'the log says that it was over before the end'
sed -i 's/nas3 OK/nas4 OK/' nfs.log
status 0 "$JT" scan --format jsonl nfs.log
has out '"rule":"storage_fault.nfs_slow"'

begin "an Xid that any program's end leaves confirms, and stands alone"
cat >xid.log <<'L'
Traceback (most recent call last):
  File "/home/ada/train.py", line 31, in <module>
    loss = table[step]
KeyError: 'mel_bands'
NVRM: Xid (PCI:0000:89:00): 43, pid=9931, name=python, Ch 00000010
NVRM: Xid (PCI:0000:89:00): 45, pid=9931, name=python, Ch 00000010
L
status 0 "$JT" scan --format jsonl xid.log
has out '"category":"key_not_found"'
cat >xid.log <<'L'
RuntimeError: CUDA error: an illegal memory access was encountered
NVRM: Xid (PCI:0000:89:00): 31, pid=9931, name=python, Ch 0000000b
L
status 0 "$JT" scan --format jsonl xid.log
has out '"category":"accelerator_error"' 'confirms it' \
	'other lines confirm it'
tail -1 xid.log >alone.log
status 0 "$JT" scan --format jsonl alone.log
has out '"rule":"accelerator_error.xid_program"' \
	'memory page fault of the GPU'
{
	cat alone.log
	echo 'Training completed successfully.'
} >well.log
status 0 "$JT" scan --format jsonl well.log
has out '"category":"none"'

begin 'until names a rule'
cat >until.yaml <<'Y'
category: storage_fault
rules:
  - id: storage_fault.site_slow
    title: The site's store is slow
    pattern: 'site store is slow'
    role: confirmation
    alone: true
    until: storage_fault.nothing
    examples:
      match: ['site store is slow']
      no_match: ['site store is fast']
Y
status 2 "$JT" taxonomy test -t until.yaml
has err "no rule 'storage_fault.nothing'"

begin 'a made day: each root by its node, no false one'
t "$PYTHON" "$TOP/tests/cli/nodes_day.py" make day 1
cd day || exit 1
"$JT" scan -q --format jsonl --jobs sacct.txt --node-logs nodes jobs >scan.jsonl
t "$PYTHON" "$TOP/tests/cli/nodes_day.py" check . <scan.jsonl
# whatever the number of threads, and the logs in one archive
"$JT" scan -q -j 1 --format jsonl --jobs sacct.txt --node-logs nodes jobs \
	>one.jsonl
t cmp scan.jsonl one.jsonl
tar czf nodes.tgz nodes
"$JT" scan -q --format jsonl --jobs sacct.txt --node-logs nodes.tgz jobs |
	sed 's/nodes\.tgz!//g' >archive.jsonl
t cmp scan.jsonl archive.jsonl
t "$PYTHON" - <<'P'
import json
d = {json.loads(l)["job"]: json.loads(l) for l in open("scan.jsonl")}
notes = [n for x in d.values() for n in x["notes"]]
assert any("was shared at that time with job" in n for n in notes), notes
assert any("the clock of node n08 is 3600 s fast" in n for n in notes), notes
root = d["88001"]["evidence"][0]
assert root["path"].startswith("nodes/") and root["line"], root
assert d["88001"]["confidence"] == "high", d["88001"]["confidence"]
assert d["88001"]["adjust"]["exclude_nodes"] == [root["node"]]
P
cd .. || exit 1

begin 'a store that knows the jobs reads them anew with other node logs'
cd day || exit 1
"$JT" scan -q --store s.db --jobs sacct.txt jobs >first.txt
"$JT" scan -q --store s.db --jobs sacct.txt --node-logs nodes jobs >second.txt
status 0 "$JT" explain -q --node-logs nodes --jobs sacct.txt \
	jobs/slurm-88001.out
has out 'fallen off the bus' 'without node'
status 3 "$JT" gate -q --node-logs nodes --job 99 --jobs sacct.txt nothing
cd .. || exit 1
t test "$(grep -c network_communication day/second.txt)" -lt \
	"$(grep -c network_communication day/first.txt)"

begin 'the BMC and the fabric manager date their lines in forms of their own'
mkdir bmc fabric
echo '  1a | 03/09/2026 | 03:12:44 | Memory #0x88 | Uncorrectable ECC | Asserted' \
	>bmc/n17.sel
echo '[Mar 09 2026 03:12:44] [ERROR] [tid 7] detected NVSwitch fatal error 20034 on fid 0' \
	>fabric/n17.log
mkdir own
cat >own/slurm-7.out <<'L'
2026-03-09 03:12:30 - train - INFO - step 9/9000 loss 2.31
2026-03-09 03:12:46 [rank1]:[E ProcessGroupNCCL.cpp:616] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=8, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=6000) ran for 6021 milliseconds before timing out.
L
cat >own.txt <<'L'
JobID|JobName|User|State|ExitCode|Start|End|NodeList
7|train|ada|FAILED|1:0|2026-03-09T02:00:00|2026-03-09T03:12:50|n[17-18]
L
for from in bmc:node_failure.bmc_event \
	fabric:gpu_hardware_fault.nvswitch_fatal; do
	status 0 "$JT" scan --format jsonl --jobs own.txt \
		--node-logs "${from%%:*}" own
	has out "\"rule\":\"${from#*:}\"" '"exclude_nodes":["n17"]' \
		'2026-03-09T03:12:44Z'
done

begin 'a clock that is told to be off, by its node or by its log'
mkdir late
sed 's/03:12:44/05:11:44/' bmc/n17.sel >late/n17.sel
status 0 "$JT" scan --format jsonl --jobs own.txt --node-logs late own
hasnt out bmc_event
for clock in n17=+119m 'n1?=7140' '*.sel=+7140s'; do
	status 0 "$JT" scan --format jsonl --jobs own.txt --node-logs late \
		--node-clock "$clock" own
	has out '"rule":"node_failure.bmc_event"' 2026-03-09T03:12:44Z \
		'clock of node n17 is 7140 s fast: --node-clock says so'
done
status 0 "$JT" scan --format jsonl --jobs own.txt --node-logs late \
	--node-clock n17=-119m own
hasnt out bmc_event
for clock in n17 n17=soon =3 n17=+9999999d; do
	status 2 "$JT" scan --node-logs late --node-clock "$clock" own
	has err '--node-clock' 'expected NODE=+SECONDS'
done

begin 'nodes that are called by their addresses are told apart'
sed 's/n\[17-18\]/10.0.0.7,10.0.0.8/' own.txt >address.txt
mkdir address
cp bmc/n17.sel address/10.0.0.9.sel
status 0 "$JT" scan --format jsonl --jobs address.txt --node-logs address own
hasnt out bmc_event
mv address/10.0.0.9.sel address/10.0.0.7.sel
status 0 "$JT" scan --format jsonl --jobs address.txt --node-logs address own
has out bmc_event '"exclude_nodes":["10.0.0.7"]'

begin 'the report of the night says what the logs of nodes told'
"$JT" scan -q --format jsonl --jobs own.txt --node-logs bmc own >own.jsonl
has own.jsonl '"paths":["own/slurm-7.out"]' '"node_log":true'
"$JT" scan -q --store own.db --jobs own.txt --node-logs bmc own >/dev/null
for from in own.jsonl '--store own.db --since 2026-03-09 --until 2026-03-10'; do
	# shellcheck disable=SC2086 # several words
	status 0 "$JT" report $from
	has out 'the log of a node tells'
	# shellcheck disable=SC2086
	status 0 "$JT" report --format csv $from
	has out '"count","node_log",,"now",1'
	# shellcheck disable=SC2086
	"$JT" report --format json $from >report.json
	t "$PYTHON" - <<'P'
import json
r = json.load(open("report.json"))
assert r["counts"]["node_log"] == 1, r["counts"]
assert r["nodes"][0]["node"] == "n17" and r["nodes"][0]["node_log"] == 1
P
done

begin 'a job whose nodes nobody knows is told of'
sed 's/n17//' own/slurm-7.out >slurm-8.out
status 0 "$JT" scan --format jsonl --node-logs bmc slurm-8.out
has out 'tells its nodes: no log of a node was joined with it'

begin 'seconds since an unknown boot join nothing, and that is said'
mkdir bare
echo '[881230.114411] NVRM: Xid (PCI:0000:9a:00): 79, GPU has fallen off' \
	>bare/n01.dmesg
"$JT" scan --format jsonl --node-logs bare day/jobs/slurm-88001.out \
	>out 2>err
has err '1 faults have no date'
hasnt out xid_hardware

done_cases
