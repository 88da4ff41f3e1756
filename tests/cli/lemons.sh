# jobtriage report nodes: which nodes fail more often than others under the same
# users, by figures that can be worked out by hand, and on made weeks of a
# cluster whose lemons are known.
. "$TOP/tests/lib.sh"

TZ=UTC0
export TZ
cat >made.py <<'P'
"""Diagnoses as scan prints them, of what is told to job()."""
import json

T0 = 1772323200  # 2026-03-01
n = 0


def at(hour):
    import time
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(T0 + hour * 3600))


def job(user, nodes, start, end, died=None, name=None, attempt=1,
        category="node_failure", family="infrastructure", cluster=None,
        text="Kernel panic"):
    """died: the node that printed it, "?" for none; None: it ended well."""
    global n
    n += 1
    bad = died is not None
    node = None if died == "?" else died
    print(json.dumps({"schema": "jobtriage.diagnosis/1",
        "job": name or f"{user}{n}", "attempt": attempt, "cluster": cluster,
        "user": user, "nodes": nodes, "paths": ["x.log"], "record": {},
        "failed": bad, "category": category if bad else "none",
        "family": family if bad else None, "confidence": "high",
        "verdict": "retry" if bad else "none", "started": at(start),
        "ended": at(end), "facts": {}, "evidence": [{"path": "x.log",
            "line": 3, "node": node, "rule": category + ".x",
            "text": text}] if bad else []}))
P

# figures FILE EXPRESSION...: each holds of the report, whose nodes are n[NAME]
figures() {
	status 0 "$JT" report nodes --format json "$1"
	shift
	for expression in "$@"; do
		t "$PYTHON" - out "$expression" <<'P'
import json
import sys
r = json.load(open(sys.argv[1]))
n = {v["node"]: v for v in r["nodes"]}


def near(a, b):
    return abs(a - b) <= 1e-6 * abs(b)


assert eval(sys.argv[2]), (sys.argv[2], r["all"], n)
P
	done
}

begin 'expected, ratio, chance and MTTF are those worked out by hand'
"$PYTHON" - >hand.jsonl <<'P'
from made import job
for k in range(4):  # 100 h on n1, of which three failed; 300 h on n2, one
    job("ada", ["n1"], 30 * k, 30 * k + 25, died="n1" if k < 3 else None)
    job("ada", ["n2.site.org"], 80 * k, 80 * k + 75,
        died="n2.site.org" if k < 1 else None)
P
figures hand.jsonl 'r["all"]["failures"] == 4 and not r["exclude"]' \
	'n["n1"]["node_seconds"] == 360000 and n["n1"]["failures"] == 3' \
	'n["n2"]["node_seconds"] == 1080000 and n["n2"]["failures"] == 1' \
	'near(n["n1"]["expected"], 1) and near(n["n2"]["expected"], 3)' \
	'near(n["n1"]["p"], (4 * 3 + 1) / 256)' \
	'near(n["n1"]["ratio"], (3 * .75) / (1 * .25))' \
	'near(n["n1"]["false_share"], 2 * 13 / 256)' \
	'n["n1"]["mttf_seconds"] == 120000' \
	'abs(n["n1"]["mttf_low"] - 360000 / 8.76727) < 2' \
	'abs(n["n1"]["mttf_high"] - 360000 / 0.618672) < 2'

begin 'users who are elsewhere as bad, or nowhere else, prove nothing'
"$PYTHON" - >bob.jsonl <<'P'
from made import job
for k in range(20):  # bob, on n1 alone
    job("bob", ["n1"], 400 + 20 * k, 405 + 20 * k, died="n1")
for k in range(20):  # eve, everywhere, but mostly on n3
    node = "n3" if k % 5 else "n4"
    job("eve", [node], 20 * k, 20 * k + 5, died=node)
P
cat hand.jsonl bob.jsonl >both.jsonl
figures both.jsonl 'near(n["n1"]["p"], 13 / 256)' 'n["n1"]["failures"] == 23' \
	'near(n["n1"]["expected"], 21)' 'near(n["n1"]["ratio"], 9)' \
	'near(n["n3"]["expected"], 16) and n["n3"]["p"] > .5' \
	'r["exclude"] == []'

begin 'what is one failure, an outage, of the program, of no known node'
"$PYTHON" - >one.jsonl <<'P'
from made import job
for k in range(3):  # three jobs that share the node die at once
    job("ada", ["n1"], 1, 5 + k / 10, died="n1")
for k in range(3):  # one job that is started there again and again
    job("ada", ["n1"], 10 + 4 * k, 12 + 4 * k, died="n1", name="again",
        attempt=k + 1)
for k in range(5):  # several nodes at once
    job("ada", [f"o{k}"], 20, 30 + k / 100, died=f"o{k}")
job("ada", ["n1"], 40, 41, died="n1", category="key_not_found",
    family="programming_error")
job("ada", ["n1", "n2"], 50, 52, died="?")
job("ada", ["n2"], 60, 60)
P
figures one.jsonl 'n["n1"]["failures"] == 2 and n["n1"]["victims"] == 6' \
	'n["n1"]["node_seconds"] == int((4.2 + 6 + 1 + 2) * 3600)' \
	'r["all"]["outages"] == 5 and n["o1"]["failures"] == 0' \
	'n["n1"]["other_failures"] == 1 and n["n1"]["unplaced"] == 1' \
	'r["all"]["unplaced"] == 1' 'n["n2"]["node_seconds"] == 7260' \
	'n["n1"]["categories"] == {"node_failure": 2}' \
	'n["n2"]["mttf_seconds"] is None and n["n2"]["mttf_low"] > 0' \
	'len(n["n1"]["samples"]) == 2'

begin 'the list to exclude: its end, the proofs, names that Slurm takes'
"$PYTHON" - >lemon.jsonl <<'P'
from made import job
for bad in "n1", "n 2":
    for k in range(8):
        job("ada", [bad], 20 * k, 20 * k + 10, died=bad,
            text="Kernel panic\nNodeName=n9")
for k in range(60):
    job("ada", [f"n{10 + k}"], k, k + 100)
P
status 0 "$JT" report nodes --format slurm --hold 36h --until 2026-03-08 \
	--since 2026-02-22 lemon.jsonl
has out 'holds until 2026-03-09T12:00:00Z' '# left out: no name' \
	'--exclude=n1' '# n1: 8 failures in 80.0 node-hours' \
	'of the lemons at most 5 %' 'MTTF 10.0 h (95 %: 5.1 to 23.2); 8 node_failure' \
	'NodeName=n1 State=DRAIN Reason="jobtriage: 8 failures in 80.0 h'
t test "$(grep -vc '^#' out)" = 2
grep ^NodeName= out | xargs -L 1 printf '<%s>' >words
has words '<NodeName=n1><State=DRAIN><Reason=jobtriage: 8 failures in ' \
	' holds until 2026-03-09T12:00:00Z>'
hasnt out 'NodeName=n9 '
t test "$(grep -c '^# .*job ada' out)" = 10
status 0 "$JT" report nodes lemon.jsonl
has out 'Exclude until' 'n1: 8 failures' 'MTTF of a node'
status 0 "$JT" report nodes --format csv lemon.jsonl
t test "$(head -1 out | tr ',' '\n' | wc -l)" = 20
t grep -q '^"n1","",1,8,288000,8,8,0,0,0,0,' out
status 0 "$JT" report nodes --format markdown --top 3 lemon.jsonl
has out '| lemon' 'and 59 more'
# a higher bar
status 0 "$JT" report nodes --format slurm --level 1e-30 lemon.jsonl
hasnt out '--exclude'

begin 'nodes of several clusters are several, and no list for one of them'
"$PYTHON" - >two.jsonl <<'P'
from made import job
for cluster in "alps", "jura":
    for k in range(8):
        job("ada", ["n1"], 20 * k, 20 * k + 10, cluster=cluster,
            died="n1" if cluster == "alps" else None)
    for k in range(60):
        job("ada", [f"n{10 + k}"], k, k + 100, cluster=cluster)
P
status 0 "$JT" report nodes --format json two.jsonl
t test "$(grep -o '"node": *"n1"' out | wc -l)" = 2
status 0 "$JT" report nodes two.jsonl
has out CLUSTER
status 0 "$JT" report nodes --format slurm --cluster alps two.jsonl
has out '--exclude=n1'
status 4 "$JT" report nodes --format slurm two.jsonl
has err '--cluster NAME'

begin 'the schema'
if "$PYTHON" -c 'import jsonschema' 2>/dev/null; then
	for f in hand both one lemon two; do
		"$JT" report nodes --format json "$f.jsonl" >"$f.json"
	done
	: >none.jsonl
	status 0 "$JT" report nodes --format json -o none.json none.jsonl
	t "$PYTHON" - "$TOP/reports/nodes.schema.json" <<'P'
import copy
import json
import sys
from jsonschema import Draft202012Validator as V
schema = json.load(open(sys.argv[1]))
V.check_schema(schema)
for name in "hand", "both", "one", "lemon", "two", "none":
    r = json.load(open(name + ".json"))
    V(schema).validate(r)
    assert set(r) == set(schema["properties"]), set(r)
for key in schema["required"]:
    assert not V(schema).is_valid({k: v for k, v in r.items() if k != key})
r = json.load(open("one.json"))
node = schema["properties"]["nodes"]["items"]
counts = schema["$defs"]["counts"]
for v in r["nodes"]:
    assert set(v) == set(node["required"]) | set(counts["required"]), set(v)
bad = copy.deepcopy(r)
del bad["nodes"][0]["p"]
assert not V(schema).is_valid(bad)
P
fi

begin 'usage'
status 2 "$JT" report nodes
has err 'neither --store nor a file'
status 2 "$JT" report nodes --format html hand.jsonl
has err 'no such format'
status 2 "$JT" report --format slurm hand.jsonl
has err 'no such format'
status 2 "$JT" report nodes --study hand.jsonl
status 2 "$JT" report nodes --digest user hand.jsonl
status 2 "$JT" report nodes --level 2 hand.jsonl
has err '--level 2'
status 2 "$JT" report nodes --hold soon hand.jsonl
has err '--hold soon'

begin 'made weeks: each root by its node, the lemons and no other node'
"$PYTHON" "$TOP/tests/cli/lemons_month.py" make weeks 2 32 28
cd weeks || exit 1
"$JT" scan -q --format jsonl --store weeks.db --jobs sacct.txt \
	--node-logs nodes jobs >scan.jsonl
"$JT" report nodes --format json scan.jsonl >nodes.json
t "$PYTHON" "$TOP/tests/cli/lemons_month.py" check . scan.jsonl nodes.json
# from the store, whatever the period's bounds are called
"$JT" report nodes --format csv --since 2026-03-01 --until 2026-04-01 \
	scan.jsonl >lines.csv
"$JT" report nodes --format csv --since 2026-03-01 --until 2026-04-01 \
	--store weeks.db >store.csv
t cmp lines.csv store.csv
"$JT" report nodes --format csv --until 2026-03-29 --store weeks.db >four.csv
t test "$(grep -c ',1,' four.csv)" -ge 2
cd .. || exit 1

done_cases
