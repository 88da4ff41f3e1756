"""Workers by torch.multiprocessing.spawn; one has another layer width."""
import os
import time

import torch.multiprocessing as mp


def work(rank, world):
    os.environ.update(RANK=str(rank), WORLD_SIZE=str(world),
                      MASTER_ADDR="127.0.0.1", MASTER_PORT="29555")
    import ddp
    ddp.RANK, ddp.WORLD = rank, world
    try:
        ddp.main("width")
    finally:
        # the ranks that are well still hand in their metrics
        time.sleep(0 if rank == 1 else 2)


if __name__ == "__main__":
    mp.spawn(work, args=(3,), nprocs=3)
