"""Segmentation of CT volumes: volumes.py CASE. Reading, batches, export."""
import io
import os
import pickle
import sys
import zlib

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from lab import Run


class Volumes(Dataset):
    """Patches of volumes; FAULTS says what is odd about which patient."""

    def __init__(self, count, faults):
        self.count, self.faults = count, faults
        rng = np.random.default_rng(8)
        self.packed = []
        for i in range(count):
            patch = rng.integers(0, 99, (1, 8, 8, 8), dtype=np.uint8)
            data = zlib.compress(patch.tobytes())
            if faults.get(i) == "flipped":
                data = data[:60] + bytes([data[60] ^ 8]) + data[61:]
            self.packed.append(data)

    def __len__(self):
        return self.count

    def header(self, i):
        if self.faults.get(i) == "headerless":
            return None
        return {"spacing": (0.7, 0.7, 1.0), "slices": 8}

    def __getitem__(self, i):
        raw = zlib.decompress(self.packed[i])
        patch = np.frombuffer(raw, dtype=np.uint8).reshape(1, 8, 8, 8)
        spacing = self.header(i)["spacing"]
        if self.faults.get(i) == "thin":
            patch = patch[:, :5]
        if self.faults.get(i) == "resampled":
            slices = 8 * spacing[2]
            patch = np.stack([patch[0, k] for k in range(slices)])
        return torch.from_numpy(patch.astype(np.float32))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv3d(1, 4, 3, padding=1)
        self.head = nn.Conv3d(4, 2, 1)

    def encode(self, x):
        return torch.relu(self.conv(x))

    def forward(self, x):
        x = self.encode(x)
        return self.head(x.unflatten(1, (2, 2)).flatten(1, 2))


class Vocabulary:
    """Names of organs, pickled by the script that made them."""

    def __init__(self, names):
        self.names = names


def fit(run, faults, workers=2):
    loader = DataLoader(Volumes(24, faults), batch_size=4,
                        num_workers=workers)
    net = Net()
    optim = torch.optim.Adam(net.parameters(), lr=1e-2)
    for epoch in range(2):
        print("epoch %d: %d patches" % (epoch, 24))
        for i, batch in enumerate(loader):
            loss = net(batch / 99).pow(2).mean()
            optim.zero_grad()
            loss.backward()
            optim.step()
            run.clock.tick(2, 3)
            run.info("epoch %d batch %d dice_loss %.4f", epoch, i,
                     float(loss))
    return net


def headers(run):
    fit(run, {17: "headerless"})


def slices(run):
    fit(run, {14: "thin"})


def resample(run):
    fit(run, {9: "resampled"}, workers=1)


def checksum(run):
    try:
        fit(run, {11: "flipped"})
    except zlib.error:
        run.error("reading failed, see the traceback below")
        raise
    finally:
        run.info("closing 24 volumes")


def reduced(run):
    """PyTorch's own exception, its text from CUDACachingAllocator.cpp."""
    size = 48
    net = fit(run, {})
    while size:
        try:
            wanted = 2.6 * size
            if wanted > 1.5:
                raise torch.cuda.OutOfMemoryError(
                    "CUDA out of memory. Tried to allocate %.2f GiB (GPU 0; "
                    "31.75 GiB total capacity; 29.88 GiB already allocated; "
                    "1.42 GiB free; 30.02 GiB reserved in total by PyTorch) "
                    "If reserved memory is >> allocated memory try setting "
                    "max_split_size_mb to avoid fragmentation.  See "
                    "documentation for Memory Management and "
                    "PYTORCH_CUDA_ALLOC_CONF" % wanted)
            return net
        except torch.cuda.OutOfMemoryError as error:
            run.warn("whole-volume inference, batch %d: %s; halving", size,
                     str(error).split(". ")[0])
            last, size = error, size // 2
    raise RuntimeError("no batch size fits, not even 1") from last


def onnx(run):
    net = fit(run, {}, workers=0)
    run.info("exporting to ONNX, opset 11")
    torch.onnx.export(net, torch.zeros(1, 1, 8, 8, 8), io.BytesIO(),
                      opset_version=11)


def organs(run):
    """The pickle names a class of the module that wrote it."""
    fit(run, {}, workers=0)
    data = pickle.dumps(Vocabulary(["liver", "spleen"]), 0)
    data = data.replace(b"Vocabulary", b"OrganTable")
    with open("organs.pkl", "wb") as out:
        out.write(data)
    run.info("loading organs.pkl")
    with open("organs.pkl", "rb") as file:
        return pickle.load(file).names


def wrapped(run):
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="29611")
    dist.init_process_group("gloo", rank=0, world_size=1)
    net = DistributedDataParallel(Net())
    for i in range(6):
        net(torch.zeros(2, 1, 8, 8, 8)).mean().backward()
        run.clock.tick(2, 3)
        run.info("warm-up step %d", i)
    run.info("computing the prototypes of 2 classes")
    return net.encode(torch.zeros(2, 1, 8, 8, 8)).mean(0)


def checkpoint(run):
    net = fit(run, {}, workers=0)
    torch.save({"net": net.state_dict(), "epoch": 2}, "last.pt")
    state = torch.load("last.pt")
    missing = [key for key in ("net", "optim", "epoch") if key not in state]
    run.info("resuming from last.pt, epoch %d", state["epoch"])
    if missing:
        run.warn("checkpoint lacks %s", ", ".join(missing))
    net.load_state_dict(state["net"])
    return state["optim"]["param_groups"]


def arguments(run):
    fit(run, {}, workers=0)
    patch = Volumes(1, {})[0]
    return nn.functional.linear([patch.flatten().tolist()],
                                torch.zeros(2, 512))


def main(case):
    torch.manual_seed(3)
    run = Run("volumes", {"headers": "bracket", "slices": "std",
                          "checksum": "json", "onnx": "iso"}.get(
                              case, "root"), seed=31)
    run.config({"case": case, "patch": [8, 8, 8], "batch_size": 4}, "json")
    globals()[case](run)
    print("done")


if __name__ == "__main__":
    main(sys.argv[1])
