# run: a command's output and status as without us, and what is told of it;
# explain --follow: a log that is being written.
. "$TOP/tests/lib.sh"
need script setsid timeout

# calls COMMAND...: out, err and the status must be as without run
same() {
	sh -c "$1" >plain.out 2>plain.err </dev/null
	want=$?
	"$JT" run -q -- sh -c "$1" >out 2>err </dev/null
	t test $? -eq "$want"
	t cmp plain.out out
}

# soon COMMAND...: true within ten seconds
soon() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		for _ in 1 2 3 4 5 6 7 8 9 10; do
			"$@" >/dev/null 2>&1 && return 0
			sleep 0.1
		done
	done
	return 1
}

begin 'usage'
status 125 "$JT" run
has err 'no command given'
status 125 "$JT" run --on nosuch=warn -- true
has err '--on nosuch=warn: no such rule or category'
status 125 "$JT" run --on stalled:x=stop -- true
status 125 "$JT" run --exec true -- true
has err 'without --on'
status 125 "$JT" run --format csv -- true
status 125 "$JT" run --exit-map nosuch -- true
status 125 "$JT" run -t missing.yaml -- touch ran
t test ! -e ran

begin 'the status is the command'\''s'
same 'exit 0'
same 'exit 7'
same 'kill -9 $$'
same 'kill -15 $$'
same 'echo hello; exit 3'
status 127 "$JT" run -q -- ./nosuch
has err './nosuch: No such file'
status 126 "$JT" run -q -- /
has err '/: '

begin 'bytes pass as they are'
head -c 3000000 /dev/urandom >bytes
"$JT" run -- cat bytes >out 2>err
t cmp bytes out
t test ! -s err
"$JT" run -- cat bytes 2>err | cat >out
t cmp bytes out
"$JT" run -- cat <bytes >out 2>err
t cmp bytes out
printf 'no line end' >last
"$JT" run -- cat last >out
t cmp last out
same 'echo one; echo two >&2; echo three'
t cmp plain.err err
"$JT" run -- sh -c 'for i in 1 2 3; do echo o$i; echo e$i >&2; done' >both 2>&1
t test "$(tr '\n' ' ' <both)" = 'o1 e1 o2 e2 o3 e3 '

begin 'at once'
mkfifo pipe
"$JT" run -- sh -c 'printf "50%%"; sleep 20' >pipe 2>err &
pid=$!
t timeout 5 head -c 3 pipe
kill -KILL $pid
wait $pid 2>/dev/null

begin 'nobody reads: the command gets SIGPIPE'
timeout 10 "$JT" run -- yes 2>err | head -1 >out
has out y
t test ! -s err
"$JT" run -q -- sh -c 'echo out; echo more >&2' >&- 2>err
t test $? -eq 0
has err more

begin 'a terminal stays one'
cat >tty.sh <<'S'
for fd in 0 1 2; do test -t $fd && printf '%s ' $fd; done
stty size <&1
printf 'a\r50%%\rb\tc\n'
S
JT=$JT script -qc 'stty rows 33 cols 77; sh tty.sh' plain.tty >/dev/null </dev/null
JT=$JT script -qc 'stty rows 33 cols 77; "$JT" run -- sh tty.sh' run.tty \
	>/dev/null </dev/null
grep -v '^Script' plain.tty >plain
grep -v '^Script' run.tty >out
has out '0 1 2 33 77'
t cmp plain out
JT=$JT script -qc '"$JT" run -- sh -c "test -t 1 || echo no; test -t 2 &&
	echo yes" 2>&1 | cat' run.tty >/dev/null </dev/null
has run.tty no

begin 'signals go to the command'
for signal in TERM INT HUP USR1 USR2 QUIT; do
	rm -f ready
	# an interactive shell's background job would ignore INT
	"$PYTHON" - "$JT" $signal <<'P' >out 2>err
import os, signal, subprocess, sys, time
jt, name = sys.argv[1:]
p = subprocess.Popen([jt, "run", "-q", "--", "sh", "-c",
    f"trap 'echo got {name}; exit 9' {name}; touch ready; "
    "while :; do sleep 0.1; done"], stderr=subprocess.DEVNULL)
for _ in range(100):
    if os.path.exists("ready"):
        break
    time.sleep(0.1)
p.send_signal(getattr(signal, "SIG" + name))
sys.exit(p.wait(20))
P
	t test $? -eq 9
	has out "got $signal"
done

begin 'stopped and continued'
rm -f ready
"$JT" run -- sh -c 'touch ready; sleep 1; echo end' >out 2>err &
pid=$!
t soon test -e ready
kill -TSTP $pid
# its state is the third field of stat
t soon sh -c "cut -d' ' -f3 /proc/$pid/stat | grep -q T"
kill -CONT $pid
wait $pid
t test $? -eq 0
has out end

begin 'nothing outlives the command'
status 0 "$JT" run -- sh -c 'setsid sleep 321 & echo $! >pid'
t test ! -e "/proc/$(cat pid)"
status 0 timeout 30 "$JT" run -- sh -c \
	'setsid sh -c "trap : TERM; touch trap; while :; do sleep 1; done" &
	echo $! >pid; while ! test -e trap; do sleep 0.1; done'
t test ! -e "/proc/$(cat pid)"

begin 'what killed it is told at the end'
printf 'step 3\nTraceback (most recent call last):\n  File "train.py", line 3, in <module>\n    x = d["lr"]\nKeyError: '\''lr'\''\n' >log
status 1 "$JT" run --termination-log cause -o d.json -f json -- \
	sh -c 'cat log; exit 1'
t cmp log out
has err 'KeyError' 'Verdict'
has cause 'category  key_not_found' 'verdict   stop' 'output:5: KeyError'
t "$PYTHON" - <<'P'
import json
d = json.load(open("d.json"))
assert d["category"] == "key_not_found" and d["verdict"] == "stop", d
assert d["failed"] is True and d["record"]["exit_code"] == 1, d
assert d["paths"] == ["output"] and d["evidence"][0]["line"] == 5, d
P
status 0 "$JT" run --termination-log none -- cat log
t test ! -e none
t test ! -s err
status 139 "$JT" run -f json -o d.json -- sh -c 'kill -SEGV $$'
t grep -q '"category":"native_crash"' d.json
head -c 9000 /dev/zero | tr '\0' x >long
status 1 "$JT" run --termination-log cause -- \
	sh -c 'printf "ValueError: "; cat long; echo; exit 1'
t test "$(wc -c <cause)" -le 4096
# a file that cannot be written changes nothing
status 1 "$JT" run --termination-log no/such/file -- sh -c 'exit 1'
has err 'no/such/file'

begin 'the status by the verdict'
status 93 "$JT" run --exit-map stop=93 -- sh -c 'cat log; exit 1'
status 0 "$JT" run --exit-map stop=93 -- cat log
status 5 "$JT" run --exit-map stop=93 -- sh -c 'exit 5'
status 75 "$JT" run --exit-map slurm -- sh -c 'exit 5'
status 127 "$JT" run --exit-map slurm -- ./nosuch

begin 'the store'
for attempt in 1 2; do
	status 1 "$JT" run --store sqlite:s.db --job 77 --attempt $attempt -- \
		sh -c 'cat log; exit 1'
done
status 0 "$JT" store export --store sqlite:s.db
t test "$(grep -c '"job":"77"' out)" -eq 2
has out '"attempt":2' '"category":"key_not_found"'
status 1 "$JT" run --store nosuch:x --job 77 -- sh -c 'cat log; exit 1'
has err 'nosuch:x'

begin 'warn, and a hook'
status 0 "$JT" run --on loss_nan=warn \
	--exec 'echo "hook $JOBTRIAGE_RULE $JOBTRIAGE_CATEGORY $JOBTRIAGE_PID"' \
	-- sh -c 'echo "step 10 loss: nan"; sleep 2; echo end'
has out end
has err 'loss_nan: line 1: step 10 loss: nan' 'hook loss_nan.printed loss_nan '
hasnt out hook
# also what comes last, and a block that is still open
status 1 "$JT" run --on key_not_found=warn -- sh -c 'cat log; exit 1'
has err 'run: key_not_found: line 5: KeyError'

begin 'stop'
status 143 timeout 20 "$JT" run --on loss_nan=stop -f json -o d.json -- \
	sh -c 'echo "step 10 loss: nan"; sleep 60'
has err 'loss_nan: line 1: step 10 loss: nan; stopping the command'
t grep -q '"category":"loss_nan"' d.json
t grep -q 'stopped by jobtriage: line 1' d.json
status 137 timeout 20 "$JT" run --on stalled:1s=stop --grace 0.5 -- \
	sh -c 'trap "" TERM; echo hello; while :; do sleep 1; done'
has err 'stalled:1s: no output for 1 second; stopping' 'SIGKILL'
# output that goes on is no stall
status 0 timeout 20 "$JT" run --on stalled:2s=stop -- \
	sh -c 'for i in 1 2 3 4 5 6; do printf .; sleep 0.5; done'
# silence is a hang, too, and the answer says who ended it
status 143 timeout 20 "$JT" run --on hang:1s=stop -- sh -c 'echo hi; sleep 60'
has err 'hang:1s: no output for 1 second; stopping' 'Hang: jobtriage run stopped'
# a failure after which nothing goes on; its block has not ended
status 143 timeout 20 "$JT" run --on hang:2s=stop -- sh -c 'cat log; sleep 60'
has err 'a failure 2 seconds ago'

begin 'interrupted'
status 130 "$JT" run -- sh -c 'exit 130'
has err 'Killed by User' 'Verdict: stop'
status 130 timeout 20 "$JT" run -- sh -c 'kill -INT $$; sleep 9'
has err 'Killed by User'

begin '--log'
echo old >kept.log
status 1 "$JT" run --log kept.log -- sh -c 'cat log; echo more >&2; exit 1'
t grep -q more kept.log
grep -v more kept.log >kept
t cmp log kept
has err 'kept.log:'
status 1 "$JT" run -- sh -c 'echo hi; exit 1'
has err 'run it again with --log FILE'
hasnt err 'markdown output'
status 125 "$JT" run --log no/such/folder -- touch ran
has err '--log no/such/folder'
t test ! -e ran
# a disk that is full is told of, and changes nothing
status 0 "$JT" run --log /dev/full -- echo passed
has out passed
has err 'it is not whole'

begin 'a flood is passed on whole'
yes 'step 1 loss 0.5 and some more words to make the line longer' |
	head -c 400000000 >flood
cat log >>flood
"$JT" run --on key_not_found=warn -- cat flood 2>err | cmp - flood
t test $? -eq 0
has err 'run: key_not_found: line '
rm -f flood

begin 'at a terminal: interrupted, stopped, resized, a script ended'
t "$PYTHON" - "$JT" <<'P'
import os, pty, select, sys, time
jt = sys.argv[1]
pid, fd = pty.fork()
if pid == 0:
    os.environ["PS1"] = "$ "
    os.execvp("sh", ["sh", "-i"])
seen = ""
def until(text, seconds=30):
    global seen
    end = time.time() + seconds
    while text not in seen:
        assert time.time() < end, (text, seen)
        if select.select([fd], [], [], 0.1)[0]:
            seen += os.read(fd, 65536).decode(errors="replace")
    before, seen = seen.split(text, 1)
    return before
def begun():
    until("begun")
    time.sleep(0.5) # dash between vfork and exec loses signals
def send(text):
    os.write(fd, text.encode())
send("stty -echo; set -m; echo rea''dy\n"); until("ready")
# what is typed goes to the command
send(f"{jt} run -- head -1\n"); time.sleep(0.5); send("typed\n"); until("typed")
send("echo st=$?\n"); until("st=0")
send(f"{jt} run -q -- sh -c 'echo begun; sleep 60'\n"); begun()
send("\x03"); until("$ "); send("echo st=$?\n"); until("st=130")
# the interrupt ends the script around it
send(f"sh -c '{jt} run -q -- sh -c \"echo begun; sleep 60\"; echo never'\n")
begun(); send("\x03"); before = until("$ "); send("echo st=$?\n")
before += until("st=130")
assert "never" not in before, before
send(f"{jt} run -q -- sh -c 'echo begun; sleep 3; echo over'\n"); begun()
send("\x1a"); until("$ "); send("fg\n"); until("over")
send("stty rows 20 cols 40\n")
send(f"{jt} run -- sh -c 'trap \"stty size <&1\" WINCH; stty size <&1; "
     "for i in 1 2 3 4 5 6 7 8 9; do sleep 0.3; done' &\n"); until("20 40")
send("stty rows 30 cols 90\n"); until("30 90")
send("exit\n")
P

begin 'live is as after the fact: the corpus through cat'
t "$PYTHON" - "$JT" "$TOP/corpus" <<'P'
import glob, json, subprocess, sys
jt, corpus = sys.argv[1:]
compared = 0
for path in sorted(glob.glob(corpus + "/*/*.log")):
    after = json.loads(subprocess.run([jt, "scan", "-q", "-f", "jsonl",
        "--layout", "file", path], stdout=subprocess.PIPE).stdout)
    if after["failed"] is not True or after["category"] == "unknown":
        continue
    live = json.loads(subprocess.run([jt, "run", "-q", "--on",
        "stalled:9h=warn", "-f", "json", "--", "sh", "-c",
        'cat "$0"; exit 1', path], stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE).stderr)
    def told(d):
        return (d["category"], d["rule"], d["fingerprint"],
            [(e["line"], e["offset"], e["text"]) for e in d["evidence"]])
    assert told(live) == told(after), (path, told(live), told(after))
    compared += 1
assert compared > 50, compared
P

# ---- explain --follow ----

begin 'follow: until the failure is final'
printf 'step 1 loss 0.5\n' >f.log
{ sleep 1; cat log; } >>f.log &
status 0 timeout 30 "$JT" explain --follow --settle 2 f.log
has out 'KeyError' 'f.log:6'
wait
# a good end is one, too
printf 'step 1\nTraining finished successfully.\n' >g.log
status 0 timeout 30 "$JT" explain --follow --settle 1 g.log

begin 'follow: a line of status on a terminal, and only there'
t "$PYTHON" - "$JT" <<'P'
import os, pty, sys
with open("s.log", "w") as log:
    log.write("epoch 2 loss 0.5\n 30%|### | 3/10 [00:59<1:02:00,  2.1it/s]")
pid, fd = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm"
    os.execvp(sys.argv[1], [sys.argv[1], "explain", "--follow", "s.log"])
seen = ""
while "its bar says 1 h 2 min left; last output 1 s ago" not in seen:
    seen += os.read(fd, 4096).decode()
os.write(fd, b"\x03")
while "job s" not in seen:
    seen += os.read(fd, 65536).decode(errors="replace")
P
timeout -s INT 2 "$JT" explain --follow s.log >out 2>err
hasnt err running

begin 'follow: warnings as they come, stop'
printf 'step 1 loss 0.5\n' >f.log
{ sleep 1; echo 'step 2 loss: nan'; sleep 3; echo 'step 3 loss: nan'; } \
	>>f.log &
status 0 timeout 30 "$JT" explain --follow --on loss_nan=stop \
	--exec 'echo "hook $JOBTRIAGE_CATEGORY"' f.log
has err 'loss_nan: line 2: step 2 loss: nan' 'hook loss_nan'
hasnt out 'step 3'
wait

begin 'follow: an interrupt ends it'
printf 'step 1 loss 0.5\n' >f.log
timeout -s INT 2 "$JT" explain --follow f.log >out 2>err
has out 'job f'

begin 'follow: rotation'
printf 'step 1 loss 0.5\n' >f.log
{
	sleep 1
	echo 'step 2 loss 0.5' >>f.log
	mv f.log f.log.1
	sleep 1.5
	echo 'step 3 loss 0.5' >>f.log.1
	cp log new
	mv new f.log
} &
status 0 timeout 30 "$JT" explain --follow --settle 2 f.log
has err 'the file was rotated'
has out KeyError 'f.log:8'
wait

begin 'follow: truncation'
{ cat log; echo 'step 5 loss 0.5'; cat bytes; } >f.log
{ sleep 1; echo "TypeError: unhashable type: 'list'" >f.log; } &
status 0 timeout 30 "$JT" explain --follow --settle 2 f.log
has err 'the file was truncated'
has out unhashable
hasnt out KeyError
wait

begin 'follow: what cannot be followed'
status 3 "$JT" explain --follow missing.log
has err 'missing.log: No such file'
status 3 "$JT" explain --follow .
has err 'only a file'
status 2 "$JT" explain --follow --on nosuch=warn f.log
has err 'no such rule'

done_cases
