# Jobs that the platform ends, and the categories beyond those of the study;
# make.sh reads this file. The Slurm jobs run under slurmctld and slurmd of
# their own, in their namespaces: see programs/slurm/cluster.sh.
# shellcheck shell=sh disable=SC2016,SC2154

# What make.sh looks for by name may be a function as well as a program.
if [ "$namespaces" = yes ] && [ -r /dev/kmsg ] && {
	[ -w /sys/fs/cgroup/memory/cgroup.procs ] ||
		grep -qsw memory /sys/fs/cgroup/cgroup.controllers
}; then
	memory_group() { :; }
fi
if [ -f /usr/local/cuda/include/cuda_runtime_api.h ] &&
	[ ! -e /dev/nvidiactl ]; then
	cuda_without_driver() { :; }
fi
[ ! -d /sys/fs/cgroup/memory ] || cgroup_v1() { :; }
slurm=ns,slurmctld,slurmd,munged,srun,ip

# --- Slurm: ended by a person, the clock, another job, a node ---
job killed_by_user/slurm_two_nodes.log slurm $slurm \
	" CANCELLED AT " \
	'bash day.sh scancel_job'
job killed_by_user/slurm_step_only.log slurm $slurm \
	"tasks 0-1: Killed" \
	'bash day.sh scancel_step'
job killed_by_user/slurm_signal_int.log slurm $slurm \
	"tasks 0-2: Interrupt" \
	'bash day.sh interrupt'
job time_limit_exceeded/slurm_saves_first.log slurm $slurm \
	"DUE TO TIME LIMIT" \
	'bash day.sh walltime'
job time_limit_exceeded/slurm_goes_on.log slurm $slurm \
	"DUE TO TIME LIMIT" \
	'bash day.sh deaf'
job preempted/slurm_requeued.log slurm $slurm \
	"DUE TO JOB REQUEUE" \
	'bash day.sh requeue'
job preempted/slurm_partition.log slurm $slurm \
	"DUE TO PREEMPTION" \
	'bash day.sh preempt_requeue'
job preempted/slurm_grace.log slurm $slurm \
	"DUE TO PREEMPTION" \
	'bash day.sh preempt_cancel'
job node_failure/slurm_set_down.log slurm $slurm \
	"DUE TO NODE FAILURE" \
	'bash day.sh node_down'
job node_failure/slurm_no_answer/ slurm $slurm \
	"Node failure on gn0143" \
	'bash day.sh node_dead'

# --- Slurm: memory, and tasks that fail by themselves ---
job cpu_out_of_memory/slurm_polled.log slurm $slurm \
	"exceeded memory limit" \
	'bash day.sh memory_poll'
job cpu_out_of_memory/slurm_cgroup.log slurm $slurm,memory_group,cgroup_v1 \
	"Out Of Memory" \
	'bash day.sh memory_cgroup'
job assertion_failure/slurm_task2.log slurm $slurm \
	"AssertionError: token id 32007" \
	'bash day.sh bad_task'
job uncaught_exception/slurm_array_2.log slurm $slurm \
	"NoSuchFold: fold 2" \
	'bash day.sh array'
job path_not_found/slurm_execve.log slurm $slurm \
	"execve(): /opt/sft/bin/launch: No such file" \
	'bash day.sh execve'
job permission_denied/slurm_execve.log slurm $slurm \
	"train.py: Permission denied" \
	'bash day.sh no_right'
job illegal_argument/slurm_step_size.log slurm $slurm \
	"More processors requested than permitted" \
	'bash day.sh too_many'
job native_crash/slurm_task1.log slurm $slurm \
	"task 1: Segmentation fault" \
	'bash day.sh segfault'
job authentication_failure/slurm_munge.log slurm $slurm \
	"Munge encode failed" \
	'bash day.sh munge_gone'
job hang/slurm_first_exit.log slurm $slurm \
	"First task exited" \
	'bash day.sh first_exit'

# --- the kernel's memory control groups ---
job cpu_out_of_memory/kernel_trainer/ fleet memory_group,dmesg \
	"Memory cgroup out of memory: Killed process" \
	'bash oom.sh 300000000 python3 grow.py trainer'
job cpu_out_of_memory/kernel_loader/ fleet memory_group,dmesg \
	"exit code -9" \
	'bash oom.sh 400000000 python3 grow.py loader'

# --- versions that do not fit ---
job version_mismatch/symbol_version.log pipeline cc \
	"version \`TOK_2.1' not found" \
	'gcc -shared -fPIC -DLIBRARY -Wl,-soname,libtok.so -o libtok.so \
	-Wl,--version-script=<(echo "TOK_2.1 { tok_encode; };") tokens.c &&
	gcc -DCLIENT -o packer tokens.c ./libtok.so &&
	gcc -shared -fPIC -DLIBRARY -Wl,-soname,libtok.so -o libtok.so \
	-Wl,--version-script=<(echo "TOK_2.0 { tok_encode; };") tokens.c &&
	LD_LIBRARY_PATH=. bash ~/tools/run.sh ./packer'
job version_mismatch/requirement.log pipeline - \
	"VersionConflict" \
	'python3 checks.py requirements'
job version_mismatch/class_file.log pipeline java,javac \
	"UnsupportedClassVersionError" \
	'javac -nowarn Feeder.java 2>javac.txt || cat javac.txt
	printf "\101" | dd of=Feeder.class bs=1 seek=7 conv=notrunc status=none
	bash ~/tools/run.sh java Feeder pool'
job version_mismatch/pickle_protocol.log pipeline - \
	"unsupported pickle protocol: 7" \
	'python3 checks.py future_pickle'
job version_mismatch/cuda_driver.log pipeline cc,cuda_without_driver \
	"CUDA driver version is insufficient" \
	'gcc -I/usr/local/cuda/include -o device device.c \
	-L/usr/local/cuda/lib64 -lcudart &&
	LD_LIBRARY_PATH=/usr/local/cuda/lib64 bash ~/tools/run.sh ./device'

# --- checks and exceptions of the project's own ---
job assertion_failure/reference_logits.log pipeline - \
	"Not equal to tolerance" \
	'python3 checks.py reference'
job assertion_failure/resume_test.log pipeline - \
	"FAILED (failures=1)" \
	'python3 checks.py regression'
job assertion_failure/pair_count.log pipeline cc \
	"Check failed: pairs == words" \
	'g++ -o count count.cc && bash ~/tools/run.sh ./count'
job assertion_failure/offsets_java.log pipeline java,javac \
	"java.lang.AssertionError" \
	'javac -nowarn Feeder.java 2>javac.txt || cat javac.txt
	java -ea Feeder offsets'
job uncaught_exception/staging_group.log pipeline - \
	"unhandled errors in a TaskGroup" \
	'python3 checks.py staging'
job uncaught_exception/feeder_pool.log pipeline java,javac \
	"LedgerException: part 3 was booked twice" \
	'javac -nowarn Feeder.java 2>javac.txt || cat javac.txt
	java Feeder pool'
job uncaught_exception/feed_promise.log pipeline node \
	"ManifestError: shard 4" \
	'node feed.mjs'

# --- native crashes ---
job native_crash/title_buffer.log pipeline cc \
	"stack smashing detected" \
	'gcc -O1 -w -fstack-protector-all -U_FORTIFY_SOURCE -o packer tokens.c &&
	bash ~/tools/run.sh ./packer title'
job native_crash/mapped_index.log pipeline cc \
	"Bus error" \
	'gcc -O1 -w -o packer tokens.c && bash ~/tools/run.sh ./packer index'
job native_crash/hash_kernel.log pipeline cc \
	"Illegal instruction" \
	'gcc -O1 -w -o packer tokens.c && bash ~/tools/run.sh ./packer hash'
job native_crash/feeder_jvm.log pipeline java,javac \
	"SIGSEGV (0xb)" \
	'javac -nowarn Feeder.java 2>javac.txt || cat javac.txt
	java -Xmx64m Feeder poke'

# --- accelerators and their hardware ---
job accelerator_error/cublas.log fleet - \
	"CUBLAS_STATUS_EXECUTION_FAILED" \
	'python3 nodes.py cublas'
job accelerator_error/rocm_page.log fleet - \
	"Memory access fault by GPU node-6" \
	'python3 nodes.py rocm'
job accelerator_error/xla_stream.log fleet - \
	"CUDA_ERROR_LAUNCH_FAILED" \
	'python3 nodes.py xla'
job accelerator_error/tf_event.log fleet - \
	"Unexpected Event status: 1" \
	'python3 nodes.py tf_event'
job gpu_hardware_fault/nvlink/ fleet - \
	"NVLink: fatal error detected" \
	'python3 nodes.py nvlink'
job gpu_hardware_fault/gsp/ fleet - \
	"waiting for RPC response from GPU2 GSP" \
	'python3 nodes.py gsp'
job gpu_hardware_fault/lost_device.log fleet - \
	"Unable to determine the device handle" \
	'python3 nodes.py lost_device'

# --- network, storage, credentials ---
job network_communication/upload_reset.log fleet requests \
	"Connection reset by peer" \
	'python3 waits.py reset'
job network_communication/catalogue_timeout.log fleet requests \
	"Max retries exceeded" \
	'python3 waits.py silent'
job network_communication/mpirun_ssh.log fleet ns,mpi,ssh \
	"ORTE was unable to reliably start" \
	'mpirun -H gn0142:2,gn0143:2 -n 4 python3 waits.py reset'
job storage_fault/home_quota.log fleet - \
	"[Errno 122]" \
	'python3 nodes.py quota'
job storage_fault/no_inodes.log fleet ns \
	"No space left on device: '/mnt/data/sample_00199.npy'" \
	'mount -t tmpfs -o nr_inodes=200 tmpfs /mnt/data &&
	python3 nodes.py inodes'
job authentication_failure/git_clone.log fleet git,curl \
	"fatal: Authentication failed for" \
	'bash clone.sh git'
job authentication_failure/weights_401.log fleet curl \
	"returned error: 401" \
	'bash clone.sh curl'
job authentication_failure/expired_token.log fleet - \
	"ExpiredToken" \
	'python3 nodes.py token'
job authentication_failure/tracker_key.log fleet - \
	"api_key not configured" \
	'python3 nodes.py tracker'

# --- nodes, time, people ---
job node_failure/ray_heartbeats.log fleet - \
	"has been marked dead" \
	'python3 nodes.py ray_node'
job node_failure/kubelet_shutdown.log fleet - \
	"imminent node shutdown" \
	'python3 nodes.py shutdown'
job preempted/kube_scheduler.log fleet - \
	"Preempted by pod" \
	'python3 nodes.py higher'
job time_limit_exceeded/pbs.log fleet - \
	"job killed: walltime" \
	'python3 nodes.py pbs'
job time_limit_exceeded/lsf.log fleet - \
	"TERM_RUNLIMIT" \
	'python3 nodes.py lsf'
job time_limit_exceeded/kube_deadline.log fleet - \
	"Job was active longer" \
	'python3 nodes.py deadline'
job killed_by_user/torchrun_ctrl_c.log ranks torch \
	"KeyboardInterrupt" \
	'set -m; python3 torchrun.py --nproc_per_node=2 --master_port=29562 \
	idle.py & sleep 6; kill -INT -$!; wait $!'

# --- nobody moves ---
job hang/missing_reduction.log fleet torch \
	"Timed out waiting 4000ms" \
	'export MASTER_ADDR=127.0.0.1 MASTER_PORT=29561 WORLD_SIZE=2
	RANK=1 python3 waits.py absent & RANK=0 python3 waits.py absent
	code=$?; wait; exit $code'
job hang/lock_order.log fleet - \
	"no heartbeat" \
	'bash heartbeat.sh 3 python3 waits.py locks'
job hang/nccl_watchdog.log fleet - \
	"Watchdog caught collective operation timeout" \
	'python3 nodes.py watchdog'
job hang/horovod_stall.log fleet - \
	"will cause deadlock" \
	'python3 nodes.py stall'
