"""Four ranks on GPUs that this machine does not have: the training is real,
one process plays all ranks, and their last lines are composed from the format
strings of PyTorch (CUDACachingAllocator.cpp, CUDAException.cpp,
ProcessGroupNCCL.cpp), CUDA and Slurm (slurmstepd, srun)."""
import os
import sys

from lab import Run, emit, trace

LOGS = os.environ.get("LOGS", ".")
SITE = "/opt/venv/lib/python3.11/site-packages/"
ASYNC = ("CUDA kernel errors might be asynchronously reported at some other "
         "API call, so the stacktrace below might be incorrect.\nFor debugging"
         " consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with "
         "`TORCH_USE_CUDA_DSA` to enable device-side assertions.\n")


def say(rank, text, out=None, label=True):
    for line in text.split("\n"):
        emit("[rank%d]: %s" % (rank, line) if label else line, out)


def watchdog(rank, seq, stamp, out=None):
    """A rank that waited for the dead one until its own deadline."""
    head = "[rank%d]:[E%s ProcessGroupNCCL.cpp:" % (rank, stamp)
    pg = "[PG ID 0 PG GUID 0(default_pg) Rank %d] " % rank
    emit(head + "632] [Rank %d] Watchdog caught collective operation timeout: "
         "WorkNCCL(SeqNum=%d, OpType=ALLREDUCE, NumelIn=8404992, "
         "NumelOut=8404992, Timeout(ms)=600000) ran for 6000%d milliseconds "
         "before timing out." % (rank, seq, 21 + rank * 9), out)
    emit(head + "2271] " + pg + "failure detected by watchdog at work "
         "sequence id: %d PG status: last enqueued work: %d, last completed "
         "work: %d" % (seq, seq + 2, seq - 1), out)
    emit(head + "684] [Rank %d] Some NCCL operations have failed or timed out."
         " Due to the asynchronous nature of CUDA kernels, subsequent GPU "
         "operations might run on corrupted/incomplete data." % rank, out)
    emit(head + "698] [Rank %d] To avoid data inconsistency, we are taking the"
         " entire process down." % rank, out)


def frames(last):
    return [("/home/ada/ranks/pretrain_vlm.py", 604, "<module>", "main()"),
            ("/home/ada/ranks/pretrain_vlm.py", 548, "main",
             "train(model, loader, optimizer)"), last]


def long_sample(run):
    """Rank 2 draws a video that is longer than all others."""
    run.train(120, form="mega", total=50000)
    say(2, trace(frames(
        (SITE + "torch/nn/functional.py", 2920, "layer_norm",
         "return torch.layer_norm(")),
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 9.84 "
        "GiB. GPU 2 has a total capacity of 79.11 GiB of which 3.52 GiB is "
        "free. Process 48122 has 75.58 GiB memory in use. Of the allocated "
        "memory 70.21 GiB is allocated by PyTorch, and 3.90 GiB is reserved "
        "by PyTorch but unallocated. If reserved but unallocated memory is "
        "large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True "
        "to avoid fragmentation.  See documentation for Memory Management  "
        "(https://pytorch.org/docs/stable/notes/cuda.html"
        "#environment-variables)"))
    for rank in (3, 0, 1):
        watchdog(rank, 3842, "311 08:12:1%d.402118530" % rank)
    emit("slurmstepd: error: *** STEP 5120833.0 ON gn0142 CANCELLED AT "
         "2025-03-11T08:12:15 ***")
    emit("srun: error: gn0142: task 2: Exited with exit code 1")
    emit("srun: error: gn0142: tasks 0-1,3: Aborted (core dumped)")


def bad_memory(run):
    """Logs of four ranks; the device of rank 1 has a broken memory cell."""
    for rank in range(4):
        with open("%s/rank_%d.log" % (LOGS, rank), "w") as out:
            job = Run("vlm%d" % rank, "rank", seed=60, rank=rank, out=out)
            job.train(80, form="mega", total=50000)
            if rank != 1:
                watchdog(rank, 2561, "311 08:11:40.90033112%d" % rank, out)
                continue
            say(1, trace(frames(
                (SITE + "torch/optim/adamw.py", 243, "step",
                 "adamw(params_with_grad, grads, exp_avgs, exp_avg_sqs,")),
                "RuntimeError: CUDA error: uncorrectable ECC error "
                "encountered\n" + ASYNC), out, label=False)
            emit("terminate called after throwing an instance of 'c10::Error'"
                 "\n  what():  CUDA error: uncorrectable ECC error encountered"
                 "\n" + ASYNC, out)


def bounds(run):
    """An index of rank 3 is out of bounds on the device."""
    run.train(60, form="mega", total=50000)
    for thread in (2, 3, 17):
        say(3, "/pytorch/aten/src/ATen/native/cuda/Indexing.cu:1553: "
            "indexSelectLargeIndex: block: [211,0,0], thread: [%d,0,0] "
            "Assertion `srcIndex < srcSelectDimSize` failed." % thread)
    say(3, trace(frames(
        ("/home/ada/ranks/layers/rotary.py", 41, "forward",
         "return x * self.cos[pos] + self.turn(x) * self.sin[pos]")),
        "RuntimeError: CUDA error: device-side assert triggered\n" + ASYNC))
    for rank in (0, 2, 1):
        watchdog(rank, 1920, "311 08:11:2%d.118309220" % rank)
    emit("srun: error: gn0142: tasks 0-3: Aborted (core dumped)")


def wall(run):
    """Four healthy ranks and a clock that has run out."""
    for rank in range(4):
        with open("%s/rank_%d.log" % (LOGS, rank), "w") as out:
            job = Run("wall%d" % rank, "rank", seed=61, rank=rank, out=out)
            job.train(50, form="mega", total=50000, pace=(85, 87))
            if rank == 0:
                job.info("saved checkpoint iter_0000050")
            if rank == 2:
                emit("slurmstepd: error: *** STEP 5120840.0 ON gn0142 "
                     "CANCELLED AT 2025-03-11T09:12:31 DUE TO TIME LIMIT ***",
                     out)
            emit("Traceback (most recent call last):\n"
                 '  File "/home/ada/ranks/pretrain_vlm.py", line 311, in '
                 "on_term\n    raise SystemExit(143)\nSystemExit: 143", out)


if __name__ == "__main__":
    what = sys.argv[1]
    globals()[what](Run("vlm", "rank", seed=len(what) + 30))
    sys.exit(1)
