# A disk that is really full, with more and more room: a tmpfs of 64 KiB to
# 4 MiB in a mount namespace of its own. What is written onto it is the whole
# answer or status 4 with the reason; the older file or store is as it was.
. "$TOP/tests/lib.sh"
need "$PYTHON" unshare mount

if [ -z "${SMALL_DISK:-}" ]; then
	for how in -rm -m; do
		unshare $how mount -t tmpfs none "$TMPDIR" 2>/dev/null || continue
		SMALL_DISK=1 exec unshare $how sh "$TOP/tests/cli/small_disk.sh"
	done
	echo 'skip small_disk: no mount namespace may be made here'
	exit 0
fi

store=$PWD/disk/jobs.db
mkdir disk logs more
for i in $(seq 60); do
	printf 'step %d\nKeyError: %s\n' "$i" "'k$i'" >"logs/job$i.log"
	printf 'step %d\nKeyError: %s\n' "$i" "'m$i'" >"more/more$i.log"
done
"$JT" scan -f jsonl -o jobs.jsonl logs || exit 1
"$JT" scan --store "sqlite:$PWD/first.db" logs >/dev/null || exit 1

# mounted SIZE [OPTION]: the disk, empty
mounted() {
	umount disk 2>/dev/null
	mount -t tmpfs -o "size=$1${2:+,$2}" none disk || exit 1
}

# fill KIB: leave so much room
fill() {
	rm -f disk/filler
	cat /dev/zero >disk/filler 2>/dev/null
	"$PYTHON" - "$1" <<'P'
import os, sys
size = os.path.getsize("disk/filler")
os.truncate("disk/filler", max(0, size - (int(sys.argv[1]) << 10)))
P
}

# told STATUS: it failed, and a line or two say why
told() {
	case $1 in
	4) grep -qE "$reason" err && [ "$(wc -l <err)" -le 2 ] && return ;;
	esac
	: "${why:=status $1 with $room KiB: $(head -c 300 err)}"
}

# but for when a report was made
same() {
	for f in whole disk/out; do
		sed 's/"made": *"[^"]*"//; s/created_seconds [0-9]*//
		    s/written <time>[^<]*//' $f \
			>"${f#disk/}.same"
	done
	cmp whole.same out.same
}

# went STATUS: counts how it ended; what failed has told why
went() {
	if [ "$1" -eq 0 ]; then
		whole=$((whole + 1))
		return 0
	fi
	told "$1"
	full=$((full + 1))
	return 1
}

# Some rooms were enough, and some were not.
both() {
	[ "$whole" -gt 0 ] && [ "$full" -gt 0 ] ||
		: "${why:=$whole whole, $full not: $*}"
	whole=0 full=0
}

# onto COMMAND...: -o onto the disk, over an older report
onto() {
	"$JT" "$@" -o whole || : "${why:=status $?: $*}"
	for room in 0 4 8 16 64 256 512 3072; do
		mounted 4m
		echo older >disk/out
		fill $room
		"$JT" "$@" -o disk/out 2>err >/dev/null
		if went $?; then
			t same
		else
			t test "$(cat disk/out)" = older
		fi
		t test "$(ls -A disk | tr '\n' ' ')" = 'filler out '
	done
	both "$@"
}

whole=0 full=0
reason='No space left on device'
begin 'a report onto a full disk: the whole one, or the older one and status 4'
for f in text json jsonl csv; do
	onto scan --no-progress -f $f logs
done
for f in text markdown html json csv prometheus; do
	# not by way of the folder that the report lies in
	onto report -f $f --link-logs https://logs.example jobs.jsonl
done
onto explain logs/job1.log
onto store export --store "sqlite:$PWD/first.db"
onto taxonomy list -f json

# rows: the store is whole, and how many rows there are, none of them twice
rows() {
	"$PYTHON" - "$store" <<'P'
import os, sqlite3, sys
if not os.path.exists(sys.argv[1]):
    sys.exit(print(0))
db = sqlite3.connect(sys.argv[1])
assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
try:
    jobs = [r[0] for r in db.execute("SELECT job FROM diagnosis")]
except sqlite3.OperationalError as e:  # given up before it was made
    assert "no such table" in str(e), e
    jobs = []
assert len(set(jobs)) == len(jobs)
print(len(jobs))
P
}

# kept MIN MAX: with room again the store has so many rows
kept() {
	rm -f disk/filler
	got=$(rows 2>&1)
	[ "$got" -ge "$1" ] 2>/dev/null && [ "$got" -le "$2" ] ||
		: "${why:=with $room KiB: rows: $got}"
	t test -z "$(ls -A disk | grep -vE '^(jobs.db(-wal|-shm|-journal)?|out)$')"
}

# into OLD NEW COMMAND...: onto a store of OLD rows, that comes to have NEW
into() {
	old=$1 new=$2
	shift 2
	for room in 0 4 8 16 32 64 96 128 192 256 900; do
		mounted 1m
		[ "$old" -eq 0 ] || cp first.db disk/jobs.db
		fill $room
		"$JT" "$@" --store "sqlite:$store" >out 2>err
		if went $?; then
			kept "$new" "$new"
		else
			kept "$old" "$new"
			status 0 "$JT" "$@" --store "sqlite:$store"
			kept "$new" "$new"
		fi
	done
	both "$@"
}

reason='no space is left for the store|No space left on device'
begin 'a new store onto a full disk: rows or none, complete with room'
into 0 60 scan --no-progress logs
into 0 60 store import jobs.jsonl
begin 'an older store on a full disk: whole, no row lost, complete with room'
into 60 120 scan --no-progress more
"$JT" scan -f jsonl -o more.jsonl more || exit 1
into 60 120 store import more.jsonl

begin 'a store on a full disk is read, and the gate answers'
for room in 0 4 16 64; do
	mounted 1m
	cp first.db disk/jobs.db
	fill $room
	"$JT" report --store "sqlite:$store" --since 2020-01-01 -f csv >out 2>err
	t test $? -eq 0
	has out job7 key_not_found
	status 1 "$JT" gate --store "sqlite:$store" --job job7 logs/job7.log
	has out verdict=stop
	kept 60 61
done

begin 'no room for one more file'
mounted 1m nr_inodes=2
room=no
echo older >disk/out
"$JT" scan --no-progress -f jsonl -o disk/out logs 2>err
told $?
t test "$(cat disk/out)" = older
"$JT" scan --no-progress --store "sqlite:$store" logs >out 2>err
got=$?
[ $got -eq 4 ] && [ -s err ] || : "${why:=status $got: $(cat err)}"
t test "$(ls -A disk)" = out

begin 'a disk that may not be written'
mounted 1m
cp first.db disk/jobs.db
echo older >disk/out
mount -o remount,ro disk || exit 1
reason='Read-only file system|it may not be written'
"$JT" scan --no-progress -f jsonl -o disk/out logs 2>err
told $?
t test "$(cat disk/out)" = older
"$JT" scan --no-progress --store "sqlite:$store" more >out 2>err
told $?
status 0 "$JT" report --store "sqlite:$store" --since 2020-01-01 -f csv
mount -o remount,rw disk || exit 1
kept 60 60

umount disk
done_cases
