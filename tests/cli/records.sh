# Job records: joined with logs by id, told of without one, evidence when
# nothing else speaks.
. "$TOP/tests/lib.sh"

mkdir logs
cat >logs/slurm-101.out <<'END'
2026-11-20 01:00:05 INFO world_size=8 backend=nccl
2026-11-20 01:10:00 INFO step 100 loss 2.1
2026-11-20 01:30:00 INFO Saved checkpoint to /ckpt/step_200.pt
2026-11-20 01:30:01 INFO step 201 loss 1.9
Traceback (most recent call last):
  File "train.py", line 12, in main
    x = table["missing"]
KeyError: 'missing'
END
printf 'epoch 1 step 5 loss 1.0\nTraining completed successfully\n' \
	>logs/slurm-102.out
printf 'step 1 loss 3.0\nstep 2 loss 2.9\n' >logs/slurm-103.out
printf 'step 1 loss 3.0\n' >logs/slurm-107.out
printf 'step 1 loss 3.0\nKilled\n' >logs/slurm-999.out
cat >sacct.txt <<'END'
JobID|JobIDRaw|User|Account|Partition|JobName|State|ExitCode|AllocTRES|Submit|Start|End|ElapsedRaw|NodeList|Restarts
101|101|ann|vision|gpu|resnet|FAILED|1:0|cpu=8,gres/gpu=8,mem=64G,node=1|2026-11-20T00:59:00|2026-11-20T01:00:00|2026-11-20T02:00:00|3600|n1|0
101.batch|101.batch|||||FAILED|1:0|cpu=8,gres/gpu=8,node=1||2026-11-20T01:00:00|2026-11-20T02:00:00|3600|n1|
102|102|bob|nlp|gpu|bert|COMPLETED|0:0|cpu=8,gres/gpu:a100=2,gres/gpu=2,node=1|2026-11-20T00:59:00|2026-11-20T01:00:00|2026-11-20T03:00:00|7200|n2|0
103|103|bob|nlp|gpu|bert|OUT_OF_MEMORY|0:125|cpu=8,gres/gpu=4,node=1|2026-11-20T00:59:00|2026-11-20T01:00:00|2026-11-20T01:10:00|600|n2|0
104|104|eve|nlp|gpu|lost|NODE_FAIL|1:0|cpu=8,gres/gpu=16,node=2|2026-11-20T00:59:00|2026-11-20T01:00:00|2026-11-20T01:00:30|30|n[3-4]|0
105|105|eve|nlp|gpu|fine|COMPLETED|0:0|cpu=8,gres/gpu=1,node=1|2026-11-20T00:59:00|2026-11-20T01:00:00|2026-11-20T01:01:00|60|n5|0
106_3|107|eve|nlp|gpu|sweep|TIMEOUT|0:0|cpu=8,gres/gpu=1,node=1|2026-11-20T00:59:00|2026-11-20T01:00:00|2026-11-20T05:00:00|14400|n5|0
END
# value JOB KEY...: what the diagnosis of a job says
value() {
	"$PYTHON" - "$@" <<'END'
import json, sys
for line in open("out.jsonl", encoding="utf-8"):
    d = json.loads(line)
    if d["job"] == sys.argv[1]:
        got = []
        for key in sys.argv[2:]:
            v = d
            for k in key.split("."):
                v = v[int(k)] if isinstance(v, list) else v[k]
            got.append(str(v))
        print(" ".join(got))
END
}
# is EXPECTED JOB KEY...
is() {
	want=$1
	shift
	got=$(value "$@")
	[ "$got" = "$want" ] && return 0
	[ -n "$why" ] || why="$*: '$got' instead of '$want'"
}

begin 'records join logs by id'
status 0 "$JT" scan --timezone UTC --jobs sacct.txt -f jsonl -o out.jsonl logs
is 'ann vision key_not_found 8 3600 28800 False' \
	101 user group category usage.gpus usage.runtime_seconds \
	usage.gpu_seconds usage.estimated
is 'bob none 2 14400 0' \
	102 user category usage.gpus usage.gpu_seconds usage.gpu_seconds_lost
is '2026-11-20T01:00:00Z 2026-11-20T02:00:00Z FAILED resnet gpu 1' \
	101 started ended record.state record.name record.partition \
	record.exit_code

begin 'what a durable checkpoint kept is not lost'
is 14400 101 usage.gpu_seconds_lost

begin 'a raw id of an array task finds its record'
is 'time_limit_exceeded eve 14400' 106_3 category user usage.gpu_seconds

begin 'a state explains what the log does not'
is 'True cpu_out_of_memory sacct.txt 5' \
	103 failed category evidence.0.path evidence.0.line

begin 'a record without a log is told, too'
is "True node_failure [] ['n3', 'n4'] 480" \
	104 failed category paths nodes usage.gpu_seconds
is 'False none' 105 failed category

begin 'a log without a record is told, and estimated'
is 'None True None' 999 record usage.estimated user

begin 'only joined records, or only failed ones, when asked for'
status 0 "$JT" scan --jobs sacct.txt --records joined -f jsonl \
	-o out.jsonl logs
is '' 104 job
is '' 105 job
status 0 "$JT" scan --jobs sacct.txt --records failed -f jsonl \
	-o out.jsonl logs
is 104 104 job
is '' 105 job

begin 'records alone are a scan'
status 0 "$JT" scan --jobs sacct.txt -f jsonl -o out.jsonl
is 'True unknown undecided' 101 failed category verdict

begin 'CPU-hours of a job without GPUs, and of no other'
cat >cpus.txt <<'END'
JobID|State|ExitCode|Start|End|AllocTRES|NCPUS
7|FAILED|1:0|2026-11-20T10:00:00|2026-11-20T12:00:00|billing=8,cpu=8,node=1|
8|FAILED|1:0|2026-11-20T10:00:00|2026-11-20T12:00:00|cpu=8,gres/gpu=2|8
9|FAILED|1:0|2026-11-20T10:00:00|2026-11-20T12:00:00|cpu=8|4
10|COMPLETED|0:0|2026-11-20T10:00:00|2026-11-20T12:00:00|cpu=8|4
END
status 0 "$JT" scan --jobs cpus.txt --store cpus.db -f jsonl -o out.jsonl
is '8 57600 57600' 7 usage.cpus usage.cpu_seconds usage.cpu_seconds_lost
is 'None None 14400' 8 usage.cpus usage.cpu_seconds usage.gpu_seconds
is '4 28800 28800' 9 usage.cpus usage.cpu_seconds usage.cpu_seconds_lost
is '28800 0' 10 usage.cpu_seconds usage.cpu_seconds_lost
printf '{"jobs": [{"job_id": 11, "state": {"current": "FAILED"},
    "time": {"start": 1795168800, "end": 1795172400, "elapsed": 3600},
    "tres": {"allocated": [{"type": "cpu", "name": null, "count": 6}]}}]}' \
	>cpus.json
status 0 "$JT" scan --jobs cpus.json -f jsonl -o out.jsonl
is '6 21600' 11 usage.cpus usage.cpu_seconds
since='--store cpus.db --since 2026-11-01 --until 2026-12-01'
for form in text json csv prometheus html; do
	# shellcheck disable=SC2086 # options
	status 0 "$JT" report $since -f "$form" -o "report.$form"
done
has report.text \
	'CPU-hours of failed attempts without GPUs: 24.0, 24.0 lost since'
has report.json '"failed_cpu_seconds": 86400' '"cpu_lost": 86400'
has report.prometheus 'jobtriage_cpu_seconds_failed 86400' \
	'jobtriage_cpu_seconds_lost 86400'
has report.html 'without GPUs used 24.0 CPU-hours, of which 24.0 are lost'
grep '^"total","all",,"now"' report.csv | tr -d '\r' >total
t grep -q ',86400,86400$' total

begin 'a bad row is told with its place, and the rest is used'
sed 's/^105|105/||/' sacct.txt >bad.txt
"$JT" scan --jobs bad.txt -f jsonl -o out.jsonl logs >/dev/null 2>err
[ $? -eq 3 ] || why="status is not 3"
has err bad.txt:7
is 'ann' 101 user

begin 'what is no record file is an error'
echo 'hello world' >no.txt
status 2 "$JT" scan --jobs no.txt logs
has err no.txt
status 2 "$JT" scan --jobs missing.txt logs
status 2 "$JT" scan --jobs 4 logs
has err 'threads is -j'

done_cases
