"""Fine-tuning of a small network under DistributedDataParallel. Gradients
really travel between the ranks, so that what happens to one of them reaches
the others through the framework. argv[1] names what happens."""
import atexit
import faulthandler
import fcntl
import json
import logging
import os
import pickle
import signal
import sys
import tarfile
import time
from datetime import timedelta

import numpy as np
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.elastic.multiprocessing.errors import record
from torch.nn.parallel import DistributedDataParallel

from lab import Run

RANK = int(os.environ["RANK"])
WORLD = int(os.environ["WORLD_SIZE"])
ATTEMPT = int(os.environ.get("TORCHELASTIC_RESTART_COUNT", "0"))
LAST = RANK == WORLD - 1
STYLE = os.environ.get("STYLE", "rank")
WAIT = float(os.environ.get("WAIT", "30"))


class Tracker:
    """Sends metrics home; its end is as clumsy as that of many."""

    def __init__(self, run):
        self.run, self.queue = run, []
        atexit.register(self.flush)

    def add(self, **values):
        self.queue.append(values)

    def flush(self):
        with open("/mnt/metrics-gateway/socket", "wb") as f:
            pickle.dump(self.queue, f)

    def __del__(self):
        self.session.close()


class Net(nn.Module):
    def __init__(self, aux=False):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(12, 32), nn.GELU(),
                                  nn.Linear(32, 4))
        self.aux = nn.Linear(32, 2) if aux else None

    def forward(self, x):
        return self.body(x)


class Trainer:
    def __init__(self, run, **more):
        self.run = run
        torch.manual_seed(3)
        self.model = DistributedDataParallel(Net(**more))
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.step = 0

    def batch(self, rows=32):
        pick = self.run.rng.integers(0, len(self.run.x), rows)
        return (torch.from_numpy(self.run.x[pick]).float(),
                torch.from_numpy(self.run.y[pick]))

    def fit(self, steps, say=10, check=False):
        for _ in range(steps):
            x, y = self.batch()
            loss = nn.functional.cross_entropy(self.model(x), y)
            if check and not torch.isfinite(loss):
                raise RuntimeError("loss became %s at step %d, check the data"
                                   % (loss.item(), self.step))
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.step += 1
            self.run.clock.tick(0.3, 0.6)
            if self.step % say == 0:
                self.run.log.info("epoch 0 step %d/2000 loss %.4f lr 1.0e-01",
                                  self.step, loss.item())


def shard(trainer):
    trainer.fit(30)
    name = "/mnt/data/laion-mini/%05d.tar" % (118 + RANK)
    if LAST:
        trainer.run.info("opening %s", name)
        tarfile.open(name)
    trainer.fit(400)


def cut(trainer):
    """An archive whose copy to this node was broken off."""
    trainer.fit(20)
    if RANK == 1:
        with open("member.bin", "wb") as f:
            f.write(np.arange(90000).tobytes())
        with tarfile.open("part-0001.tar", "w") as f:
            f.add("member.bin")
        os.truncate("part-0001.tar", 200000)
        with tarfile.open("part-0001.tar") as f:
            for member in f:
                trainer.run.info("read %s, %d bytes", member.name,
                                 len(f.extractfile(member).read()))
    trainer.fit(400)


def ragged(trainer):
    """Distillation: the teacher's answers of one rank are one short."""
    trainer.fit(30)
    for _ in range(200):
        rows = 32
        x, _ = trainer.batch(rows)
        kept = rows - (trainer.step >= 34 and RANK == 2)
        teacher = torch.zeros(kept, 4)
        loss = (trainer.model(x).softmax(1) - teacher).pow(2).mean()
        loss.backward()
        trainer.step += 1


def gather(trainer):
    """Evaluation gathers predictions that are not of one length."""
    trainer.fit(20)
    trainer.run.info("evaluating on the held-out split")
    rows = 128 if RANK != 1 else 160
    mine = torch.randn(rows, 64)
    trainer.run.info("gathering predictions of shape %s", tuple(mine.shape))
    parts = [torch.empty_like(mine) for _ in range(WORLD)]
    dist.all_gather(parts, mine)
    dist.barrier()


def guard(trainer):
    trainer.tracker = Tracker(trainer.run)
    trainer.fit(25, check=True)
    if RANK == 1:
        trainer.run.x[:, 5] = np.inf
    trainer.fit(100, check=True)


def sampler(trainer):
    trainer.tracker = Tracker(trainer.run)
    trainer.fit(15)
    lengths = [4096] * (8 if RANK != 0 else 7)
    assert sum(lengths) == 32768, "packed %d tokens, wanted 32768" % (
        sum(lengths))
    trainer.fit(400)


def kernel(trainer):
    import ctypes
    fuse = ctypes.CDLL(os.path.abspath("libfuse.so")).fuse
    trainer.fit(20)
    rows = np.arange(64, dtype=np.int32)
    if RANK == 1:
        rows[40] = 2 ** 30
    table = np.zeros(64, dtype=np.float32)
    out = np.zeros(128, dtype=np.float32)
    at = [a.ctypes.data_as(ctypes.c_void_p) for a in (out, table, table, rows)]
    fuse(*at, 64)
    trainer.fit(400)


def cache(trainer):
    trainer.fit(20)
    folder = "/mnt/data/cache/rank%d" % RANK
    trainer.run.info("compiling kernels into %s", folder)
    if RANK == 1:
        with open(folder + "/kernels.bin", "wb") as f:
            f.write(b"\0" * 64)
    trainer.fit(400)


def resume(trainer):
    """The first attempt loses a rank; the second cannot read what the first
    has saved."""
    run = trainer.run
    if ATTEMPT == 0:
        trainer.fit(30)
        if RANK == 0:
            torch.save({"model": trainer.model.state_dict(), "step": 30},
                       "last.ckpt")
            run.info("saved last.ckpt at step 30")
        trainer.fit(10)
        if RANK == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        trainer.fit(400)
    run.info("resuming from last.ckpt")
    state = torch.load("last.ckpt")
    trainer.optimizer.load_state_dict(state["optimizer"])


def healed(trainer):
    """The first attempt loses a rank; the second goes on to the end."""
    run = trainer.run
    if ATTEMPT == 0:
        trainer.fit(40)
        if RANK == 0:
            torch.save(trainer.model.state_dict(), "last.ckpt")
            run.info("saved last.ckpt at step 40")
        dist.barrier()
        if RANK == 1:
            run.info("fetching shard 00017")
            raise ConnectionResetError(104, "Connection reset by peer")
        trainer.fit(400)
    run.info("resuming from last.ckpt at step 40")
    trainer.model.load_state_dict(torch.load("last.ckpt"))
    trainer.step = 40
    trainer.fit(40)
    run.info("training finished after %d steps", trainer.step)


def empty(trainer):
    trainer.fit(30)
    names = [n for n in range(7) if n % WORLD == RANK and n < 6 - RANK]
    seconds = trainer.run.clock.elapsed()
    trainer.run.info("%d shards, %.2f s a shard", len(names),
                     seconds / (len(names) - (RANK == 2)))
    trainer.fit(400)


def scratch(trainer):
    """Every rank copies its part to a scratch disk that is too small."""
    import shutil
    trainer.fit(30)
    name = "optim_%02d.bin" % RANK
    with open(name, "wb") as f:
        f.write(b"\1" * (90000 if RANK != 1 else 400000))
    trainer.run.info("copying %s to /mnt/scratch", name)
    shutil.copyfile(name, "/mnt/scratch/" + name)
    dist.barrier()
    trainer.fit(400)


def manifest(trainer):
    """Rank 0 reads the list of utterances and tells the others."""
    trainer.tracker = Tracker(trainer.run)
    trainer.fit(10)
    rows = [None]
    if RANK == 0:
        with open("manifest.tsv", "wb") as f:
            f.write("a01.wav\tGr\u00fcnwald\n".encode("cp1252"))
        with open("manifest.tsv", encoding="utf-8") as f:
            rows = [f.read()]
    dist.broadcast_object_list(rows)


def lock(trainer):
    """A rank waits for a lock that a dead process left to a child."""
    faulthandler.register(signal.SIGTERM, chain=True)
    trainer.fit(30)
    if LAST:
        held = open("index.lock", "w")
        fcntl.flock(held, fcntl.LOCK_EX)
        again = open("index.lock", "w")
        trainer.run.info("waiting for index.lock")
        fcntl.flock(again, fcntl.LOCK_EX)
    trainer.fit(400)


def worker(trainer):
    class Notes(torch.utils.data.Dataset):
        def __len__(self):
            return 64

        def __getitem__(self, i):
            raw = pickle.dumps({"note": [i] * 40})
            if RANK == 1 and i == 23:
                raw = b"\0" * len(raw)
            return torch.tensor(pickle.loads(raw)["note"])

    trainer.fit(20)
    for _ in torch.utils.data.DataLoader(Notes(), 8, num_workers=1):
        trainer.fit(2)
    trainer.fit(400)


def writer(trainer):
    """Only rank 0 has a summary writer."""
    class Writer:
        def add_scalar(self, name, value, step):
            trainer.run.info("%s %.3f @%d", name, value, step)

    board = Writer() if RANK == 0 else None
    trainer.fit(20)
    try:
        board.add_scalar("eval/f1", 0.71, trainer.step)
        trainer.fit(400)
    finally:
        trainer.run.info("closing data loaders")


def unused(trainer):
    Trainer(trainer.run, aux=True).fit(20)


def warm(trainer):
    if RANK == 0:
        plan = {"warmup": 200}
        trainer.run.info("plan: %s", plan)
    trainer.fit(20)
    if RANK != 0:
        time.sleep(0.2 * RANK)
        trainer.run.info("warmup over %d steps", plan["warmup"])
    trainer.fit(400)


def report(trainer):
    trainer.tracker = Tracker(trainer.run)
    trainer.fit(20)
    if RANK == 0:
        with open("metrics.json", "w") as f:
            json.dump({"step": 20, "f1": torch.tensor(0.71)}, f)
    trainer.fit(400)


def endless(trainer):
    trainer.fit(20)
    while True:
        trainer.fit(1)
        time.sleep(0.1)


def uneven(trainer):
    """All is well but for one download that needs a second try."""
    trainer.fit(20)
    if RANK == 1:
        try:
            raise TimeoutError(110, "Connection timed out")
        except OSError:
            trainer.run.error("shard 00044: download failed, retry in 1 s",
                              exc_info=True)
        trainer.run.info("shard 00044: done at the second try")
    trainer.fit(40)
    trainer.run.info("rank %d: training finished", RANK)


def main(what):
    run = Run("finetune", STYLE, seed=11, rank=RANK,
              start="2025-03-11 08:0%d:04.218" % (2 * ATTEMPT))
    run.info("rank %d of %d, pid %d", RANK, WORLD, os.getpid())
    if what == "plugin" and LAST:
        # this node's image was built without the tokenizer
        time.sleep(1)
        import byteglyph
        run.info("byteglyph %s", byteglyph.__version__)
    logging.basicConfig(format="%(levelname)s:%(name)s:%(message)s",
                        level=logging.INFO)
    dist.init_process_group("gloo", timeout=timedelta(seconds=WAIT))
    globals()[what](Trainer(run))
    dist.destroy_process_group()


if __name__ == "__main__":
    (record(main) if "RECORD" in os.environ else main)(sys.argv[1])
