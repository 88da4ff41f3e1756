# Bombs and hostile rules: bounded time and memory, a note, status 3, and what
# lies beside them is diagnosed.
. "$TOP/tests/lib.sh"

"$PYTHON" - <<'P'
import gzip, io, os, struct, tarfile, zipfile, zlib

FAIL = (b'Traceback (most recent call last):\n  File "/home/ada/x.py", line 3,'
    b' in f\n    k = d["a"]\n' b"KeyError: 'a'\n")

def deflate(data):
    c = zlib.compressobj(9, zlib.DEFLATED, -15)
    return c.compress(data) + c.flush()

def zeros(n):
    c = zlib.compressobj(9, zlib.DEFLATED, -15)
    out = b"".join(c.compress(b"\0" * (1 << 20)) for _ in range(n >> 20))
    return out + c.flush()

def local(name, data, crc, size):
    return struct.pack("<4s5H3L2H", b"PK\3\4", 20, 0, 8, 0, 0, crc, len(data),
        size, len(name), 0) + name

def central(name, n, crc, size, at):
    return struct.pack("<4s6H3L5H2L", b"PK\1\2", 20, 20, 0, 8, 0, 0, crc, n,
        size, len(name), 0, 0, 0, 0, 0, at) + name

def end(n, size, at):
    return struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, n, n, size, at, 0)

def crc_zeros(n):
    c = 0
    for _ in range(n >> 20):
        c = zlib.crc32(b"\0" * (1 << 20), c)
    return c

G = 1 << 30
kernel, crc = zeros(G), crc_zeros(G)
good = deflate(FAIL)

def zip_of(files):
    out, dirs = b"", b""
    for name, data, c, size in files:
        dirs += central(name, len(data), c, size, len(out))
        out += local(name, data, c, size) + data
    return out + dirs + end(len(files), len(dirs), len(out))

mine = (b"good-1.log", good, zlib.crc32(FAIL), len(FAIL))
# a gigabyte of zeros in a megabyte
open("flat.zip", "wb").write(zip_of([mine, (b"zeros.log", kernel, crc, G)]))
open("flat.gz", "wb").write(b"\x1f\x8b\x08" + bytes(7) + kernel +
    struct.pack("<2L", crc, G & 0xffffffff))
# 42.zip: sixteen archives in each of sixteen archives, and so on
inner = zip_of([(b"zeros-%d.log" % i, kernel, crc, G) for i in range(16)])
for _ in range(5):
    inner = zip_of([(b"%x.zip" % i, deflate(inner), zlib.crc32(inner),
        len(inner)) for i in range(16)])
open("42.zip", "wb").write(zip_of([mine, (b"more.zip", deflate(inner),
    zlib.crc32(inner), len(inner))]))
# every entry of the directory leads to the same member
at = local(b"x", kernel, crc, G) + kernel
dirs = b"".join(central(b"x", len(kernel), crc, G, 0) for i in range(5000))
open("same.zip", "wb").write(at + dirs + end(5000, len(dirs), len(at)))
# Fifield's: each member's data begins with the local headers after it, quoted
# as stored deflate blocks, and ends in the one kernel
names = [b"%d" % i for i in range(2000)]
n, core = len(kernel), kernel
files, tail, size, c = [], b"", G, crc
body = local(names[-1], kernel, crc, G) + kernel
crcs = [(n, G)]
# the checksums of the outer ones are left wrong: what matters is the size
for name in reversed(names[:-1]):
    head = local(names[len(crcs)], b"", 0, 0)
    n += 5 + 30 + len(names[-1])
    size += 34
    crcs.append((n, size))
out, dirs = b"", b""
for i, name in enumerate(names):
    n, size = crcs[len(names) - 1 - i]
    dirs += central(name, n, 0, size, len(out))
    h = struct.pack("<4s5H3L2H", b"PK\3\4", 20, 0, 8, 0, 0, 0, n, size,
        len(name), 0) + name
    out += h
    if i + 1 < len(names):
        out += struct.pack("<BHH", 0, 30 + len(names[i + 1]),
            ~(30 + len(names[i + 1])) & 0xffff)
out += kernel
open("fifield.zip", "wb").write(out + dirs + end(len(names), len(dirs),
    len(out)))

# a thousand layers
data = FAIL
for _ in range(1000):
    data = gzip.compress(data, 1)
open("layers.gz", "wb").write(data)

def tar(*entries):
    b = io.BytesIO()
    with tarfile.open(fileobj=b, mode="w", format=tarfile.GNU_FORMAT) as t:
        for name, content in entries:
            i = tarfile.TarInfo(name)
            i.size = len(content)
            t.addfile(i, io.BytesIO(content))
    return b.getvalue()

def patch(data, at, value):
    h = bytearray(data[:512])
    h[at:at + len(value)] = value
    h[148:156] = b" " * 8
    h[148:156] = b"%06o\0 " % sum(h)
    return bytes(h) + data[512:]

one = tar(("good-1.log", FAIL))[:1024]
bad = tar(("bad.log", FAIL))
huge = patch(bad, 124, b"\x80" + b"\0" * 3 + b"\x7f" + b"\xff" * 7)
negative = patch(bad, 124, b"\xff" * 12)
open("huge.tar", "wb").write(one + huge)
open("negative.tar", "wb").write(one + negative)

def pax(entries, then, length=None):
    body = b"".join(entries)
    h = patch(tar(("pax", b"x"))[:512], 156, b"x")
    h = patch(h, 124, b"%011o\0" % (len(body) if length is None else length))
    return h + body + bytes(-len(body) % 512) + then

def record(key, value):
    n = len(key) + len(value) + 3
    n += len(str(n + len(str(n)))) 
    return b"%d %s=%s\n" % (n, key, value)

# a hole of 8 EiB
open("sparse.tar", "wb").write(one + pax([record(b"GNU.sparse.major", b"1"),
    record(b"GNU.sparse.minor", b"0"), record(b"GNU.sparse.name", b"hole.log"),
    record(b"GNU.sparse.realsize", b"9223372036854775807")],
    patch(patch(tar(("s", b"1\n9223372036854775000\n1\n".ljust(512, b"\0")
        + b"x")), 156, b"0"), 0, b"s")))
open("pax.tar", "wb").write(one + pax([record(b"path", b"p/" * 400000)], bad))
open("xattr.tar", "wb").write(one + pax([record(b"SCHILY.xattr.user.%d" % i,
    b"v" * 9) for i in range(30000)], bad))
open("longpax.tar", "wb").write(one + pax([], bad, 0o77777777777))
# a 7z that says that its header has 2^62 bytes
h = struct.pack("<3Q", 0, 1 << 62, 0)[:20]
h = struct.pack("<QQL", 0, 1 << 62, 0)
open("huge.7z", "wb").write(b"7z\xbc\xaf\x27\x1c\0\4" +
    struct.pack("<L", zlib.crc32(h)) + h)
with zipfile.ZipFile("paths.zip", "w") as z:
    z.writestr("good-1.log", FAIL)
    z.writestr("d/" * 30000 + "x.log", FAIL)
P

# bounded FILE...: within 60 s and 600 MiB of address space, and the neighbour
# is diagnosed; a sanitizer needs more room
bounded() {
	mkdir -p jobs
	printf 'KeyError: %s\n' "'b'" >jobs/good-2.log
	(
		[ -n "${SANITIZE:-}" ] || ulimit -v 614400
		exec timeout 60 "$JT" scan -j1 --format jsonl "$@" jobs
	) >out 2>err </dev/null
	got=$?
	[ "$got" -eq "$want" ] || [ -n "$why" ] ||
		why="$*: status $got ($(head -c 300 err | tr '\n' ' '))"
	has out 'jobs/good-2.log'
}

want=3
for f in flat.zip 42.zip huge.tar negative.tar sparse.tar paths.zip; do
	begin "$f"
	bounded "$f"
	t test -s err
	has out "$f!good-1.log" key_not_found
done
for f in flat.gz fifield.zip layers.gz huge.7z longpax.tar; do
	begin "$f"
	bounded "$f"
	has err "$f"
done
want=3
begin 'what many entries share is read once, and the rest is told'
bounded same.zip

want=3
for f in flat.zip flat.gz 42.zip sparse.tar layers.gz paths.zip; do
	begin "$f tells which limit"
	bounded "$f"
	has err '(limit '
done
for f in gzip zip; do
	begin "a $f file that expands to itself"
	"$PYTHON" "$TOP/tests/fuzz/quine.py" $f quine.$f || exit 1
	case $f in
	gzip) gzip -dc quine.gzip ;;
	zip) "$PYTHON" -c 'import sys, zipfile
[name] = zipfile.ZipFile("quine.zip").namelist()
sys.stdout.buffer.write(zipfile.ZipFile("quine.zip").read(name))' ;;
	esac >itself
	t cmp itself quine.$f
	for depth in 1 8 64; do
		bounded --limit archive-depth=$depth quine.$f
		has err "more than $depth (limit archive-depth)"
		t test "$(wc -l <err)" -eq 1
	done
done

for f in pax.tar xattr.tar; do
	begin "$f"
	bounded "$f" || :
	t grep -qE 'bad.log|'"$f" out
done

begin 'a job is diagnosed from what came in time'
mkfifo slow
(
	echo "KeyError: 'a'"
	exec sleep 20
) >slow &
feeder=$!
start=$(date +%s)
status 3 "$JT" scan --timeout 0.7 --format jsonl slow
t test $(($(date +%s) - start)) -lt 10
has err 'limit job-time'
has out key_not_found
kill "$feeder"
start=$(date +%s)
status 3 "$JT" gate --timeout 0.5 --exit-map retry=0,stop=1,undecided=3 slow
t test $(($(date +%s) - start)) -lt 10
has out verdict=undecided

begin 'what an owner, and a run, may take together'
mkdir owned
head -c 30000000 /dev/zero | tr '\0' 'a' >owned/0.log
for i in 1 2 3; do
	printf 'Traceback (most recent call last):\n  File "a.py", line 1\nKeyError: 1\n' >owned/$i.log
done
tar cf owned/4.tar owned/1.log owned/2.log
for limit in owner-time run-time; do
	status 3 "$JT" scan -j 1 --limit $limit=1 --format jsonl owned
	has err ' files are not read: 0.001 seconds of ' "(limit $limit)"
	t test "$(wc -l <err)" -le 2
	t test "$(wc -l <out)" -eq 5
	t test "$(grep -c '"verdict":"undecided"' out)" -eq 5
	hasnt out '"category":"none"'
done
has err 'run: limit: '
# with a store the next scan reads what this one left out
status 3 "$JT" scan -q -j 1 --limit owner-time=1 --store sqlite:owned.db owned
status 0 "$JT" scan -q --store sqlite:owned.db --format jsonl owned
t test "$(grep -c key_not_found out)" -eq 5

begin 'the gate does not wait longer than 5 seconds by itself'
sleep 60 >slow &
feeder=$!
status 3 "$JT" gate --exit-map retry=0,stop=1,undecided=3 slow
has err 'limit job-time'
has out verdict=undecided
kill "$feeder"

begin 'long lines that nearly match: the work is bounded, and told'
"$PYTHON" - <<'P'
near = ["open file failed because of errno 2 on fopen: No such file or directory, fil",
        "error: couldn't chdir to `/scratch/ada/x': No such file or directory: going to /tmp instea",
        "OSError: CUDA_HOME environment variable is not set. Please set it to your CUDA install roo"]
with open("near.log", "w") as f:
    for i in range(300):
        text = near[i * 3 // 300]
        f.write((text * (65000 // len(text)))[:65000] + "\n")
    f.write("KeyError: 'a'\n")
P
status 3 "$JT" scan --format jsonl near.log
has out key_not_found 'limit confirm: some rules were run on parts of the log only'

begin 'a rule that cannot end gives up, is put aside, and is told'
mkdir -p hostile
"$PYTHON" - <<'P'
import random
with open("hostile/long.log", "w") as f:
    for i in range(120):
        f.write("aaa xyz " + "a" * 5000 + "!\n")
    f.write("x" * 60000 + " aaa xyz " + "a" * 4000 + "\n")
    f.write("KeyError: 'a'\n")
open("hostile/other.log", "w").write("KeyError: 'b'\n")
P
for pattern in '(a+)+$' '(?=.*[0-9;])aaa' '^(([a-z ])+.)+[A-Z]([a-z])+$' \
	'aaa(a|(?1)a)*[;,]' '(*NO_JIT)(a+)+$' \
	'(*LIMIT_MATCH=4000000000)(?C1)(a+)+$' 'aaa(.*)(.*)(.*)\3\2\1[;,]$'; do
	cat >evil.yaml <<-Y
		category: storage_fault
		rules:
		  - id: storage_fault.evil
		    title: Evil
		    pattern: '$pattern'
		    role: root
		    examples: {match: ['aaa'], no_match: ['b']}
	Y
	start=$(date +%s)
	(
		[ -n "${SANITIZE:-}" ] || ulimit -v 1048576
		exec timeout 60 "$JT" scan -j1 --format jsonl -t evil.yaml hostile
	) >out 2>err
	got=$?
	[ "$got" -eq 3 ] || [ -n "$why" ] || why="$pattern: status $got"
	t test $(($(date +%s) - start)) -lt 45
	has err 'hostile/long.log: limit: rules were left out'
	has out 'storage_fault.evil' 'hostile/other'
	[ -z "$why" ] || why="$pattern: $why"
	t test "$(grep -c key_not_found out)" -eq 2
done

begin 'what is too large to be compiled is an error with its place'
for pattern in '((a{1,100}){1,100}){1,100}' '\C' '(*UTF)a' \
	"$("$PYTHON" -c 'print("(" * 200 + "a" + ")" * 200)')"; do
	printf "category: storage_fault\nrules:\n  - {id: storage_fault.e, title: E, pattern: '%s', role: root, examples: {match: [a], no_match: [b]}}\n" \
		"$pattern" >evil.yaml
	status 2 timeout 20 "$JT" scan -t evil.yaml hostile
	has err evil.yaml:3:
done

done_cases
