"""Jobs that wait for somebody: servers that hang up or never answer, ranks
that never come, locks taken in the wrong order. Nothing here is acted."""
import faulthandler
import http.server
import logging
import os
import socket
import struct
import sys
import threading
import time

from lab import Run


def serve(port, talk):
    """A server on this host; TALK is called with every connection."""
    listener = socket.create_server(("127.0.0.1", port))

    def loop():
        while True:
            talk(listener.accept()[0])

    threading.Thread(target=loop, daemon=True).start()


def reset(run):
    import requests

    def hang_up(connection):
        connection.recv(64)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                              struct.pack("ii", 1, 0))
        connection.close()

    serve(8093, hang_up)
    run.train(30, form="dict", every=5)
    run.info("uploading checkpoint part 3 of 8")
    requests.put("http://127.0.0.1:8093/ckpt/part-00003", data=b"0" * 4096)


def silent(run):
    """The client's own retries are in the log before the end."""
    import requests
    from requests.adapters import HTTPAdapter
    from urllib3.util.retry import Retry

    held = []
    serve(8094, held.append)
    logger = logging.getLogger("urllib3.connectionpool")
    logger.addHandler(run.log.handlers[0])
    run.train(20, form="kv", every=5)
    session = requests.Session()
    session.mount("http://", HTTPAdapter(max_retries=Retry(
        total=3, backoff_factor=0.1)))
    run.info("reading shard list from the catalogue")
    session.get("http://127.0.0.1:8094/v1/shards", timeout=1)


def gate(run):
    """A forge that wants a better password."""
    class Gate(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="forge"')
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *args):
            pass

    http.server.HTTPServer(("127.0.0.1", 8092), Gate).serve_forever()


def absent(run):
    """Rank 1 takes a branch without the reduction; rank 0 waits."""
    from datetime import timedelta
    import torch
    import torch.distributed as dist
    rank = int(os.environ["RANK"])
    dist.init_process_group("gloo", timeout=timedelta(seconds=4))
    for step, _ in run.steps(30, form="mega", total=9000, say=rank == 0):
        if step == 27 and rank == 1:
            run.info("validation: no samples for rank 1, waiting for more")
            time.sleep(12)
            os._exit(0)
        gradient = torch.from_numpy(run.w.copy())
        dist.all_reduce(gradient)


def locks(run):
    """Writer and evaluator take two locks in opposite order. The supervisor
    of the job sends SIGABRT when there is no heartbeat any more."""
    faulthandler.enable()
    store, model = threading.Lock(), threading.Lock()

    def evaluate():
        with model:
            time.sleep(0.3)
            with store:
                run.info("evaluation done")

    run.train(40, form="eta", every=10)
    run.info("saving and evaluating at step %d", run.step)
    threading.Thread(target=evaluate, name="evaluate").start()
    with store:
        time.sleep(0.3)
        with model:
            run.info("model written")


if __name__ == "__main__":
    styles = {"reset": "glog", "silent": "std", "absent": "rank",
              "locks": "bracket"}
    job = Run("waits", styles.get(sys.argv[1], "plain"), seed=21,
              rank=int(os.environ.get("RANK", "0")))
    globals()[sys.argv[1]](job)
