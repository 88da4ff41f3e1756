"""Search for a learning rate over MPI: search_mpi.py CASE."""
import os
import signal
import sys

import numpy as np
from mpi4py import MPI

from lab import Run

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
run = Run("search", "glog", seed=rank, rank=rank)


def config():
    """Ranks read the configuration that rank 0 sends them."""
    plan = comm.bcast({"lr": [0.1, 0.3], "depth": [2, 4]} if rank == 0
                      else None)
    run.info("rank %d tries lr %s", rank, plan["lr"])
    if rank == 1:
        run.info("rank 1 tries dropout %s", plan["dropout"])


def killed():
    """What the kernel does to a rank that has used up the node's memory."""
    comm.Barrier()
    if rank == 2:
        with open("killed.pid", "w") as f:
            f.write(str(os.getpid()))
        os.kill(os.getpid(), signal.SIGKILL)


def border():
    """One rank sends more rows than its neighbour expects."""
    rows = np.zeros(128 if rank == 0 else 96)
    if rank == 0:
        comm.Send(rows, dest=1)
    elif rank == 1:
        run.info("receiving %d values from rank 0", rows.size)
        comm.Recv(rows, source=0)


run.info("rank %d of %d", rank, size)
run.train(20, form="kv")
globals()[sys.argv[1]]()
comm.Barrier()
run.train(20, form="kv")
