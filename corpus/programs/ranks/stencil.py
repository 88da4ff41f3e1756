"""The same rod over MPI, each part relaxed in C."""
import ctypes
import os
import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
relax = ctypes.CDLL(os.path.abspath("libstencil.so")).relax
relax.restype = ctypes.c_double
rod = (ctypes.c_double * 3000)(100.0 + rank)
for step in range(1, 11):
    parts = size
    if step == 6 and rank == 1 and sys.argv[1] == "cells":
        parts = step - 6
    heat = comm.allreduce(relax(rod, 3000, parts))
    if rank == 0:
        print("step %2d/10 heat %9.4f" % (step, heat), flush=True)
