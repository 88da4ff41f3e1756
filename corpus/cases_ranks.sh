# Jobs of several ranks; make.sh reads this file. See cases.sh.
# shellcheck shell=sh disable=SC2016

# --- torchrun ---
job path_not_found/shard_rank3/ ranks torch \
	"/mnt/data/laion-mini/00121.tar" \
	'RECORD=1 python3 torchrun.py --nproc_per_node=4 --redirects 3 \
	--master_port=29601 --log_dir el finetune_ddp.py shard \
	>$LOGS/launcher.log 2>&1
	status=$?
	mv el/none_* $LOGS/none_u5k20c1x
	sed -i "s/none_[a-z0-9_]*/none_u5k20c1x/" $LOGS/launcher.log
	exit $status'
job corrupt_data/archive_rank1.log ranks torch \
	"tarfile.ReadError: unexpected end of data" \
	'STYLE=glog python3 torchrun.py --nproc_per_node=3 --tee 3 \
	--master_port=29602 finetune_ddp.py cut'
job permission_denied/kernel_cache/ ranks ns,torch \
	"PermissionError: [Errno 13]" \
	'for r in 0 1 2; do mkdir -p -m 777 /mnt/data/cache/rank$r; done
	chmod 755 /mnt/data/cache/rank1
	chmod 777 . && mkdir -m 777 el && $AS env RECORD=1 STYLE=std \
	python3 torchrun.py --nproc_per_node=3 --redirects 3 --max_restarts=1 \
	--monitor_interval=1 --master_port=29603 --log_dir el \
	finetune_ddp.py cache >$LOGS/launcher.log 2>&1
	status=$?
	mv el/none_* $LOGS/none_9q2vw07d
	sed -i "s/none_[a-z0-9_]*/none_9q2vw07d/" $LOGS/launcher.log
	exit $status'
job key_not_found/resumed_twice.log ranks torch \
	"KeyError: 'optimizer'" \
	'python3 torchrun.py --nproc_per_node=2 --max_restarts=1 \
	--monitor_interval=1 --master_port=29604 finetune_ddp.py resume'
job division_by_zero/empty_shards_rank2.log ranks torch \
	"ZeroDivisionError" \
	'STYLE=bracket python3 torchrun.py --nproc_per_node=3 --tee 3 \
	--master_port=29605 finetune_ddp.py empty'
job native_crash/fuse_rank1.log ranks torch,cc \
	"Signal 11 (SIGSEGV)" \
	'gcc -O0 -shared -fPIC -o libfuse.so fuse.c &&
	python3 torchrun.py --nproc_per_node=3 --master_port=29606 \
	finetune_ddp.py kernel'
job framework_api_misuse/unused_head.log ranks torch \
	"Expected to have finished reduction" \
	'RECORD=1 python3 torchrun.py --nproc_per_node=2 \
	--master_port=29607 finetune_ddp.py unused'
job corrupt_data/worker_rank1.log ranks torch \
	"UnpicklingError" \
	'RECORD=1 STYLE=iso python3 torchrun.py --nproc_per_node=3 \
	--master_port=29608 finetune_ddp.py worker'
job killed_by_user/torchrun_interrupt.log ranks torch \
	"got signal: 2" \
	'timeout --foreground -s INT -k 20 9 python3 torchrun.py --nproc_per_node=2 \
	--master_port=29609 finetune_ddp.py endless'

# --- ranks started by hand or by a batch script ---
job tensor_mismatch/teacher_rank2.log ranks torch \
	"must match the size of tensor b" \
	'bash start.sh mixed 3 finetune_ddp.py ragged'
job tensor_mismatch/gathered_rows/ ranks torch \
	"op.preamble.length <= op.nbytes" \
	'STYLE=std bash start.sh folder 3 finetune_ddp.py gather'
job loss_nan/guard_rank1.log ranks torch \
	"loss became nan" \
	'bash start.sh rank 3 finetune_ddp.py guard'
job assertion_failure/packing/ ranks torch \
	"AssertionError: packed" \
	'bash start.sh streams 3 finetune_ddp.py sampler'
job storage_fault/optimizer_parts.log ranks ns,torch \
	"[Errno 28] No space left" \
	'STYLE=bracket bash start.sh mixed 3 finetune_ddp.py scratch'
job unexpected_encoding/manifest_rank0.log ranks torch \
	"codec can't decode byte 0xfc" \
	'bash start.sh srun 3 finetune_ddp.py manifest
	status=$?
	echo "srun: error: gn0142: tasks 0-2: Exited with exit code 1"
	exit $status'
job hang/index_lock/ ranks torch \
	"Timed out waiting" \
	'WAIT=3 GRACE=3 bash start.sh folder 3 finetune_ddp.py lock'
job library_not_found/tokenizer_rank3/ ranks torch \
	"No module named 'byteglyph'" \
	'WAIT=7 GRACE=20 bash start.sh folder 4 finetune_ddp.py plugin'
job null_reference/board_rank1.log ranks torch \
	"no attribute 'add_scalar'" \
	'STYLE=root bash start.sh mixed 2 finetune_ddp.py writer'
job undefined_variable/plan_rank1.log ranks torch \
	"UnboundLocalError" \
	'bash start.sh srun 3 finetune_ddp.py warm'
job type_mismatch/metrics_rank0.log ranks torch \
	"is not JSON serializable" \
	'bash start.sh rank 2 finetune_ddp.py report'

# --- torch.multiprocessing ---
job cpu_out_of_memory/distances_worker2.log ranks torch \
	"can't allocate memory" \
	'python3 eval_spawn.py features'
job illegal_index/class_names_worker1.log ranks torch \
	"list index out of range" \
	'python3 eval_spawn.py classes'
job type_mismatch/tally_worker1.log ranks torch \
	"TypeError: " \
	'python3 eval_spawn.py tally'

# --- MPI ---
job key_not_found/dropout_mpi.log ranks mpi,mpi4py \
	"KeyError: 'dropout'" \
	'mpirun --oversubscribe --tag-output -n 3 \
	python3 -m mpi4py search_mpi.py config'
job cpu_out_of_memory/search_mpi/ ranks mpi,mpi4py \
	"exited on signal 9" \
	'mpirun --oversubscribe -n 3 python3 -m mpi4py search_mpi.py killed \
	>$LOGS/stdout.log 2>$LOGS/stderr.log
	status=$?
	k="[512307.41"
	pid=$(cat killed.pid)
	mem="oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null)"
	printf "%s\n" "${k}0112] python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0" \
	"${k}0260] $mem,cpuset=step_0,mems_allowed=0-1,oom_memcg=/slurm/uid_1000/job_5120851,task_memcg=/slurm/uid_1000/job_5120851/step_0/user/task_2,task=python3,pid=$pid,uid=1000" \
	"${k}0284] Memory cgroup out of memory: Killed process $pid (python3) total-vm:21102344kB, anon-rss:16700212kB, file-rss:30412kB, shmem-rss:0kB, UID:1000 pgtables:33180kB oom_score_adj:0" \
	>$LOGS/dmesg.log
	exit $status'
job tensor_mismatch/border_mpi.log ranks mpi,mpi4py \
	"MPI_ERR_TRUNCATE" \
	'mpirun --oversubscribe -n 2 python3 -m mpi4py search_mpi.py border'
job division_by_zero/cells_mpi.log ranks mpi,mpi4py,cc \
	"Floating point exception" \
	'gcc -O0 -shared -fPIC -o libstencil.so stencil.c &&
	mpirun --oversubscribe -n 3 python3 stencil.py cells'
job assertion_failure/share_mpi.log ranks mpi,cc \
	"Assertion \`share > 0' failed" \
	'gcc -O0 -o stencil stencil.c &&
	mpirun --oversubscribe --tag-output -n 3 ./stencil halo'
job path_not_found/restart_mpi.log ranks mpi,cc \
	"cannot open /mnt/data/restart/part.2" \
	'gcc -O0 -o stencil stencil.c &&
	mpirun --oversubscribe -n 4 ./stencil start'
job illegal_index/boxes_mpi.log ranks mpi,cc \
	"map::at" \
	'g++ -O0 -o particles particles.cc &&
	mpirun --oversubscribe -n 3 ./particles'

# --- ranks on GPUs, composed ---
job gpu_out_of_memory/video_rank2.log ranks - \
	"CUDA out of memory" \
	'python3 bigrun.py long_sample'
job gpu_hardware_fault/ecc_rank1/ ranks - \
	"uncorrectable ECC" \
	'python3 bigrun.py bad_memory'
job accelerator_error/rotary_rank3.log ranks - \
	"device-side assert" \
	'python3 bigrun.py bounds'
job time_limit_exceeded/four_ranks/ ranks - \
	"DUE TO TIME LIMIT" \
	'python3 bigrun.py wall'

# --- several ranks that ended well ---
job none/elastic_restart.log ranks torch \
	"training finished after 80 steps" \
	'python3 torchrun.py --nproc_per_node=2 --max_restarts=2 \
	--monitor_interval=1 --master_port=29610 finetune_ddp.py healed'
job none/three_ranks/ ranks torch \
	"training finished" \
	'STYLE=std bash start.sh folder 3 finetune_ddp.py uneven'
