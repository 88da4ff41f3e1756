# The shapes in which trackers, launchers, schedulers and clouds leave logs:
# how many jobs each made-up folder holds, what failed, and in which rank.
. "$TOP/tests/lib.sh"

"$PYTHON" "$TOP/tests/cli/shapes_tree.py" "$TMPDIR/tree" ||
	t false

# shape FOLDER CATEGORY[,RANK]...: one for each job, in any order
shape() {
	begin "$1"
	status 0 "$JT" scan --format jsonl "tree/$1"
	shift
	printf '%s\n' "$@" | sort >want
	sed 's/.*"category":"\([a-z_]*\)".*"first_error_rank":\([0-9a-z]*\).*/\1,\2/
		s/,null$//' out | sort >got
	t diff want got
}

begin 'a project folder has the jobs that its logs are of'
mkdir -p tree/project/src tree/project/debian
cp tree/tensorboard/runs/May01_gn1/train.log tree/project/slurm-4711.out
printf 'try:\n    f()\nexcept KeyError:\n    pass\n' >tree/project/src/a.py
printf '#!/bin/sh\necho "Error: $1" >&2\n' >tree/project/submit
printf 'executable = submit\nerror = job.err\n' >tree/project/job.sub
printf 'Package: x\n' >tree/project/debian/control
printf 'lr: 0.1\n' >tree/project/config.yaml
printf 'step 1 loss 2\n' >tree/project/console
status 0 "$JT" scan --format jsonl tree/project
t test "$(wc -l <out)" -eq 2
has out '"job":"4711"' tree/project/console
status 0 "$JT" scan tree/project
has out '5 other files left out'

shape wandb key_not_found gpu_out_of_memory
t grep -q '"job":"[^"]*/run-20240502_130000-e5f6a7b8"' out
shape ray gpu_out_of_memory
shape mlflow tensor_mismatch
shape hydra none tensor_mismatch none
shape lightning illegal_index none
shape tensorboard attribute_not_found
shape github library_not_found none
has out '"job":"tree/github/logs_123.zip!train (3.10)"'
shape htcondor path_not_found none
shape pbs illegal_index
shape lsf key_not_found
shape airflow path_not_found path_not_found none
has out '"attempt":2'
shape sagemaker key_not_found
shape azureml gpu_out_of_memory,1
shape kubeflow gpu_out_of_memory,1
shape kubectl gpu_out_of_memory
shape compose path_not_found
shape error_json tensor_mismatch
shape gitlab library_not_found
shape json_lines key_not_found
shape jupyter tensor_mismatch
hasnt out '"verdict":"retry"'
has out '"file":"/home/ada/lab/evaluate.py","line":12'
shape colab tensor_mismatch
shape metadata_first tensor_mismatch
shape cloudwatch tensor_mismatch tensor_mismatch
shape gke tensor_mismatch tensor_mismatch tensor_mismatch
hasnt out '"verdict":"retry"'
shape loki key_not_found key_not_found
shape streams illegal_index illegal_index illegal_index illegal_index illegal_index
t test "$(grep -c '"line":29,' out)" = 5
t test "$(grep -c '"file":"/home/ada/lab/read.py","line":7' out)" = 5
shape journal_pretty native_crash
has out '"line":10'
shape journal_json native_crash
shape journal_bytes native_crash
shape journal_export native_crash

begin 'an export in which a list is cut off is no good end'
mkdir -p tree/cut
head -c 600 tree/cloudwatch/get.json >tree/cut/get.json
status 0 "$JT" scan --format jsonl tree/cut
hasnt out '"ending":"proven"'

begin 'settings that a program prints first are no journal'
mkdir -p tree/settings
{
	printf '{\n  "lr": 0.1,\n  "message": ["a"]\n}\nstep 1 loss 2\n'
	printf 'KeyError: 3\n{\n  "message": "text"\n}\n'
} >tree/settings/train.log
status 0 "$JT" scan --format jsonl tree/settings
has out '"category":"key_not_found"' '"line":6,'
done_cases
