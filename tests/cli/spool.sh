# What a store does not take is put aside on the node, whole or not at all, and
# goes to the store later, once. Here the server is one that is never there;
# with a real one: tests/integration/postgres.sh.
. "$TOP/tests/lib.sh"
away="postgresql:///x?host=$PWD/nowhere"
printf 'loading\nFileNotFoundError: [Errno 2] No such file: a\n' >a.log

# gate ATTEMPT [OPTION...]
gate() {
	attempt=$1
	shift
	"$JT" gate --job 4711 --attempt "$attempt" --exit-code 1 "$@" a.log \
		>out 2>err
}
files() {
	find "$1" -name '*.jsonl' | wc -l
}
# same STORE STORE: the diagnoses and answers, but for when they were seen
same() {
	for db in "$1" "$2"; do
		"$JT" store export --store "$db" |
			sed 's/"seen":"[^"]*"//' >"$(basename "$db").out"
		"$JT" gate replay --store "$db" -f json >>"$(basename "$db").out" \
			2>&1
	done
	t cmp "$(basename "$1").out" "$(basename "$2").out"
	t test -s "$(basename "$1").out"
}

begin 'the command has its output and status, and its diagnosis is put aside'
status 3 "$JT" run --job 1 --store "$away" --spool s/ -- sh -c 'cat a.log; exit 3'
has out 'FileNotFoundError'
has err 'put aside in the spool: postgresql:///x'
t test "$(stat -c %a s s/*.jsonl | tr '\n' ' ')" = '700 600 '
has s/*.jsonl '"schema":"jobtriage.store/1"' '"schema":"jobtriage.answer/1"'
rm -r s

begin 'a spool is bounded, and says so'
for i in 1 2 3; do
	gate "$i" --store "$away" --spool s --limit spool=12K
	hasnt err 'not kept'
done
gate 4 --store "$away" --spool s --limit spool=12K
has err 'this attempt is not kept: s: full: 12288 of 12288 bytes (limit spool)'
has out 'verdict=stop'
t test "$(files s)" -eq 3

begin 'sent, the store has what it would have had'
for i in 1 2 3; do
	gate "$i" --store sqlite:direct.db
done
cp -r s again
status 0 "$JT" store send --spool s --store sqlite:sent.db
has out '3 sent, 0 left'
t test "$(files s)" -eq 0
same sqlite:direct.db sqlite:sent.db
status 0 "$JT" store send --spool s --store sqlite:sent.db
has out '0 sent, 0 left'
status 0 "$JT" store send --spool never --store sqlite:sent.db

begin 'sent twice, nothing is doubled; imported, neither'
status 0 "$JT" store send -f json --spool again --store sqlite:sent.db
has out '{"sent": 3, "left": 0}'
same sqlite:direct.db sqlite:sent.db
gate 1 --store "$away" --spool s
status 0 "$JT" store import --store sqlite:import.db s/*.jsonl
has out '2 imported, 0 bad'

begin 'a later answer is not undone by one that was put aside'
gate 1 --store sqlite:direct.db --shadow
"$JT" gate replay --store sqlite:direct.db -f json >before 2>&1
status 0 "$JT" store send --spool s --store sqlite:direct.db
"$JT" gate replay --store sqlite:direct.db -f json >after 2>&1
t cmp before after

begin 'the next one that reaches the store takes along what waits'
gate 5 --store "$away" --spool s
t test "$(files s)" -eq 1
JOBTRIAGE_SPOOL=s gate 6 --store sqlite:next.db
t test "$(files s)" -eq 0
status 0 "$JT" store info --store sqlite:next.db
has out 'diagnoses    2 of 1 jobs'
gate 7 --store "$away" --spool s
echo 'spool = s' >config
status 0 env JOBTRIAGE_CONFIG=config "$JT" run --store sqlite:next.db -- true
t test "$(files s)" -eq 0

begin 'a store that is away sends nothing, and nothing is lost'
gate 1 --store "$away" --spool s
status 4 "$JT" store send --spool s --store "$away"
t test "$(files s)" -eq 1
status 2 "$JT" store send --store sqlite:sent.db
has err '--spool DIR is missing'

begin 'what is damaged, or of somebody else, is told and left'
echo '{"schema":"jobtriage.store/1"' >s/0-torn.jsonl
ln -s "$PWD/a.log" s/1-link.jsonl
: >s/.abcdef
touch -d 2026-01-01 s/.abcdef
: >s/.ghijkl
status 3 "$JT" store send --spool s --store sqlite:damage.db
has out '1 sent, 2 left'
has err s/0-torn.jsonl s/1-link.jsonl
t test "$(ls -A s | tr '\n' ' ')" = '.ghijkl 0-torn.jsonl 1-link.jsonl '

begin 'killed at any moment, each is there whole or not at all'
for i in $(seq 20); do
	timeout -s KILL "0.0$i" "$JT" gate --job 5 --attempt "$i" --exit-code 1 \
	    --store "$away" --spool k a.log >/dev/null 2>&1
done
"$PYTHON" - >out 2>err <<'P' || why=$(cat err)
import glob, json
for name in glob.glob("k/*.jsonl"):
    lines = open(name).read().split("\n")
    assert lines.pop() == "" and len(lines) == 2, name
    for line in lines:
        json.loads(line)
P

begin 'a folder that cannot be made or written'
: >plain
gate 1 --store "$away" --spool plain/s
has err 'this attempt is not kept: plain/s: '
has out 'verdict=stop'
done_cases
