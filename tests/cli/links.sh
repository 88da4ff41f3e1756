# Links that others put into a folder which a program reads that may read
# everything: followed where they stay, or where who made them owns what they
# lead to; nowhere else, and what was left out is told.
. "$TOP/tests/lib.sh"

umask 022
fail='Traceback (most recent call last):
  File "x.py", line 3, in f
    k = d["a"]
KeyError: '

begin 'links that stay in the folder: what they lead to is read once'
mkdir -p tree/run5 tree/deep
echo "$fail'one'" >tree/run5/slurm-1.out
ln -s run5 tree/latest-run
ln -s "$PWD/tree/run5/slurm-1.out" tree/deep/slurm-2.out
ln -s ../run5/slurm-1.out tree/deep/slurm-3.out
status 0 "$JT" scan --format jsonl tree
t test "$(grep -c key_not_found out)" -eq 1
t test ! -s err

begin 'a link that leads out of the folder, to what its owner owns'
mkdir part && ln -s "$PWD/tree/run5" part/run5
status 0 "$JT" scan --format jsonl part
t test "$(grep -c key_not_found out)" -eq 1
rm -r part

begin '/proc, /sys, /dev and the folders above are never read'
ln -s /proc tree/proc
ln -s /proc/self/environ tree/environ.log
n=2
if [ "$(stat -f -c %T /sys)" = sysfs ]; then
	ln -s /sys tree/sys
	n=$((n + 1))
fi
if [ "$(stat -c %d /dev)" != "$(stat -c %d /)" ]; then
	ln -s /dev tree/dev
	n=$((n + 1))
fi
ln -s / tree/top
mkdir tree/mine && ln -s "$PWD" tree/mine/home
for o in '' --follow; do
	# shellcheck disable=SC2086
	status 0 timeout 60 "$JT" scan $o --format jsonl tree
	t test "$(grep -c key_not_found out)" -eq 1
	t test "$(wc -l <out)" -eq 1
	has err "tree: skipped: links, $n, " 'tree/top: skipped: link loop' \
		'tree/mine/home: skipped: link loop'
done
status 0 timeout 60 "$JT" scan --format jsonl /proc
has err '/proc: skipped'
t test ! -s out
rm -f tree/proc tree/sys tree/dev tree/environ.log tree/top tree/mine/home

begin 'a file that is named is read, whatever it is'
ln -s tree/run5/slurm-1.out named.log
status 0 "$JT" explain named.log
has out KeyError
status 1 "$JT" gate named.log
ln -s tree named
status 0 "$JT" scan --format jsonl named
t test "$(grep -c key_not_found out)" -eq 1

if [ "$(id -u)" -ne 0 ] || ! command -v setpriv >/dev/null; then
	begin ''
	name=
	echo 'skip links of other users: needs root and setpriv'
	done_cases
fi

# as UID COMMAND...
as() {
	uid=$1
	shift
	setpriv --reuid="$uid" --regid="$uid" --clear-groups "$@"
}

# Two users; the folder is the first's, or for all.
chmod 755 . "$TMPDIR"
rm -rf tree
mkdir -p logs/ada home/eve home/ada shared
chmod 1777 shared
chown 4001 logs/ada home/ada
chown 4002 home/eve
chmod 700 home/eve home/ada
echo "$fail'of_eve'" >home/eve/slurm-7.out
echo "$fail'of_ada'" >home/ada/slurm-8.out
echo "$fail'plain'" >logs/ada/slurm-1.out
chown 4002 home/eve/slurm-7.out
chown 4001 home/ada/slurm-8.out logs/ada/slurm-1.out
chmod 600 home/eve/slurm-7.out home/ada/slurm-8.out
as 4001 ln -s "$PWD/home/eve/slurm-7.out" logs/ada/slurm-20.out
as 4001 ln -s "$PWD/home/eve" logs/ada/folder
as 4001 ln -s ../../home/eve/slurm-7.out logs/ada/slurm-21.out
as 4001 ln -s /etc logs/ada/etc
as 4001 ln -s "$PWD/home/ada/slurm-8.out" logs/ada/slurm-22.out
as 4001 ln -s "$PWD/home/ada" logs/ada/own

for box in auto off; do
	begin "what others own is not read by a link (sandbox $box)"
	status 0 "$JT" scan --sandbox=$box --format jsonl logs
	hasnt out of_eve
	hasnt out '/etc/'
	has out of_ada plain slurm-22 own/slurm-8
	t test "$(wc -l <out)" -eq 3
	has err "logs/ada: skipped: links, 4, that lead to what others own"
	begin "--follow follows (sandbox $box)"
	rm -f logs/ada/etc
	status 0 "$JT" scan --sandbox=$box --follow --format jsonl logs
	has out of_eve of_ada plain
	t test "$(wc -l <out)" -eq 6
	as 4001 ln -s /etc logs/ada/etc
done

begin 'the gate and explain take no evidence from there'
mkdir -p one/slurm-30
chown 4001 one/slurm-30
as 4001 ln -s "$PWD/home/eve/slurm-7.out" one/slurm-30/slurm-30.out
status 3 "$JT" gate one/slurm-30
hasnt out of_eve
status 0 "$JT" explain one/slurm-30
hasnt out of_eve
status 1 "$JT" gate one/slurm-30/slurm-30.out

begin 'a link that is changed behind the walk gains nothing'
# the same through a chain, whose end is another's
as 4001 ln -s slurm-20.out logs/ada/slurm-23.out
status 0 "$JT" scan --sandbox=off --format jsonl logs
hasnt out of_eve

begin 'a second name that others may have given'
echo "$fail'hard'" >home/eve/slurm-9.out
chown 4002 home/eve/slurm-9.out
ln home/eve/slurm-9.out shared/slurm-9.out
ln home/eve/slurm-9.out logs/ada/slurm-9.out
status 0 "$JT" scan --format jsonl shared logs
hasnt out "'hard'"
has err 'shared/slurm-9.out: skipped: a file with other names' \
	'logs/ada/slurm-9.out: skipped: a file with other names'
status 0 "$JT" scan --follow --format jsonl shared
has out "'hard'"
ln home/eve/slurm-9.out home/eve/slurm-10.out
status 0 "$JT" scan --format jsonl home/eve
t test "$(grep -c "'hard'" out)" -eq 2

done_cases
