"""A training under Slurm. It keeps the time of the wall, because the
scheduler's lines between its own do. argv[1] names what is special about it,
argv[2] a number of steps."""
import ctypes
import datetime
import json
import os
import signal
import sys
import time

import numpy as np

from lab import Clock, Run

RANK = int(os.environ.get("SLURM_PROCID", "0"))
WORLD = int(os.environ.get("SLURM_NTASKS", "1"))
NODE = os.environ.get("SLURMD_NODENAME", "gn0142")


class Wall(Clock):
    """Steps take a tenth of what they say."""

    def tick(self, low, high=None):
        super().tick(low, high)
        time.sleep(self.rng.uniform(low, low if high is None else high) / 10)
        self.now = datetime.datetime.now()
        return self.now


def begin(style):
    run = Run("train", style, seed=RANK + 3, rank=RANK)
    run.clock.__class__ = Wall
    run.info("rank %d of %d on %s, CUDA_VISIBLE_DEVICES=%s", RANK, WORLD, NODE,
             os.environ.get("CUDA_VISIBLE_DEVICES", ""))
    return run


def save(run, where="ckpt"):
    os.makedirs(where, exist_ok=True)
    path = "%s/step_%06d.npy" % (where, run.step)
    np.save(path, run.w)
    run.info("saved checkpoint %s", path)


def go(run, steps, form="mega", every=5):
    for step, _ in run.steps(steps, form=form, every=every, total=40000):
        if step % 20 == 0 and RANK == 0:
            save(run)


def plain(run, steps):
    go(run, steps)


def quiet(run, steps):
    """Only rank 0 prints its steps, as most trainers have it."""
    for step, _ in run.steps(steps, form="kv", every=4, say=RANK == 0):
        if step % 20 == 0 and RANK == 0:
            save(run)


def grace(run, steps):
    """Saves when it is told to end, and says so."""
    def on_term(number, _):
        run.warn("received %s, will save and stop after this step",
                 signal.Signals(number).name)
        save(run)
        run.info("state saved, waiting for the end")
        time.sleep(60)
    signal.signal(signal.SIGTERM, on_term)
    go(run, steps, "eta")


def stubborn(run, steps):
    """Deaf to SIGTERM, like a process inside a long native call."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    go(run, steps, "eta")


def tokens(run, steps):
    """Rank 2 has a shard whose index was made for another vocabulary."""
    go(run, steps // 2, "dict")
    if RANK == 2:
        ids = np.array([11, 503, 31999, 32007])
        assert ids.max() < 32000, (
            "token id %d out of vocabulary of %d in shard-%05d.idx" % (
                ids.max(), 32000, RANK))
    go(run, steps, "dict")


class NoSuchFold(Exception):
    pass


def fold(run, steps):
    """One of an array: fold number from the array index."""
    index = int(os.environ["SLURM_ARRAY_TASK_ID"])
    with open("folds.json") as f:
        folds = json.load(f)
    run.info("cross-validation, fold %d", index)
    go(run, steps, "step")
    if str(index) not in folds:
        raise NoSuchFold("fold %d is not among %s" % (
            index, ", ".join(sorted(folds))))
    save(run, "fold_%d" % index)
    run.info("fold %d done", index)


def cache(run, steps):
    """Keeps every batch; memory grows until the scheduler steps in."""
    held = []
    for step, _ in run.steps(steps, form="eta", every=2):
        held.append(np.ones(6 << 20, dtype=np.float64))
        if step % 4 == 0:
            run.info("sample cache: %d MiB", len(held) * 48)


def kernel(run, steps):
    """Rank 1 calls a native kernel with a pointer that is none."""
    go(run, steps // 2)
    if RANK == 1:
        ctypes.memset(0x10, 1, 64)
    go(run, steps)


def early(run, steps):
    """Rank 3 runs out of data and leaves; the others wait for it."""
    go(run, steps, "kv")
    if RANK == 3:
        run.info("data loader exhausted, leaving")
        return
    run.info("entering barrier at step %d", run.step)
    time.sleep(120)


if __name__ == "__main__":
    what = sys.argv[1]
    styles = {"plain": "bracket", "grace": "std", "fold": "glog",
              "tokens": "rank", "kernel": "rank", "cache": "iso",
              "stubborn": "std", "early": "iso"}
    job = begin(styles.get(what, "plain"))
    try:
        globals()[what](job, int(sys.argv[2]))
    except KeyboardInterrupt:
        job.warn("interrupted at step %d", job.step)
        raise
