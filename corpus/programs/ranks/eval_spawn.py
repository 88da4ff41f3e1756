"""Evaluation by workers that torch.multiprocessing starts: eval_spawn.py CASE.
The parent process learns of the first worker that fails and ends the rest."""
import os
import resource
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp

from lab import Run


def features(run, rank):
    """The worker of the long documents needs more than it may have."""
    size = 4096 if rank != 2 else 60000
    run.info("pairwise distances of %d documents", size // 64)
    if rank == 2:
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, hard))
    torch.zeros(size, size // 4 if rank != 2 else size)


def classes(run, rank):
    names = ["road", "kerb", "grass"][:3 - rank]
    for label in (0, 1):
        run.info("class %d is %s", label, names[label + (rank == 1)])


def tally(run, rank):
    """Counts of the workers have to be added up by somebody."""
    total = torch.tensor([rank * 10.0])
    if rank == 1:
        total = torch.tensor([1, 2, 3]) + "4"
    dist.all_reduce(total)


def work(rank, what):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29571")
    run = Run("eval", "bracket", seed=rank, rank=rank)
    dist.init_process_group("gloo", rank=rank, world_size=3)
    run.train(20, form="kv")
    if rank != 1:
        time.sleep(0.3)
    globals()[what](run, rank)
    run.info("worker %d waits for the others", rank)
    dist.barrier()


if __name__ == "__main__":
    mp.spawn(work, args=(sys.argv[1],), nprocs=3)
