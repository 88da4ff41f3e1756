#!/bin/sh
# jobtriage report: from JSON lines and from the store, in every format.
# shellcheck source=tests/lib.sh
. "$TOP/tests/lib.sh"

"$JT" scan --no-progress -q -f jsonl "$TOP/corpus" >corpus.jsonl
# line NAME ATTEMPT DAY FINGERPRINT VERDICT HOURS: a diagnosis
line() {
	printf '{"schema":"jobtriage.diagnosis/1","job":"%s","attempt":%s,' \
		"$1" "$2"
	printf '"user":"ann","group":null,"nodes":["n1"],"paths":["x.log"],'
	printf '"failed":true,"category":"key_not_found","dimension":'
	printf '"general_code_error","category_name":"Key Not Found",'
	printf '"family":"programming_error","confidence":"high",'
	printf '"verdict":"%s","reason":"why","rule":null,' "$5"
	printf '"fingerprint":"%s","started":null,"ended":"%sT12:00:00Z",' \
		"$4" "$3"
	printf '"evidence":[{"path":"x.log","line":3,"text":"%s","rule":null}]' \
		"KeyError: <b> | @ann \`x\`"
	printf ',"consequences":[],"rejected":[],"facts":{},"remedies":[],'
	printf '"usage":{"gpus":8,"runtime_seconds":60,"gpu_seconds":%s,' \
		"$(($6 * 3600))"
	printf '"gpu_seconds_lost":0,"estimated":false},"notes":[]}\n'
}
{
	line a 1 2024-10-04 0000000000000001 stop 1000
	line a 2 2024-10-05 0000000000000001 stop 2000
	line b 1 2024-10-05 0000000000000002 retry 30
} >made.jsonl

begin 'text: the figures that matter'
status 0 "$JT" report made.jsonl
has out '3 attempts of 2 jobs: 3 failed' '3,030.0 used' '2,000.0 avoidable' \
	'Key Not Found' '2024-10-05' 'KeyError: <b>'
hasnt out "$(printf '\033')"
t test ! -s err

begin 'standard input gives the same bytes'
"$JT" report made.jsonl >file
"$JT" report - <made.jsonl >out 2>err
t cmp out file

begin '--since and --until; against the period before'
status 0 "$JT" report --since 2024-10-05 --until 2024-10-06 --timezone UTC \
	made.jsonl
has out '2 attempts of 2 jobs' '2 failed (100.0 %) [+100 %]' \
	'2,000.0 avoidable' 'New: failures not seen in the period before'
hasnt out '2024-10-04'
status 2 "$JT" report --since 2024-10-06 --until 2024-10-05 made.jsonl
has err 'ends before it begins'
status 2 "$JT" report --since noon made.jsonl
has err '--since noon'

begin '--top: the rest is one row'
status 0 "$JT" report --top 2 corpus.jsonl
has out others 'and '

begin '-o and --title'
status 0 "$JT" report --title 'Cluster <one>' -f markdown -o r.md made.jsonl
t test ! -s out
has r.md '# Cluster &lt;one&gt;' '| Key Not Found | 3 |'
hasnt r.md '<b>'
hasnt r.md '@ann'

begin 'html: logs below its folder are linked, or as --link-logs says'
mkdir -p web/logs
status 0 "$JT" report -f html -o r.html made.jsonl
has r.html 'class="path"><a href="./x.log">x.log:3</a>'
# written above, beside and below the folder in which the paths begin
(cd web && "$JT" report -f html -o ../up.html ../made.jsonl)
has up.html 'href="./web/x.log"'
status 0 "$JT" report -f html -o web/down.html made.jsonl
has web/down.html 'class="path">x.log:3<'
sed 's:"x.log":"web/logs/a b.log":g' made.jsonl >below.jsonl
status 0 "$JT" report -f html -o web/down.html below.jsonl
has web/down.html 'href="./logs/a%20b.log"'
sed "s:\"x.log\":\"$PWD/web/y.log\":g" made.jsonl >whole.jsonl
status 0 "$JT" report -f html -o web/down.html whole.jsonl
has web/down.html 'href="./y.log"'
for path in 'web/a.tgz!x.log' '../x.log' 'web/../../x.log'; do
	sed "s:\"x.log\":\"$path\":g" made.jsonl >other.jsonl
	status 0 "$JT" report -f html -o r.html other.jsonl
	hasnt r.html 'class="path"><a'
done
status 0 "$JT" report -f html --link-logs https://logs.example/c1 whole.jsonl
has out "href=\"https://logs.example/c1$PWD/web/y.log\""
status 2 "$JT" report -f html --link-logs 'javascript:alert(1)//' made.jsonl
has err '--link-logs javascript:'

begin 'csv: every row has every column, formulas are disarmed'
for study in '' '--study zhang'; do
	# shellcheck disable=SC2086
	status 0 "$JT" report -f csv $study made.jsonl corpus.jsonl
	t "$PYTHON" - <<'P'
import csv
rows = list(csv.reader(open("out", newline="", encoding="utf-8")))
assert len(rows) > 30, len(rows)
assert all(len(r) == len(rows[0]) for r in rows)
assert all(v[:1] == "" or v[0] not in "=+-@" for r in rows for v in r)
P
done

begin 'the figures of json, csv and prometheus are the same'
"$JT" report -f csv corpus.jsonl made.jsonl >r.csv 2>err
"$JT" report -f json corpus.jsonl made.jsonl >r.json 2>err
"$JT" report -f prometheus corpus.jsonl made.jsonl >r.prom 2>err
t "$PYTHON" - <<'P'
import csv, json
j = json.load(open("r.json"))
c = {(r["section"], r["key"]): r for r in
     csv.DictReader(open("r.csv", newline="")) if r["period"] == "now"}
p = dict(l.rsplit(" ", 1) for l in open("r.prom") if l[0] != "#")
for k in ("attempts", "jobs", "failed", "gpu_seconds", "lost", "avoidable"):
    assert int(c["total", "all"][k]) == j["now"][k], k
assert int(p["jobtriage_attempts"]) == j["now"]["attempts"]
assert int(p["jobtriage_gpu_seconds_avoidable"]) == 2000 * 3600
groups = j["breakdowns"]["category"]
assert sum(g["now"]["failed"] for g in groups) == j["now"]["failed"]
assert len(groups) > 20
for g in groups:
    assert int(c["category", g["key"]]["failed"]) == g["now"]["failed"]
    assert sum(int(v) for k, v in p.items() if k.startswith(
        'jobtriage_failures{category="%s"' % g["key"])) == g["now"]["failed"]
for b in ("stage", "verdict", "family", "user", "confidence"):
    assert sum(g["now"]["failed"] for g in j["breakdowns"][b]) == \
        j["now"]["failed"], b
P

begin 'promtool accepts the metrics'
if command -v promtool >/dev/null 2>&1; then
	t promtool check metrics <r.prom
else
	report
	echo "skip $name: promtool is missing"
	name=
fi

begin 'the schema accepts every report, and refuses what it should'
if "$PYTHON" -c 'from jsonschema import Draft202012Validator' 2>/dev/null
then
	"$JT" report -f json --study zhang corpus.jsonl >study.json 2>err
	"$JT" report -f json --since 2024-10-05 --until 2024-10-06 \
		made.jsonl >before.json 2>err
	t "$PYTHON" - "$TOP/reports/report.schema.json" <<'P'
import copy, json, sys
from jsonschema import Draft202012Validator
schema = json.load(open(sys.argv[1], encoding="utf-8"))
Draft202012Validator.check_schema(schema)
v = Draft202012Validator(schema)
for name in ("r.json", "study.json", "before.json"):
    d = json.load(open(name, encoding="utf-8"))
    wrong = [f"{name}: {list(e.absolute_path)} {e.message[:100]}"
             for e in v.iter_errors(d)]
    assert not wrong, wrong[:3]
    forgotten = set(d) - set(schema["properties"])
    assert not forgotten, forgotten
d = json.load(open("before.json", encoding="utf-8"))
assert d["before"]["failed"] == 1 and d["new"] and d["avoidable"], d
for key in schema["required"] + ["nodes"]:
    bad = copy.deepcopy(d)
    del bad[key]
    assert not v.is_valid(bad), key
for spoil in (lambda b: b["now"].update(jobs=1.5),
              lambda b: b["now"].update(lost=-1),
              lambda b: b["new"][0].pop("sample"),
              lambda b: b["period"].update(since="noon"),
              lambda b: b["breakdowns"].pop("day")):
    bad = copy.deepcopy(d)
    spoil(bad)
    assert not v.is_valid(bad)
P
else
	report
	echo "skip $name: python3-jsonschema is missing"
	name=
fi

begin '--study: the paper beside it, and what is left out'
status 0 "$JT" report --study zhang corpus.jsonl
has out 'Path Not Found' '39.4 %' '8.6 % of 2' 'Environment difference' \
	'18.1 % of 2' 'Left out' 'categories that the study does not have'
status 2 "$JT" report --study zhang -f prometheus corpus.jsonl
has err '--study: the format prometheus'
status 2 "$JT" report --study corpus.jsonl
has err '--study corpus.jsonl: expected zhang, philly, acme or llama3'

begin '--study: the classes of other studies, each failure in one or in none'
for study in philly acme llama3; do
	status 0 "$JT" report --study $study corpus.jsonl
	has out 'Classes' 'In no class' 'PAPER'
	status 0 "$JT" report --study $study -f csv corpus.jsonl
	has out 'gpu_hardware_fault'
	status 0 "$JT" report --study $study -f json corpus.jsonl
	t "$PYTHON" -c 'import json, sys
s = json.load(open("out"))["study"]
assert s["of"] == sys.argv[1]
rows = s["category"]
assert s["failures"] == s["outside"] + sum(r["failures"] for r in rows), s
assert s["failures"] == s["attempts"] - s["not_failed"]
assert abs(sum(r["paper_share"] for r in rows) - 10000) < 10, s
known = set(sys.argv[2:]) | {"-", "unknown", "no_log"}
for r in rows:
    assert set(r["id"].split(",")) <= known, r' \
		$study $("$JT" taxonomy list | awk '{ print $1 }')
done

begin 'lines that are no diagnosis are told, counted, and do no harm'
{
	echo
	cat made.jsonl
	echo nonsense
	echo '{"schema":"jobtriage.diagnosis/1","job":7}'
} >bad.jsonl
status 3 "$JT" report bad.jsonl missing.jsonl
has err 'bad.jsonl:5: no diagnosis' 'bad.jsonl:6: no diagnosis: job: expected' \
	'missing.jsonl: No such file'
has out '3 attempts of 2 jobs' '2 lines of the input cannot be used'

yes nonsense | head -5000 >bad.jsonl
status 3 "$JT" report bad.jsonl
t test "$(grep -c 'no diagnosis' err)" -eq 11
has err '4990 more are no diagnosis'

begin 'nothing to report is a report'
status 0 "$JT" report /dev/null
has out '0 attempts of 0 jobs'
for f in markdown json csv prometheus html; do
	status 0 "$JT" report -f "$f" /dev/null
	t test -s out
done

begin 'usage'
status 2 "$JT" report
has err '--store'
status 2 "$JT" report -f yaml made.jsonl
has err 'yaml: no such format; see jobtriage report --help'

begin 'a full disk is an error'
if [ -e /dev/full ]; then
	"$JT" report made.jsonl >/dev/full 2>err
	t test $? -eq 4
	has err 'No space left'
fi

begin 'from the store'
if "$JT" store --help >/dev/null 2>&1; then
	status 0 "$JT" store import --store sqlite:s.db made.jsonl
	status 0 "$JT" report --store sqlite:s.db --since 2024-10-05 \
		--until 2024-10-06 --timezone UTC
	has out '2 attempts of 2 jobs' '[+100 %]' '2,000.0 avoidable' \
		'New: failures never seen before' \
		'Failures: one row a kind' 'KeyError: <b>'
	# the week and the month that end with the day
	has out 'Beside the last days' '7 days        3      2     2'
	status 0 "$JT" report --store sqlite:s.db --since 2024-10-05 \
		--until 2024-10-06 --timezone UTC -f json
	t "$PYTHON" - <<'P'
import json
d = json.load(open("out"))
assert [(f["fingerprint"][-1], f["new"], f["first"][:10], f["jobs"])
        for f in d["failures"]] == [
    ("1", False, "2024-10-04", 1), ("2", True, "2024-10-05", 1)], d["failures"]
assert [(r["days"], r["failed"], r["jobs"]) for r in d["recent"]] == [
    (1, 2, 2), (7, 3, 2), (30, 3, 2)], d["recent"]
assert d["recent"][0]["categories"][0]["label"] == "Key Not Found"
P
	# seen again after two weeks
	line c 1 2024-10-20 0000000000000001 stop 1 >late.jsonl
	status 0 "$JT" store import --store sqlite:s.db late.jsonl
	for f in text markdown csv prometheus html; do
		status 0 "$JT" report --store sqlite:s.db --since 2024-10-20 \
			--until 2024-10-22 --timezone UTC -f $f -o back.$f
	done
	has back.text '10-04  10-20'
	hasnt back.text 'Beside the last days'
	has back.markdown '| back | 10-04 | 10-20 |' '| x.log |'
	has back.csv '"came_back","x.log"'
	has back.prometheus 'jobtriage_failure_kinds_came_back 1' \
		'jobtriage_failure_kinds_new 0'
	has back.html 'back after 15 days'
	status 0 "$JT" report --store sqlite:s.db --since 2024-10-20 \
		--until 2024-10-22 --timezone UTC --silence 16 -f prometheus
	has out 'jobtriage_failure_kinds_came_back 0'
	status 2 "$JT" report --store sqlite:s.db --silence 0
	has err '--silence 0'
	# where the store begins with the period, nothing is new
	status 0 "$JT" report --store sqlite:s.db --since 2024-10-01 \
		--until 2024-10-06 --timezone UTC
	hasnt out 'New: failures'
	# an export of the store is read as what it holds
	status 0 "$JT" store export --store sqlite:s.db -o export.jsonl
	status 0 "$JT" report --since 2024-10-05 --until 2024-10-06 \
		--timezone UTC export.jsonl
	has out '2 attempts of 2 jobs'
	# the last 24 hours have nothing
	status 0 "$JT" report --store sqlite:s.db
	has out '0 attempts'
	status 3 "$JT" report --store sqlite:none.db
	has err none.db
fi

done_cases
