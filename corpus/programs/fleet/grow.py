"""Keeps the activations of every step, once in the trainer itself and once
in a loader process of its own. Stopped by whoever watches the memory."""
import multiprocessing
import sys

import numpy as np

from lab import Run


def hold(queue):
    held = []
    while True:
        held.append(np.ones(2 << 20))
        queue.put(float(held[-1][:4].sum()))


def trainer(run):
    held = []
    for step, _ in run.steps(400, form="mega", every=5, total=40000):
        held.append(np.ones(1 << 20))
    return held


def loader(run):
    """The trainer is well and asks for the next batch."""
    queue = multiprocessing.Queue(2)
    worker = multiprocessing.Process(target=hold, args=(queue,))
    worker.start()
    for step, _ in run.steps(400, form="kv", every=5):
        while True:
            try:
                queue.get(timeout=1)
                break
            except Exception as error:
                if not worker.is_alive():
                    raise RuntimeError(
                        "loader process %d is gone, exit code %s" % (
                            worker.pid, worker.exitcode)) from error


if __name__ == "__main__":
    job = Run("grow", "std", seed=31)
    job.info("micro batch 8, activations of all layers are kept")
    globals()[sys.argv[1]](job)
