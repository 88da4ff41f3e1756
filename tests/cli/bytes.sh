# Bytes that are not understood are never a job that ended well: what can be
# unpacked is, the good part of what is damaged is diagnosed, and the rest is
# told, with status 3 and "undecided".
. "$TOP/tests/lib.sh"
need xz bzip2 zstd lz4 gzip

cat >bytes.py <<'P'
import lzma, os, random, struct, subprocess, zlib

LOG = (b"2026-01-01 10:00:00 step 1 loss 0.5\n"
    b'Traceback (most recent call last):\n  File "x.py", line 3, in f\n'
    b'    k = d["a"]\nKeyError: \'one\'\n')
JUNK = b"this is other text\n" * 3

def put(name, *parts):
    os.makedirs(os.path.dirname(name), exist_ok=True)
    with open(name, "wb") as f:
        f.write(b"".join(parts))

def pack(command):
    return subprocess.run(command.split(), input=LOG, check=True,
        stdout=subprocess.PIPE).stdout

def skip(n, kind=0):
    return struct.pack("<II", 0x184d2a50 + kind, n) + \
        random.Random(n).randbytes(n)

def lzip(data):
    alone = lzma.compress(data, format=lzma.FORMAT_ALONE,
        filters=[{"id": lzma.FILTER_LZMA1, "dict_size": 65536}])
    m = b"LZIP\1\x10" + alone[13:] + struct.pack("<IQ", zlib.crc32(data),
        len(data))
    return m + struct.pack("<Q", len(m) + 8)

def compress(data):     # each byte is a code of its own
    bits = "".join(format(c, "09b")[::-1] for c in data)
    bits += "0" * (-len(bits) % 8)
    return b"\x1f\x9d\x90" + bytes(int(bits[i:i + 8][::-1], 2)
        for i in range(0, len(bits), 8))

def rar4(name, data):   # stored
    def block(kind, flags, body):
        h = struct.pack("<BHH", kind, flags, 7 + len(body)) + body
        return struct.pack("<H", zlib.crc32(h) & 0xffff) + h
    f = struct.pack("<IIBIIBBHI", len(data), len(data), 3, zlib.crc32(data),
        0x58000000, 20, 0x30, len(name), 0o100644) + name
    return b"Rar!\x1a\7\0" + block(0x73, 0, b"\0" * 6) + \
        block(0x74, 0x8000, f) + data + block(0x7b, 0x4000, b"")

def rar5(name, data):
    def v(n):
        out = b""
        while n > 127:
            out += bytes([n & 127 | 128])
            n >>= 7
        return out + bytes([n])
    def block(body):
        h = v(len(body)) + body
        return struct.pack("<I", zlib.crc32(h)) + h
    f = v(2) + v(2) + v(len(data)) + v(4) + v(len(data)) + v(0o100644) + \
        struct.pack("<I", zlib.crc32(data)) + v(0) + v(1) + v(len(name)) + name
    return b"Rar!\x1a\7\1\0" + block(v(1) + v(0) + v(0)) + block(f) + data + \
        block(v(5) + v(0) + v(0))

PACKED = {"zst": pack("zstd -q -c"), "lz4": pack("lz4 -q -c"),
    "xz": pack("xz -c"), "bz2": pack("bzip2 -c"), "gz": pack("gzip -c"),
    "lz": lzip(LOG)}

# read whole, status 0
for e, p in PACKED.items():
    put("whole/two." + e, p, p)
    put("whole/tape." + e, p, b"\0" * 1024)
for e in "zst", "lz4":
    p = PACKED[e]
    for n in 100, 504, 505, 5000, 300000:
        put("whole/front%d.%s" % (n, e), skip(n), p)
        put("whole/between%d.%s" % (n, e), p, skip(n, 3), p)
    put("whole/many." + e, skip(500) * 40, p)
put("whole/log.lzma", pack("xz --format=lzma -c"))
put("whole/log.Z", compress(LOG))
put("whole/four.rar", rar4(b"job/slurm-5.out", LOG))
put("whole/five.rar", rar5(b"job/slurm-5.out", LOG))

# a good part, and more: diagnosed, status 3, the gate undecided
for e, p in PACKED.items():
    put("part/text." + e, p, JUNK)
    put("part/bytes." + e, p, random.Random(1).randbytes(700))
    put("part/two." + e, p, p, JUNK)
for e in "zst", "lz4", "xz", "gz":
    put("part/cut." + e, PACKED[e][:-4])
put("part/log.lzma", pack("xz --format=lzma -c"), JUNK)

# nothing that can be read
put("none/cut.bz2", PACKED["bz2"][:-4])
put("none/cut.lz", PACKED["lz"][:-30])
put("none/cut.rar", rar5(b"slurm-5.out", LOG)[:150])
put("none/cut.zst", skip(5000)[:3000])
put("none/only.zst", skip(5000))
put("none/text.zst", skip(5000), LOG)
put("none/noise.Z", b"\x1f\x9d\x90", random.Random(2).randbytes(300))
for n in 3, 5, 6, 8, 10, 16, 24, 32, 48, 50, 200, 1000, 5000, 100000:
    put("none/random%d.log" % n, random.Random(n).randbytes(n))
put("none/high.log", b"\xcb")
put("none/nul.log", bytes(5000))
put("none/nuls.log", b"\0\0\0\0 ok\n")
put("none/pgp.gpg", b"\x8c\x0d\x04\x09\x03\x02", random.Random(3).randbytes(300))
put("none/key.gpg", b"\x85\x01\x0c\x03", random.Random(4).randbytes(600))
put("none/pgp.asc", b"-----BEGIN PGP MESSAGE-----\n\njA0ECQMC\n=abcd\n"
    b"-----END PGP MESSAGE-----\n")
put("none/ssl.log", b"Salted__", random.Random(5).randbytes(160))
put("none/ssl64.log", b"U2FsdGVkX1+zK3v2yB0N8q4Yw1n0aQ==\n")
put("none/age.log", b"age-encryption.org/v1\n-> X25519 abc\nfoo\n--- abcd\n",
    random.Random(6).randbytes(300))
put("none/deep_error.json", b'{"message":' * 3000, b'"KeyError"', b"}" * 3000)
put("none/inner_error.json", b'{"message": {"message": ', b'{"a":' * 3000,
    b"1", b"}" * 3000, b', "extraInfo": {"timestamp": "1700000000"}}}')
put("none/cut_error.json", b'{"message": {"message": "job")')
P
"$PYTHON" bytes.py

# each FOLDER STATUS GATE TEXT: every file of it, alone
each() {
	for f in "$1"/*; do
		status "$2" timeout 60 "$JT" scan --format jsonl "$f"
		has out "$4"
		t test "$(wc -l <out)" -eq 1
		[ "$2" -eq 0 ] || t test -s err
		status "$3" timeout 60 "$JT" gate "$f"
		[ -z "$why" ] || {
			why="$f: $why"
			return
		}
	done
}

begin 'members, frames that carry nothing, padding; RAR, lzip, lzma, compress'
each whole 0 1 '"category":"key_not_found"'

begin 'other bytes behind, an end that is missing'
each part 3 3 '"category":"key_not_found"'

begin 'encrypted, random, damaged, nested too deep'
each none 3 3 '"verdict":"undecided"'
for f in none/*; do
	"$JT" scan -q --format jsonl "$f" >out
	hasnt out '"category":"none"'
	hasnt out '"failed":false'
done

begin 'the same within an archive and by standard input'
tar cf all.tar none
"$JT" scan -q --format jsonl all.tar >out
t test "$(grep -c '"verdict":"undecided"' out)" -ge 30
hasnt out '"category":"none"'
"$JT" gate - <none/ssl.log >out
t test $? -eq 3

begin 'a few bytes that are text'
mkdir few
printf '' >few/empty.log
printf '\n' >few/line.log
printf 'ok' >few/ok.log
printf 'h\303\251\n' >few/accent.log
printf '\033[0m' >few/colour.log
printf 'L\344uft, mit \334bergr\366\337e, seit gestern\n' >few/latin.log
status 0 "$JT" scan --format jsonl few
hasnt out 'no text'
t test ! -s err

begin 'a log of records that begin with a message is none of these'
i=0
while [ $i -lt 5 ]; do
	echo '{"message": {"step": '$i'}, "time": "2026-01-01T10:00:00Z"}'
	i=$((i + 1))
done >records.log
status 0 "$JT" scan --format jsonl records.log
t test ! -s err

done_cases
