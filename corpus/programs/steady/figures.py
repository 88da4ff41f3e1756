"""Jobs whose numbers look bad and are not, or whose parts may fail without
harm to the whole: figures.py CASE."""
import json
import sys
import traceback

import numpy as np

from lab import Run, emit


def table(run):
    """Classes without samples have no score; the mean leaves them out."""
    rows = [("road", 0.913, 0.31), ("kerb", float("nan"), float("nan")),
            ("fault_line", 0.774, 0.52), ("error_bar", 0.801, 0.44)]
    for epoch in range(3):
        run.train(25, form="epoch", epoch=epoch)
        emit("+------------+--------+----------+")
        emit("| class      |    IoU | val_loss |")
        emit("+------------+--------+----------+")
        for name, iou, loss in rows:
            emit("| %-10s | %6.3f | %8.3f |" % (name, iou, loss))
        emit("+------------+--------+----------+")
        emit("nan: no pixel of this class in the validation split, ignored")
        run.info("mIoU %.4f over 3 classes, val_loss(kerb)=nan (ignored)",
                 np.nanmean([r[1] for r in rows]))
    run.info("best mIoU 0.8293 at epoch 0; training finished")


def spikes(run):
    """Steps with an infinite gradient are not applied."""
    for step, loss in run.steps(80, form="mega", total=80):
        if step in (22, 23, 57):
            run.warn("found NaN in local grad norm for bucket #0 in backward "
                     "pass; skipping iteration %d", step)
            run.log.info(" iteration %8d/      80 | lm loss: nan | loss scale:"
                         " 32768.0 | grad norm: inf | number of skipped "
                         "iterations:   1 | number of nan iterations:   1 |",
                         step)
    run.info("skipped 3 of 80 iterations; final lm loss %.4E", loss)
    run.info("[after training is done] evaluation loss 4.91E-01")


def patience(run):
    """It is meant to stop before the last epoch."""
    best, stale, epoch = 9.0, 0, 0
    while stale < 2:
        loss = run.train(20, form="epoch", epoch=epoch)
        stale += 1
        if loss < best:
            run.info("Metric val_loss improved by %.3f. New best score: %.3f",
                     best - loss, loss)
            best, stale = loss, 0
        epoch += 1
    run.info("Monitored metric val_loss did not improve in the last 2 records."
             " Best score: %.3f. Signaling Trainer to stop.", best)
    run.warn("training terminated early at epoch %d of 40 by EarlyStopping",
             epoch)
    run.info("restored the weights of the best epoch, exiting")


def trials(run):
    """A search in which bad points are allowed to fail."""
    done = failed = 0
    for n in range(8):
        width, lr = 2 ** (n % 4), 10.0 ** -(n % 3)
        try:
            if width == 8:
                np.zeros((4, 12)) @ np.zeros((8, 3))
            if n == 5:
                raise FloatingPointError("loss is nan at step 40")
            loss = run.train(12, say=False, rate=lr)
            run.info("trial %d finished with value %.4f and parameters %s", n,
                     loss, {"width": width, "lr": lr})
            done += 1
        except Exception as e:
            run.warn("trial %d failed with parameters %s because of the "
                     "following error: %r", n, {"width": width, "lr": lr}, e)
            traceback.print_exc(file=sys.stdout)
            failed += 1
    run.info("study finished: %d complete, %d failed (allowed: 4)", done,
             failed)
    run.info("best parameters written to best.json")


def mllog(run):
    """The key-value lines of a benchmark."""
    def event(key, value=None, kind="POINT_IN_TIME", **meta):
        now = run.clock.tick(0.1, 0.4)
        emit(":::MLLOG " + json.dumps({
            "namespace": "", "time_ms": int(now.timestamp() * 1000),
            "event_type": kind, "key": key, "value": value,
            "metadata": {"file": "figures.py", "lineno": 97, **meta}}))

    event("cache_clear", True)
    event("init_start", None, "INTERVAL_START")
    event("submission_status", "onprem")
    event("opt_gradient_clip_norm_fail_value", None)
    event("init_stop", None, "INTERVAL_END")
    event("run_start", None, "INTERVAL_START")
    for epoch in range(4):
        event("epoch_start", None, "INTERVAL_START", epoch_num=epoch)
        loss = run.train(25, say=False)
        event("train_loss", round(loss, 4), epoch_num=epoch)
        event("eval_error", round(1 - run.accuracy(), 4), epoch_num=epoch)
        event("epoch_stop", None, "INTERVAL_END", epoch_num=epoch)
    event("run_stop", None, "INTERVAL_END", status="success")
    emit("RESULT,classification,4711,62,none,2025-03-11 08:00:04 AM")


if __name__ == "__main__":
    style = {"table": "color", "spikes": "rank", "patience": "plain",
             "trials": "iso"}.get(sys.argv[1], "std")
    globals()[sys.argv[1]](Run("figures", style, seed=len(sys.argv[1]) + 3))
