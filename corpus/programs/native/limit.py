"""Trains while memory grows; a watchdog like that of many clusters ends the
process when its resident memory passes the limit of the job."""
import os
import resource
import signal
import threading
import time

from lab import Run


def watch(limit):
    page = resource.getpagesize()
    while True:
        with open("/proc/self/statm") as f:
            if int(f.read().split()[1]) * page > limit:
                os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.01)


run = Run("leaky", "std", seed=6)
run.config({"history": "full", "mem_per_node": "300M"})
threading.Thread(target=watch, args=(300 << 20,), daemon=True).start()
history = []
for epoch in range(100):
    run.train(10, form="eta")
    run.info("history holds %d MiB", 24 * len(history))
    history.append(bytearray(os.urandom(1 << 20) * 24))
    time.sleep(0.05)
