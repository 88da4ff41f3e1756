"""Jobs with a helper that dies, or that end noisily, while the training goes
on to its last step: helpers.py CASE."""
import atexit
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback

from lab import Run


def monitor(run):
    """A thread that wants a tool which this image does not have."""
    def watch():
        subprocess.check_output(["gpu-watch", "--loop", "5"])

    run.train(20, form="kv")
    thread = threading.Thread(target=watch, name="gpu-monitor")
    thread.start()
    thread.join()
    run.train(60, form="kv")
    run.info("all 80 steps done")


def push(port):
    time.sleep(0.2)
    socket.create_connection(("127.0.0.1", port), timeout=2)


def pusher(run):
    """A process that sends metrics to a host that is down."""
    side = multiprocessing.Process(target=push, args=(9,),
                                   name="MetricsPusher")
    side.start()
    run.train(20, form="epoch")
    side.join()
    run.warn("metrics pusher ended with exit code %d, not restarted",
             side.exitcode)
    run.train(40, form="epoch", epoch=1)
    run.info("training finished; metrics are in metrics.csv")


def profiler(run):
    """A child that is killed; it only took samples."""
    run.train(10, form="dict")
    child = subprocess.Popen(["sleep", "60"])
    child.send_signal(signal.SIGSEGV)
    status = child.wait()
    run.warn("profiler (pid %d) died with signal %d (%s), continuing without",
             child.pid, -status, signal.strsignal(-status))
    run.train(50, form="dict")
    run.info("done")


class Session:
    def __del__(self):
        os.close(self.handle)


def shutdown(run):
    """The work is done; what comes then is the end of the interpreter."""
    def flush():
        raise ConnectionResetError(104, "Connection reset by peer")

    run.session = Session()
    atexit.register(flush)
    run.train(60, form="mega", total=60)
    run.info("training finished, model exported to out/model.bin")


def streams(run):
    """Two logs: stdout, and stderr with nothing but what was caught."""
    logs = os.environ["LOGS"]
    with open(logs + "/train.out", "w") as out, \
            open(logs + "/train.err", "w") as err:
        job = Run("streams", "bracket", seed=12, out=out)
        for epoch in range(3):
            job.train(30, form="epoch", epoch=epoch)
            try:
                {"fp32": 0}["bf16"]
            except KeyError:
                traceback.print_exc(file=err)
            try:
                open("/mnt/data/val/extra_%d.npy" % epoch)
            except FileNotFoundError:
                traceback.print_exc(file=err)
        err.write("UserWarning: extra validation sets were left out\n")
        job.info("Epoch 2 done. Total time 0:01:39. Exiting normally.")


def late(run):
    """stdout is a buffer that comes out at the end, stderr is not."""
    for step, _ in run.steps(80, form="kv"):
        if step == 33:
            try:
                [0, 1][2]
            except IndexError:
                traceback.print_exc()
                print("batch 33 is short, drawing another", file=sys.stderr)
    run.info("training complete, 80 of 80 steps")


def term(run):
    """Asked to leave, it saves its state and asks to be started again."""
    if os.path.exists("state.txt"):
        with open("state.txt") as f:
            run.step = int(f.read())
        run.clock.tick(300, 400)
        run.info("resuming from step %d", run.step)
        run.train(60, form="kv", total=100)
        run.info("reached step %d, finished", run.step)
        return

    def leave(signum, frame):
        run.warn("received signal %d (%s), saving and exiting for requeue",
                 signum, signal.strsignal(signum))
        with open("state.txt", "w") as f:
            f.write(str(run.step))
        run.info("checkpoint saved at step %d", run.step)
        sys.exit(85)

    signal.signal(signal.SIGTERM, leave)
    run.train(40, form="kv", total=100)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(9)


if __name__ == "__main__":
    style = {"monitor": "std", "pusher": "plain", "profiler": "root",
             "late": "iso"}.get(sys.argv[1], "bracket")
    globals()[sys.argv[1]](Run("helpers", style, seed=len(sys.argv[1]) + 5))
