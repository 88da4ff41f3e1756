# What fails under the program: memory, disks, files, descriptors, clocks, and
# the one who reads. FAULT_STEP=1 takes every place where memory may run out, not
# every 40th.
. "$TOP/tests/lib.sh"
need "$PYTHON"
inject=$BUILD/tests/faults/inject.so
store=sqlite:$PWD/jobs.db

mkdir logs
for i in 1 2 3 4 5 6; do
	{
		echo "step $i loss 0.1"
		echo 'Traceback (most recent call last):'
		echo "  File \"train.py\", line $i, in step"
		echo '    x = d[k]'
		echo "KeyError: 'k$i'"
	} >"logs/job$i.log"
done
tar -czf logs.tgz logs
mkdir cases cases/key_not_found
cp logs/job[12].log cases/key_not_found
"$JT" scan --store "$store" -f jsonl -o jobs.jsonl logs || exit 1

# fault PLAN STATUS COMMAND...
fault() {
	plan=$1 want=$2
	shift 2
	FAULT=$plan LD_PRELOAD=$inject status "$want" "$@"
}

# A sanitizer wants to be the first library. The sweeps would take it too long:
# tests/README.md tells how to run them there.
if [ -n "${SANITIZE:-}" ]; then
	ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0
	sweep() { name=; }
else
	sweep() {
		t "$PYTHON" "$TOP/tests/faults/sweep.py" "$inject" "$@" "$JT"
		grep '^#' t.out || :
	}
fi

# The commands that print, with every format that they know.
printing() {
	for f in text json jsonl csv; do
		"$@" scan -f $f logs
	done
	for f in text markdown html json csv prometheus; do
		"$@" report --store "$store" -f $f --since 2020-01-01
	done
	"$@" explain logs/job1.log
	"$@" explain -f json logs/job1.log
	"$@" store export --store "$store"
	"$@" store info --store "$store"
	"$@" taxonomy list
	"$@" policy show
	"$@" eval cases
	"$@" completion bash
	"$@" help gate
	"$@" --help
	"$@" --version
}

begin 'a full device: status 4 and the reason, in every format'
full() {
	"$JT" "$@" >/dev/full 2>err
	got=$?
	[ "$got" -eq 4 ] && grep -q 'No space left' err ||
		: "${why:=status $got: $* >/dev/full: $(head -c 200 err)}"
	case $1 in
	-*|help|completion|policy) return ;;
	esac
	"$JT" "$@" -o /dev/full 2>err >out
	got=$?
	[ "$got" -eq 4 ] && grep -q 'No space left' err ||
		: "${why:=status $got: $* -o /dev/full: $(head -c 200 err)}"
}
printing full

begin 'standard output is closed: status 4'
closed() {
	"$JT" "$@" >&- 2>err
	got=$?
	[ "$got" -eq 4 ] && [ -s err ] ||
		: "${why:=status $got: $* >&-: $(head -c 200 err)}"
}
printing closed

begin 'nobody reads: ended by SIGPIPE, without a word'
piped() {
	"$PYTHON" - "$JT" "$@" <<'P' || : "${why:=nobody reads: $*: $(cat err)}"
import os, signal, subprocess, sys
r, w = os.pipe()
os.close(r)
p = subprocess.run(sys.argv[1:], stdout=w, stderr=subprocess.PIPE)
open("err", "wb").write(b"%d %s" % (p.returncode, p.stderr))
sys.exit(p.returncode != -signal.SIGPIPE or bool(p.stderr))
P
}
printing piped

begin 'a file that may not grow: the old report stays, nothing lies beside it'
limited() {
	"$PYTHON" - "$JT" "$@" <<'P' || : "${why:=limited: $*: $(head -c 300 err)}"
import os, resource, shutil, subprocess, sys
def run(n):
    def limit():
        if n is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (n, n))
    return subprocess.run(sys.argv[1:] + ["-o", "d/out"], preexec_fn=limit,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
shutil.rmtree("d", ignore_errors=True)
os.mkdir("d")
assert run(None).returncode == 0
size = os.path.getsize("d/out")
for n in sorted({0, 1, size // 2, 4095, 4096, 4097, size - 1}):
    if n >= size:
        continue
    open("d/out", "w").write("old")
    p = run(n)
    open("err", "wb").write(b"%d at %d: %s" % (p.returncode, n, p.stderr))
    assert p.returncode == 4 and b"File too large" in p.stderr
    assert os.listdir("d") == ["out"] and open("d/out").read() == "old"
P
}
for f in text json jsonl csv; do
	limited scan -f $f logs
done
for f in text markdown html json csv; do
	limited report -f $f jobs.jsonl
done
limited explain logs/job1.log
limited store export --store "$store"

begin 'short reads and interrupted calls change nothing'
status 0 "$JT" scan -f jsonl logs.tgz
mv out whole
for plan in 'read:1+=short' 'read:1/2=EINTR' 'write:1+=short'; do
	fault "$plan" 0 "$JT" scan -f jsonl logs.tgz
	t cmp out whole
	fault "$plan" 0 "$JT" scan -f jsonl --store "sqlite:$PWD/s.db" logs.tgz
	t cmp out whole
	rm -f s.db*
done

begin 'a read that fails: a note, status 3, the other logs are diagnosed'
FAULT_PATH=job3
export FAULT_PATH
fault 'read:1+=EIO' 3 "$JT" scan -f jsonl logs
has err 'job3.log' 'Input/output error'
t test "$(grep -c '"category":"key_not_found"' out)" -eq 5
unset FAULT_PATH
status 3 "$JT" report /proc/self/mem jobs.jsonl
has err '/proc/self/mem: Input/output error'

begin 'every read, write, sync, rename, truncate and open in turn'
for plan in read=EIO write=ENOSPC sync=EIO rename=ENOSPC truncate=EIO \
	open=EMFILE; do
	sweep "$plan"
done

begin 'out of memory'
sweep alloc --places --step "${FAULT_STEP:-40}"
sweep alloc --places --later --step "${FAULT_STEP:-80}"

begin 'few descriptors'
status 0 "$JT" scan -f jsonl -j 8 logs logs.tgz
cp out whole
for n in 8 10 12 16 20; do
	(ulimit -n $n; exec "$JT" scan -f jsonl -j 8 logs logs.tgz) >out 2>err
	case $? in
	0) t cmp out whole ;;
	3) has err 'Too many open files' ;;
	*) : "${why:=$n descriptors: $(cat err)}" ;;
	esac
done

begin 'the clock jumps: ahead, back, to and fro'
status 0 "$JT" scan -f jsonl logs
cp out whole
for plan in clock:1+=86400 clock:1+=-86400 clock:2/2=-7200 clock:2+=7200; do
	fault $plan 0 "$JT" scan -f jsonl logs
	t cmp out whole
	fault $plan 0 "$JT" gate --job 1 --settle 1 logs/job1.log --exit-map stop=0
	fault $plan 0 "$JT" report --store "$store" --since 30d
	fault $plan 3 "$JT" run --quiet --on hang:5s=stop -- \
		sh -c 'echo step 1; sleep 0.3; echo step 2; exit 3'
done

begin 'a log that is replaced, cut or grows while it is read'
big() {
	"$PYTHON" -c 'import sys
for i in range(60000): print("step %d loss 0.5" % i)
print("KeyError: \"last\"")' >big.log
}
for change in 'mv -f other.log big.log' ': >big.log' 'echo more >>big.log' \
	'rm big.log'; do
	big
	echo 'nothing' >other.log
	FAULT_PATH=big.log FAULT_RUN=$change FAULT=read:2=run \
		LD_PRELOAD=$inject "$JT" scan -f jsonl big.log >out 2>err
	got=$?
	t "$PYTHON" -m json.tool out
	case $got/$change in
	0/mv* | 0/rm* | 0/echo*) has out '"category":"key_not_found"' ;;
	0/:* | 3/:*) ;;
	*) : "${why:=status $got after $change: $(cat err)}" ;;
	esac
done

begin 'a folder that changes under the walk'
mkdir -p moving/a moving/b
for i in $(seq 200); do
	cp logs/job1.log "moving/a/job$i.log"
done
FAULT_PATH=moving/a/job1 FAULT_RUN='rm -rf moving/b moving/a/job5*; mkdir moving/c' \
	FAULT=read:3=run LD_PRELOAD=$inject "$JT" scan -j 1 -f jsonl moving \
	>out 2>err
got=$?
case $got in
0 | 3) t test "$(wc -l <out)" -ge 180 ;;
*) : "${why:=status $got: $(cat err)}" ;;
esac

begin 'names that are no text, in every format'
"$PYTHON" - <<'P'
import os
os.mkdir(b"odd")
for name in (b"a\xff\xfe.log", b"new\nline.log", b"tab\there.log",
             b"quote\"'.log", b"bang!x.log", b"=cmd.log", b"\x1b[31mred.log",
             b"-o.log", b" blank .log", b"\xe2\x80\xae.log", b"%s%n.log",
             b"<script>.log", b"$(id).log", b"a,b;c.log", b"back\\slash.log"):
    with open(b"odd/" + name, "wb") as f:
        f.write(b"KeyError: 'k'\n")
P
for f in text json jsonl csv; do
	status 0 "$JT" scan -f $f -o odd.$f odd
done
for f in text markdown html json csv prometheus; do
	status 0 "$JT" report -f $f -o odd.r.$f odd.jsonl
done
cat >odd.py <<'P'
import csv, glob, io, json, re
jobs = [json.loads(l) for l in open("odd.jsonl", encoding="utf-8")]
assert len({j["job"] for j in jobs}) == len(jobs) == 15, len(jobs)
assert json.load(open("odd.json", encoding="utf-8"))
json.load(open("odd.r.json", encoding="utf-8"))
rows = list(csv.reader(io.StringIO(open("odd.csv", newline="").read())))
assert len({len(r) for r in rows}) == 1 and len(rows) == 16, len(rows)
assert not any(c[:1] in "=+-@" and not re.match(r"-?[0-9.]+$", c)
               for r in rows for c in r if c), rows
for name in glob.glob("odd.*"):
    if name == "odd.py":
        continue
    text = open(name, encoding="utf-8").read()  # strictly
    assert not re.search("[\0-\x08\x0b-\x1f\x7f]", text.replace("\r\n", "\n")), name
assert "<script>.log" not in open("odd.r.html", encoding="utf-8").read()
P
t "$PYTHON" odd.py

begin 'a path longer than PATH_MAX'
"$PYTHON" - <<'P'
import os
os.mkdir("deep")
os.chdir("deep")
for i in range(30):
    os.mkdir("d" * 200)
    os.chdir("d" * 200)
open("job1.log", "w").write("KeyError: 'k'\n")
P
timeout 60 "$JT" scan -f jsonl deep >out 2>err
got=$?
case $got in
0) has out '"category":"key_not_found"' ;;
3) t test -s err ;;
*) : "${why:=status $got: $(head -c 300 err)}" ;;
esac
rm -rf deep

begin 'eight scans into one store'
rm -f many.db*
for i in 1 2 3 4 5 6 7 8; do
	"$JT" scan --no-progress --store "sqlite:$PWD/many.db" moving logs \
		>/dev/null 2>"err$i" &
done
for i in 1 2 3 4 5 6 7 8; do
	wait
done
cat err[1-8] >err
t test ! -s err
"$PYTHON" - >t.out 2>&1 <<'P' || : "${why:=$(tail -n 1 t.out)}"
import os, sqlite3
db = sqlite3.connect("many.db")
assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
jobs = [r[0] for r in db.execute("SELECT job FROM diagnosis")]
want = len(os.listdir("moving/a")) + len(os.listdir("logs"))
assert len(jobs) == want == len(set(jobs)), (len(jobs), len(set(jobs)), want)
P

done_cases
