"""A streaming trainer with a thread that fetches the next shard."""
import sys
import threading

from lab import Run


class ShardExhausted(Exception):
    """The curriculum asks for more shards than were prepared."""


class Prefetch(threading.Thread):
    def __init__(self, shards):
        super().__init__(daemon=True)
        self.shards, self.problem = shards, None

    def run(self):
        try:
            if self.shards > 3:
                raise ShardExhausted("stage 'hard' wants shard %d of 3"
                                     % self.shards)
        except ShardExhausted as problem:
            self.problem = problem


def shards(run):
    for i in range(1, 6):
        thread = Prefetch(i)
        thread.start()
        thread.join()
        run.train(20, form="mega")
        if thread.problem:
            raise RuntimeError("prefetch thread died") from thread.problem


def blank(run):
    run.train(30, form="mega")
    vocabulary, outputs = 5001, 5000
    assert vocabulary == outputs, (
        "CTC head has %d outputs for %d symbols" % (outputs, vocabulary))


if __name__ == "__main__":
    job = Run("stream", "rank", seed=8)
    job.config({"encoder_layers": 17, "ctc_weight": 0.3}, "table")
    globals()[sys.argv[1]](job)
