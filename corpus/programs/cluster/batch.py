"""Jobs that the cluster ends: the training is real, the words of the
scheduler, the kernel and the container platform are composed from the format
strings in their sources, since none of them runs here."""
import os
import sys

from lab import Run, emit

LOGS = os.environ.get("LOGS", ".")


def header(run, job):
    emit("SLURM_JOB_ID = %d" % job)
    emit("SLURM_NODELIST = gn[0142-0145]")
    emit("Tue Mar 11 08:00:01 UTC 2025 on gn0142")


def node_fail(run):
    """slurmstepd: src/slurmd/slurmstepd/req.c"""
    header(run, 481527)
    run.train(90, form="mega", total=40000, pace=(150, 160))
    run.info("saved checkpoint iter_0000090 to /mnt/data/ckpt")
    emit("slurmstepd: error: *** STEP 481527.0 ON gn0142 CANCELLED AT "
         "2025-03-11T11:58:40 DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR "
         "DETAILS ***")
    emit("srun: Job step aborted: Waiting up to 32 seconds for job step to "
         "finish.")
    emit("srun: error: Node failure on gn0144")


def evicted(run):
    """Kubernetes: node controller and kubectl's words, job log below."""
    run.train(40, form="kv")
    emit("--- kubectl describe pod llm-sft-7f9c-worker-3 ---")
    emit("Status:           Failed")
    emit("Reason:           NodeLost")
    emit("Message:          Node gn0144 which was running pod "
         "llm-sft-7f9c-worker-3 is unresponsive")
    emit("Events:")
    emit("  Type     Reason        Age   From             Message")
    emit("  Warning  NodeNotReady  6m2s  node-controller  Node is not ready")


def preempt(run):
    header(run, 481533)
    run.train(70, form="mega", total=40000, pace=(74, 79))
    emit("slurmstepd: error: *** JOB 481533 ON gn0142 CANCELLED AT "
         "2025-03-11T09:30:07 DUE TO PREEMPTION ***")
    emit("srun: forcing job termination")
    emit("srun: Job step aborted: Waiting up to 32 seconds for job step to "
         "finish.")
    emit("slurmstepd: error: *** STEP 481533.0 ON gn0142 CANCELLED AT "
         "2025-03-11T09:30:07 DUE TO PREEMPTION ***")


def spot(run):
    """A cloud's notice, and the trainer's own words on it."""
    run.train(60, form="dict", pace=(18, 20))
    run.warn("spot interruption notice received: {\"action\": \"terminate\", "
             "\"time\": \"2025-03-11T08:22:00Z\"}")
    run.warn("saving emergency checkpoint to s3-sync/ckpt-60")
    run.info("emergency checkpoint saved at step 60")
    run.warn("instance will be reclaimed, exiting")


def time_limit(run):
    header(run, 481540)
    run.train(140, form="eta", total=90000, every=1, pace=(610, 622))
    run.info("checkpoint written: ckpt/step_000140.pt")
    emit("slurmstepd: error: *** JOB 481540 ON gn0142 CANCELLED AT "
         "2025-03-12T08:00:22 DUE TO TIME LIMIT ***")
    emit("srun: Job step aborted: Waiting up to 32 seconds for job step to "
         "finish.")
    emit("srun: error: gn0142: tasks 0-3: Terminated")


def cancel(run):
    header(run, 481544)
    run.train(50, form="eta", total=90000, every=5, pace=(54, 57))
    emit("slurmstepd: error: *** JOB 481544 ON gn0142 CANCELLED AT "
         "2025-03-11T08:47:19 ***")
    emit("srun: Job step aborted: Waiting up to 32 seconds for job step to "
         "finish.")


def oom_kill(run):
    header(run, 481551)
    run.train(60, form="eta", total=9000)
    emit("/var/spool/slurmd/job481551/slurm_script: line 31: 2211 Killed     "
         "             python3 train_asr.py --cache-all")
    emit("slurmstepd: error: Detected 1 oom_kill event in StepId=481551.batch."
         " Some of the step tasks have been OOM Killed.")


def off_the_bus(run):
    """NVRM's words in the kernel log of the node, beside the job's own."""
    with open(os.path.join(LOGS, "stdout.log"), "w") as out:
        job = Run("llm", "bracket", seed=40, out=out)
        job.train(60, form="mega", total=30000)
        emit("RuntimeError: CUDA error: unspecified launch failure\nCUDA "
             "kernel errors might be asynchronously reported at some other "
             "API call, so the stacktrace below might be incorrect.", out)
    with open(os.path.join(LOGS, "dmesg.log"), "w") as out:
        emit("[  911.204117] nvidia-uvm: Loaded the UVM driver, major device "
             "number 510.", out)
        emit("[ 9120.556020] perf: interrupt took too long (2511 > 2500), "
             "lowering kernel.perf_event_max_sample_rate to 79500", out)
        emit("[86322.118305] NVRM: GPU at PCI:0000:9b:00: GPU-5f0c1a7e-31d4-"
             "4b7b-a2a9-d1c6cc2f1b07", out)
        emit("[86322.118311] NVRM: Xid (PCI:0000:9b:00): 79, pid=2207, "
             "name=python3, GPU has fallen off the bus.", out)
        emit("[86322.118318] NVRM: GPU 0000:9b:00.0: GPU has fallen off the "
             "bus.", out)


def page_retired(run):
    """One log in which the prolog of the job shows the kernel's words."""
    header(run, 481560)
    run.train(50, form="mega", total=30000)
    emit("[node-health] gn0142: NVRM: Xid (PCI:0000:3b:00): 48, pid=3310, "
         "name=python3, An uncorrectable double bit error (DBE) has been "
         "detected on GPU in the framebuffer at partition 2, subpartition 0.")
    emit("[node-health] gn0142: draining node: GPU 1 has pending page "
         "retirements")
    emit("srun: error: gn0142: task 1: Exited with exit code 1")


def gated(run):
    """huggingface_hub and requests, access to a restricted model."""
    run.info("fetching weights of the base model")
    emit(trace_lines())


def trace_lines():
    return "\n".join([
        "Traceback (most recent call last):",
        '  File "/opt/venv/lib/python3.10/site-packages/huggingface_hub/'
        'utils/_errors.py", line 304, in hf_raise_for_status',
        "    response.raise_for_status()",
        "requests.exceptions.HTTPError: 401 Client Error: Unauthorized for "
        "url: https://hub.example.org/lab/base-13b/resolve/main/config.json",
        "",
        "The above exception was the direct cause of the following exception:",
        "",
        "Traceback (most recent call last):",
        '  File "/home/ada/cluster/sft.py", line 71, in <module>',
        "    model = load_base(args.base)",
        '  File "/opt/venv/lib/python3.10/site-packages/huggingface_hub/'
        'utils/_errors.py", line 321, in hf_raise_for_status',
        "    raise GatedRepoError(message, response) from e",
        "huggingface_hub.utils._errors.GatedRepoError: 401 Client Error. "
        "(Request ID: Root=1-67d0-4c1a;b7)",
        "",
        "Cannot access gated repo for url https://hub.example.org/lab/"
        "base-13b/resolve/main/config.json.",
        "Access to model lab/base-13b is restricted. You must be "
        "authenticated to access it."])


def stale(run):
    """A checkpoint on NFS whose server was restarted."""
    import errno
    run.train(60, form="mega", total=30000)
    path = "/mnt/data/ckpt/iter_0000060/shard_03.bin"
    run.info("saving checkpoint to %s", path)
    raise OSError(errno.ESTALE, os.strerror(errno.ESTALE), path)


if __name__ == "__main__":
    what = sys.argv[1]
    style = sys.argv[2] if len(sys.argv) > 2 else "rank"
    batch = Run("batch", style, seed=len(what) + 50)
    globals()[what](batch)
    sys.exit(1)
