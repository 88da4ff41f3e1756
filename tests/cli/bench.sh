# The benchmark of speed at its smallest: its data are the same each time, the
# planted failures are what the program answers, every row is there. What
# tests/deps.sh installs for it only need not be there: such rows say so.
. "$TOP/tests/lib.sh"
need gzip
make=$BUILD/bench/speed_make

begin 'the same seed gives the same bytes'
for n in 1 2; do
	t "$make" log "log$n" 3000000 7
	t "$make" tree "tree$n" 40 7
	t "$make" errors "errors$n" 100000 7
done
t cmp log1 log2
t cmp errors1 errors2
t diff -r tree1 tree2
t "$make" log other 3000000 8
t test "$(wc -c <log1)" -eq 3000000
t test "$(cksum <log1)" != "$(cksum <other)"

begin 'a longer log begins with a shorter one; logs are its parts'
t "$make" log short 1000000 7
head -c 1000000 log1 >head
t cmp head short
t "$make" logs logs 3000000 7
cat logs/logs/*/*.log >joined
t cmp joined log1

begin 'the generator refuses'
status 2 "$make" log x
status 2 "$make" nothing x 100
status 1 "$make" log no/such/folder 100

begin 'planted failures are found'
t "$make" tree planted 1000 3
t "$JT" eval planted -f json -o eval.json
t "$PYTHON" -c '
import json
e = json.load(open("eval.json"))
print(e["jobs"], e["accuracy"])
assert e["jobs"] == 1000 and e["accuracy"] >= 0.99'
t test "$(cut -f2 planted/labels.tsv | sort -u | wc -l)" -gt 25
failed=$(tail -n +2 planted/labels.tsv | grep -cv 'none$')
t test "$failed" -gt 550
t test "$failed" -lt 650

# Data and results below a folder of the test, programs where they are.
begin 'every row is there'
mkdir -p here
ln -s "$BUILD/bench" here/bench
ln -s "$JT" here/jobtriage
export BUILD="$TMPDIR/here" SIZE=1 ROUNDS=1 OUT="$TMPDIR/out.json"
status 0 env PARTS='plain archives growth shapes hostile' LIMIT=100 \
    sh "$TOP/tests/bench/speed.sh"
has out '| jobtriage -j 1 |' '### .gz of a log' '### Targets' 'zcat \| wc -l'
cat >rows.py <<'P'
import json
figures = json.load(open("out.json"))
rows = [r for t in figures["tables"] for r in t["rows"]]
assert len(figures["tables"]) >= 18, len(figures["tables"])
assert len(rows) > 80, len(rows)
for r in rows:
    if r["ours"]:
        assert len(r["seconds"]) == 1 and r["seconds"][0] > 0, r
        assert r["peak_mib"] > 1 and not r["skipped"], r
    else:
        assert r["seconds"] or r["skipped"], r
names = {r["name"] for r in rows}
for name in ("read() alone", "cat", "wc -l", "grep -F, one literal",
             "rg --no-unicode -f rules", "rg -F -f literals",
             "grep -E -f rules", "libarchive alone", "zcat | wc -l",
             "igzip -dc | wc -l", "zstd -dc | wc -l", "zstd -dc >/dev/null",
             "ugrep -z -F, one literal", "2000 rules", "100 %", "4 x"):
    assert name in names, name
assert all(t["reached"] is not None for t in figures["targets"]
           if not t["name"].startswith(("plain", "portable", ".zst"))), figures
P
t "$PYTHON" rows.py

begin 'growth is drawn'
t "$PYTHON" -W error "$TOP/tests/bench/speed_plots.py" out.json plots
t "$PYTHON" -c '
import glob, xml.dom.minidom
drawn = [xml.dom.minidom.parse(f) for f in glob.glob("plots/*.svg")]
assert len(drawn) == 5, drawn
assert all(d.getElementsByTagName("circle") for d in drawn)'

begin 'a tool that is missing is said'
mkdir bin
for tool in sh cat wc find grep dirname; do
	ln -s "$(command -v "$tool")" "bin/$tool"
done
status 0 env PARTS=plain PATH="$TMPDIR/bin" sh "$TOP/tests/bench/speed.sh"
has err 'skip rg --no-unicode -f rules: rg is missing'
has out '| rg -F -f literals | 0.125 | rg is missing |'

begin 'bad arguments'
status 1 env PARTS=speed sh "$TOP/tests/bench/speed.sh"
has err "no part 'speed'"
status 1 env SIZE=0 sh "$TOP/tests/bench/speed.sh"

done_cases
