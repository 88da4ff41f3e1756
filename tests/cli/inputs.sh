# Archives, damage, and what cannot be read: the rest is still reported.
. "$TOP/tests/lib.sh"
need tar gzip zip 7z zstd xz bzip2 lz4

mkdir -p tree/a tree/b
fail='Traceback (most recent call last):
  File "/home/ada/x.py", line 3, in f
    k = d["a"]
KeyError: '
echo "$fail'one'" >tree/a/slurm-1.out
echo "$fail'two'" >tree/b/slurm-2.out
printf 'step 1\nTraining finished\n' >tree/b/fine.log
i=0
while [ $i -lt 3000 ]; do
	echo "$i some line of a log that fills the archive, $((i * 7919 % 1000))"
	i=$((i + 1))
done >tree/a/long.log
tar cf t.tar tree
gzip -k t.tar
bzip2 -k t.tar
xz -k t.tar
zstd -q t.tar
lz4 -q t.tar t.tar.lz4
zip -qr t.zip tree
7z a t.7z tree >/dev/null
zip -q nested.zip t.tar.gz t.7z
tar czf nested.tar.gz nested.zip
mv t.zip looks_like.log

"$JT" scan --format jsonl tree | sed 's/"path[s]*":[^]},]*//g' |
	sort >plain

# same ARCHIVE PREFIX: the answers of the tree, but for the paths
same() {
	"$JT" scan --format jsonl "$1" >got 2>err
	t test $? -eq 0
	sed "s|$2||g" got | sed 's/"path[s]*":[^]},]*//g' | sort >mine
	t cmp plain mine
}

begin 'every kind of archive gives the answers of the tree'
same t.tar 't.tar!'
same t.tar.gz 't.tar.gz!'
same t.tar.bz2 't.tar.bz2!'
same t.tar.xz 't.tar.xz!'
same t.tar.zst 't.tar.zst!'
same t.tar.lz4 't.tar.lz4!'
same t.7z 't.7z!'

begin 'by content, not by name'
same looks_like.log 'looks_like.log!'

begin 'nested archives'
"$JT" scan --format jsonl nested.tar.gz >got
t grep -qF 'nested.tar.gz!nested.zip!t.tar.gz!tree/a/slurm-1.out' got
t grep -qF 'nested.tar.gz!nested.zip!t.7z!tree/b/slurm-2.out' got
t test "$(wc -l <got)" -eq 8

begin 'an address inside an archive is accepted back'
status 0 "$JT" scan --format jsonl 'nested.tar.gz!nested.zip!t.7z!tree/b'
t test "$(wc -l <out)" -eq 2
status 3 "$JT" scan 'nested.tar.gz!nothing'
has err 'no such member'

begin 'bare compressed logs'
for c in gzip bzip2 xz 'zstd -q' 'lz4 -q -m'; do
	rm -rf one && mkdir one && cp tree/a/slurm-1.out one/
	(cd one && $c slurm-1.out >/dev/null 2>&1 && rm -f slurm-1.out)
	status 0 "$JT" scan --format jsonl one
	has out '"job":"1"' key_not_found
done

begin 'large and packed: the same with one thread and with many'
mkdir large
awk 'BEGIN { for (i = 0; i < 120000; i++)
	print "step " i " | loss " i * 7919 % 1000 / 500 }' >large/slurm-7.out
cat tree/a/slurm-1.out >>large/slurm-7.out
"$JT" scan --format jsonl -j1 large | sed -E 's/"(paths?|place)":[^]},]*//g' >want
t grep -q key_not_found want
(cd large && tar cf ../l.tar . && zip -qr ../l.zip .)
gzip -c l.tar >l.tar.gz && zstd -q -c l.tar >l.tar.zst
mkdir l.gz l.zst
gzip -c large/slurm-7.out >l.gz/slurm-7.out.gz
zstd -q -c large/slurm-7.out >l.zst/slurm-7.out.zst
for f in l.tar l.zip l.tar.gz l.tar.zst l.gz l.zst; do
	for j in 1 2 8; do
		"$JT" scan --format jsonl -j$j $f |
			sed -E 's/"(paths?|place)":[^]},]*//g' >got
		t cmp want got
	done
done

begin 'a pipe'
"$JT" scan --format jsonl - <t.tar.gz >out 2>err
t test "$(wc -l <out)" -eq 4

begin 'a truncated archive: what came before the cut is reported'
head -c $(($(wc -c <t.tar.gz) * 3 / 4)) t.tar.gz >cut.tar.gz
status 3 "$JT" scan --format jsonl cut.tar.gz
has err cut.tar.gz damaged
t test "$(wc -l <out)" -ge 1

begin 'a wrong checksum is told'
cp tree/a/slurm-1.out g && gzip -c g >bad.gz
"$PYTHON" - <<'P'
b = bytearray(open("bad.gz", "rb").read())
b[-8] ^= 1
open("bad.gz", "wb").write(b)
P
status 3 "$JT" scan --format jsonl bad.gz
has err damaged
has out key_not_found

begin 'an encrypted zip: the open members are reported'
zip -q mixed.zip tree/a/slurm-1.out
zip -q -P secret mixed.zip tree/b/slurm-2.out
status 3 "$JT" scan --format jsonl mixed.zip
has err encrypted 'tree/b/slurm-2.out' 'passphrase'
has out '"job":"1"'

begin 'a missing path'
status 3 "$JT" scan --format jsonl tree nowhere.log
has err 'nowhere.log' 'No such file or directory'
t test "$(wc -l <out)" -eq 4

begin 'an unreadable file'
if [ "$(id -u)" -eq 0 ] && ! command -v setpriv >/dev/null; then
	echo "skip an unreadable file: setpriv is missing"
	name=
else
	chmod 755 . tree tree/a tree/b "$TMPDIR"
	mkdir -p locked && cp tree/a/slurm-1.out locked/
	echo x >locked/secret.log
	chmod 000 locked/secret.log
	as=
	[ "$(id -u)" -ne 0 ] ||
		as='setpriv --reuid=65534 --regid=65534 --clear-groups'
	# the program may lie where that user cannot go
	cp "$JT" jt && chmod 755 jt
	status 3 $as ./jt scan --format jsonl locked
	has err 'locked/secret.log' 'Permission denied'
	has out key_not_found
fi

begin 'link loops, sockets and FIFOs in a tree'
mkdir -p odd/deep
cp tree/a/slurm-1.out odd/
ln -s ../.. odd/deep/up
mkfifo odd/pipe
ln -s nothing odd/broken
timeout 20 "$JT" scan --format jsonl odd >out 2>err
t test $? -eq 3
has err 'link loop' 'odd/pipe' 'odd/broken'
t test "$(wc -l <out)" -eq 1

begin 'a FIFO that is named'
mkfifo named
cat tree/a/slurm-1.out >named &
timeout 20 "$JT" scan --format jsonl named >out 2>err
t test $? -eq 0
has out key_not_found

begin 'an empty file cannot be told'
: >empty.log
status 0 "$JT" scan --format jsonl empty.log
has out '"failed":null' '"verdict":"undecided"'

begin 'depth limit'
cp t.tar n0.tar
for i in 1 2 3 4; do tar cf n$i.tar n$((i - 1)).tar; done
status 3 "$JT" scan --limit archive-depth=3 --format jsonl n4.tar
has err limit

begin 'envelopes'
rm -rf env && mkdir env
"$PYTHON" - <<'P'
import json
err = ["Traceback (most recent call last):",
       '  File "/home/ada/x.py", line 3, in f', '    k = d["a"]',
       "KeyError: 'one'"]
def put(name, lines, end="\n", enc="utf-8"):
    with open("env/" + name, "wb") as f:
        f.write("".join(x + end for x in lines).encode(enc))
put("docker.log", [json.dumps({"log": x + "\n", "stream": "stderr",
    "time": "2024-05-01T10:00:00.5Z"}) for x in err])
put("cri.log", ["2024-05-01T10:00:00.5Z stderr F " + x for x in err])
put("syslog.log", ["May  1 10:00:00 node7 train[12]: " + x for x in err])
put("srun.log", ["3: " + x for x in err])
put("mpirun.log", ["[1,3]<stderr>:" + x for x in err])
put("torchrun.log", ["[rank3]: " + x for x in err])
put("default.log", ["[default3]:" + x for x in err])
put("ray.log", ["\x1b[36m(Trainer pid=1, ip=10.0.0.1)\x1b[0m " + x
    for x in err])
put("logging.log", ["2024-05-01 10:00:00,123 - train - ERROR - " + x
    for x in err])
put("jsonl.log", [json.dumps({"ts": "2024-05-01T10:00:00Z",
    "level": "error", "message": "\n".join(err)})])
put("crlf.log", err, "\r\n")
put("cr.log", ["\r 1% | step 1", "\r 2% | step 2\r"] + err)
put("utf16.log", err, enc="utf-16")
put("utf16le.log", err, enc="utf-16-le")
put("ansi.log", ["\x1b[31m" + x + "\x1b[0m" for x in err])
put("nul.log", [x.replace(" ", "\0 ") for x in err])
open("env/latin.log", "wb").write("caf\xe9 na\xefve \xff\n".encode("latin-1")
    + "\n".join(err).encode() + b"\n")
json.dump({"message": {"message": "KeyError: 'one'", "extraInfo":
    {"py_callstack": "\n".join(err), "timestamp": "1700000000"}}},
    open("env/x_error.json", "w"))
P
for f in env/*; do
	status 0 "$JT" scan --format jsonl "$f"
	[ -n "$why" ] || has out key_not_found '"function":"f"'
	[ -z "$why" ] || why="$f: $why"
done
status 0 "$JT" scan --format jsonl env/torchrun.log
has out '"rank":3'
status 0 "$JT" scan --format jsonl env/syslog.log
has out '"node":"node7"'
status 0 "$JT" scan --format jsonl env/docker.log
has out '"time":"2024-05-01T10:00:00.500000Z"'

begin 'a log that grows while it is read ends where it was'
cp tree/a/long.log grow.log
(for i in 1 2 3 4 5; do cat tree/a/long.log >>grow.log; done) &
status 0 "$JT" scan --format jsonl grow.log
wait
t test "$(wc -l <out)" -eq 1

begin 'a library that cannot be loaded costs only what needs it'
mkdir lib late
echo broken >lib/libarchive.so.13
printf 'KeyError: 1\n' >late/plain.log
tar cf late/packed.tar late/plain.log
bzip2 -k late/plain.log
status 3 env LD_LIBRARY_PATH=lib "$JT" scan --format jsonl late
has err 'packed.tar: unreadable: cannot load a library: ' \
    'plain.log.bz2: unreadable: cannot load a library: '
has err '(package libarchive13 '
t test "$(grep -c key_not_found out)" -eq 1
status 0 "$JT" scan --format jsonl late
t test "$(grep -c key_not_found out)" -eq 2

begin 'a library that is missing is named with its package, not as memory'
rm lib/libarchive.so.13
status 0 "$JT" scan --store "sqlite:$PWD/late.db" -f jsonl -o late.jsonl late
echo broken >lib/libjansson.so.4
without() {
	want=$1
	shift
	status "$want" env LD_LIBRARY_PATH=lib "$JT" "$@"
}
echo older >late.out
for f in text markdown html json csv prometheus; do
	without 4 report -f $f -o late.out late.jsonl
	has err 'libjansson.so.4' '(package libjansson4 '
	t test "$(wc -l <err)" -eq 1
done
for f in html json; do
	without 4 report -f $f -o late.out --store "sqlite:$PWD/late.db" \
		--since 2020-01-01
	has err '(package libjansson4 '
	t test "$(wc -l <err)" -eq 1
done
for f in 'taxonomy list -f json' \
	"store import --store sqlite:$PWD/late2.db late.jsonl" \
	"store export --store sqlite:$PWD/late.db"; do
	# shellcheck disable=SC2086 # a list of words
	without 4 $f -o late.out
	has err '(package libjansson4 '
	t test "$(wc -l <err)" -eq 1
done
t test "$(cat late.out)" = older
# what needs none of it answers as ever
without 0 report -o stored.out --store "sqlite:$PWD/late.db" --since 2020-01-01
without 1 gate late/plain.log
has out 'verdict=stop'
without 0 explain late/plain.log
without 0 taxonomy list
without 0 report --store "sqlite:$PWD/late.db" --since 2020-01-01
without 0 scan -f csv late
without 0 scan -f jsonl late
t cmp out late.jsonl

done_cases
