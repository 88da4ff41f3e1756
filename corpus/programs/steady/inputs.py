"""Jobs whose input is bad, late or missing for a while, and that know what to
do about it: inputs.py CASE."""
import http.server
import importlib
import io
import json
import logging
import os
import shutil
import sys
import threading
import traceback
import warnings

import numpy as np

from lab import Run


class Store(http.server.BaseHTTPRequestHandler):
    """An object store that is busy, cuts an answer short, then serves."""
    asked = 0

    def do_GET(self):
        Store.asked += 1
        if Store.asked in (1, 2):
            self.send_error(503, "Slow Down")
            return
        self.send_response(200)
        body = b"x" * 4096
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:100] if Store.asked == 3 else body)

    def log_message(self, *args):
        pass


def fetch(run):
    """Four tries for one shard, each failure with its traceback."""
    import requests
    server = http.server.HTTPServer(("127.0.0.1", 8199), Store)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    run.train(20, form="kv")
    for attempt in range(1, 6):
        try:
            got = requests.get("http://127.0.0.1:8199/shards/00007.tar",
                               timeout=5)
            got.raise_for_status()
            missing = 4096 - len(got.content)
            if missing:
                raise requests.ConnectionError(
                    "IncompleteRead(%d bytes read, %d more expected)" % (
                        len(got.content), missing))
            run.info("shard 00007: %d bytes at attempt %d",
                     len(got.content), attempt)
            break
        except requests.RequestException:
            run.error("shard 00007: attempt %d of 5 failed, will retry",
                      attempt, exc_info=True)
    server.shutdown()
    run.train(40, form="kv")
    run.info("epoch finished, checkpoint written")


def optional(run):
    """Modules that make things faster, if they are there."""
    for name, instead in (("flashmix", "the attention of the base package"),
                          ("apexlike.fused", "the optimizer in Python")):
        try:
            importlib.import_module(name)
        except ImportError:
            traceback.print_exc()
            run.warn("%s could not be imported; using %s", name, instead)
    try:
        np.bool8_t
    except AttributeError as e:
        warnings.warn("old NumPy interface: %s" % e, RuntimeWarning)
    run.train(50, form="dict")
    run.info("***** train metrics *****")
    run.info("  train_loss = %.4f", run.learn()[0])


def samples(run):
    """Broken pictures and records are logged and left out."""
    from PIL import Image
    logging.basicConfig(stream=sys.stdout,
                        format="%(levelname)s:%(name)s:%(message)s")
    log = logging.getLogger("dataset")
    good = io.BytesIO()
    Image.fromarray(np.zeros((64, 64, 3), dtype=np.uint8)).save(good, "PNG")
    raw = {"img_00041.png": good.getvalue()[:60], "img_00090.png": b"\0" * 80,
           "img_00133.png": good.getvalue()}
    bad = 0
    for step, _ in run.steps(60, form="epoch"):
        if step % 15:
            continue
        for name, data in raw.items():
            try:
                Image.open(io.BytesIO(data)).load()
            except Exception:
                log.exception("cannot read %s, taking another one", name)
                bad += 1
        try:
            json.loads('{"caption": "a street')
        except ValueError as e:
            log.error("captions.jsonl: JSONDecodeError: %s", e)
    run.info("%d unreadable samples of 12000 left out (limit 1 %%)", bad)
    run.info("Training done. Best epoch: 0")


def full(run):
    """A checkpoint that fits once the old ones are gone."""
    keep = "/mnt/scratch"
    for n in range(3):
        run.train(20, form="mega", total=60)
        name = "iter_%07d.bin" % run.step
        with open(name, "wb") as f:
            f.write(os.urandom(120000))
        for attempt in range(2):
            try:
                shutil.copy(name, keep)
                run.info("saved checkpoint %s/%s", keep, name)
                break
            except OSError:
                run.error("saving checkpoint failed", exc_info=True)
                for old in sorted(os.listdir(keep)):
                    run.warn("no space left on device? removing %s", old)
                    os.remove(os.path.join(keep, old))
    run.info("training done, last checkpoint %s/%s", keep, name)


def workers(run):
    """What a loader and an optimizer have to say about their use."""
    import torch
    data = torch.utils.data.TensorDataset(torch.randn(64, 12))
    loader = torch.utils.data.DataLoader(data, 16, num_workers=64)
    run.info("loader with %d workers", loader.num_workers)
    net = torch.nn.Linear(12, 1)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    plan = torch.optim.lr_scheduler.StepLR(opt, 10)
    plan.step()
    crit = torch.nn.MSELoss()
    for epoch in range(3):
        for (x,) in torch.utils.data.DataLoader(data, 16):
            loss = crit(net(x), torch.zeros(16))
            opt.zero_grad()
            loss.backward()
            opt.step()
        plan.step(epoch)
        run.train(15, form="epoch", epoch=epoch)
    torch.nn.functional.softmax(torch.randn(2, 3))
    torch.tensor(torch.zeros(3))
    torch.meshgrid(torch.arange(2), torch.arange(2))
    with torch.cuda.amp.autocast():
        pass
    run.info("Finished training, mse %.4f", loss.item())


if __name__ == "__main__":
    style = {"fetch": "std", "optional": "root", "full": "bracket",
             "workers": "glog"}.get(sys.argv[1], "plain")
    globals()[sys.argv[1]](Run("inputs", style, seed=len(sys.argv[1])))
