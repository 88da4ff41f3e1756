"""Jobs that end well and look as if they did not."""
import inspect
import logging
import sys
import traceback
import urllib.request
import warnings

import numpy as np

from lab import Run


def noisy(run):
    """Warnings of every kind."""
    warnings.warn("the 'reduce_loss_error' option is deprecated and will "
                  "raise an error in a future release", FutureWarning)
    warnings.warn("batch size 512 may fail with CUDA out of memory on GPUs "
                  "with less than 40 GiB; reduce it if you see OOM errors")
    for epoch in range(2):
        run.train(30, form="epoch", epoch=epoch)
        np.log(np.zeros(3))
        np.zeros(2) / np.zeros(2)
    run.info("validation: accuracy=nan (no samples in split 'rare')")
    run.info("final accuracy %.4f", run.accuracy())


def retried(run):
    """Every upload fails twice; the third way works."""
    for epoch in range(3):
        run.train(20, form="epoch", epoch=epoch)
        for attempt in range(2):
            try:
                urllib.request.urlopen("http://127.0.0.1:9/metrics",
                                       timeout=2)
            except OSError:
                run.error("upload failed, attempt %d of 3", attempt + 1,
                          exc_info=True)
        run.info("metrics of epoch %d kept on disk for later", epoch)
    try:
        {"ema": 0}["swa"]
    except KeyError:
        traceback.print_exc()
        run.warn("no swa weights in this checkpoint, using ema")
    run.train(20, form="epoch", epoch=3)
    run.info("done, best accuracy %.4f", run.accuracy())


def metrics(run):
    """Names of metrics that contain the words of failures."""
    for epoch in range(4):
        loss = run.train(20, say=False)
        run.info("epoch %d | mean_absolute_error: %.4f | error_rate: %.4f | "
                 "word_error: %.3f | failures@10: 0 | exception_f1: 0.91",
                 epoch, loss, 1 - run.accuracy(), loss / 3)
    run.info("error analysis: top error class 'fatal' (12 of 256)")
    run.info("assertion classifier: killed=3 aborted=1 crashed=0")
    run.info("Finished with 0 errors.")


def overflow(run):
    """A loss scaler that finds its scale."""
    scale = 65536.0
    for i in range(5):
        scale /= 2
        run.clock.tick(1)
        run.log.info("[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted "
                     "loss scale: %d, reducing to %d", scale * 2, scale)
    run.info("Gradient overflow.  Skipping step, loss scaler 0 reducing loss "
             "scale to %s", scale)
    run.train(60, form="mega", total=60)
    run.info("grad norm: nan at skipped iterations: 5, all others finite")
    run.info("training complete in 0:02:10")


def source(run):
    """Prints its own source and a configuration full of bad words."""
    print("=" * 60)
    print(inspect.getsource(sys.modules[__name__]))
    print("=" * 60)
    for line in ("on_error: raise", "oom_policy: skip_batch",
                 "retry_on:", "  - 'CUDA out of memory'",
                 "  - 'NCCL error: unhandled system error'",
                 "  - 'Segmentation fault (core dumped)'",
                 "message: \"RuntimeError: expected scalar type Half\"",
                 "fail_fast: false", "nan_action: error"):
        run.info("%s", line)
    run.train(40, form="kv")
    run.info("exit code 0")


def skipped(run):
    """Bad batches and bad records that the trainer knows how to skip."""
    for step, _ in run.steps(60, form="kv"):
        if step in (17, 31):
            run.warn("caught OutOfMemoryError: CUDA out of memory. Tried to "
                     "allocate 2.00 GiB; batch %d split in two", step)
        if step == 44:
            run.warn("skipping record 90113: UnicodeDecodeError: 'utf-8' "
                     "codec can't decode byte 0xe9 in position 3: invalid "
                     "continuation byte")
    run.info("skipped 1 record, split 2 batches")
    run.info("Training completed successfully.")


def selftest(run):
    """Checks before the run, several of them for failures."""
    import unittest

    class Checks(unittest.TestCase):
        def test_key_error_is_raised(self):
            with self.assertRaises(KeyError):
                {}["missing"]

        def test_file_not_found_error(self):
            with self.assertRaises(FileNotFoundError):
                open("/nonexistent/config.yaml")

        def test_division_by_zero(self):
            logging.getLogger().error("ZeroDivisionError: division by zero "
                                      "(expected)")
            self.assertRaises(ZeroDivisionError, lambda: 1 // 0)

    suite = unittest.defaultTestLoader.loadTestsFromTestCase(Checks)
    result = unittest.TextTestRunner(verbosity=2, stream=sys.stdout,
                                     descriptions=False).run(suite)
    if not result.wasSuccessful():
        sys.exit(1)
    run.train(30, form="dict")
    run.info("saved final model to out/model.npz")


if __name__ == "__main__":
    job = Run("fine", sys.argv[2] if len(sys.argv) > 2 else "std",
              seed=len(sys.argv[1]) * 7)
    globals()[sys.argv[1]](job)
