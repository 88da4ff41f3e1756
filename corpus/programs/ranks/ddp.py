"""Data-parallel training over gloo: every rank reduces its gradients at every
step, so that the death of one is noticed by the others. argv[1] names what
goes wrong on which rank."""
import os
import pickle
import resource
import signal
import sys
import time
from datetime import timedelta

import numpy as np
import torch
import torch.distributed as dist

from lab import Run

RANK = int(os.environ.get("RANK", os.environ.get("OMPI_COMM_WORLD_RANK", "0")))
WORLD = int(os.environ.get("WORLD_SIZE", "1"))


def reduced(run, step):
    gradient = torch.from_numpy(run.w.copy())
    dist.all_reduce(gradient)
    return gradient / WORLD


def train(run, count):
    for step, loss in run.steps(count, form="mega", total=4000):
        reduced(run, step)


def others_wait(run):
    """The ranks that are well go on until somebody is missing."""
    train(run, 400)


def speaker(run):
    train(run, 30)
    if RANK == 2:
        speakers = {"s%03d" % i: i for i in range(200)}
        return speakers["s217"]
    others_wait(run)


def shards(run):
    train(run, 30)
    if RANK == 1:
        files = ["shard-%05d" % i for i in range(7)]
        return files[RANK * 4 + 3]
    others_wait(run)


def big_batch(run):
    train(run, 20)
    if RANK == 1:
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, hard))
        run.info("collating 1 outlier of 98304 frames")
        np.ones((98304, 98304), dtype=np.float32)
    others_wait(run)


def killed(run):
    train(run, 30)
    if RANK == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    others_wait(run)


def index(run):
    """Rank 0 prepares the index while the others wait for it."""
    if RANK == 0:
        with open("index.pkl", "wb") as f:
            f.write(pickle.dumps(list(range(3000)))[:900])
        run.info("building sample index from index.pkl")
        with open("index.pkl", "rb") as f:
            return pickle.load(f)
    run.info("waiting for rank 0 to build the sample index")
    dist.barrier()


def diverged(run):
    train(run, 20)
    value = torch.tensor([0.7 if RANK != 1 else float("nan")])
    if not torch.isfinite(value).all():
        raise FloatingPointError(
            "non-finite loss nan on rank %d at iteration 21" % RANK)
    others_wait(run)


def save(run):
    train(run, 20)
    if RANK == 0:
        path = "/usr/lib/llm/iter_0000020"
        run.info("saving checkpoint to %s", path)
        os.makedirs(path)
    dist.barrier()
    others_wait(run)


def lost(run):
    """One rank waits for its input for ever; the others have a deadline."""
    train(run, 20)
    if RANK == 1:
        run.warn("waiting for shard-00012 on the object store")
        time.sleep(9)
        os._exit(0)
    dist.monitored_barrier(timeout=timedelta(seconds=3))


def width(run):
    train(run, 10)
    hidden = 64 if RANK != 1 else 48
    layer = torch.nn.Linear(64, 8)
    layer(torch.randn(4, hidden))
    others_wait(run)


def fine(run):
    train(run, 40)
    run.info("training finished, final loss %.4f", run.learn()[0])


def main(what):
    run = Run("ddp", "rank", seed=7, rank=RANK)
    run.info("init_process_group(backend=gloo, world_size=%d)", WORLD)
    dist.init_process_group("gloo", timeout=timedelta(seconds=20))
    run.config({"dp": WORLD, "zero": 0, "global_batch": 256}, "args")
    globals()[what](run)
    dist.destroy_process_group()


if __name__ == "__main__":
    main(sys.argv[1])
