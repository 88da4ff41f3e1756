# The store: info, export, import and prune.
. "$TOP/tests/lib.sh"

# line JOB REASON ENDED: a diagnosis as scan prints it
line() {
	printf '{"schema":"jobtriage.diagnosis/1","job":"%s","attempt":1,' "$1"
	printf '"paths":["/l/%s"],"failed":true,"category":"hang",' "$1"
	printf '"verdict":"retry","confidence":"high",'
	printf '"reason":"%s","ended":"%s"}\n' "$2" "$3"
}

{
	line 1 one 2026-11-01T00:00:00Z
	line 2 two 2026-11-20T00:00:00Z
} >two.jsonl

begin 'usage'
status 2 "$JT" store
status 2 "$JT" store info
has err '--store URL is missing'
status 2 "$JT" store frobnicate --store sqlite:s.db
status 2 "$JT" store info extra --store sqlite:s.db
status 2 "$JT" store info --store sqlite:s.db --format csv
status 4 "$JT" store info --store sqlite:s.db
has err 'sqlite:s.db: No such file'
status 4 "$JT" store import --store nosuch:s.db
has err 'expected sqlite:PATH'
t test ! -e s.db

begin 'import'
status 0 "$JT" store import --store sqlite:s.db two.jsonl
has out '2 imported, 0 bad'
"$JT" store import --store sqlite:s.db - <two.jsonl >out 2>err
t test $? -eq 0
status 0 "$JT" store info --store s.db
has out '2 of 2 jobs, 2 failed' '2026-11-01T00:00:00Z to 2026-11-20T00:00:00Z'

begin 'import: bad lines are told, the rest is kept'
{
	echo '{"schema":'
	line 3 three 2026-11-21T00:00:00Z
	echo
	echo '{"schema":"other/1"}'
} >bad.jsonl
status 3 "$JT" store import --store sqlite:s.db bad.jsonl missing.jsonl
has out '1 imported, 3 bad'
has err 'bad.jsonl:1: ' 'bad.jsonl:4: schema: expected' 'missing.jsonl: No such'
status 0 "$JT" store info --store sqlite:s.db --format json
t "$PYTHON" - <<'P'
import json
d = json.load(open("out"))
assert d["diagnoses"] == 3 and d["failed"] == 3 and d["schema"] == 7, d
assert d["first"] == "2026-11-01T00:00:00Z", d
P

begin 'export and import give the same bytes'
status 0 "$JT" store export --store sqlite:s.db -o one.jsonl
status 0 "$JT" store import --store sqlite:t.db one.jsonl
status 0 "$JT" store export --store sqlite:t.db -o other.jsonl
t cmp one.jsonl other.jsonl
t test "$(wc -l <one.jsonl)" -eq 3

begin 'prune'
status 2 "$JT" store prune --store sqlite:s.db
has err '--before TIME is missing'
status 2 "$JT" store prune --store sqlite:s.db --before soonish
status 4 "$JT" store prune --store sqlite:none.db --before now
t test ! -e none.db
status 0 "$JT" store prune --store sqlite:s.db --before 2026-11-15
has out '1 forgotten'
status 0 "$JT" store export --store sqlite:s.db
hasnt out '"one"'
has out '"two"' '"three"'

begin 'reports from the brief form are those from the records'
# report STORE: but for HTML, which reads the records, all formats
reports() {
	for form in text markdown json csv prometheus; do
		"$JT" report --store "$1" --since 2000-01-01 \
			--until 2040-01-01 --timezone UTC -f "$form" |
			sed 's/"made": "[^"]*"//; /^jobtriage_report_created/d'
	done
}
"$JT" scan -q -f jsonl "$TOP/corpus" >corpus.jsonl 2>err
status 0 "$JT" store import --store sqlite:brief.db corpus.jsonl
reports sqlite:brief.db >brief.txt
t test "$(wc -l <brief.txt)" -gt 1000
for old in NULL "x'ff00'"; do
	cp brief.db old.db
	t "$PYTHON" - "$old" <<'P'
import sqlite3, sys
d = sqlite3.connect("old.db")
n, = d.execute("SELECT count(*) FROM diagnosis WHERE brief IS NOT NULL")
assert n[0] > 100, n
d.execute("UPDATE diagnosis SET brief = " + sys.argv[1])
d.commit()
P
	reports sqlite:old.db >old.txt
	t cmp brief.txt old.txt
done

begin 'what is no store is refused and not touched'
cp two.jsonl no.db
status 4 "$JT" store import --store sqlite:no.db two.jsonl
has err 'no store: not an SQLite file'
t cmp two.jsonl no.db

begin 'output that fails'
if [ -e /dev/full ]; then
	status 4 "$JT" store export --store sqlite:s.db -o /dev/full
fi

begin 'an archive that could not be read is no job once it can be'
mkdir -p night logs
for job in 1 2; do
	printf 'step %d\nCUDA error: an illegal memory access was encountered\n' \
		"$job" >"logs/job-$job.log"
done
tar czf whole.tgz -C logs job-1.log job-2.log
jobs_of() {
	"$JT" store export --store sqlite:n.db |
	    sed 's/.*"job":"\([^"]*\)".*/\1/' | sort | tr '\n' ' '
}
head -c 15 whole.tgz >night/logs.tgz
status 3 "$JT" scan -q --store sqlite:n.db night
t test "$(jobs_of)" = 'night/logs.tgz '
cp whole.tgz night/logs.tgz
status 0 "$JT" scan -q --store sqlite:n.db night
t test "$(jobs_of)" = 'night/logs.tgz!job-1 night/logs.tgz!job-2 '

done_cases
