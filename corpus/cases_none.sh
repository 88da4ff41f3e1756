# Jobs that ended well and look as if they had not; make.sh reads this file.
# See cases.sh.
# shellcheck shell=sh disable=SC2016

# --- input that is bad, late or missing for a while ---
job none/shard_retries.log steady requests \
	"checkpoint written" \
	'python3 inputs.py fetch'
job none/optional_modules.log steady - \
	"train_loss" \
	'python3 inputs.py optional'
job none/unreadable_samples.log steady PIL \
	"Training done" \
	'python3 inputs.py samples'
job none/checkpoint_retry.log steady ns \
	"training done, last checkpoint" \
	'python3 inputs.py full'
job none/loader_workers.log steady torch \
	"Finished training" \
	'python3 inputs.py workers'

# --- numbers ---
job none/empty_classes.log steady - \
	"training finished" \
	'python3 figures.py table'
job none/nan_iterations.log steady - \
	"skipped 3 of 80 iterations" \
	'python3 figures.py spikes'
job none/early_stopping.log steady - \
	"exiting" \
	'python3 figures.py patience'
job none/failed_trials.log steady - \
	"study finished" \
	'python3 figures.py trials'
job none/benchmark_events.log steady - \
	"run_stop" \
	'python3 figures.py mllog'

# --- notices of frameworks, of the kernel and of the scheduler, composed ---
job none/tensorflow_start.log steady - \
	"Saved model" \
	'python3 notices.py tensorflow'
job none/xla_notices.log steady - \
	"saved params.msgpack" \
	'python3 notices.py xla'
job none/nccl_info.log steady - \
	"job finished" \
	'python3 notices.py nccl'
job none/tests_first.log steady - \
	"5 passed, 1 skipped" \
	'python3 notices.py pytest'
job none/kernel_log/ steady - \
	"training completed" \
	'python3 notices.py kernel_log'
job none/requeued.log steady - \
	"job complete" \
	'python3 notices.py requeued'

# --- helpers that die, endings that are noisy ---
job none/monitor_thread.log steady - \
	"all 80 steps done" \
	'python3 helpers.py monitor'
job none/metrics_pusher.log steady - \
	"training finished" \
	'python3 helpers.py pusher'
job none/profiler_killed.log steady - \
	"died with signal 11" \
	'python3 helpers.py profiler'
job none/shutdown_noise.log steady - \
	"Connection reset by peer" \
	'bash ~/tools/run.sh python3 helpers.py shutdown'
job none/two_streams/ steady - \
	"Exiting normally" \
	'python3 helpers.py streams'
job none/buffered_stdout.log steady - \
	"training complete" \
	'exec 3>&1
	python3 helpers.py late >stdout.tmp
	status=$?
	cat stdout.tmp >&3
	exit $status'
job none/requeue_on_term.log steady - \
	"finished at try 2" \
	'bash requeue.sh'
job none/stage_script.log steady - \
	"done, status 0" \
	'bash stage.sh'
job none/extension_warnings.log steady cc \
	"skipped 3 of 80 iterations" \
	'bash build.sh'

# --- the words of failures as a business ---
job none/incident_model.log steady - \
	"macro F1" \
	'python3 talk.py incidents'
job none/code_model.log steady - \
	"Model weights saved" \
	'python3 talk.py generations'
job none/watchdog_rules.log steady - \
	"job succeeded" \
	'python3 talk.py rules'
job none/help_text.log steady - \
	"dry run ok" \
	'python3 talk.py usage'
job none/fault_data.log steady - \
	"failed_predictions.csv" \
	'python3 talk.py folders'
