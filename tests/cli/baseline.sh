# baseline and scan --learn: what good runs print, in a store.
. "$TOP/tests/lib.sh"

# good OWNER_FOLDER JOB: a log of a run that ends well, by what it says
good() {
	mkdir -p "$1"
	{
		echo "starting the flux capacitor"
		echo "warning: plug-in quux is not there"
		for i in 1 2 3 4 5 6 7 8; do
			echo "Epoch: [$i] loss 0.$i$2"
		done
		echo "Training completed"
	} >"$1/slurm-$2.out"
}
cat >jobs.csv <<'C'
JobID|JobName|User|Account|State|ExitCode|Start|End|NNodes|AllocTRES
11|train|eva|lab|COMPLETED|0:0|2026-11-20T10:00:00|2026-11-20T11:00:00|1|cpu=1
12|train|eva|lab|COMPLETED|0:0|2026-11-20T12:00:00|2026-11-20T13:00:00|1|cpu=1
13|other|max|lab|FAILED|1:0|2026-11-20T12:00:00|2026-11-20T13:00:00|1|cpu=1
C
good logs 11
good logs 12
echo 'export API_KEY=sk-abcdefghijklmnopqrstuvwxyz123456' >>logs/slurm-11.out
echo 'quark torsion is out of bounds' >logs/slurm-13.out

begin 'usage'
status 2 "$JT" baseline learn logs
has err '--store URL is missing'
status 2 "$JT" baseline learn --store s.db
has err 'no path given'
status 2 "$JT" baseline --store s.db
has err 'expected learn PATH..., show or forget'
status 2 "$JT" baseline show logs --store s.db
status 2 "$JT" scan --learn logs
has err 'scan --learn: --store URL is missing'
status 4 "$JT" baseline show --store s.db
t test ! -e s.db

begin 'good runs are learned, without their secrets'
status 0 "$JT" baseline learn --store s.db --jobs jobs.csv logs
has out '3 jobs, 2 of them good; learned from 2,'
status 0 "$JT" baseline show --store s.db
has out 'eva' 'train'
status 0 "$JT" baseline show --store s.db --job train
has out 'starting the flux capacitor' 'Epoch: [<num>] loss <num>'
hasnt out quark
hasnt out abcdefghijkl
has out '[redacted'

begin 'the same again is the same'
status 0 "$JT" baseline show --store s.db -f json -o one
status 0 "$JT" baseline learn --store s.db --jobs jobs.csv logs -f json
has out '"learned": 2'
status 0 "$JT" baseline show --store s.db -f json
t "$PYTHON" - <<'P'
import json
one, two = json.load(open("one")), json.load(open("out"))
for b in one["baselines"] + two["baselines"]:
    assert b.pop("learned")
assert one == two and len(one["baselines"]) == 1, one
b = one["baselines"][0]
assert b["user"] == "eva" and b["name"] == "train" and b["runs"] == 2
P

begin 'a run without a record is known by its path without digits'
status 0 "$JT" baseline learn --store p.db logs
status 0 "$JT" baseline show --store p.db -f json
has out '/slurm-#"' '"user":null' '"runs":2'

begin 'explain and scan show what only the failing run prints, without secrets'
{
	sed -n '1,6p' logs/slurm-11.out
	echo 'quark torsion is out of bounds, token=sk-abcdefghijklmnopqrstuvwxyz123456'
	echo tilt
	sed -n '2p' logs/slurm-11.out
} >logs/slurm-14.out
echo '14|train|eva|lab|FAILED|1:0|2026-11-20T12:00:00|2026-11-20T13:00:00|1|cpu=1' >>jobs.csv
echo '15|train|max|lab|FAILED|1:0|2026-11-20T12:00:00|2026-11-20T13:00:00|1|cpu=1' >>jobs.csv
cp logs/slurm-14.out logs/slurm-15.out
status 0 "$JT" explain --store s.db --jobs jobs.csv logs/slurm-14.out
has out 'Lines that no good run of this job prints' 'quark torsion' ' 8 tilt'
hasnt out abcdefghijkl
status 0 "$JT" explain --store s.db --jobs jobs.csv -f json logs/slurm-14.out
t "$PYTHON" - <<'P'
import json
leads = json.load(open("out"))["leads"]
assert leads["good_runs"] == 2 and leads["count"] == 2, leads
assert [(v["line"], v["path"]) for v in leads["lines"]] == [
    (7, "logs/slurm-14.out"), (8, "logs/slurm-14.out")], leads
assert leads["lines"][0]["text"].endswith("token=[redacted: OpenAI key]"), leads
P
status 0 "$JT" scan -q --store s.db --jobs jobs.csv --records joined -f jsonl logs/slurm-14.out
has out '"leads":{"good_runs":2,"count":2,'
hasnt out abcdefghijkl

begin 'a secret of several lines, more than once'
"$PYTHON" - <<'P'
import random, string
random.seed(3)
lines, keys = [], []
for _ in range(3):
    key = ["".join(random.choice(string.ascii_letters) for _ in range(64))
           for _ in range(4)]
    keys += key
    lines += ["-----BEGIN RSA PRIVATE KEY-----", *key,
              "-----END RSA PRIVATE KEY-----"]
    lines += ["Epoch: [%d] loss 0.1" % e for e in range(9)]
open("keys", "w").write("\n".join(keys) + "\n")
import os
os.mkdir("pem")
open("pem/slurm-51.out", "w").write("\n".join(lines) + "\nTraining completed\n")
P
status 0 "$JT" baseline learn --store k.db pem
status 0 "$JT" baseline show --store k.db --job "$("$JT" baseline show \
	--store k.db -f json | sed 's/.*"name":"//; s/".*//')" -f json
has out 'Training completed' 'redacted: private key'
t test "$(grep -cFf keys out)" -eq 0

begin "another user's good runs hide nothing"
status 0 "$JT" explain --store s.db --jobs jobs.csv -f json logs/slurm-15.out
has out '"leads":{"good_runs":0,' 'flux capacitor'
status 0 "$JT" explain --store s.db --jobs jobs.csv logs/slurm-15.out
has out 'Lines that no known good run prints'

begin 'a log in an archive, and one that is piped'
tar czf logs.tar.gz logs
status 0 "$JT" explain --store s.db --jobs jobs.csv -f json \
	'logs.tar.gz!logs/slurm-14.out'
has out '"leads":{"good_runs":2,"count":2,'
status 0 sh -c "'$JT' explain -q --store s.db -f json - <logs/slurm-14.out"
hasnt out '"leads"'

begin 'no baseline, no leads'
status 0 "$JT" explain --store p2.db --jobs jobs.csv -f json logs/slurm-14.out
hasnt out '"leads"'

begin 'forgotten'
status 0 "$JT" baseline forget --store s.db --user max
has out '0 forgotten'
status 0 "$JT" baseline forget --store s.db --job train -f json
has out '{"forgotten": 2}'
status 0 "$JT" baseline show --store s.db -f json
has out '{"baselines":[]}'

begin 'a scan learns from proven ends only, and as much as is needed'
for i in 21 22 23 24 25 26; do good more "$i"; done
echo 'nothing tells how this ended' >more/slurm-27.out
status 0 "$JT" scan -q --learn --store n.db more
status 0 "$JT" baseline show --store n.db -f json
has out '"runs":4'
status 0 "$JT" baseline show --store n.db --job "$(sed 's/.*"name":"//; s/".*//' out)"
hasnt out 'nothing tells'
for i in 31 32; do good more "$i"; done
cp n.db was.db
status 0 "$JT" scan -q --learn --store n.db more
status 0 "$JT" baseline show --store n.db -f json -o now.json
status 0 "$JT" baseline show --store was.db -f json -o was.json
t cmp now.json was.json

begin 'all threads learn the same, and diagnoses are as without'
status 0 "$JT" scan -q --learn -j 1 --store a.db -f jsonl more -o a.out
status 0 "$JT" scan -q --learn -j 4 --store b.db -f jsonl more -o b.out
status 0 "$JT" scan -q -f jsonl more -o c.out
t cmp a.out b.out
t cmp a.out c.out
for s in a b; do
	"$JT" baseline show --store $s.db -f json |
	    sed 's/"learned":"[^"]*"//' >$s.shown
done
t cmp a.shown b.shown

begin 'links lead a second reading nowhere else'
mkdir -p theirs tree && good theirs 41 && good tree 42
ln -s ../theirs/slurm-41.out tree/slurm-43.out
status 0 "$JT" baseline learn -q --store l.db tree
has out 'learned from'
done_cases
