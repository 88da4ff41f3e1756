# Memory does not grow with the size or the number of logs. The figures are in
# the output; the bound is 128 MiB.
. "$TOP/tests/lib.sh"
need tar

# peak FILE|-: kilobytes, told and kept
peak() {
	"$PYTHON" - "$JT" "$@" <<'P'
import resource, subprocess, sys
sys.exit(subprocess.call(sys.argv[1:3] + ["--no-progress", "--format",
    "jsonl", "-o", "diagnoses"] + sys.argv[3:]) or print(
    resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss))
P
}

# A sanitizer keeps freed memory: its peak says nothing.
case $JT in
*asan*)
	echo 'skip peak memory: not meaningful under a sanitizer' >&2
	echo 'ok peak memory is measured in the plain build'
	exit 0
	;;
esac

bounded() {
	kib=$(peak scan "$@")
	echo "# peak memory, $name: $((kib / 1024)) MiB"
	t test "$kib" -gt 1000
	t test "$kib" -lt 131072
	t test -s diagnoses
}

begin 'a log of 2 GB'
"$PYTHON" - <<'P'
line = b"".join(b"2024-05-01 10:00:%02d INFO step %d loss 0.%d lr 3e-4\n"
    % (i % 60, i, i * 7919 % 10000) for i in range(40000))
with open("big.log", "wb") as f:
    n = 0
    while n < 2 * 10**9:
        n += f.write(line)
    f.write(b"KeyError: 'last'\n")
P
bounded big.log
t grep -q key_not_found diagnoses
rm -f big.log

begin 'one line of 2 GB'
"$PYTHON" - <<'P'
part = b"word " * 200000
with open("line.log", "wb") as f:
    for i in range(2000):
        f.write(part)
    f.write(b"\nKeyError: 'last'\n")
P
bounded line.log
t grep -q key_not_found diagnoses
rm -f line.log

begin 'a tar of 20,000 logs'
"$PYTHON" - <<'P'
import io, tarfile
with tarfile.open("many.tar", "w") as t:
    for i in range(20000):
        text = "".join("step %d loss 0.%d\n" % (k, k * i % 997) for k in range(40))
        if i % 2:
            text += ("Traceback (most recent call last):\n"
                '  File "/home/ada/train.py", line %d, in step\n    x = d[k]\n'
                "KeyError: 'k%d'\n" % (i, i))
        info = tarfile.TarInfo("night/%03d/job-%05d.log" % (i % 200, i))
        info.size = len(text)
        t.addfile(info, io.BytesIO(text.encode()))
P
bounded many.tar
t test "$(wc -l <diagnoses)" -eq 20000
rm -f many.tar diagnoses

done_cases
