# What explain shows. UPDATE=1 writes the golden texts anew: look at the diff.
. "$TOP/tests/lib.sh"

golden=$TOP/tests/golden/explain

# golden NAME ARGUMENT...: the screen is the golden one, and fits
golden() {
	begin "golden: $1"
	file=$golden/$1.txt
	shift
	(cd "$TOP" && "$JT" explain "$@") >out 2>err </dev/null
	t test $? -eq 0
	t test ! -s err
	[ -z "${UPDATE:-}" ] || cp out "$file"
	t diff -u "$file" out
	t "$PYTHON" - <<'P'
for line in open("out", encoding="utf-8"):
    assert len(line.rstrip("\n")) <= 80, line
    assert "\x1b" not in line, line
P
}

golden oom_rank corpus/gpu_out_of_memory/video_rank2.log
golden oom_old corpus/gpu_out_of_memory/diffusion_11g.log
golden watchdog --why corpus/hang/nccl_watchdog.log
golden ecc_four_logs corpus/gpu_hardware_fault/ecc_rank1
golden assertion_six_logs --why corpus/assertion_failure/packing
golden memory_dmesg corpus/cpu_out_of_memory/search_mpi
golden data_inputs corpus/corrupt_data/truncated_tile.log
golden nan --why corpus/loss_nan/lr_too_high.log
golden unknown corpus/path_not_found/shard_rank3/launcher.log
golden time_limit corpus/time_limit_exceeded/four_ranks
golden well corpus/none/two_streams
golden encoding corpus/unexpected_encoding/titles_java.log

# run_log ATTEMPT >LOG: the same failure, with other numbers
run_log() {
	cat <<L
2024-05-01 10:00:00,000 - train - INFO - torch==2.$1.0
2024-05-01 10:00:00,100 - train - INFO - Namespace(lr=0.$1, out='/tmp/tmp$1abcd')
Driver Version: 535.54.03   CUDA Version: 12.$1
2024-05-01 10:00:01,000 - train - INFO - loading data/shard-0000$1.tar
2024-05-01 10:00:02,000 - train - INFO - loading data/shard-00012.tar
2024-05-01 10:00:09,00$1 - train - INFO - epoch 1 step 10 loss 0.$1
2024-05-01 10:00:19,000 - train - INFO - epoch 1 step 2$2 loss 0.$1
1 2 3.$1 4
L
}
failure() {
	cat <<'L'
data.py:5: UserWarning: the loader is slow
Traceback (most recent call last):
  File "/home/ada/train.py", line 12, in main
    table = json.loads(line)
json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)
L
}
{ run_log 1 0; echo 'Training finished'; } >good.log
for a in 1 2 3; do
	mkdir -p 77/attempt_$a
	{ run_log $a 0; failure; } >77/attempt_$a/train.log
done
cp 77/attempt_3/train.log dead.log

begin 'attempts: reproducible, and the input that recurs'
status 0 "$JT" explain 77
has out 'attempt 1' 'attempt 2' 'reproducible' '3 of 3' \
	'data/shard-00012.tar was named last in 3'
hasnt out 'shard-00001'
begin 'attempts: sporadic when the steps differ'
for a in 1 2; do
	mkdir -p later/78/attempt_$a
	{ run_log $a $a; failure; } >later/78/attempt_$a/train.log
done
status 0 "$JT" explain later/78/attempt_1/train.log later/78/attempt_2
has out sporadic '2 of 2'
begin 'attempts: new when they failed otherwise'
cp -r 77 other
rm -r other/attempt_3
{ run_log 1 0; echo 'KeyError: "x"'; } >other/attempt_1/train.log
status 0 "$JT" explain other
has out 'no earlier attempt failed like this'

begin 'attempts from a store'
status 0 "$JT" scan --store sqlite:s.db 77/attempt_1 77/attempt_2
status 0 "$JT" explain --store sqlite:s.db 77/attempt_3/train.log
has out 'attempt 1' 'attempt 2' reproducible
status 0 "$JT" explain --store sqlite:/nonexistent/s.db 77/attempt_3
has err 'earlier attempts are not known'
has out JSONDecodeError
hasnt out 'attempt 1'

begin 'a job by its number: its last logs, where the store got them'
mkdir -p home
for n in 1 2; do
	cp "77/attempt_$n/train.log" "home/train-$n.txt"
	"$JT" gate --store sqlite:id.db --job 4711 --attempt "$n" \
		"$PWD/home/train-$n.txt" >/dev/null
done
status 0 "$JT" explain --store sqlite:id.db 4711
has out "$PWD/home/train-2.txt" 'job 4711'
(cd / && JOBTRIAGE_STORE="sqlite:$OLDPWD/id.db" "$JT" explain 4711) >out 2>&1
has out "home/train-2.txt"
status 3 "$JT" explain --store sqlite:id.db 4712
has err '4712: it is no file, and no job in sqlite:id.db'

begin '--diff: versions, settings, warnings, the failing line; no numbers'
status 0 "$JT" explain --diff good.log dead.log
has out 'torch: 2.1.0 -> 2.3.0' 'CUDA Version: 12.1 -> 12.3' 'lr: 0.1 -> 0.3' \
	UserWarning 'JSONDecodeError'
for text in tmp Driver step loss 'shard-' '1 2 3' 'File "train.py'; do
	hasnt out "$text"
done
status 0 "$JT" explain --diff dead.log dead.log
has out 'Little that the good run did not print'
hasnt out 'Values that changed'
begin '--diff: values first, as people print them; a learning rate is no warning'
cat >usual.log <<'L'
torch 2.0.1
learning rate: 0.1
{'batch_size': 32, 'seed': 1}
  num-layers ...................... 24
Using 8 GPUs
Started server process 4711
val loss: 0.51
saved results
L
sed 's/2\.0\.1/2.4.0/; s/0\.1$/10.0/; s/: 32/: 4096/; s/ 24/ 48/; s/8 G/4 G/
	s/4711/4712/; s/0\.51/0.49/; s/^saved.*/KeyError: "x"/' usual.log >changed.log
status 0 "$JT" explain --diff usual.log changed.log
sed -n '/^Values/,/^$/p' out >values
printf '%s\n' 'Values that changed' '   torch: 2.0.1 -> 2.4.0' \
	'   learning rate: 0.1 -> 10.0' '   batch_size: 32 -> 4096' \
	'   num-layers: 24 -> 48' '   Using # GPUs: 8 -> 4' '' >expected
t cmp values expected
hasnt out Warnings 4712 0.49
begin '--diff: a run that ended well is told as such'
status 0 "$JT" explain --diff changed.log good.log
has out 'Ended well'
hasnt out 'Unknown failure'
begin 'advice fits what the log shows'
advice() {
	printf '%b' "$1" >advice.log
	status 0 "$JT" explain advice.log
	sed -n '/^What to do/,/^$/p' out | tr -s ' \n' ' ' >what
}
advice 'requests.exceptions.ConnectionError: HTTPSConnectionPool(host=huggingface.co, port=443): Max retries exceeded with url: /x/resolve/main/config.json (Caused by NewConnectionError: Failed to establish a new connection: [Errno 101] Network is unreachable)\n'
has what 'from a compute node'
hasnt what NCCL rank
advice 'RuntimeError: NCCL communicator was aborted on rank 3.\n'
has what 'rank that failed first'
hasnt what proxy
advice "OSError: [Errno 28] No space left on device: '/tmp/tmpx1/shard'\n"
has what /tmp 'Full or over quota'
hasnt what 'I/O errors'
advice "OSError: [Errno 5] Input/output error: '/data/x.bin'\n"
has what 'I/O errors'
hasnt what 'no retry helps'
begin '--diff: at most 40 lines, the rest is counted'
{
	cat dead.log
	"$PYTHON" -c '
for i in range(300):
    print("new thing " + "".join(chr(97 + int(c)) for c in str(i)))'
} >many.log
status 0 "$JT" explain --diff good.log many.log
t test "$(grep -c 'new thing' out)" -le 40
has out 'more lines'
begin '--diff: bad usage, missing good log'
status 2 "$JT" explain --diff good.log -
status 2 "$JT" explain --diff good.log -f json dead.log
status 3 "$JT" explain --diff nowhere.log dead.log
has err nowhere.log
t test ! -s out
: >nothing.log
status 3 "$JT" explain --diff nothing.log dead.log
has err 'nothing.log: there is no line to compare with'
t test ! -s out

begin 'context and inputs are the same from a file, an archive, and a pipe'
tar czf logs.tgz dead.log
status 0 "$JT" explain dead.log
sed '1,4d' out >plain
has plain '     11' 'last inputs data/shard-00012.tar'
status 0 "$JT" explain logs.tgz
sed '1,4d; s/logs.tgz!//' out | tr -s ' \n' ' ' >archive
tr -s ' \n' ' ' <plain >plain1
t cmp plain1 archive
"$JT" explain - <dead.log >out 2>err
sed '1,4d; s/^  -:/  dead.log:/' out >pipe
t diff plain pipe

begin 'json is the diagnosis of scan, with the inputs'
status 0 "$JT" explain -f json dead.log
cp out one
status 0 "$JT" scan --trends -f jsonl dead.log
t "$PYTHON" - <<'P'
import json
a, b = json.load(open("one")), json.load(open("out"))
assert a["facts"]["last_inputs"] == ["data/shard-00012.tar",
    "data/shard-00003.tar"], a["facts"]["last_inputs"]
a["facts"]["last_inputs"] = b["facts"]["last_inputs"]
assert a == b
P
if "$PYTHON" -c 'import jsonschema' 2>/dev/null; then
	t "$PYTHON" - "$TOP/reports/diagnosis.schema.json" <<'P'
import json, sys, jsonschema
jsonschema.validate(json.load(open("one")), json.load(open(sys.argv[1])))
P
fi

begin 'the code of a frame names no input'
{
	echo 'reading shard tiles/rows.csv'
	echo 'Traceback (most recent call last):'
	echo '  File "/home/ada/lay.py", line 9, in <module>'
	echo '    lay(config.root)'
	echo 'ValueError: too few tiles'
} >code.log
status 0 "$JT" explain -f json code.log
t "$PYTHON" -c '
import json
assert json.load(open("out"))["facts"]["last_inputs"] == ["tiles/rows.csv"]'

begin 'nothing from a log reaches the terminal or the ticket as it is'
printf 'step 1\nKeyError: "\033]0;evil\007\033[31m**b** <img src=x> @all [a](http://e)\342\200\256"\n' >evil.log
printf 'KeyError: "x\302\233y"\n`````\n' >>evil.log
for format in text markdown; do
	status 0 "$JT" explain -f $format evil.log
	t "$PYTHON" - <<'P'
text = open("out", encoding="utf-8").read()
bad = [c for c in text if c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160
       or ord(c) in range(0x202a, 0x202f))]
assert not bad, bad
P
done
t "$PYTHON" - <<'P'
for line in open("out", encoding="utf-8"):
    if not line.startswith("    "):
        assert "<img" not in line and "@all" not in line, line
P

begin 'colour only where it is wanted'
status 0 "$JT" explain --color=always dead.log
has out "$(printf '\033[1;31mstop\033[0m')"
status 0 env NO_COLOR=1 "$JT" explain dead.log
hasnt out "$(printf '\033')"
status 0 "$JT" explain -o file.txt dead.log
hasnt file.txt "$(printf '\033')"
t test ! -s out

# tty COLUMNS ROWS ENVIRONMENT... COMMAND: on a terminal of that size
tty() {
	size="stty cols $1 rows $2"
	shift 2
	script -qec "$size; env $*" /dev/null >out 2>err </dev/null
}
if command -v script >/dev/null 2>&1; then
	begin 'a terminal of 60 columns'
	tty 60 500 NO_COLOR=1 "$JT" explain dead.log
	has out JSONDecodeError
	t "$PYTHON" - <<'P'
rows = open("out", encoding="utf-8").read().replace("\r", "").split("\n")
assert len(rows) > 30, rows
assert max(map(len, rows)) <= 60, max(rows, key=len)
P
	begin 'a narrow table keeps the message, and a job has its start and end'
	mkdir -p runs/with_a_long_name_that_no_column_can_hold_at_all
	cp dead.log runs/with_a_long_name_that_no_column_can_hold_at_all/xyz.log
	tty 80 500 NO_COLOR=1 "$JT" scan --no-progress runs
	has out 'runs/with' '/xyz' 'stop' \
		'line 13: json.decoder.JSONDecodeError: Expecting value'
	begin 'a pager when the screen is too small, and only then'
	tty 80 10 NO_COLOR=1 "'PAGER=sed s/^/P:/'" "$JT" explain dead.log
	has out 'P:json.decoder.JSONDecodeError'
	tty 80 10 NO_COLOR=1 "'PAGER=sed s/^/P:/'" "$JT" explain --no-pager dead.log
	hasnt out 'P:'
	has out 'Corrupt Data'
	tty 80 500 NO_COLOR=1 "'PAGER=sed s/^/P:/'" "$JT" explain dead.log
	hasnt out 'P:'
	tty 80 10 NO_COLOR=1 PAGER=/nonexistent/pager "$JT" explain dead.log
	has out 'Corrupt Data'
	begin 'links only on terminals that know them'
	osc=$(printf '\033]8;;file://')
	tty 80 500 -u NO_COLOR TERM=xterm VTE_VERSION=6800 "$JT" explain dead.log
	has out "$osc"
	tty 80 500 -u VTE_VERSION -u TERM_PROGRAM -u KITTY_WINDOW_ID \
		-u WT_SESSION TERM=xterm "$JT" explain dead.log
	hasnt out "$osc"
else
	echo 'skip terminals: script is missing'
fi

begin 'an empty log, a missing one, bad usage'
: >empty.log
status 0 "$JT" explain empty.log
has out 'Cannot tell'
status 3 "$JT" explain nowhere.log
has err nowhere.log
status 2 "$JT" explain
status 2 "$JT" explain --format yaml dead.log
has err 'text, json or markdown'
status 2 "$JT" explain --follow dead.log good.log
if [ -e /dev/full ]; then
	"$JT" explain dead.log >/dev/full 2>err
	t test $? -eq 4
fi

begin 'several jobs: a line for each, and how to choose one'
mkdir -p several/old several/new
cp dead.log several/old/first.log
cp good.log several/second.log
cp dead.log several/new/third.log
touch -d '2026-01-01 10:00' several/old/first.log several/second.log
touch -d '2026-01-02 10:00' several/new/third.log
status 0 "$JT" explain several
has out '3 jobs: 2 failed, 1 ended well' several/old/first several/new/third
has err 'these are 3 jobs' 'explain several/new/third.log' --last
status 0 "$JT" explain -f json several
t test "$(wc -l <out)" -eq 3
status 0 "$JT" explain --last several
has out 'json.decoder.JSONDecodeError: Expecting value' \
	'job several/new/third'
hasnt out several/old
status 0 "$JT" explain several/old/first.log several/new/third.log
has out '2 logs'
status 0 "$JT" explain several/old
hasnt err 'these are'
status 2 "$JT" explain --follow --last several
begin 'the jobs of an archive, too'
tar czf two.tgz 77/attempt_1 later/78
status 0 "$JT" explain two.tgz
has out 2 jobs JSONDecodeError
hasnt out 'Your code'
has err 'these are 2 jobs' "explain 'two.tgz!"
has err 'written last by --last'
touch -d '2026-01-02 10:00' 77/attempt_1/train.log
touch -d '2026-01-01 10:00' later/78/*/*
tar czf two.tgz later/78 77/attempt_1
status 0 "$JT" explain --last two.tgz
has out 'job 77' JSONDecodeError
hasnt err 'these are'
status 0 "$JT" explain 'two.tgz!77/attempt_1/train.log'
has out 'job 77' JSONDecodeError
# ranks and launchers of one job are one
tar czf one.tgz -C "$TOP/corpus/gpu_hardware_fault" ecc_rank1
status 0 "$JT" explain one.tgz
hasnt err 'these are'

begin 'a log alone is explained'
status 0 "$JT" dead.log
has out JSONDecodeError 'What to do'
status 0 "$JT" dead.log --why
has out 'Why this one'
status 2 "$JT" nowhere.log
has err "no command 'nowhere.log'"

begin 'the launches of an appended log'
H='Namespace(data=/data/a, width=3)
model has 12 parameters'
{
	echo "$H"
	printf 'step 1 loss 2\nTraceback (most recent call last):\n  File "/home/ada/t.py", line 3, in <module>\n    f()\nKeyError: %s\n' "'a'"
	echo "$H"
	printf 'step 1 loss 2\nstep 2 loss 1.9\nTraining finished\n'
} >appended.log
status 0 "$JT" explain appended.log
has out 'Ended well' 'is of 2 launches' 'launch 1' 'lines 1 to 7' \
	'Key Not Found, stop' 'lines 8 to 12: ended well'
status 0 "$JT" scan -f jsonl -o appended.jsonl appended.log
has appended.jsonl '"launch_count":2' '"category":"key_not_found"'
status 0 "$JT" report appended.jsonl
has out '1 attempt with a log of several launches'

begin 'a traceback that is cut off stands at its own line'
printf '%s\n' 'W-1 - Traceback (most recent call last):' 'W-1 -   File "t.py"' \
	'W-1 -     f()' "W-1 - KeyError: 'a'" >cut.log
status 0 "$JT" explain cut.log
has out '>     1 a traceback that was cut off' '        2 W-1 -   File'
t test "$(grep -c '^ *0 ' out)" -eq 0

done_cases
