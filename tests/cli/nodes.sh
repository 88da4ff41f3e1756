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

done_cases
