"""Two ranks that train until somebody presses a key."""
import os
import time

import torch
import torch.distributed as dist

from lab import Run

rank = int(os.environ["RANK"])
run = Run("idle", "rank", seed=5, rank=rank)
dist.init_process_group("gloo")
for step, _ in run.steps(10 ** 5, form="kv", every=5, say=rank == 0):
    gradient = torch.from_numpy(run.w.copy())
    dist.all_reduce(gradient)
    if step >= 30:
        time.sleep(0.5)
