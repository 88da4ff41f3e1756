"""Workers by 'spawn' from a script without a main guard."""
import multiprocessing as mp

from lab import Run

run = Run("spawned", "plain")
run.info("starting feature workers")


def features(i):
    return i * i


mp.set_start_method("spawn", force=True)
worker = mp.Process(target=features, args=(1,))
worker.start()
worker.join()
if worker.exitcode:
    raise SystemExit(worker.exitcode)
