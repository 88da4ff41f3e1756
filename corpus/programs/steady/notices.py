"""Start-up and run-time notices of frameworks that do not run here, around a
real training: notices.py CASE. The texts are composed from the format strings
of TensorFlow, XLA and JAX, NCCL, pytest, the kernel and Slurm."""
import os
import sys

from lab import Run, emit

LOGS = os.environ.get("LOGS", ".")


def tensorflow(run):
    """cuda_dnn.cc, cuda_fft.cc, py_utils.cc, gpu_device.cc, executor.cc."""
    head = "2025-03-11 08:00:0%d.%06d: "
    for at, text in (
        (1, "E external/local_xla/xla/stream_executor/cuda/cuda_dnn.cc:9261] "
         "Unable to register cuDNN factory: Attempting to register factory "
         "for plugin cuDNN when one has already been registered"),
        (1, "E external/local_xla/xla/stream_executor/cuda/cuda_fft.cc:607] "
         "Unable to register cuFFT factory: Attempting to register factory "
         "for plugin cuFFT when one has already been registered"),
        (1, "E external/local_xla/xla/stream_executor/cuda/cuda_blas.cc:1515] "
         "Unable to register cuBLAS factory: Attempting to register factory "
         "for plugin cuBLAS when one has already been registered"),
        (2, "I tensorflow/core/platform/cpu_feature_guard.cc:182] This "
         "TensorFlow binary is optimized to use available CPU instructions "
         "in performance-critical operations."),
        (3, "W tensorflow/compiler/tf2tensorrt/utils/py_utils.cc:38] TF-TRT "
         "Warning: Could not find TensorRT"),
        (4, "I external/local_xla/xla/stream_executor/cuda/cuda_executor.cc:"
         "887] could not open file to read NUMA node: /sys/bus/pci/devices/"
         "0000:3b:00.0/numa_node\nYour kernel may have been built without "
         "NUMA support."),
        (5, "W tensorflow/core/common_runtime/gpu/gpu_bfc_allocator.cc:47] "
         "Overriding orig_value setting because the TF_FORCE_GPU_ALLOW_GROWTH"
         " environment variable is set. Original config value was 0.")):
        emit(head % (at, 218309 + at * 71) + text, sys.stderr)
    run.train(40, form="step")
    for at, text in (
        (7, "I tensorflow/core/common_runtime/executor.cc:1197] [/device:CPU:0]"
         " (DEBUG INFO) Executor start aborting (this does not indicate an "
         "error and you can ignore this message): INVALID_ARGUMENT: You must "
         "feed a value for placeholder tensor 'Placeholder/_1' with dtype "
         "float and shape [512,12]\n\t [[{{node Placeholder/_1}}]]"),
        (8, "W tensorflow/core/kernels/data/generator_dataset_op.cc:108] Error"
         " occurred when finalizing GeneratorDataset iterator: "
         "FAILED_PRECONDITION: Python interpreter state is not initialized. "
         "The process may be terminated.\n\t [[{{node PyFunc}}]]"),
        (9, "W tensorflow/core/framework/local_rendezvous.cc:404] Local "
         "rendezvous is aborting with status: OUT_OF_RANGE: End of sequence")):
        emit(head % (at, 402118) + text, sys.stderr)
        run.train(10, form="step")
    run.info("Saved model to out/saved_model")


def xla(run):
    """xla_bridge.py, slow_operation_alarm.cc, bfc_allocator.cc."""
    emit("INFO:jax._src.xla_bridge:Unable to initialize backend 'rocm': "
         "NOT_FOUND: Could not find registered platform with name: \"rocm\". "
         "Available platform names are: CUDA")
    emit("INFO:jax._src.xla_bridge:Unable to initialize backend 'tpu': "
         "INTERNAL: Failed to open libtpu.so: libtpu.so: cannot open shared "
         "object file: No such file or directory")
    run.train(20, form="kv")
    emit("2025-03-11 08:00:41.118204: E external/xla/xla/service/"
         "slow_operation_alarm.cc:65] Constant folding an instruction is "
         "taking > 1s:\n\n  %reduce.4 = f32[4096,8192]{1,0} reduce("
         "f32[4096,128,8192]{2,1,0} %broadcast.9, f32[] %constant.2), "
         "dimensions={1}\n\nThis isn't necessarily a bug; constant-folding is "
         "inherently a trade-off between compilation time and speed at "
         "runtime.")
    emit("2025-03-11 08:00:44.502113: W external/xla/xla/tsl/framework/"
         "bfc_allocator.cc:296] Allocator (GPU_0_bfc) ran out of memory trying"
         " to allocate 21.40GiB with freed_by_count=0. The caller indicates "
         "that this is not a failure, but this may mean that there could be "
         "performance gains if more memory were available.")
    emit("2025-03-11 08:00:46.771902: W external/xla/xla/service/hlo_"
         "rematerialization.cc:2941] Can't reduce memory use below 61.2GiB "
         "by rematerialization; only reduced to 64.8GiB, down from 70.3GiB "
         "originally")
    run.train(60, form="kv")
    run.info("saved params.msgpack; done")


def nccl(run):
    """init.cc, net.cc, plugin.cc, transport/p2p.cc at the level INFO."""
    for text in (
        "Bootstrap : Using bond0:10.61.4.142<0>",
        "NET/Plugin : dlerror=libnccl-net.so: cannot open shared object file: "
        "No such file or directory No plugin found (libnccl-net.so), using "
        "internal implementation",
        "NCCL_IB_TIMEOUT set by environment to 22.",
        "NET/IB : No device found.",
        "Failed to open libibverbs.so[.1]",
        "NET/Socket : Using [0]bond0:10.61.4.142<0>",
        "Could not enable P2P between dev 1(=1a000) and dev 0(=19000)",
        "P2P is disabled between connected GPUs 1 and 0. You can repress this "
        "message with NCCL_IGNORE_DISABLED_P2P=1.",
        "Connected all rings, use ring PXN 0 GDR 0",
        "comm 0x55d2c41fa0 rank 0 nranks 8 cudaDev 0 busId 19000 - "
        "Init COMPLETE"):
        emit("gn0142:3310:3398 [0] NCCL INFO " + text)
    emit("[W311 08:00:09.118204402 ProcessGroupNCCL.cpp:4115] [PG ID 0 PG GUID"
         " 0 Rank 0]  using GPU 0 to perform barrier as devices used by this "
         "process are currently unknown. This can potentially cause a hang if "
         "this rank to GPU mapping is incorrect. Specify device_ids in "
         "barrier() to force use of a particular device, or call "
         "init_process_group() with a device_id.")
    run.train(60, form="mega", total=60)
    emit("gn0142:3310:3402 [0] NCCL INFO [Service thread] Connection closed by"
         " localRank 0")
    emit("gn0142:3310:3310 [0] NCCL INFO comm 0x55d2c41fa0 rank 0 nranks 8 "
         "cudaDev 0 busId 19000 - Abort COMPLETE")
    emit("[rank0]:[W311 08:02:19.640112207 ProcessGroupNCCL.cpp:1496] Warning:"
         " WARNING: destroy_process_group() was not called before program exit"
         ", which can leak resources. For more info, please see "
         "https://pytorch.org/docs/stable/distributed.html#shutdown (function "
         "operator())")
    run.info("job finished, 0 restarts")


def pytest(run):
    """_pytest/terminal.py with -v -rP, then the training it guards."""
    emit("=" * 29 + " test session starts " + "=" * 29)
    emit("platform linux -- Python 3.11.2, pytest-8.1.1, pluggy-1.4.0")
    emit("collected 7 items\n")
    for i, (name, what) in enumerate((
            ("test_resume.py::test_missing_checkpoint_raises", "PASSED"),
            ("test_resume.py::test_truncated_checkpoint", "PASSED"),
            ("test_oom.py::test_cuda_out_of_memory_is_caught", "PASSED"),
            ("test_oom.py::test_segfault_in_worker", "XFAIL"),
            ("test_nan.py::test_nan_loss_stops[fp16]", "PASSED"),
            ("test_nan.py::test_nan_loss_stops[bf16]", "PASSED"),
            ("test_multi.py::test_nccl_timeout", "SKIPPED (needs 2 GPUs)"))):
        emit("tests/%s %s [%3d%%]" % (name, what, (i + 1) * 100 // 7))
    emit("\n" + "=" * 36 + " PASSES " + "=" * 36)
    emit("_" * 26 + " test_truncated_checkpoint " + "_" * 26)
    emit("-" * 30 + " Captured stderr call " + "-" * 30)
    emit("Traceback (most recent call last):\n"
         '  File "/home/ada/steady/resume.py", line 31, in load\n'
         "    return pickle.load(f)\n"
         "_pickle.UnpicklingError: pickle data was truncated")
    emit("_" * 23 + " test_cuda_out_of_memory_is_caught " + "_" * 22)
    emit("-" * 30 + " Captured log call " + "-" * 33)
    emit("ERROR    trainer:trainer.py:118 CUDA out of memory. Tried to "
         "allocate 2.00 GiB. GPU 0 has a total capacity of 4.00 GiB")
    emit("WARNING  trainer:trainer.py:121 halving the batch to 16")
    emit("=" * 20 + " 5 passed, 1 skipped, 1 xfailed in 3.41s " + "=" * 19)
    run.train(40, form="kv")
    run.info("training finished")


def kernel_log(run):
    """A healthy node's kernel log beside the job's own."""
    with open(os.path.join(LOGS, "stdout.log"), "w") as out:
        job = Run("steady", "std", seed=9, out=out)
        job.train(90, form="mega", total=90)
        job.info("training completed, exiting")
        emit("exit code 0", out)
    lines = (
        (0.0, "Command line: BOOT_IMAGE=/boot/vmlinuz root=/dev/sda2 "
         "panic=30 mce=dont_log_ce"),
        (0.412, "ACPI BIOS Error (bug): Could not resolve symbol "
         "[\\_SB.PCI0.XHC.RHUB], AE_NOT_FOUND (20210730/dswload2-162)"),
        (0.413, "ACPI Error: AE_NOT_FOUND, During name lookup/catalog "
         "(20210730/psobject-220)"),
        (4.118, "EXT4-fs (sda2): re-mounted. Opts: errors=remount-ro"),
        (7.904, "nvidia: module verification failed: signature and/or required"
         " key missing - tainting kernel"),
        (7.991, "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  535.129.03"),
        (8.402, "nvidia-nvlink: Nvlink Core is being initialized, major device"
         " number 511"),
        (812.55, "perf: interrupt took too long (3127 > 3126), lowering "
         "kernel.perf_event_max_sample_rate to 63750"),
        (9114.2, "EDAC MC1: 1 CE memory read error on CPU_SrcID#0_MC#1_Chan#0"
         "_DIMM#0 (channel:0 slot:0 page:0x1f2a offset:0x440)"),
        (9114.3, "mce: [Hardware Error]: Machine check events logged"),
        (20117.0, "python3 (21774): drop_caches: 3"),
        (20412.8, "nfs: server st01 not responding, still trying"),
        (20419.1, "nfs: server st01 OK"))
    with open(os.path.join(LOGS, "dmesg.log"), "w") as out:
        for when, text in lines:
            emit("[%12.6f] %s" % (when, text), out)


def requeued(run):
    """Slurm's words on the first run, then the second one to its end."""
    run.train(40, form="mega", total=100)
    run.info("saved checkpoint at iteration 40")
    emit("slurmstepd: error: *** JOB 5120866 ON gn0142 CANCELLED AT "
         "2025-03-11T08:01:02 DUE TO PREEMPTION ***")
    emit("srun: Job step aborted: Waiting up to 32 seconds for job step to "
         "finish.")
    emit("srun: error: gn0142: task 0: Terminated")
    emit("=== restart count 1, job 5120866 on gn0151 ===")
    run.clock.tick(600, 900)
    run.info("loaded checkpoint at iteration 40")
    run.train(60, form="mega", total=100)
    run.info("reached 100 iterations, job complete")
    emit("=== job 5120866 exit status 0 ===")


if __name__ == "__main__":
    style = {"tensorflow": "plain", "xla": "glog", "nccl": "rank"}.get(
        sys.argv[1], "std")
    if sys.argv[1] == "kernel_log":
        kernel_log(None)
    else:
        globals()[sys.argv[1]](Run("steady", style, seed=len(sys.argv[1])))
