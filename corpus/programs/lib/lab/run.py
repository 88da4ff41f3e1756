"""One training job: start-up banner, configuration, and steps of a softmax
regression on made-up data whose loss lines look like those of other people."""
import json
import logging
import os
import sys

import numpy as np

from lab.bar import Bar
from lab.clock import Clock

_COLORS = {"DEBUG": "34", "INFO": "32", "WARNING": "33", "ERROR": "31",
           "CRITICAL": "41"}


class _Format(logging.Formatter):
    """Every style reads the time from the job's own clock."""

    def __init__(self, clock, style, rank):
        super().__init__()
        self.clock, self.style, self.rank = clock, style, rank

    def format(self, record):
        now, text = self.clock.now, record.getMessage()
        ms = now.microsecond // 1000
        day = now.strftime("%Y-%m-%d %H:%M:%S")
        if record.exc_info:
            text += "\n" + self.formatException(record.exc_info)
        if self.style == "std":
            return "%s,%03d - %s - %s - %s" % (
                day, ms, record.name, record.levelname, text)
        if self.style == "bracket":
            return "[%s] [%s] [%s:%d] %s" % (
                day, record.levelname, record.filename, record.lineno, text)
        if self.style == "rank":
            return "[%s,%03d] [%s] [Rank %d] %s" % (
                day, ms, record.levelname, self.rank, text)
        if self.style == "glog":
            return "%s%s %5d %s:%d] %s" % (
                record.levelname[0], now.strftime("%m%d %H:%M:%S.%f"),
                os.getpid(), record.filename, record.lineno, text)
        if self.style == "iso":
            return "%s.%03dZ %-7s %s %s" % (
                now.strftime("%Y-%m-%dT%H:%M:%S"), ms, record.levelname,
                record.name, text)
        if self.style == "color":
            return "\033[32m%s.%03d\033[0m | \033[1;%sm%-8s\033[0m | %s - %s" % (
                day, ms, _COLORS[record.levelname], record.levelname,
                record.funcName, text)
        if self.style == "json":
            return json.dumps({
                "ts": now.isoformat(timespec="milliseconds"),
                "level": record.levelname.lower(), "logger": record.name,
                "rank": self.rank, "msg": text})
        if self.style == "root":
            return "%s:%s:%s" % (record.levelname, record.name, text)
        return text


class Run:
    def __init__(self, name, style="plain", start="2025-03-11 08:00:04.218",
                 seed=1, rank=0, out=None):
        self.name, self.seed, self.rank = name, seed, rank
        self.clock = Clock(start, seed)
        self.rng = np.random.default_rng(seed)
        self.log = logging.getLogger(name)
        self.log.setLevel(logging.DEBUG)
        self.log.propagate = False
        handler = logging.StreamHandler(out or sys.stdout)
        handler.setFormatter(_Format(self.clock, style, rank))
        self.log.addHandler(handler)
        self.step = 0
        self._data()

    def _data(self):
        """A problem that can be learnt, but not perfectly."""
        self.x = self.rng.normal(size=(256, 12))
        truth = self.rng.normal(size=(12, 4))
        noise = self.rng.normal(scale=0.7, size=(256, 4))
        self.y = np.argmax(self.x @ truth + noise, axis=1)
        self.w = np.zeros((12, 4))

    def info(self, text, *args):
        self.clock.tick(0.01, 0.4)
        self.log.info(text, *args)

    def warn(self, text, *args):
        self.clock.tick(0.01, 0.4)
        self.log.warning(text, *args)

    def error(self, text, *args, **more):
        self.clock.tick(0.01, 0.4)
        self.log.error(text, *args, **more)

    def config(self, values, form="yaml"):
        """Print the configuration the way one of many trainers does."""
        if form == "json":
            self.info("config: %s", json.dumps(values, indent=2))
        elif form == "args":
            self.info("Namespace(%s)", ", ".join(
                "%s=%r" % item for item in sorted(values.items())))
        elif form == "table":
            wide = max(len(key) for key in values)
            for key, value in values.items():
                self.info("  %s %s", (key + " ").ljust(wide + 4, "."), value)
        else:
            for key, value in values.items():
                self.info("%s: %s", key, value)

    def learn(self, rate=0.5):
        """One step of gradient descent; the loss is real."""
        pick = self.rng.integers(0, len(self.x), 64)
        x, y = self.x[pick], self.y[pick]
        z = x @ self.w
        z -= z.max(axis=1, keepdims=True)
        p = np.exp(z)
        p /= p.sum(axis=1, keepdims=True)
        rows = np.arange(len(y))
        loss = float(-np.log(p[rows, y]).mean())
        norm = p
        norm[rows, y] -= 1
        grad = x.T @ norm / len(y)
        self.w -= rate * grad
        self.step += 1
        return loss, float(np.linalg.norm(grad))

    def accuracy(self):
        return float((np.argmax(self.x @ self.w, axis=1) == self.y).mean())

    def steps(self, count, form="step", every=10, pace=(0.8, 1.4), total=None,
              rate=0.5, epoch=0, say=True):
        """Yield COUNT times (step, loss), printing every EVERY-th step."""
        total = total or self.step + count
        for i in range(1, count + 1):
            loss, norm = self.learn(rate)
            before = self.clock.now
            self.clock.tick(*pace)
            took = (self.clock.now - before).total_seconds()
            if say and (self.step % every == 0 or i == count):
                self.log.info(_line(form, self, epoch, i, count, total,
                                    loss, norm, took))
            yield self.step, loss

    def train(self, count, **more):
        loss = 0.0
        for _, loss in self.steps(count, **more):
            pass
        return loss

    def bar(self, count, desc, every=5, color="", pace=(0.3, 0.6)):
        """Yield COUNT steps under a progress bar."""
        bar = Bar(count, desc, every, color)
        for i in range(1, count + 1):
            loss, _ = self.learn()
            before = self.clock.now
            self.clock.tick(*pace)
            bar.update(i, (self.clock.now - before).total_seconds(),
                       "loss=%.4f" % loss)
            yield i, loss
        bar.close()


def _line(form, run, epoch, i, count, total, loss, norm, took):
    if form == "epoch":
        return "Epoch [%d][%d/%d]\tlr: 5.000e-04, time: %.3f, loss: %.4f" % (
            epoch, i, count, took, loss)
    if form == "mega":
        return (" iteration %8d/%8d | consumed samples: %12d | elapsed time "
                "per iteration (ms): %.1f | learning rate: 1.500E-04 | global "
                "batch size: %5d | lm loss: %.6E | loss scale: 1.0 | grad "
                "norm: %.3f | number of skipped iterations:   0 |" % (
                    run.step, total, run.step * 256, took * 1000, 256, loss,
                    norm))
    if form == "dict":
        return "{'loss': %.4f, 'grad_norm': %.4f, 'epoch': %.2f}" % (
            loss, norm, run.step / total)
    if form == "kv":
        return "step=%d loss=%.5f grad_norm=%.4f tok/s=%d" % (
            run.step, loss, norm, 4096 / took)
    if form == "eta":
        left = int((total - run.step) * took)
        return "eta: %d:%02d:%02d  iter: %d  total_loss: %.4f  time: %.4f" % (
            left // 3600, left // 60 % 60, left % 60, run.step, loss, took)
    return "step %d/%d: loss %.4f, %.1f ms/step" % (
        run.step, total, loss, took * 1000)
