# The store in a real PostgreSQL.
. "$TOP/tests/lib.sh"

. "$TOP/tests/integration/postgres/lab.sh"
. "$TOP/tests/integration/postgres/kills.sh"
need initdb pg_ctl psql setpriv "$PYTHON"
trap finish EXIT
trap 'exit 1' INT TERM
make_server || exit 1

begin 'the tests of the store'
for test in store store_answers store_known store_table store_upgrade \
    judgement baseline; do
	STORE_SERVER=$URL "$BUILD/tests/reports/test_$test" >"$test.out" 2>&1 ||
		why="${why:-$(grep -m 3 '^not ok\|^#' "$test.out" | tr '\n' ' ')}"
done

begin 'reports are those of a file'
empty
status 0 "$JT" scan -q --store "$URL" "$TOP/corpus"
status 0 "$JT" scan -q --store sqlite:one.db "$TOP/corpus"
reports server.txt "$URL"
reports file.txt sqlite:one.db
t cmp server.txt file.txt
t test -s server.txt
sql 'UPDATE jobtriage.diagnosis SET brief = NULL'
reports records.txt "$URL"
t cmp records.txt file.txt
status 0 "$JT" scan --store "$URL" "$TOP/corpus"
has out 'unchanged since the last scan'
status 0 "$JT" explain --store "$URL" "$TOP/corpus/hang"

begin 'groups and drafted rules are those of a file'
# when a log was first seen, the store's name and the order of equals differ
grouped() {
	"$JT" groups --store "$1" --top 1000 | sed 's/20[0-9][0-9]-[-0-9: ]*//g' |
	    sort
}
grouped "$URL" >server.groups
grouped sqlite:one.db >file.groups
t cmp server.groups file.groups
status 0 "$JT" groups --store "$URL" -f json
group=$(grep -o '"id": *"[0-9a-f]*"' out | sed 's/.*"\([0-9a-f]*\)"/\1/; q')
t test -n "$group"
status 0 "$JT" suggest --store sqlite:one.db "$group" -o file.yaml
status 0 "$JT" suggest --store "$URL" "$group" -o server.yaml
t cmp server.yaml file.yaml

begin 'export and import, to a file and back'
status 0 "$JT" store export --store "$URL" -o all.jsonl
status 0 "$JT" store import --store sqlite:two.db all.jsonl
status 0 "$JT" store export --store sqlite:two.db -o again.jsonl
t cmp all.jsonl again.jsonl
empty
status 0 "$JT" store import --store "$URL" all.jsonl
status 0 "$JT" store export --store "$URL" -o again.jsonl
t cmp all.jsonl again.jsonl
status 0 "$JT" store prune --store "$URL" --before 2040-01-01
status 0 "$JT" store info --store "$URL"
has out 'diagnoses    0 of 0 jobs'

begin 'many writers of the same at once'
empty
pids=
for n in 1 2 3 4 5 6; do
	"$JT" scan -q --store "$URL" "$TOP/corpus" 2>many.$n >/dev/null &
	pids="$pids $!"
done
for pid in $pids; do
	wait "$pid" || why="a scan ended with $?: $(cat many.[1-6])"
done
reports many.txt "$URL"
t cmp many.txt file.txt

records=records.txt
{
	echo 'JobID|User|State|ExitCode|Start|End|AllocTRES|NodeList'
	"$PYTHON" -c "
for i in range(12000):
    print(f'{i + 1}|ada|FAILED|1:0|2026-03-01T00:00:00|'
          f'2026-03-01T01:00:{i % 60:02}|gres/gpu=4|n{i % 50}')"
} >"$records"
mkdir -p none
part() {
	"$JT" scan -q --timezone UTC --jobs "$records" --store "$1" none
}
part sqlite:part.db >out 2>&1
reports part.file sqlite:part.db

begin 'connections that are cut, and a server that starts anew'
empty
part "$URL" >out 2>err &
scan=$!
cuts=0
while kill -0 "$scan" 2>/dev/null && [ "$cuts" -lt 12 ]; do
	cuts=$((cuts + 1))
	if [ "$cuts" -eq 4 ]; then
		server pg_ctl -D "$base/data" -m immediate stop >/dev/null
		start
	else
		sql "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		    WHERE application_name = 'jobtriage'" >/dev/null
	fi
	sleep 0.1
done
wait "$scan" || why="status $?: $(cat err)"
reports part.server "$URL"
t cmp part.server part.file

begin 'writers that are killed, and another run'
empty
for n in 1 2 3 4 5 6 7 8 9 10; do
	part "$URL" >out 2>&1 &
	scan=$!
	sleep "0.$n"
	kill -KILL "$scan" 2>/dev/null
	wait "$scan" 2>/dev/null
done
status 0 part "$URL"
reports part.server "$URL"
t cmp part.server part.file

begin 'parts that are killed, a server that starts anew, connections that are cut'
kill_rounds 10

begin 'roles'
psql -qX -v ON_ERROR_STOP=1 "$URL" -f "$TOP/reports/store/postgres_roles.sql" \
	>t.out 2>&1 || why="roles: $(tail -n 1 t.out)"
for role in node reader writer; do
	sql "CREATE ROLE a_$role LOGIN
	    IN ROLE jobtriage_$role"
done
as() {
	echo "postgresql://a_$1@/postgres?host=$base"
}
sed 's/4[0-9]*|/&/; s/^\([0-9]\)/9\1/' "$records" | head -n 50 >more.txt
status 0 "$JT" scan -q --jobs more.txt --store "$(as writer)" none
status 0 "$JT" store info --store "$(as reader)"
status 4 "$JT" scan -q --jobs more.txt --store "$(as reader)" none
has err 'may not'
status 0 "$JT" store import --store "$(as node)" all.jsonl
status 4 "$JT" store info --store "$(as node)"
has err 'this role may not do that'
status 4 "$JT" store prune --store "$(as writer)" --before 2040-01-01
job=$(sql 'SELECT job FROM jobtriage.diagnosis ORDER BY 1 LIMIT 1')
status 4 "$JT" judge --store "$(as reader)" "$job" --category hang
has err 'may not'
status 3 "$JT" judge --store "$(as node)" "$job" --category hang
has err 'may not'
status 0 "$JT" judge --store "$(as writer)" "$job" --category hang
status 0 "$JT" judge --store "$(as writer)" "$job" --category none
status 0 "$JT" judge --store "$(as reader)" --list
t test "$(grep -c ' hang \| none ' out)" -eq 2
status 0 "$JT" judge --store "$(as writer)" "$job" --forget
has out '2 forgotten'
status 0 "$JT" judge --store "$(as writer)" "$job" --verdict stop

begin 'groups and drafts, by roles'
status 0 "$JT" groups --store "$(as reader)" -f json
group=$(grep -o '"id": *"[0-9a-f]*"' out | sed 's/.*"\([0-9a-f]*\)"/\1/; q')
t test -n "$group"
status 0 "$JT" suggest --store "$(as reader)" "$group"
has out 'pattern:'
status 2 "$JT" groups --store "$(as reader)" name "$group" tilt
has err 'may not'
status 0 "$JT" groups --store "$(as writer)" name "$group" tilt
status 0 "$JT" groups --store "$(as reader)"
has out 'tilt'

begin 'what good runs print, by roles'
mkdir -p good
for i in 1 2; do
	printf 'Epoch: [%d] loss 0.5\nTraining completed\n' 1 >good/slurm-$i.out
done
status 4 "$JT" baseline learn --store "$(as reader)" good
has err 'may not'
status 0 "$JT" scan -q --learn --store "$(as writer)" good
status 0 "$JT" baseline show --store "$(as reader)" -f json
has out '"runs":2'
status 4 "$JT" baseline forget --store "$(as reader)"

begin 'a reader sees the rows of its accounts'
hidden=$(sql 'SELECT count(*) FROM jobtriage.diagnosis')
sql 'ALTER TABLE jobtriage.diagnosis ENABLE ROW LEVEL SECURITY;
    ALTER TABLE jobtriage.judgement ENABLE ROW LEVEL SECURITY;
    ALTER TABLE jobtriage.good_run ENABLE ROW LEVEL SECURITY;
    INSERT INTO jobtriage.account VALUES ('"'a_reader', 'lab7')"
status 0 "$JT" store info --store "$(as reader)"
has out 'diagnoses    0 of 0 jobs'
status 0 "$JT" store info --store "$(as writer)"
has out "diagnoses    $hidden of"
status 0 "$JT" judge --store "$(as reader)" --list -f json
has out '{"judgements": []}'
status 0 "$JT" judge --store "$(as writer)" --forget "$job"
has out '1 forgotten'
status 0 "$JT" baseline show --store "$(as reader)" -f json
has out '{"baselines":[]}'
status 0 "$JT" baseline forget --store "$(as writer)"
has out '2 forgotten'
sql 'ALTER TABLE jobtriage.diagnosis DISABLE ROW LEVEL SECURITY;
    ALTER TABLE jobtriage.judgement DISABLE ROW LEVEL SECURITY;
    ALTER TABLE jobtriage.good_run DISABLE ROW LEVEL SECURITY'

begin "Grafana's dashboard has the report's figures, for a reader"
# of two logs of one attempt the later counts
for n in 1 2; do
	"$JT" scan -q -f jsonl "$TOP/corpus/hang" |
		sed "s/\"job\":\"[^\"]*/\"job\":\"twice/
	    s/\"paths\":\[\"/&\/$n/; s/\"user\":null/\"user\":\"eva\",\"x\":null/" |
		"$JT" store import --store "$(as writer)" - >out 2>err ||
		why="import: $(cat err)"
done
# shellcheck disable=SC2086 # options
status 0 "$JT" report --store "$URL" $since --timezone UTC -f json -o r.json
t "$PYTHON" -W error "$TOP/tests/integration/grafana.py" \
	"$TOP/reports/grafana/jobtriage.json" "$(as reader)" r.json

begin 'a node pushes: what waits while the server is away is sent once'
sql 'DELETE FROM jobtriage.diagnosis; DELETE FROM jobtriage.answer'
server pg_ctl -D "$base/data" -m immediate stop >/dev/null
# push ATTEMPT URL [OPTION...]: as an epilog on a node does
push() {
	attempt=$1 to=$2
	shift 2
	"$JT" gate --job 4711 --attempt "$attempt" --exit-code 1 --store "$to" \
	    "$@" node.log >out 2>err
}
{
	echo '2026-03-01 10:00:00 INFO step 1 loss 2.0'
	echo 'FileNotFoundError: [Errno 2] No such file or directory: a.tar'
} >node.log
for n in 1 2 3 4; do
	push $n "$(as node)" --spool spool --limit spool=12K
done
has err 'this attempt is not kept: spool: full: 12288 of 12288 bytes'
t test "$(find spool -name '*.jsonl' | wc -l)" -eq 3
start
cp -r spool twice
status 0 "$JT" store send --store "$(as node)" --spool spool
has out '3 sent, 0 left'
status 0 "$JT" store send --store "$(as node)" --spool twice
has out '3 sent, 0 left'
push 4 "$(as node)" --spool spool
for n in 1 2 3 4; do
	push $n sqlite:node.db
done
reports node.server "$URL"
reports node.file sqlite:node.db
t cmp node.server node.file
t test "$(sql 'SELECT count(*) FROM jobtriage.diagnosis')" -eq 4
t test "$(sql 'SELECT count(*) FROM jobtriage.answer')" -eq 4

begin 'a server that is not there, and a password that is not told'
status 4 "$JT" store info --store \
	"postgresql://ada:Geheim.77@/postgres?host=$base/nowhere"
has err 'postgresql://ada:***@/postgres'
hasnt err Geheim
status 4 "$JT" scan -q --store 'mysql://ada:Geheim.77@host/db' none
has err 'expected sqlite:PATH or postgresql://'
hasnt err Geheim
sql 'UPDATE jobtriage.store SET schema = 99'
status 4 "$JT" store info --store "$URL"
has err 'made by a newer version'

done_cases
