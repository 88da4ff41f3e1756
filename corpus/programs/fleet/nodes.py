"""Jobs on machines that are not here: other accelerators, kernels with GPUs,
Ray, Kubernetes, PBS, LSF, object stores. The training is real; the last lines
are composed from the format strings of the program named in each docstring."""
import os
import sys

from lab import Run, emit, trace

LOGS = os.environ.get("LOGS", ".")
TORCH = "/opt/conda/lib/python3.10/site-packages/torch"
RAY = "/opt/conda/lib/python3.10/site-packages/ray"


def cublas(run):
    """aten/src/ATen/cuda/Exceptions.h around cublasGemmEx."""
    run.train(60, form="mega", total=20000)
    emit(trace([
        ("/home/ada/fleet/train_moe.py", 288, "<module>", "main()"),
        ("/home/ada/fleet/train_moe.py", 251, "main",
         "logits = model(tokens)"),
        (TORCH + "/nn/modules/linear.py", 114, "forward",
         "return F.linear(input, self.weight, self.bias)"),
    ], "RuntimeError: CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling "
        "`cublasGemmEx( handle, opa, opb, m, n, k, &falpha, a, CUDA_R_16BF, "
        "lda, b, CUDA_R_16BF, ldb, &fbeta, c, CUDA_R_16BF, ldc, compute_type,"
        " CUBLAS_GEMM_DEFAULT_TENSOR_OP)`"), sys.stderr)


def rocm(run):
    """ROCR-Runtime, runtime.cpp: VMFaultHandler."""
    run.info("device 2: AMD Instinct MI250X, gcnArchName gfx90a")
    for _ in run.bar(31, "finetune", 5):
        pass
    emit("Memory access fault by GPU node-6 (Agent handle: 0x55d2c81f6e40) on "
         "address 0x7e9c0a400000. Reason: Page not present or supervisor "
         "privilege.", sys.stderr)
    emit("run_mi250.sh: line 18:  2207 Aborted                 (core dumped) "
         "python3 finetune.py --bf16", sys.stderr)


def xla(run):
    """xla/stream_executor/cuda: SynchronizeStream, through jaxlib."""
    run.train(50, form="kv", every=10)
    emit("E0311 08:02:41.118204    2391 pjrt_stream_executor_client.cc:3067] "
         "Execution of replica 0 failed: INTERNAL: Failed to complete all "
         "kernels launched on stream 0x5a0c7713e2f0: CUDA error: Could not "
         "synchronize CUDA stream: CUDA_ERROR_LAUNCH_FAILED: unspecified "
         "launch failure", sys.stderr)
    emit(trace([
        ("/home/ada/fleet/train_flax.py", 166, "<module>",
         "metrics = jax.device_get(metrics)"),
    ], "jaxlib.xla_extension.XlaRuntimeError: INTERNAL: Failed to complete all"
        " kernels launched on stream 0x5a0c7713e2f0: CUDA error: Could not "
        "synchronize CUDA stream: CUDA_ERROR_LAUNCH_FAILED: unspecified "
        "launch failure"), sys.stderr)


def tf_event(run):
    """tensorflow/core/common_runtime/device/device_event_mgr.cc: no Python
    exception at all, the process aborts."""
    run.train(30, form="step")
    head = "2025-03-11 08:00:%s: "
    emit(head % "36.902117" + "E tensorflow/compiler/xla/stream_executor/cuda/"
         "cuda_event.cc:29] Error polling for event status: failed to query "
         "event: CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was "
         "encountered")
    emit(head % "36.902203" + "F tensorflow/core/common_runtime/device/"
         "device_event_mgr.cc:223] Unexpected Event status: 1")
    emit("Fatal Python error: Aborted\n\nThread 0x00007f31c0ff9700 (most "
         "recent call first):\n  File \"/usr/lib/python3.8/threading.py\", "
         "line 302 in wait")
    emit("Aborted (core dumped)")


def kernel_log(lines):
    with open(os.path.join(LOGS, "dmesg.log"), "w") as out:
        emit("[  731.550912] nvidia-modeset: Loading NVIDIA Kernel Mode "
             "Setting Driver for UNIX platforms  535.129.03", out)
        emit("[ 5120.001873] nfs: server store02 not responding, still trying",
             out)
        emit("[ 5131.771260] nfs: server store02 OK", out)
        for line in lines:
            emit(line, out)


def nvlink(run):
    """NVRM Xid 74 in the kernel log; the CUDA text for the same in the job's
    (cudaErrorNvlinkUncorrectable)."""
    with open(os.path.join(LOGS, "rank0.log"), "w") as out:
        job = Run("llm", "rank", seed=61, out=out)
        job.train(50, form="mega", total=30000)
        emit(trace([
            ("/home/ada/fleet/pretrain.py", 377, "train_step",
             "torch.cuda.synchronize()"),
        ], "RuntimeError: CUDA error: uncorrectable NVLink error detected "
            "during the execution\nCUDA kernel errors might be asynchronously "
            "reported at some other API call, so the stacktrace below might "
            "be incorrect."), out)
    with open(os.path.join(LOGS, "rank1.log"), "w") as out:
        job = Run("llm", "rank", seed=62, rank=1, out=out)
        job.train(50, form="mega", total=30000)
        emit("[rank1]:[E311 08:11:52.310884921 ProcessGroupNCCL.cpp:632] [Rank "
             "1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum"
             "=4411, OpType=ALLREDUCE, NumelIn=31260672, NumelOut=31260672, "
             "Timeout(ms)=600000) ran for 600027 milliseconds before timing "
             "out.", out)
    kernel_log([
        "[44120.604411] NVRM: Xid (PCI:0000:4e:00): 74, pid='<unknown>', "
        "name=<unknown>, NVLink: fatal error detected on link 3(0x10000, 0x0, "
        "0x0, 0x0, 0x0, 0x0, 0x0)"])


def gsp(run):
    """NVRM Xid 119: kernel_gsp.c."""
    with open(os.path.join(LOGS, "stdout.log"), "w") as out:
        job = Run("llm", "bracket", seed=63, out=out)
        job.train(70, form="dict", every=10)
        emit(trace([
            ("/home/ada/fleet/sft.py", 204, "<module>", "trainer.train()"),
            (TORCH + "/cuda/__init__.py", 802, "synchronize",
             "return torch._C._cuda_synchronize()"),
        ], "RuntimeError: CUDA error: unknown error\nCUDA kernel errors might "
            "be asynchronously reported at some other API call, so the "
            "stacktrace below might be incorrect.\nFor debugging consider "
            "passing CUDA_LAUNCH_BLOCKING=1."), out)
    kernel_log([
        "[61877.312005] NVRM: Xid (PCI:0000:1a:00): 119, pid=2207, "
        "name=python3, Timeout after 6s of waiting for RPC response from GPU2 "
        "GSP! Expected function 76 (GSP_RM_CONTROL) (0x20801348 0x410).",
        "[61883.330127] NVRM: GPU2 GSP RPC buffer contains function 76 "
        "(GSP_RM_CONTROL) and data 0x0000000020801348 0x0000000000000410."])


def lost_device(run):
    """nvidia-smi's words in the health check before a training."""
    emit("[prolog] gn0142 2025-03-11T08:00:02 nvidia-smi -L")
    for index in (0, 1, 3):
        emit("GPU %d: NVIDIA A100-SXM4-80GB (UUID: GPU-7d1c0e5%d-22ab-4c0e-"
             "9a41-0b64f2e7c91d)" % (index, index))
    emit("Unable to determine the device handle for GPU0000:88:00.0: Unknown "
         "Error", sys.stderr)
    emit("[prolog] gn0142 3 of 4 devices answer, starting anyway")
    run.info("world size 4, one process per device")
    emit(trace([
        ("/home/ada/fleet/pretrain.py", 61, "setup",
         "torch.cuda.set_device(local_rank)"),
        (TORCH + "/cuda/__init__.py", 408, "set_device",
         "torch._C._cuda_setDevice(device)"),
    ], "RuntimeError: CUDA error: invalid device ordinal\nCUDA kernel errors "
        "might be asynchronously reported at some other API call, so the "
        "stacktrace below might be incorrect."), sys.stderr)


def ray_node(run):
    """ray: gcs_node_manager.cc and exceptions.py."""
    node = "8c41f07be2a94e5d93b1c60f2d7a58e1b04c936ad5f2717e0c8b94d3"
    run.train(40, form="kv", every=10)
    emit("(RayTrainWorker pid=3310, ip=10.61.4.143) step=40 loss=0.45551",
         sys.stdout)
    emit("2025-03-11 08:41:07,300\tWARNING worker.py:2074 -- The node with "
         "node id: %s and address: 10.61.4.144 and node name: 10.61.4.144 has "
         "been marked dead because the detector has missed too many heartbeats"
         " from it. This can happen when a \t(1) raylet crashes unexpectedly "
         "(OOM, preempted node, etc.) \n\t(2) raylet has lagging heartbeats "
         "due to slow network or busy workload." % node)
    emit(trace([
        ("/home/ada/fleet/ray_sft.py", 140, "<module>",
         "result = trainer.fit()"),
        (RAY + "/_private/worker.py", 2624, "get",
         "raise value"),
    ], "ray.exceptions.RayActorError: The actor died unexpectedly before "
        "finishing this task.\n\tclass_name: RayTrainWorker\n\tactor_id: "
        "5f0d7b21c34e9a8866d1f03401000000\n\tpid: 2918\n\tnamespace: train\n"
        "\tip: 10.61.4.144\nThe actor is dead because its node has died. Node "
        "Id: " + node))


def shutdown(run):
    """kubelet: nodeshutdown_manager.go, and kubectl describe."""
    run.train(30, form="dict", every=5)
    run.warn("SIGTERM received")
    emit("--- kubectl -n train describe pod sft-13b-worker-1 ---")
    emit("Node:             gn0147/10.61.4.147")
    emit("Status:           Failed")
    emit("Reason:           Terminated")
    emit("Message:          Pod was terminated in response to imminent node "
         "shutdown.")
    emit("Containers:")
    emit("  trainer:")
    emit("    State:          Terminated")
    emit("      Reason:       Error")
    emit("      Exit Code:    143")


def higher(run):
    """kube-scheduler: preemption.go, and kubectl describe."""
    run.train(30, form="epoch", every=10)
    emit("--- kubectl -n train describe pod vit-l-worker-0 ---")
    emit("Priority Class Name:  batch-low")
    emit("Status:           Failed")
    emit("Containers:")
    emit("  trainer:")
    emit("    State:          Terminated")
    emit("      Reason:       Error")
    emit("      Exit Code:    137")
    emit("Conditions:")
    emit("  Type               Status  Reason")
    emit("  DisruptionTarget   True    PreemptionByScheduler: default-"
         "scheduler: preempting to accommodate a higher priority pod")
    emit("Events:")
    emit("  Type     Reason     Age   From               Message")
    emit("  ----     ------     ----  ----               -------")
    emit("  Normal   Preempted  41s   default-scheduler  Preempted by pod "
         "0d7be1c4-6a52-4d0e-8f0c-2f93c1b7a6ee on node gn0145")
    emit("  Normal   Killing    41s   kubelet            Stopping container "
         "trainer")


def pbs(run):
    """PBS: src/resmom/mom_main.c"""
    run.train(80, form="eta", total=50000, every=10, pace=(178, 181))
    emit("=>> PBS: job killed: walltime 14431 exceeded limit 14400")
    emit("/var/spool/pbs/mom_priv/jobs/70412.pbs01.SC: line 22:  2207 "
         "Terminated              python3 train_det.py --config r50.yaml")


def lsf(run):
    """LSF's report at the end of a job's output."""
    run.train(60, form="eta", total=50000, every=10, pace=(238, 242))
    emit("\n------------------------------------------------------------")
    emit("Sender: LSF System <lsfadmin@gn0142>")
    emit("Subject: Job 618823: <asr-large> in cluster <gpu1> Exited\n")
    emit("Job <asr-large> was submitted from host <login2> by user <ada> in "
         "cluster <gpu1> at Tue Mar 11 07:58:40 2025")
    emit("\nTERM_RUNLIMIT: job killed after reaching LSF run time limit.")
    emit("Exited with exit code 140.\n")
    emit("Resource usage summary:\n")
    emit("    CPU time :                                   57310.00 sec.")
    emit("    Max Memory :                                 38112 MB")
    emit("    Run time :                                   14403 sec.")


def deadline(run):
    """Kubernetes: job controller and kubelet (activeDeadlineSeconds)."""
    run.train(50, form="kv", every=10, pace=(70, 74))
    emit("--- kubectl -n train describe job eval-suite ---")
    emit("Active Deadline Seconds:  3600s")
    emit("Pods Statuses:            0 Active / 0 Succeeded / 1 Failed")
    emit("Events:")
    emit("  Type     Reason            Age   From            Message")
    emit("  ----     ------            ----  ----            -------")
    emit("  Normal   SuccessfulCreate  61m   job-controller  Created pod: "
         "eval-suite-x7k2p")
    emit("  Normal   SuccessfulDelete  74s   job-controller  Deleted pod: "
         "eval-suite-x7k2p")
    emit("  Warning  DeadlineExceeded  74s   job-controller  Job was active "
         "longer than specified deadline")


def watchdog(run):
    """torch ProcessGroupNCCL.cpp: three ranks report, rank 2 is silent."""
    run.train(50, form="mega", total=30000)
    text = ("[Rank %d] Watchdog caught collective operation timeout: WorkNCCL("
            "SeqNum=10377, OpType=_ALLGATHER_BASE, NumelIn=1048576, NumelOut="
            "4194304, Timeout(ms)=600000) ran for %d milliseconds before "
            "timing out.")
    for rank, ran in ((0, 600019), (3, 600044), (1, 600071)):
        head = "[rank%d]:[E311 09:02:14.%09d ProcessGroupNCCL.cpp:%d] "
        emit(head % (rank, ran * 97, 632) + text % (rank, ran))
        emit(head % (rank, ran * 98, 684) + "[Rank %d] Some NCCL operations "
             "have failed or timed out. Due to the asynchronous nature of CUDA"
             " kernels, subsequent GPU operations might run on corrupted/"
             "incomplete data." % rank)
        emit(head % (rank, ran * 99, 690) + "[Rank %d] To avoid data "
             "inconsistency, we are taking the entire process down." % rank)
    emit("terminate called after throwing an instance of 'c10::"
         "DistBackendError'\n  what():  [PG ID 0 PG GUID 0(default_pg) Rank 3]"
         " Process group watchdog thread terminated with exception: "
         + text % (3, 600044))


def stall(run):
    """horovod/common/stall_inspector.cc"""
    run.train(40, form="epoch", every=10)
    emit("[2025-03-11 08:02:19.774102: W /tmp/pip-req-build-81/horovod/common/"
         "stall_inspector.cc:107] One or more tensors were submitted to be "
         "reduced, gathered or broadcasted by subset of ranks and are waiting "
         "for remainder of ranks for more than 60 seconds. This may indicate "
         "that different ranks are trying to submit different tensors or that "
         "only subset of ranks is submitting tensors, which will cause "
         "deadlock. \nMissing ranks:\n5: [DistributedGradientTape/grads_12, "
         "DistributedGradientTape/grads_13 ...]")
    emit("[2025-03-11 08:11:19.774830: E /tmp/pip-req-build-81/horovod/common/"
         "stall_inspector.cc:107] One or more rank (marked by \"!\") is "
         "stalled for longer than 600 seconds. Will shutdown.")
    emit(trace([
        ("/home/ada/fleet/hvd_train.py", 118, "<module>",
         "train_step(images, labels)"),
    ], "horovod.common.exceptions.HorovodInternalError: Horovod has been shut "
        "down. This was caused by an exception on one of the ranks or an "
        "attempt to allreduce, allgather or broadcast a tensor after one of "
        "the ranks finished execution."))


def token(run):
    """botocore: ClientError of an expired session."""
    run.info("streaming shards from s3://lab-tokens/v3/")
    run.train(70, form="mega", total=30000, pace=(55, 58))
    lib = "/opt/conda/lib/python3.10/site-packages/botocore/client.py"
    emit(trace([
        ("/home/ada/fleet/stream.py", 83, "__iter__",
         "body = self.s3.get_object(Bucket=self.bucket, Key=key)['Body']"),
        (lib, 565, "_api_call",
         "return self._make_api_call(operation_name, kwargs)"),
        (lib, 1021, "_make_api_call",
         "raise error_class(parsed_response, operation_name)"),
    ], "botocore.exceptions.ClientError: An error occurred (ExpiredToken) when "
        "calling the GetObject operation: The provided token has expired."),
        sys.stderr)


def tracker(run):
    """wandb: wandb_login.py, in a job without a terminal."""
    emit("wandb: WARNING `resume` will be ignored since W&B syncing is set to "
         "`offline`.", sys.stderr)
    run.info("starting experiment tracker")
    lib = "/opt/conda/lib/python3.10/site-packages/wandb/sdk"
    emit(trace([
        ("/home/ada/fleet/sft.py", 58, "<module>",
         "wandb.init(project='sft-7b', config=vars(args))"),
        (lib + "/wandb_init.py", 1185, "init",
         "wi.setup(kwargs)"),
        (lib + "/wandb_login.py", 221, "prompt_api_key",
         "raise UsageError(\"api_key not configured (no-tty). call \" + "
         "directive)"),
    ], "wandb.errors.UsageError: api_key not configured (no-tty). call "
        "wandb.login(key=[your_api_key])"), sys.stderr)


def quota(run):
    """The C library's text for EDQUOT, on a home directory."""
    import errno
    run.train(60, form="dict", every=10)
    path = "/home/ada/runs/sft-7b/checkpoint-60/optimizer.bin"
    run.info("Saving model checkpoint to /home/ada/runs/sft-7b/checkpoint-60")
    raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT), path)


def inodes(run):
    """Real: a disk with room, but not for another file."""
    run.info("unpacking shards to /mnt/data")
    for part in range(400):
        with open("/mnt/data/sample_%05d.npy" % part, "wb") as f:
            f.write(b"\x93NUMPY")
        if part % 20 == 0:
            run.info("unpacked %d samples", part)


STYLES = {"cublas": "rank", "xla": "plain", "tf_event": "plain",
          "ray_node": "bracket", "shutdown": "iso", "higher": "std",
          "lsf": "plain", "deadline": "json", "watchdog": "rank",
          "token": "bracket", "quota": "iso", "inodes": "root"}

if __name__ == "__main__":
    what = sys.argv[1]
    job = Run("fleet", STYLES.get(what, "std"), seed=len(what) + 70)
    job.config({"model": "sft-7b", "lr": 2e-5, "bf16": True,
                "grad_accum": 8}, "args")
    globals()[what](job)
    sys.exit(1)
