"""Acoustic model: memory, numbers, and protocol of the framework."""
import os
import signal
import sys
import time

import numpy as np
import torch
from torch import nn

from lab import Run


def spectra(run):
    """All features of the corpus at once, in double precision."""
    run.train(20, form="kv")
    run.info("caching 41000 utterances in memory")
    frames = np.zeros((41000, 1500, 80))
    return frames.mean()


def buffers(run):
    run.train(20, form="kv")
    kept = []
    for shard in range(400):
        run.info("shard %d: allocating replay buffer", shard)
        kept.append(torch.empty(64 << 20, dtype=torch.float32))
        run.train(5, form="kv", every=5)


class Waves(torch.utils.data.Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, i):
        # what the kernel's out-of-memory killer does to a worker, once the
        # batches before have been handed over
        if i == 37:
            time.sleep(1)
            os.kill(os.getpid(), signal.SIGKILL)
        return torch.zeros(10)


def workers(run):
    loader = torch.utils.data.DataLoader(Waves(), 4, num_workers=2)
    try:
        for batch in loader:
            run.train(5, form="kv", every=5)
    finally:
        print("slurmstepd: error: Detected 1 oom_kill event in StepId="
              "5120771.batch. Some of the step tasks have been OOM Killed.",
              file=sys.stderr, flush=True)


def diverge(run):
    """The learning rate of a sweep that went too far."""
    torch.manual_seed(4)
    net = nn.Linear(12, 1)
    nn.init.constant_(net.weight, 0.1)
    x = torch.from_numpy(run.x).float()
    opt = torch.optim.SGD(net.parameters(), lr=1.5)
    for step in range(1, 200):
        loss = net(x).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        run.clock.tick(1, 2)
        run.log.info("| update %4d | loss %.6g | lr 1.5 | gnorm %.4g", step,
                     loss.item(), net.weight.grad.norm().item())
        if torch.isnan(loss):
            run.error("Loss is %s at update %d, stopping training",
                      loss.item(), step)
            sys.exit(1)


def anomaly(run):
    run.train(20, form="kv")
    with torch.autograd.detect_anomaly():
        p = torch.tensor([0.0, 0.7], requires_grad=True)
        entropy = -(p * torch.log(p)).sum()
        run.info("entropy regulariser %s", entropy.item())
        entropy.backward()


def scaler(run):
    scale = 128.0
    run.train(30, form="kv")
    while True:
        run.clock.tick(1, 2)
        scale /= 2
        if scale <= 0.0001:
            raise FloatingPointError(
                "Minimum loss scale reached (%g). Your loss is probably "
                "exploding. Try lowering the learning rate, using gradient "
                "clipping or increasing the batch size." % 0.0001)
        run.info("gradient overflow detected, ignoring gradient, setting "
                 "loss scale to: %s", scale)


def momentum(run):
    net = nn.Linear(4, 4)
    run.info("optimizer: sgd, nesterov on")
    return torch.optim.SGD(net.parameters(), lr=-0.1)


def sparse(run):
    run.train(15, form="kv")
    table = torch.eye(4).to_sparse()
    return torch.linalg.svd(table)


def collate(run):
    class Pairs(torch.utils.data.Dataset):
        def __len__(self):
            return 8

        def __getitem__(self, i):
            return {"wave": torch.zeros(4), "speaker": object()}

    run.info("dataset: %d utterances", 8)
    return next(iter(torch.utils.data.DataLoader(Pairs(), 4)))


if __name__ == "__main__":
    job = Run("asr", sys.argv[2] if len(sys.argv) > 2 else "rank", seed=33)
    job.config({"conformer": "m", "mels": 80, "batch_frames": 20000}, "json")
    globals()[sys.argv[1]](job)
