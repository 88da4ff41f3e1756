# eval: its figures, and the bar that the shipped corpus sets.
. "$TOP/tests/lib.sh"

mkdir -p set
echo "KeyError: 'a'" >set/k.log
echo 'all is well' >set/n.log
echo "KeyError: 'b'" >set/w.log
printf 'file\tcategory\tretry\tdifficulty\tsource\tnote\taccept\n' >set/labels.tsv
printf 'k.log\tkey_not_found\tno\tplain\t\t\t\n' >>set/labels.tsv
printf 'n.log\tnone\t\tplain\t\t\t\n' >>set/labels.tsv
printf 'w.log\ttype_mismatch\tyes\thard\t\t\t\n' >>set/labels.tsv

begin 'figures'
status 0 "$JT" eval --format json set
t "$PYTHON" - <<'P'
import json
d = json.load(open("out"))
assert d["jobs"] == 3
assert abs(d["accuracy"] - 2 / 3) < 1e-9
# key_not_found: 1 labelled, 2 answered; none: 1; type_mismatch: 0
assert abs(d["macro_f1"] - (2 / 3 + 1 + 0) / 3) < 1e-9
assert abs(d["verdict_accuracy"] - 0.5) < 1e-9
assert abs(d["wrong_stop_rate"] - 0.5) < 1e-9
assert d["stop_needs"]["low"] == {"wrong_stops": 1, "retried_once": 0}
assert d["stop_needs"]["high"] == {"wrong_stops": 0, "retried_once": 1}
c = d["categories"]["key_not_found"]
assert c["precision"] == 0.5 and c["recall"] == 1
assert d["confusion"]["type_mismatch"] == {"key_not_found": 1}
P

begin 'text and --list-wrong'
status 0 "$JT" eval --list-wrong set
has out 'w.log: type_mismatch taken for key_not_found' \
	'verdict stop instead of retry' 'type_mismatch            -> key_not_found'
hasnt out 'k.log:'

has out 'stop_needs medium'

begin 'accepted answers count as right'
sed -i 's/^w.log.*/w.log\ttype_mismatch\tno\thard\t\t\tnull_reference,key_not_found/' set/labels.tsv
status 0 "$JT" eval --format json set
has out '"accuracy": 1.0'

begin '--rules: what each rule did'
printf "Traceback (most recent call last):\\n  File \"/a/t.py\", line 3, in f\\n    d['a']\\nKeyError: 'a'\\n" >set/k.log
status 0 "$JT" eval --rules set
has out 'RULE  ' ' rules gave evidence, ' '  hang.faulthandler'
t grep -Eq '^key_not_found\.key_error +2 +2 +0 +0$' out
hasnt out '  context.'
status 0 "$JT" eval --rules --format json set
t "$PYTHON" - <<'P'
import json
rules = {r["id"]: r for r in json.load(open("out"))["rules"]}
assert set(rules["hang.faulthandler"]) == {"id", "hits", "right", "wrong"}
r = rules["key_not_found.key_error"]
assert (r["hits"], r["right"], r["wrong"]) == (2, 2, 0), r
# the traceback's fallback saw one job and won none
r = rules["uncaught_exception.python"]
assert r["hits"] >= 1 and r["right"] == r["wrong"] == 0, r
assert not any(i.startswith("context.") for i in rules)
P
status 0 "$JT" eval --format json set
hasnt out '"rules"'
status 2 "$JT" scan --rules set

begin 'folder names are labels'
mkdir -p folders/key_not_found folders/none
cp set/k.log folders/key_not_found/
cp set/n.log folders/none/
status 0 "$JT" eval --format json folders
has out '"jobs": 2' '"accuracy": 1.0'

begin 'bad labels'
printf 'file\tlabel\n' >set/labels.tsv
status 2 "$JT" eval set
has err 'labels.tsv:1'
printf 'file\tcategory\nk.log\tnonsense\n' >set/labels.tsv
status 2 "$JT" eval set
has err "labels.tsv:2: no category 'nonsense'"
mkdir nothing
status 2 "$JT" eval nothing
status 2 "$JT" eval nowhere
status 2 "$JT" eval

begin 'the corpus: at least 0.98, and no good job called failed'
status 0 "$JT" eval --format json "$TOP/corpus"
t "$PYTHON" - <<'P'
import json
d = json.load(open("out"))
assert d["jobs"] >= 60, d["jobs"]
assert d["accuracy"] >= 0.98, d["accuracy"]
none = d["categories"]["none"]
assert none["recall"] == 1, d["confusion"]
P

begin 'the corpus holds every category'
status 0 "$JT" taxonomy list --format json
t "$PYTHON" - "$TOP" <<'P'
import csv, json, sys, collections
cats = json.load(open("out"))["categories"]
n = collections.Counter(r["category"] for r in
    csv.DictReader(open(sys.argv[1] + "/corpus/labels.tsv"), delimiter="\t"))
for c in cats:
    assert n[c["id"]] >= (5 if c["in_study"] else 2), c["id"]
assert n["none"] >= 25
P

begin 'a good log that is called failed is listed'
mkdir good
printf 'step 1\nTraining complete\n' >good/a.log
status 0 "$PYTHON" "$TOP/tests/accuracy/good.py" "$JT" good
t grep -q '^1 jobs that ended well, 0 called failed' out
printf 'error: cannot open "a": No such file or directory\n' >good/b.log
status 1 "$PYTHON" "$TOP/tests/accuracy/good.py" "$JT" good
t grep -q 'b.log:1: path_not_found' out
printf 'file\tcategory\taccept\na.log\tnone\t\nb.log\tpath_not_found\t\n' \
    >good/labels.tsv
status 0 "$PYTHON" "$TOP/tests/accuracy/good.py" "$JT" good

done_cases
