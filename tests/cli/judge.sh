# judge: a person's word in the store, and who goes by it.
. "$TOP/tests/lib.sh"

corpus=$TOP/corpus
cp "$corpus/gpu_out_of_memory/video_rank2.log" slurm-4711.out
cp "$corpus/key_not_found/beam_size.log" slurm-4712.out
status 0 "$JT" scan -q --store s.db slurm-4711.out slurm-4712.out
say() {
	status 0 "$JT" judge --store s.db --by anna "$@"
}

begin 'usage'
status 2 "$JT" judge 4711 --category hang
has err '--store URL is missing'
status 2 "$JT" judge --store s.db --category hang
has err 'one job is expected'
status 2 "$JT" judge --store s.db 4711
has err '--category, --verdict or --note is missing'
status 2 "$JT" judge --store s.db 4711 --category hangs
has err 'no such category'
status 2 "$JT" judge --store s.db 4711 --verdict maybe
has err 'expected retry'
status 2 "$JT" judge --store s.db --list --forget 4711
status 2 "$JT" judge --store s.db --list --note x
status 2 "$JT" judge --store s.db 4711 --note ' '
status 3 "$JT" judge --store s.db 4713 --category hang
has err '4713: no job in'
status 3 "$JT" judge --store s.db 4711 --attempt 2 --category hang
has err 'no attempt 2 of it'
status 4 "$JT" judge --store none.db 4711 --category hang
t test ! -e none.db

begin 'nothing was said yet'
status 0 "$JT" judge --store s.db --list -f json
has out '{"judgements": []}'
status 0 "$JT" judge --store s.db --forget 4711
has out '0 forgotten'

begin 'what is said is told, with what was answered'
say 4711 --category hang --verdict retry --note "a sick node"
has out '4711, attempt 1: hang, retry, by anna' \
	'the answer was gpu_out_of_memory, stop (gpu_out_of_memory.torch)'
say 4712 --verdict retry -f json
has out '"schema":"jobtriage.judgement/1"' '"answer_verdict":"stop"'

begin 'the login is who says it'
status 0 "$JT" judge --store s.db 4712 --note 'it was me'
has out "by $(id -un)"

begin 'of several words about one thing the newest holds, all are kept'
say 4711 --category gpu_hardware_fault
status 0 "$JT" judge --store s.db --list 4711
t test "$(grep -c '^4711' out)" -eq 2
has out 'a sick node' 'gpu_hardware_fault'

begin 'explain'
status 0 "$JT" explain --store s.db 4711
has out 'Verdict: stop' 'anna said (' 'GPU Hardware Fault' 'retry: a sick node'
status 0 "$JT" explain --store s.db 4711 -f json
t "$PYTHON" - <<'P'
import json
d = json.load(open("out"))
assert d["category"] == "gpu_out_of_memory" and d["verdict"] == "stop", d
j = d["judged"]
assert j["category"] == "gpu_hardware_fault" and j["verdict"] == "retry", j
assert j["by"] == "anna" and j["note"] == "a sick node", j
P
status 0 "$JT" explain slurm-4711.out -f json
hasnt out '"judged"'

begin 'reports count it so, and say so'
all='--since 2000-01-01 --until 2040-01-01'
# shellcheck disable=SC2086 # options
status 0 "$JT" report --store s.db $all -f json
cp out report.json
t "$PYTHON" - <<'P'
import json
d = json.load(open("report.json"))
c = {g["key"]: g["now"]["failed"] for g in d["breakdowns"]["category"]}
assert c == {"gpu_hardware_fault": 1, "key_not_found": 1}, c
v = {g["key"]: g["now"]["failed"] for g in d["breakdowns"]["verdict"]}
assert v == {"retry": 2}, v
assert d["counts"]["judged"] == 2
j = [x for x in d["judged"] if x["job"] == "4711"][0]
assert j["answer"] == {"category": "gpu_out_of_memory", "verdict": "stop",
    "rule": "gpu_out_of_memory.torch"}, j
assert j["by"] == "anna" and j["category"] == "gpu_hardware_fault"
P
for form in text markdown html csv; do
	# shellcheck disable=SC2086 # options
	status 0 "$JT" report --store s.db $all -f $form
	has out 'judged'
done

begin 'an export has them, a report reads it, an import gives the same'
status 0 "$JT" store export --store s.db -o one.jsonl
t test "$(grep -c 'jobtriage.judgement/1' one.jsonl)" -eq 4
# shellcheck disable=SC2086 # options
status 0 "$JT" report $all -f json one.jsonl
has out '"judged": 2'
status 0 "$JT" store import --store t.db one.jsonl
has out '6 imported, 0 bad'
status 0 "$JT" store export --store t.db -o two.jsonl
t cmp one.jsonl two.jsonl
status 0 "$JT" store export --store s.db --user nobody
t test ! -s out
{
	echo '{"schema":"jobtriage.judgement/1","job":"","attempt":1}'
	echo '{"schema":"jobtriage.judgement/1","job":"1","note":7}'
} >bad.jsonl
status 3 "$JT" store import --store t.db bad.jsonl
has err 'bad.jsonl:1: a judgement has a job' "bad.jsonl:2: 'note' must be"
status 3 "$JT" report bad.jsonl

begin 'replay holds verdicts against it'
status 0 "$JT" gate replay --store s.db -f json
t "$PYTHON" - <<'P'
import json
d = json.load(open("out"))
s = d["sums"]
assert s["judged"] == 2 and s["wrong_stops"] == 2 and s["attempts"] == 2, s
assert set(d["categories"]) == {"gpu_hardware_fault", "key_not_found"}
assert all(w["judged"] for w in d["wrong_stops"])
P
status 0 "$JT" gate replay --store s.db
has out '2 attempts held against what a person said' 'wrong, says anna'

begin 'eval takes them as labels'
status 2 "$JT" eval --judged
has err '--store URL is missing'
say 4712 --category key_not_found --verdict stop
status 0 "$JT" eval --judged --store s.db -f json
t "$PYTHON" - <<'P'
import json
d = json.load(open("out"))
assert d["jobs"] == 2 and d["accuracy"] == 0.5, d
P
mv slurm-4711.out gone
status 0 "$JT" eval --judged --store s.db
has err '1 judged jobs are left out'
has out 'jobs               1'
mv gone slurm-4711.out

begin 'a job that did not fail'
say 4711 --category none
# shellcheck disable=SC2086 # options
status 0 "$JT" report --store s.db $all -f json
t "$PYTHON" - <<'P'
import json
d = json.load(open("out"))
assert d["now"]["failed"] == 1 and d["counts"]["ended_well"] == 1, d["now"]
P

begin 'a prune leaves what was said, --forget takes it out'
status 0 "$JT" store prune --store s.db --before 2040-01-01
status 0 "$JT" judge --store s.db --list
t test "$(grep -c '^471' out)" -eq 6
status 0 "$JT" judge --store s.db --forget 4711 -f json
has out '{"forgotten": 3}'
status 0 "$JT" judge --store s.db --list
hasnt out 4711

begin 'whose job it is'
for user in eva max; do
	"$JT" scan -q -f jsonl slurm-4712.out |
		sed "s/\"user\":null/\"user\":\"$user\"/
	    s/\"paths\":\[\"/&$user/; s/\"place\":\"[^\"]*\"/\"place\":null/" |
		"$JT" store import --store u.db - >out 2>err ||
		why="import: $(cat err)"
done
status 3 "$JT" judge --store u.db 4712 --category hang
has err 'say whose by --cluster or --user'
status 0 "$JT" judge --store u.db 4712 --user eva --category hang
# shellcheck disable=SC2086 # options
status 0 "$JT" report --store u.db $all -f json
t "$PYTHON" - <<'P'
import json
d = json.load(open("out"))
assert [j["user"] for j in d["judged"]] == ["eva"], d["judged"]
P

done_cases
