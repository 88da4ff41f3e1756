"""Hyper-parameter search over MPI; every rank reads its own part."""
import sys

from mpi4py import MPI

from lab import Run

comm = MPI.COMM_WORLD
rank = comm.Get_rank()
run = Run("sweep", "rank", seed=rank, rank=rank)
run.info("rank %d of %d ready", rank, comm.Get_size())
run.train(20, form="kv")
best = comm.allreduce(run.accuracy(), op=MPI.MAX)
run.info("best accuracy so far %.4f", best)
if sys.argv[1] == "part" and rank == 3:
    with open("/mnt/data/parts/part-%05d.csv" % rank) as f:
        rows = f.readlines()
if sys.argv[1] == "mean" and rank == 2:
    scores = []
    run.info("mean of trials: %.3f", sum(scores) / len(scores))
comm.Barrier()
run.train(20, form="kv")
