"""Writes to disks that are full or read-only, and talks to servers that are
not there: nothing here is acted."""
import faulthandler
import http.server
import os
import socket
import sys
import threading
import time
import urllib.request

import numpy as np

from lab import Run


def scratch(run):
    for epoch in range(6):
        run.train(30, form="epoch", epoch=epoch)
        path = "/mnt/scratch/epoch_%d.npy" % epoch
        run.info("saving %s", path)
        np.save(path, np.zeros((120, 120)))


def weights(run):
    import torch
    run.train(40, form="kv")
    run.info("saving checkpoint")
    torch.save({"w": torch.zeros(400, 400)}, "/mnt/scratch/model.pt")


def full(run):
    """Needs no namespace: a device that is always full."""
    with open("/dev/full", "w") as metrics:
        for step, loss in run.steps(60, form="kv"):
            metrics.write("%d,%.4f\n" % (step, loss))
            if step % 50 == 0:
                metrics.flush()


def archive(run):
    run.train(30, form="kv")
    run.info("exporting to /mnt/archive/models")
    os.makedirs("/mnt/archive/models")


def tracker(run):
    run.info("reporting metrics to http://127.0.0.1:9/api")
    run.train(30, form="kv")
    urllib.request.urlopen("http://127.0.0.1:9/api", timeout=5)


def resolve(run):
    run.info("downloading vocabulary")
    urllib.request.urlopen("http://models.example.org/vocab.json", timeout=5)


def bucket(run):
    import requests

    class Deny(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(403)
            self.end_headers()

        def log_message(self, *args):
            pass

    server = http.server.HTTPServer(("127.0.0.1", 8090), Deny)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    run.info("credentials: profile 'training' from ~/.cloud/credentials")
    run.train(20, form="kv")
    requests.get("http://127.0.0.1:8090/corpus/shard-000.tar"
                 ).raise_for_status()


def store(run):
    import torch.distributed as dist
    run.info("rendezvous on 127.0.0.1:29511")
    busy = socket.create_server(("127.0.0.1", 29511))
    try:
        dist.init_process_group("gloo", init_method="tcp://127.0.0.1:29511",
                                rank=0, world_size=2)
    finally:
        busy.close()


def wait_for_data(ready):
    while not ready.is_set():
        ready.wait(60)


def stall(run):
    """The trainer's own watchdog ends a run that makes no step."""
    run.train(40, form="kv")
    faulthandler.dump_traceback_later(3, exit=True)
    run.warn("no step for 600 s, still waiting for the input pipeline")
    run.clock.tick(600)
    run.warn("no step for 1200 s, still waiting for the input pipeline")
    wait_for_data(threading.Event())


def sleepy(run):
    """Ends only when something outside ends it."""
    for step, _ in run.steps(10 ** 6, form="eta", every=1):
        time.sleep(0 if step < 40 else 60)


if __name__ == "__main__":
    job = Run("disk", "std", seed=len(sys.argv[1]))
    job.config({"save_every": 30, "keep_last": 3, "async_save": False})
    globals()[sys.argv[1]](job)
