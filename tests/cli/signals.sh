# The signals: what a site's own file makes of what the scan looks for.
. "$TOP/tests/lib.sh"

# of FILE KEY [SITE]: what a diagnosis, or its facts, says of a log
of() {
	"$JT" scan ${3:+-t "$3"} --trends -f jsonl "$1" | "$PYTHON" -c '
import json, sys
d = json.loads(sys.stdin.readline())
d.update(d["facts"])
print(json.dumps(d[sys.argv[1]]))' "$2"
}

begin 'an end in the words of a site'
cat >german.log <<'L'
Lade Daten
KeyError: 'batch'
Das Stichwort fehlt, es geht ohne weiter
Schritt 1 von 2
Schritt 2 von 2
Lauf erfolgreich beendet
L
cat >german.yaml <<'Y'
signals:
  - id: site.end.german
    title: Our scripts say that all was done
    signal: end
    act: success
    any: [Lauf erfolgreich beendet]
    examples:
      match: ['Lauf erfolgreich beendet']
      no_match: ['Lauf begonnen']
Y
t test "$(of german.log verdict)" = '"stop"'
t test "$(of german.log category german.yaml)" = '"none"'
t test "$(of german.log verdict german.yaml)" = '"none"'
status 0 "$JT" taxonomy test -t german.yaml
has out ' 0 wrong'
status 0 "$JT" taxonomy check -t german.yaml
status 0 "$JT" scan -t german.yaml --no-prefilter -f jsonl german.log
has out '"category":"none"'

begin 'work that is done, in the words of a site'
cat >done.log <<'L'
Schritt 2 von 2
Ergebnisse liegen in /runs/7
slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-01-02T03:04:05 DUE TO TIME LIMIT ***
L
cat >done.yaml <<'Y'
signals:
  - id: site.done.german
    title: Our scripts say where the results lie
    signal: done
    any: [Ergebnisse liegen in]
    examples:
      match: ['Ergebnisse liegen in /runs/7']
      no_match: ['Ergebnisse fehlen']
Y
t test "$(of done.log verdict)$(of done.log after_success)" = '"adjust"false'
t test "$(of done.log verdict done.yaml)" = '"stop"'
t test "$(of done.log after_success done.yaml)" = true
t test "$(of done.log remedies done.yaml)" = '[]'
status 0 "$JT" explain -t done.yaml done.log
has out 'work done'

begin 'a launch in the words of a site'
cat >appended.log <<'L'
Rechner a am Montag
Beginn des Laufs
Traceback (most recent call last):
  File "a.py", line 1, in <module>
KeyError: 1
Maschine b am Dienstag
Beginn des Laufs
step 1 loss 2
L
cat >launch.yaml <<'Y'
signals:
  - id: site.launch.german
    title: Our scripts say that they begin
    signal: launch
    act: job
    any: [beginn des laufs]
    examples:
      match: ['Beginn des Laufs']
      no_match: ['Ende des Laufs']
Y
t test "$(of appended.log category)" = '"key_not_found"'
t test "$(of appended.log category launch.yaml)" = '"none"'
t test "$(of appended.log launch_count launch.yaml)" = 2

begin 'a step by a name of its own gives the last step and the curve'
i=0
while [ $i -lt 30 ]; do
	i=$((i + 1))
	echo "zyklus $i loss: 0.$((900 - i))"
done >steps.log
cat >>steps.log <<'L'
Traceback (most recent call last):
  File "a.py", line 1, in f
KeyError: 1
L
cat >steps.yaml <<'Y'
metrics:
  - id: step
    names: [zyklus]
Y
t test "$(of steps.log last_step)" = null
t test "$(of steps.log last_step steps.yaml)" = 30
status 0 "$JT" scan --trends -f jsonl steps.log
has out '"steps":[null,null,'
status 0 "$JT" scan --trends -f jsonl -t steps.yaml steps.log
has out '"steps":[1,2,3,'
# what the curves know is known to the facts
printf 'iters: 12 loss: 0.5\nKeyError: 1\n' >iters.log
t test "$(of iters.log last_step)" = 12

begin 'a signal switched off'
cat >done.log <<'L'
epoch 1
Traceback (most recent call last):
  File "a.py", line 1, in f
KeyError: 1
exiting normally
L
t test "$(of done.log category)" = '"none"'
printf 'disable: [end.job]\n' >off.yaml
t test "$(of done.log category off.yaml)" = '"key_not_found"'
status 2 "$JT" taxonomy show end.job -t off.yaml
status 0 "$JT" taxonomy show end.job
has out 'kind         end' 'act          success' 'job completed' \
	'signals/end.yaml:'

begin 'frames, stages, echoes and inputs of a site'
cat >site.log <<'L'
reading shards/a.tensorpack
Traceback (most recent call last):
  File "/work/ada/main.py", line 1, in <module>
    go()
  File "/work/ourlib/loop.py", line 9, in advance
    raise AssertionError('order')
AssertionError: order
L
cat >site.yaml <<'Y'
signals:
  - id: site.frames
    title: Our library
    signal: frames
    act: library
    any: [/ourlib/]
    examples:
      match: [/work/ourlib/loop.py]
      no_match: [/work/ada/main.py]
  - id: site.protocol
    title: Where it checks the order of calls
    signal: frames
    act: protocol
    name: ourlib
    any: [/ourlib/loop.py]
    examples:
      match: [/work/ourlib/loop.py]
      no_match: [/work/ourlib/io.py]
  - id: site.stage
    title: A step of our loop
    signal: stage
    stage: step
    where: function
    is: [advance]
    examples:
      match: [advance]
      no_match: [advanced]
  - id: site.inputs
    title: Our files of data
    signal: inputs
    act: data
    where: path
    ends: [.tensorpack]
    examples:
      match: [a.tensorpack]
      no_match: [a.py]
Y
t test "$(of site.log category)" = '"assertion_failure"'
t test "$(of site.log stage)" = '"initialization"'
t test "$(of site.log framework)" = null
status 0 "$JT" taxonomy test -t site.yaml
status 0 "$JT" taxonomy check -t site.yaml
t test "$(of site.log category site.yaml)" = '"framework_api_misuse"'
t test "$(of site.log stage site.yaml)" = '"training"'
t test "$(of site.log framework site.yaml)" = '"ourlib"'
status 0 "$JT" explain -t site.yaml --color never site.log
has out a.tensorpack /work/ada/main.py
status 0 "$JT" explain --color never site.log
hasnt out a.tensorpack
cat >echo.yaml <<'Y'
signals:
  - id: site.echo
    title: Our tool quotes messages
    signal: echo
    act: code
    starts: ['QUOTE ']
    examples:
      match: ['QUOTE x']
      no_match: ['quote x']
Y
printf 'QUOTE x\nQUOTE RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB\n' \
	>echo.log
t test "$(of echo.log category)" = '"gpu_out_of_memory"'
t test "$(of echo.log category echo.yaml)" = '"none"'
sed 's/site.frames/frames.site/; s/act: library/act: lib/' site.yaml >bad.yaml
status 2 "$JT" scan -t bad.yaml site.log
has err 'bad.yaml:5:10: bad act' protocol

begin 'a rule of a site that asks who raised it'
cat >raised.yaml <<'Y'
category: corrupt_data
rules:
  - id: corrupt_data.site_raised
    title: Our reader refuses
    where: exception
    pattern: '^(?:ValueError|AssertionError)\b'
    raised_in: [site.reader, frames.arguments]
    role: root
    generic: true
    weight: 9
    examples:
      match:
        - |-
          Traceback (most recent call last):
            File "/work/ourlib/shards.py", line 9, in read
              raise ValueError('order')
          ValueError: order
      no_match:
        - |-
          Traceback (most recent call last):
            File "/work/ourlib/loop.py", line 9, in advance
              raise ValueError('order')
          ValueError: order
signals:
  - id: site.reader
    title: Our reader
    signal: frames
    act: reader
    any: [/ourlib/shards.py]
    examples:
      match: [/work/ourlib/shards.py]
      no_match: [/work/ourlib/loop.py]
Y
status 0 "$JT" taxonomy test -t raised.yaml
status 0 "$JT" taxonomy show corrupt_data.site_raised -t raised.yaml
has out 'raised in    site.reader' 'frames.arguments'
sed 's/loop.py/shards.py/' site.log >shards.log
t test "$(of shards.log category raised.yaml)" = '"corrupt_data"'
t test "$(of site.log category raised.yaml)" = '"assertion_failure"'
sed 's/site.reader, frames/nobody, frames/' raised.yaml >bad.yaml
status 2 "$JT" scan -t bad.yaml site.log
has err 'bad.yaml:3:' 'no frames to be raised in' nobody

begin 'checkpoints and GPUs in the words of a site'
cat >own.log <<'L'
gpu kacheln: 12
Sicherung nach /scratch/kueste/zustand-400.pt geschrieben
step 401
Traceback (most recent call last):
  File "a.py", line 1, in f
KeyError: 1
L
cat >own.yaml <<'Y'
signals:
  - id: site.about
    title: Lines about a checkpoint
    signal: checkpoint
    act: about
    any: [sicherung nach]
    examples:
      match: [Sicherung nach x]
      no_match: [Sicherung]
  - id: site.checkpoint
    title: A checkpoint
    signal: checkpoint
    act: checkpoint
    is: [sicherung]
    examples:
      match: [Sicherung]
      no_match: [sichern]
  - id: site.saved
    title: It is written
    signal: checkpoint
    act: saved
    is: [geschrieben]
    examples:
      match: [geschrieben]
      no_match: [schreibt]
  - id: site.gpus
    title: GPUs that our program uses
    signal: gpus
    count: total
    says: number
    any: ['gpu kacheln:']
    examples:
      match: ['gpu kacheln: 12']
      no_match: ['kacheln']
Y
t test "$(of own.log last_checkpoint)" = null
t test "$(of own.log last_checkpoint own.yaml)" = \
	'"/scratch/kueste/zustand-400.pt"'
for how in '' --no-prefilter; do
	status 0 "$JT" scan -t own.yaml $how -f jsonl own.log
	has out '"gpus":12' zustand-400
done
status 0 "$JT" taxonomy test -t own.yaml
printf 'Num processes: 6, NCCL version 2.18\nKeyError: 1\n' >accelerate.log
status 0 "$JT" scan -f jsonl accelerate.log
has out '"gpus":6'
sed "s/any: \['gpu kacheln:'\]/starts: ['gpu kacheln:']/" own.yaml >bad.yaml
status 2 "$JT" scan -t bad.yaml own.log
has err 'bad.yaml:26:5: words of a signal of kind' "by 'any'"

begin 'list'
status 0 "$JT" taxonomy list -f json -t german.yaml
t "$PYTHON" - <<'P'
import json
s = json.load(open("out"))["signals"]
assert len({x["id"] for x in s}) == len(s) > 10
own = next(x for x in s if x["id"] == "site.end.german")
assert own["signal"] == "end" and own["act"] == "success", own
assert own["any"] == ["lauf erfolgreich beendet"], own
exits = [x for x in s if x["signal"] == "exit"]
assert exits and all("(?<code>" in x["pattern"] for x in exits), exits
P
status 0 "$JT" taxonomy list
has out 'exit.code' ' signals, content '

begin 'a bad signal is an error with its place'
sed 's/act: success/act: winning/' german.yaml >bad.yaml
status 2 "$JT" scan -t bad.yaml german.log
has err 'bad.yaml:5:10: bad act' winning
sed 's/signal: end/signal: ending/' german.yaml >bad.yaml
status 2 "$JT" scan -t bad.yaml german.log
has err 'bad.yaml:4:13: bad signal' ending
sed 's/title:/titel:/' german.yaml >bad.yaml
status 2 "$JT" scan -t bad.yaml german.log
has err 'bad.yaml:3:5: unknown key' titel
sed 's/Lauf begonnen/LAUF ERFOLGREICH BEENDET/' german.yaml >bad.yaml
status 1 "$JT" taxonomy test -t bad.yaml
has out 'signal site.end.german: a no_match example matches'

begin 'a signal that the prefilter cannot find is still seen'
cat >slow.yaml <<'Y'
signals:
  - id: site.exit
    title: Any two numbers
    signal: exit
    pattern: '^\d+ (?<code>\d+)$'
    examples:
      match: ['12 3']
      no_match: ['12']
  - id: site.repeats
    title: What looks far ahead, again and again
    signal: exit
    pattern: 'frobnicator[^\n]{0,200} has ended with (?<code>\d+)$'
    examples:
      match: ['frobnicator has ended with 3']
      no_match: ['frobnicator']
  - id: site.end
    title: A row of marks
    signal: end
    act: success
    pattern: '^[+*]+$'
    examples:
      match: ['+*+']
      no_match: ['x']
Y
printf 'a\n7 3\nb\n' >slow.log
t test "$(of slow.log exit_code slow.yaml)" = 3
printf 'KeyError: 1\nb\n+**+\n' >slow.log
t test "$(of slow.log category)" = '"key_not_found"'
t test "$(of slow.log category slow.yaml)" = '"none"'
status 1 "$JT" taxonomy check -t slow.yaml
has out 'rule site.exit: the fixed text' \
	"rule site.repeats: a line that repeats 'frobnicator"

begin 'which logs are one job, in the names of a site'
mkdir lauf7
echo 'a' >lauf7/teil-0.protokoll
printf 'KeyError: 1\n' >lauf7/teil-1.protokoll
cat >layout.yaml <<'Y'
signals:
  - id: site.layout
    title: Our names
    signal: layout
    name: teile
    act: auto
    pattern: '^(?<scope>(?:.*/)?)lauf(?<job>\d+)/teil-(?<rank>\d+)\.protokoll$'
    examples:
      match: [a/lauf7/teil-0.protokoll]
      no_match: [a/lauf7/0.protokoll]
  - id: site.state
    title: Our scheduler's word
    signal: state
    act: failed
    is: [abgebrochen]
    examples:
      match: [abgebrochen]
      no_match: [fertig]
Y
status 0 "$JT" taxonomy test -t layout.yaml
status 0 "$JT" scan -f jsonl lauf7
t test "$(grep -c '"job"' out)" = 2
status 0 "$JT" scan -t layout.yaml -f jsonl lauf7
t test "$(grep -c '"job"' out)" = 1
has out '"job":"7"'
status 0 "$JT" scan -t layout.yaml --layout teile -f jsonl lauf7
has out '"job":"7"'
printf 'JobID|State|ElapsedRaw\n7|abgebrochen|5\n8|COMPLETED|5\n' >sacct.txt
status 0 "$JT" scan -t layout.yaml --jobs sacct.txt -f jsonl lauf7
hasnt err "unknown state"

begin "a site's files of checkpoints, and its nodes"
cat >own.log <<'L'
rechner7: step 5 loss 1.5
rechner7: model saved as lauf_5.gewichte
rechner7: Traceback (most recent call last):
rechner7:   File "a.py", line 1, in <module>
rechner7: KeyError: 'batch'
L
cat >own.yaml <<'Y'
signals:
  - id: site.checkpoint.file
    title: What our checkpoints end in
    signal: checkpoint
    act: weights
    ends: [.gewichte]
    examples: {match: [a.gewichte], no_match: [a.txt]}
  - id: site.node
    title: Our nodes
    signal: node
    starts: [rechner]
    examples: {match: [rechner7], no_match: [node7]}
Y
status 0 "$JT" taxonomy test -t own.yaml
t test "$(of own.log last_checkpoint)" = null
t test "$(of own.log last_checkpoint own.yaml)" = '"lauf_5.gewichte"'
status 0 "$JT" scan -t own.yaml -f jsonl own.log
has out '"node":"rechner7"'
status 0 "$JT" scan -f jsonl own.log
hasnt out '"node":"rechner7"'

begin "the keys of a site's JSON logger"
cat >keys.log <<'L'
{"wann": "2026-01-02T03:04:05Z", "stufe": "info", "meldung": "step 7 loss 2.5"}
{"wann": "2026-01-02T03:04:06Z", "stufe": "schlimm", "meldung": "Abbruch", "spur": ["Traceback (most recent call last):", "  File \"a.py\", line 1, in <module>", "KeyError: 'batch'"]}
L
cat >keys.yaml <<'Y'
signals:
  - id: site.json.message
    title: Our logger's message
    signal: json_key
    act: message
    is: [meldung, ereignis.text]
    examples: {match: [meldung], no_match: [wann]}
  - id: site.json.time
    title: Our logger's time
    signal: json_key
    act: time
    is: [wann]
    examples: {match: [wann], no_match: [stufe]}
  - id: site.json.level
    title: Our logger's level
    signal: json_key
    act: level
    is: [stufe]
    examples: {match: [stufe], no_match: [wann]}
  - id: site.json.stack
    title: Our logger's traceback
    signal: json_key
    act: stack
    is: [spur]
    examples: {match: [spur], no_match: [stufe]}
  - id: site.json.bad
    title: Our logger's word for an error
    signal: json_level
    says: error
    is: [schlimm]
    examples: {match: [Schlimm], no_match: [info]}
Y
status 0 "$JT" taxonomy test -t keys.yaml
t test "$(of keys.log category)" = '"unknown"'
t test "$(of keys.log category keys.yaml)" = '"key_not_found"'
t test "$(of keys.log last_step keys.yaml)" = 7
status 0 "$JT" scan -t keys.yaml -f jsonl keys.log
has out '"time":"2026-01-02T03:04:06Z"'
# a message in an object, by its key as it is or spelt otherwise
sed 's/"meldung": \("[^"]*"\)/"ereignis": {"text": \1}/' keys.log >in.log
t test "$(of in.log category keys.yaml)" = '"key_not_found"'
sed 's/"meldung"/"meld\\u0075ng"/' keys.log >spelt.log
t test "$(of spelt.log category keys.yaml)" = '"key_not_found"'
# what is switched off is looked for no more
echo 'disable: [json.message]' >off.yaml
sed 's/meldung/message/; s/spur/exc_info/' keys.log >usual.log
t test "$(of usual.log category)" = '"key_not_found"'
t test "$(of usual.log category off.yaml)" = '"unknown"'

done_cases
