"""A small network whose head was sized for another input resolution."""
import sys

import torch
from torch import nn
import torch.nn.functional as F

from lab import Run


class SegNet(nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        self.stem = nn.Conv2d(3, width, 3, stride=2, padding=1)
        self.body = nn.Conv2d(width, width * 2, 3, stride=2, padding=1)
        self.head = nn.Linear(width * 2 * 8 * 8, classes)

    def forward(self, x):
        x = F.relu(self.stem(x))
        x = F.relu(self.body(x))
        return self.head(x.flatten(1))


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(16, 8)

    def forward(self, x):
        return self.decoder_head(self.encoder(x))


class Focal(nn.Module):
    """The forward method lost its indentation in a refactoring."""

    def __init__(self, gamma):
        super().__init__()
        self.gamma = gamma


def forward(self, logits, target):
    return F.cross_entropy(logits, target)


def build(run):
    torch.manual_seed(3)
    net = SegNet(8, 21)
    run.info("model SegNet, %d parameters",
             sum(p.numel() for p in net.parameters()))
    return net


def main(what):
    run = Run("segnet", "bracket", seed=2)
    run.config({"arch": "segnet8", "crop": 48, "lr": 0.01, "amp": False},
               "table")
    net = build(run)
    if what == "resolution":
        for size in (32, 32, 48):
            run.info("progressive resize: crop is now %d", size)
            for _ in range(2):
                net(torch.randn(4, 3, size, size)).mean().backward()
                run.train(15, every=5)
    elif what == "dtype":
        run.train(10, every=5)
        weight = torch.tensor([[0.2, 0.8]], dtype=torch.float64)
        torch.randn(4, 2) @ weight.t()
    elif what == "restore":
        # saved on eight GPUs, so every name starts with "module."
        torch.save(nn.DataParallel(build(run)).state_dict(), "last.pt")
        run.info("resuming from last.pt (epoch 17)")
        SegNet(8, 19).load_state_dict(torch.load("last.pt"))
    elif what == "head":
        run.train(20)
        Gated()(torch.randn(2, 16))
    elif what == "focal":
        run.train(20)
        Focal(2.0)(torch.randn(4, 21), torch.zeros(4, dtype=torch.long))
    elif what == "twice":
        loss = net(torch.randn(4, 3, 32, 32)).pow(2).mean()
        loss.backward()
        run.train(10)
        loss.backward()
    elif what == "frozen":
        for p in net.parameters():
            p.requires_grad_(False)
        run.info("freezing the backbone: %d of %d tensors", 6, 6)
        net(torch.randn(4, 3, 32, 32)).mean().backward()


if __name__ == "__main__":
    main(sys.argv[1])
