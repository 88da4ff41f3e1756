# The jobs of the corpus; make.sh reads this file.
# job TARGET PROJECT NEEDS EXPECTED COMMAND
# $AS runs a program as nobody, since root may write everywhere.
# shellcheck shell=sh disable=SC2016

# --- execution environment ---
job path_not_found/retina_masks.log vision torch,PIL \
	"FileNotFoundError: [Errno 2]" \
	'python3 train_retina.py'
job path_not_found/scenes_test_dir.log vision - \
	"FileNotFoundError: [Errno 2]" \
	'python3 eval_scenes.py'
job path_not_found/launch_typo.log text - \
	"can't open file" \
	'bash launch.sh'
job path_not_found/dataserver_index.log native cc \
	"filesystem error: cannot get file size" \
	'g++ -std=c++17 -O1 -o dataserver loader.cc &&
	bash ~/tools/run.sh ./dataserver index'
job library_not_found/tokenizer_module.log text - \
	"No module named 'sacretokens'" \
	'python3 finetune.py --case tokenizer'
job library_not_found/dataio_shared_object.log native cc \
	"error while loading shared libraries" \
	'echo "int dataio(void); int dataio(void) { return 7; }" >dataio.c &&
	echo "int dataio(void); int main(void) { return dataio(); }" >main.c &&
	gcc -shared -fPIC -Wl,-soname,libdataio.so.2 -o libdataio.so dataio.c &&
	gcc -o reader main.c ./libdataio.so && rm libdataio.so &&
	bash ~/tools/run.sh ./reader'
job library_not_found/cudnn_dlopen.log native - \
	"OSError: libcudnn_cnn_infer.so.8: cannot open" \
	'python3 kernels.py cudnn'
job permission_denied/weights_of_another.log tabular - \
	"PermissionError: [Errno 13]" \
	'mkdir -m 755 shared && chmod 755 shared && touch shared/weights.npy &&
	chmod 444 shared/weights.npy && $AS python3 churn.py save'
job permission_denied/feature_cache.log tabular - \
	"PermissionError: [Errno 13]" \
	'$AS python3 churn.py cache 2>&1 | python3 ~/tools/tag.py docker'
job permission_denied/not_executable.log text - \
	"./prepare.sh: Permission denied" \
	'echo "Job 481602 starting"; cp stages.sh prepare.sh
	chmod 644 prepare.sh; ./prepare.sh && python3 finetune.py --task qa'
job version_mismatch/torch_six.log native torch \
	"cannot import name 'container_abcs'" \
	'python3 kernels.py containers'
job version_mismatch/undefined_symbol.log native cc \
	"undefined symbol: fastcopy_v3" \
	'gcc -shared -fPIC -Wl,-z,now -o libaug.so libaug.c &&
	python3 kernels.py augment'
job version_mismatch/extension_cuda.log lm - \
	"mismatches the version" \
	'python3 pretrain.py cuda_built'

# --- deep learning ---
job tensor_mismatch/crop_resize.log vision torch \
	"shapes cannot be multiplied (4x2304" \
	'python3 segnet.py resolution'
job tensor_mismatch/data_parallel_names.log vision torch \
	"Unexpected key(s) in state_dict" \
	'python3 segnet.py restore'
job tensor_mismatch/double_weight.log vision torch \
	"expected scalar type Float" \
	'python3 segnet.py dtype 2>&1 | python3 ~/tools/tag.py cri'
job tensor_mismatch/four_bands.log vision PIL \
	"could not be broadcast together" \
	'python3 tiles.py bands'
job tensor_mismatch/concat_tf.log lm - \
	"ConcatOp : Dimensions" \
	'python3 pretrain.py concat'
job gpu_out_of_memory/attention_h100.log lm - \
	"CUDA out of memory" \
	'python3 pretrain.py torch_oom'
job gpu_out_of_memory/diffusion_11g.log lm - \
	"CUDA out of memory" \
	'python3 pretrain.py torch_oom_old'
job gpu_out_of_memory/unet_tf.log lm - \
	"OOM when allocating" \
	'python3 pretrain.py tf_oom'
job gpu_out_of_memory/jax_state.log lm - \
	"RESOURCE_EXHAUSTED" \
	'python3 pretrain.py xla_oom'
job cpu_out_of_memory/spectra_in_memory.log speech torch \
	"Unable to allocate 36.7 GiB" \
	'ulimit -v 8000000; python3 asr.py spectra'
job cpu_out_of_memory/replay_buffers.log speech torch \
	"DefaultCPUAllocator: can't allocate" \
	'ulimit -v 3000000; python3 asr.py buffers std'
job cpu_out_of_memory/dataserver_cache.log native cc \
	"std::bad_alloc" \
	'g++ -std=c++17 -O1 -o dataserver loader.cc && ulimit -v 900000 &&
	bash ~/tools/run.sh ./dataserver cache'
job cpu_out_of_memory/history_killed.log native - \
	" Killed " \
	'bash ~/tools/run.sh python3 limit.py; exit 137'
job cpu_out_of_memory/dataloader_worker.log speech torch \
	"is killed by signal: Killed" \
	'python3 asr.py workers'
job cpu_out_of_memory/slurm_oom_kill.log cluster - \
	"oom_kill event" \
	'python3 batch.py oom_kill'
job loss_nan/lr_too_high.log speech torch \
	"Loss is nan" \
	'python3 asr.py diverge plain'
job loss_nan/entropy_anomaly.log speech torch \
	"returned nan values" \
	'python3 asr.py anomaly'
job loss_nan/loss_scale_floor.log speech torch \
	"Minimum loss scale reached" \
	'python3 asr.py scaler iso'
job framework_api_misuse/backward_twice.log vision torch \
	"backward through the graph a second time" \
	'python3 segnet.py twice'
job framework_api_misuse/all_frozen.log vision torch \
	"does not require grad" \
	'python3 segnet.py frozen 2>&1 | python3 ~/tools/tag.py stamp'
job framework_api_misuse/not_fitted.log tabular sklearn \
	"NotFittedError" \
	'python3 churn.py predict'
job framework_api_misuse/spawn_without_guard.log speech - \
	"bootstrapping phase" \
	'python3 workers_main.py'
job framework_api_misuse/variable_exists_tf.log lm - \
	"already exists, disallowed" \
	'python3 pretrain.py variable'

# --- general code errors ---
job illegal_argument/launch_options.log text - \
	"unrecognized arguments" \
	'bash run.sh'
job illegal_argument/lr_with_comma.log text - \
	"invalid float value" \
	'echo "+ python3 finetune.py --lr 1e-4,"
	python3 finetune.py --task ner --lr 1e-4,'
job illegal_argument/warmup_keyword.log text - \
	"unexpected keyword argument" \
	'python3 finetune.py --case schedule'
job illegal_argument/negative_lr.log speech torch \
	"Invalid learning rate" \
	'python3 asr.py momentum glog'
job illegal_argument/grid_point.log tabular sklearn \
	"InvalidParameterError" \
	'python3 churn.py penalty'
job type_mismatch/prompt_concat.log text - \
	"can only concatenate str" \
	'python3 finetune.py --case prompts'
job type_mismatch/limit_from_environment.log text - \
	"not supported between instances" \
	'MAX_TOKENS=512 python3 finetune.py --case lengths 2>&1 |
	python3 ~/tools/tag.py rank 0'
job type_mismatch/collate_object.log speech torch \
	"default_collate: batch must contain" \
	'python3 asr.py collate'
job key_not_found/beam_size.log text - \
	"KeyError: 'beam_size'" \
	'python3 finetune.py --case beam'
job key_not_found/label_column.log text pandas \
	"KeyError: 'label_id'" \
	'python3 corpora.py columns'
job null_reference/tile_name.log vision PIL \
	"'NoneType' object has no attribute" \
	'python3 tiles.py missing'
job null_reference/no_answer.log text - \
	"'NoneType' object is not subscriptable" \
	'python3 finetune.py --case answers'
job attribute_not_found/numpy_bool.log vision PIL \
	"has no attribute 'bool'" \
	'python3 tiles.py alias'
job attribute_not_found/decoder_head.log vision torch \
	"has no attribute 'decoder_head'" \
	'python3 segnet.py head'
job attribute_not_found/export_append.log tabular - \
	"has no attribute 'append'" \
	'python3 churn.py export'
job syntax_error/merge_markers.log text - \
	"SyntaxError: invalid syntax" \
	'echo "torchrun-less start on $(hostname)"; python3 merge.py'
job syntax_error/plugin_tabs.log text - \
	"TabError" \
	'python3 main_tab.py'
job syntax_error/python2_print.log text - \
	"SyntaxError: Missing parentheses" \
	'bash ~/tools/run.sh python3 old_print.py 4'
job syntax_error/unclosed_test.log text - \
	"syntax error near unexpected token" \
	'sed "s/; then//" stages.sh >stage.sh; echo "node $(hostname)"
	bash stage.sh'
job illegal_index/token_id.log text - \
	"list index out of range" \
	'python3 finetune.py --case vocabulary'
job illegal_index/embedding_rows.log text torch \
	"index out of range in self" \
	'python3 finetune.py --case embed'
job illegal_index/class_six.log vision PIL \
	"out of bounds for axis 0" \
	'python3 tiles.py classes'
job illegal_index/float_row.log vision PIL \
	"only integers, slices" \
	'python3 tiles.py crop'
job illegal_index/offsets_at.log native cc \
	"vector::_M_range_check" \
	'g++ -std=c++17 -O1 -o dataserver loader.cc &&
	bash ~/tools/run.sh ./dataserver offsets'
job undefined_variable/early_stopper.log text - \
	"NameError" \
	'python3 finetune.py --case callback'
job undefined_variable/decay_unbound.log text - \
	"UnboundLocalError" \
	'python3 finetune.py --case scheduler_name'
job undefined_variable/results_dir.log text - \
	"RESULTS_DIR: unbound variable" \
	'bash sweep.sh'
job not_implemented/bucketed_sampler.log text - \
	"must implement __iter__" \
	'python3 finetune.py --case strategy'
job not_implemented/focal_forward.log vision torch \
	"required \"forward\" function" \
	'python3 segnet.py focal'
job not_implemented/sparse_svd.log speech torch \
	"NotImplementedError: Could not run" \
	'python3 asr.py sparse'
job division_by_zero/no_answers.log text - \
	"ZeroDivisionError" \
	'python3 finetune.py --case metric'
job division_by_zero/no_positives.log tabular - \
	"ZeroDivisionError" \
	'python3 churn.py ratio'
job division_by_zero/density_signal.log native cc \
	"Floating point exception" \
	'gcc -O0 -o sim sim.c && bash ~/tools/run.sh ./sim density'
job assertion_failure/ctc_outputs.log speech - \
	"AssertionError: CTC" \
	'python3 stream.py blank'
job assertion_failure/empty_domain.log native cc \
	"Assertion \`cells > 0" \
	'gcc -O0 -o sim sim.c && bash ~/tools/run.sh ./sim check'
job uncaught_exception/prefetch_thread.log speech - \
	"prefetch thread died" \
	'python3 stream.py shards'
job uncaught_exception/server_protocol.log native cc \
	"peer speaks protocol 3" \
	'g++ -std=c++17 -O1 -o dataserver loader.cc &&
	bash ~/tools/run.sh ./dataserver protocol'

# --- data ---
job corrupt_data/truncated_tile.log vision PIL \
	"image file is truncated" \
	'python3 tiles.py truncated'
job corrupt_data/zero_tile.log vision PIL \
	"cannot identify image file" \
	'python3 tiles.py unidentified'
job corrupt_data/cut_jsonl.log text - \
	"JSONDecodeError" \
	'python3 corpora.py truncated'
job corrupt_data/half_npz.log tabular - \
	"BadZipFile" \
	'python3 churn.py archive'
job corrupt_data/volume_h5.log tabular h5py \
	"truncated file: eof" \
	'python3 churn.py volume'
job corrupt_data/ragged_csv.log tabular pandas \
	"Error tokenizing data" \
	'python3 churn.py parse'
job corrupt_data/cached_features.log text - \
	"pickle data was truncated" \
	'python3 finetune.py --case cache'
job unexpected_encoding/latin_news.log text - \
	"codec can't decode byte 0xe9" \
	'python3 corpora.py latin'
job unexpected_encoding/ascii_terminal.log text - \
	"codec can't encode character" \
	'PYTHONIOENCODING=ascii python3 corpora.py ascii_out'
job unexpected_encoding/utf16_pairs.log text pandas \
	"codec can't decode byte 0xff" \
	'python3 corpora.py table'

# --- native run time and platform ---
job native_crash/list_walk.log native cc \
	"Segmentation fault" \
	'gcc -O0 -o sim sim.c && bash ~/tools/run.sh ./sim walk'
job native_crash/freed_twice.log native cc \
	"double free detected" \
	'g++ -std=c++17 -O1 -w -o dataserver loader.cc &&
	bash ~/tools/run.sh ./dataserver release'
job native_crash/fused_kernel.log native - \
	"Fatal Python error: Segmentation fault" \
	'bash ~/tools/run.sh python3 kernels.py poke'
job accelerator_error/illegal_address.log lm - \
	"illegal memory access" \
	'python3 pretrain.py illegal_address'
job accelerator_error/class_index.log lm - \
	"device-side assert" \
	'python3 pretrain.py device_assert'
job gpu_hardware_fault/ecc.log lm - \
	"uncorrectable ECC" \
	'python3 pretrain.py ecc'
job gpu_hardware_fault/off_the_bus/ cluster - \
	"fallen off the bus" \
	'python3 batch.py off_the_bus'
job gpu_hardware_fault/double_bit.log cluster - \
	"double bit error" \
	'python3 batch.py page_retired'
job network_communication/tracker_refused.log cluster - \
	"[Errno 111] Connection refused" \
	'python3 disk.py tracker'
job network_communication/name_resolution.log cluster ns \
	"failure in name resolution" \
	'python3 disk.py resolve'
job network_communication/port_in_use.log cluster torch \
	"Address already in use" \
	'python3 disk.py store'
job network_communication/ib_completion.log lm - \
	"Got completion from peer" \
	'python3 pretrain.py nccl'
job storage_fault/scratch_full.log cluster ns \
	"14400 requested and" \
	'python3 disk.py scratch'
job storage_fault/checkpoint_full.log cluster ns,torch \
	"PytorchStreamWriter failed writing" \
	'python3 disk.py weights'
job storage_fault/metrics_full.log cluster - \
	"[Errno 28] No space left" \
	'python3 disk.py full'
job storage_fault/read_only_archive.log cluster ns \
	"Read-only file system" \
	'python3 disk.py archive'
job storage_fault/stale_handle.log cluster - \
	"Stale file handle" \
	'python3 batch.py stale'
job node_failure/slurm_node.log cluster - \
	"DUE TO NODE FAILURE" \
	'python3 batch.py node_fail'
job node_failure/node_lost.log cluster - \
	"NodeLost" \
	'python3 batch.py evicted iso'
job preempted/slurm.log cluster - \
	"DUE TO PREEMPTION" \
	'python3 batch.py preempt'
job preempted/spot_notice.log cluster - \
	"spot interruption notice" \
	'python3 batch.py spot std'
job time_limit_exceeded/slurm.log cluster - \
	"DUE TO TIME LIMIT" \
	'python3 batch.py time_limit'
job time_limit_exceeded/timeout_command.log cluster - \
	"timeout: sending signal TERM" \
	'timeout --verbose 3 python3 disk.py sleepy'
job killed_by_user/keyboard.log cluster - \
	"KeyboardInterrupt" \
	'bash interrupt.sh INT python3 disk.py sleepy'
job killed_by_user/scancel.log cluster - \
	"CANCELLED AT" \
	'python3 batch.py cancel'
job authentication_failure/bucket_403.log cluster requests \
	"403 Client Error" \
	'python3 disk.py bucket'
job authentication_failure/gated_model.log cluster - \
	"401 Client Error" \
	'python3 batch.py gated iso'
job hang/input_pipeline.log cluster - \
	"Timeout (0:00:03)!" \
	'python3 disk.py stall'

# --- several ranks ---
job key_not_found/speaker_rank2.log ranks torch \
	"KeyError: 's217'" \
	'python3 torchrun.py --nproc_per_node=4 \
	--master_port=29501 ddp.py speaker'
job illegal_index/shards_rank1.log ranks torch \
	"list index out of range" \
	'python3 torchrun.py --nproc_per_node=3 --tee 3 \
	--master_port=29502 ddp.py shards'
job loss_nan/rank1.log ranks torch \
	"non-finite loss nan on rank 1" \
	'python3 torchrun.py --nproc_per_node=2 \
	--master_port=29503 ddp.py diverged'
job cpu_out_of_memory/outlier_batch/ ranks torch \
	"Unable to allocate 36.0 GiB" \
	'bash each.sh 4 big_batch'
job cpu_out_of_memory/sigkill_rank3.log ranks torch \
	"Signal 9 (SIGKILL)" \
	'python3 torchrun.py --nproc_per_node=4 --master_port=29504 ddp.py killed
	status=$?
	echo "slurmstepd: error: Detected 1 oom_kill event in\
 StepId=5120802.0. Some of the step tasks have been OOM Killed."
	exit $status'
job corrupt_data/index_rank0.log ranks torch \
	"pickle data was truncated" \
	'bash steps.sh 3 index'
job tensor_mismatch/spawned_width.log ranks torch \
	"shapes cannot be multiplied (4x48" \
	'python3 spawn.py'
job permission_denied/checkpoint_rank0/ ranks torch \
	"PermissionError: [Errno 13]" \
	'$AS python3 torchrun.py --nproc_per_node=2 \
	--master_port=29505 ddp.py save >$LOGS/stdout.log 2>$LOGS/stderr.log'
job hang/object_store_rank1/ ranks torch \
	"failed to pass monitoredBarrier" \
	'bash each.sh 3 lost'
job path_not_found/parts_mpi.log ranks mpi,mpi4py \
	"FileNotFoundError: [Errno 2]" \
	'mpirun --oversubscribe -n 4 python3 -m mpi4py sweep_mpi.py part'
job division_by_zero/mean_mpi.log ranks mpi,mpi4py \
	"ZeroDivisionError" \
	'mpirun --oversubscribe --tag-output -n 4 \
	python3 -m mpi4py sweep_mpi.py mean'
job native_crash/halo_mpi.log ranks mpi,mpi4py,cc \
	"exited on signal 11" \
	'gcc -O0 -shared -fPIC -o libhalo.so halo.c &&
	mpirun --oversubscribe -n 4 python3 halo.py'

# --- jobs that ended well ---
job none/warnings.log healthy - \
	"final accuracy" \
	'python3 fine.py noisy'
job none/retried.log healthy - \
	"done, best accuracy" \
	'python3 fine.py retried bracket'
job none/metric_names.log healthy - \
	"Finished with 0 errors." \
	'python3 fine.py metrics color'
job none/loss_scaler.log healthy - \
	"training complete" \
	'python3 fine.py overflow plain'
job none/prints_source.log healthy - \
	"exit code 0" \
	'python3 fine.py source plain'
job none/skipped_batches.log healthy - \
	"completed successfully" \
	'python3 fine.py skipped json'
job none/selftest.log healthy - \
	"saved final model" \
	'python3 fine.py selftest root'
job none/nightly.log healthy - \
	"all stages passed" \
	'bash nightly.sh'
job none/two_ranks.log ranks torch \
	"training finished" \
	'bash steps.sh 2 fine rank'
