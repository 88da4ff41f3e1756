# Whose job it is: an id is its cluster's, and where neither a record nor a
# cluster tells, the folder's. Many users in one store.
. "$TOP/tests/lib.sh"
need "$PYTHON"

mkdir -p a b t/alpha t/beta
key="Traceback (most recent call last):
  File \"train.py\", line 4, in <module>
    main()
KeyError: 'lr'"
echo "$key" >a/slurm-114.out
printf 'FileNotFoundError: [Errno 2] No such file or directory: "x"\n' \
	>b/slurm-114.out
cp a/slurm-114.out t/alpha/slurm-7000.out
cp b/slurm-114.out t/beta/slurm-7000.out
cat >sacct.txt <<'END'
JobID|Cluster|User|Account|State|ExitCode|Start|End|AllocTRES
7000|alpha|ann|vision|FAILED|1:0|2026-11-20T10:00:00|2026-11-20T11:00:00|gres/gpu=2
7000|beta|bob|speech|FAILED|1:0|2026-11-20T10:00:00|2026-11-20T11:00:00|gres/gpu=4
7001|beta|bob|speech|TIMEOUT|0:0|2026-11-20T10:00:00|2026-11-20T12:00:00|gres/gpu=4
END

# scan STORE OPTION...: quietly into the store
scan() {
	db=$1
	shift
	status 0 "$JT" scan -q --store "$db" --timezone UTC "$@"
}
# total STORE OPTION...: attempts, jobs and GPU-seconds of the report
total() {
	db=$1
	shift
	"$JT" report --store "$db" --since 2020-01-01 -f json "$@" |
		"$PYTHON" -c 'import json, sys
now = json.load(sys.stdin)["now"]
print(now["attempts"], now["jobs"], now["gpu_seconds"])'
}

begin 'equal ids in two folders are two jobs, however often they are read'
for night in 1 2 3; do
	scan place.db a b
	touch -d "2026-11-2$night" a/slurm-114.out
done
t test "$(total place.db)" = '2 2 0'
(cd a && "$JT" scan -q --store ../place.db . >/dev/null)
t test "$(total place.db)" = '2 2 0'
"$JT" scan -f jsonl a b >two.jsonl
status 0 "$JT" report -f json two.jsonl
has out '"jobs": 2'
status 0 "$JT" store info --store place.db
has out 'diagnoses    2 of 2 jobs'

begin 'a cluster joins them; one path may be two jobs of two'
scan one.db --cluster alpha a b
t test "$(total one.db)" = '1 1 0'
scan one.db --cluster beta a b
status 0 "$JT" store info --store one.db
has out 'diagnoses    4 of 2 jobs'

begin 'an id is its cluster'"'"'s in logs, records, store and report'
cluster='t/(?<cluster>[^/]+)/slurm-(?<job>\d+)'
scan both.db --jobs sacct.txt --layout "$cluster" t
t test "$(total both.db)" = '3 3 50400'
t test "$(total both.db --cluster alpha)" = '1 1 7200'
t test "$(total both.db --user bob)" = '2 2 43200'
t test "$(total both.db --account vision)" = '1 1 7200'
t test "$(total both.db --account vision --cluster beta)" = '0 0 0'
scan both.db --jobs sacct.txt --layout "$cluster" t
t test "$(total both.db)" = '3 3 50400'
status 0 "$JT" report --store both.db --since 2020-01-01 -f csv
has out '"cluster","alpha",' '"cluster","beta",'
status 0 "$JT" report --store both.db --since 2020-01-01 -f prometheus
has out 'cluster="beta"'
status 0 "$JT" report --store both.db --since 2020-01-01
has out alpha beta
# a list names the cluster with the number, where there are several
has out ' alpha/7000 ' ' beta/7001 '
status 0 "$JT" report --store both.db --since 2020-01-01 --cluster beta
has out ' 7001 '
hasnt out beta/7001
status 0 "$JT" report --store both.db --since 2020-01-01 -f html
has out '<th scope="row">beta/7001</th>'

begin 'so it is out of a store and into another'
status 0 "$JT" store export --store both.db -o all.jsonl
status 0 "$JT" store import --store again.db all.jsonl
t test "$(total again.db)" = '3 3 50400'
status 0 "$JT" store export --store both.db --user bob -o bob.jsonl
t test "$(grep -c '"cluster":"beta"' bob.jsonl)" -eq 2
t test "$(wc -l <bob.jsonl)" -eq 2
status 2 "$JT" store prune --store both.db --before 1d --user bob

begin 'a job by its number is asked whose'
status 3 "$JT" explain --store both.db 7000
has err 'several jobs' '--cluster'
status 0 "$JT" explain --store both.db --cluster alpha 7000
has out KeyError
status 0 "$JT" explain --store both.db --user bob 7000
has out FileNotFoundError

begin 'a digest for each owner'
status 0 "$JT" report --store both.db --since 2020-01-01 --digest user
has out 'bob: 2 of 2 attempts failed, 12.0 GPU-hours' \
	'mostly: ' 'job 7001 of beta, attempt 1: ' \
	't/alpha/slurm-7000.out:4' 'ann: 1 of 1 attempts failed, 2.0 GPU-hours'
status 0 "$JT" report --store both.db --since 2020-01-01 --digest account \
	--cluster beta -f json
t "$PYTHON" - <<'P'
import json
d = json.load(open("out"))
assert d["schema"] == "jobtriage.digest/1" and d["by"] == "account", d
o, = d["owners"]
assert o["owner"] == "speech" and o["failed"] == 2, o
assert o["failed_gpu_seconds"] == 43200 and o["failed_seconds"] == 10800, o
assert o["main_cause"] == "time_limit_exceeded", o
assert [j["job"] for j in o["failures"]] == ["7001", "7000"], o
P
status 2 "$JT" report --store both.db --digest group
status 2 "$JT" report --store both.db --digest user -f html
status 0 "$JT" report --store both.db --since 2020-01-01 --until 2020-01-02 \
	--digest user
has out "Nobody's job failed."

begin 'a log joins a record of its own cluster alone'
who() {
	"$JT" scan -f jsonl --jobs sacct.txt --records joined "$@" |
		sed 's/.*"cluster":\([^,]*\),.*"user":\([^,]*\),.*/\1 \2/'
}
t test "$(who --cluster beta t/alpha)" = '"beta" "bob"'
t test "$(who t/alpha)" = 'null null'
t test "$(who --cluster gamma t/alpha)" = '"gamma" null'
cp a/slurm-114.out t/slurm-7001.out
t test "$(who t/slurm-7001.out)" = '"beta" "bob"'

begin 'the gate knows the attempts of its own cluster'
for c in alpha beta; do
	"$JT" gate --job 9 --cluster "$c" --attempt 1 --exit-code 1 \
		--store gate.db b/slurm-114.out >/dev/null
done
"$JT" gate --job 9 --cluster alpha --attempt 2 --exit-code 1 --store gate.db \
	--print json b/slurm-114.out >gate.json
status 0 "$JT" store info --store gate.db
has out 'of 2 jobs'
"$JT" gate replay --store gate.db -f json >replay.json
has replay.json '"answers": 3' '"jobs": 1'

begin 'parts of a tree: each job of each cluster falls to one'
for i in 1 2 3; do
	"$JT" scan -q -f jsonl --shard $i/3 --jobs sacct.txt \
		--layout "$cluster" t
done | sort >parts
"$JT" scan -q -f jsonl --jobs sacct.txt --layout "$cluster" t | sort >whole
t cmp parts whole

begin 'a store is for its owner and its group'
(umask 022 && "$JT" scan --store mode.db a >/dev/null 2>err)
t test "$(stat -c %a mode.db)" = 640
hasnt err everybody
(umask 077 && "$JT" scan -q --store narrow.db a >/dev/null)
t test "$(stat -c %a narrow.db)" = 600
chmod 644 mode.db
"$JT" scan --store mode.db a >/dev/null 2>err
has err 'everybody on this machine' '(mode 0644)'
t test "$(stat -c %a mode.db)" = 644
"$JT" gate --job 1 --store mode.db b/slurm-114.out >/dev/null 2>err
hasnt err everybody
chmod 646 mode.db
"$JT" gate --job 1 --exit-code 1 --store mode.db b/slurm-114.out >/dev/null 2>err
has err 'gate: everybody may write to the store: (mode 0646): chmod 0640'
"$JT" run --store mode.db -- false >/dev/null 2>err
has err 'everybody may write to the store'

begin 'in a folder with the setgid bit it is for the group of the folder'
mkdir folder
group=$(id -G | tr ' ' '\n' | tail -n 1)
[ "$(id -u)" -ne 0 ] || group=1
t chgrp "$group" folder
t chmod 2750 folder
for what in scan gate; do
	"$JT" $what -q --store folder/$what.db b/slurm-114.out >/dev/null 2>&1
	t test "$(stat -c '%g %a' folder/$what.db)" = "$group 640"
done

done_cases
