"""Captions for pictures: train.py --stage STAGE. A small project with a
registry of models, a report at the end and a tracker that says goodbye."""
import argparse
import atexit
import importlib
import json
import os
import sys
import traceback

import numpy as np

from lab import Run


class ConfigError(Exception):
    pass


class ImportFailed(RuntimeError):
    pass


class Tracker:
    """Says what trackers say when a process ends, well or not."""

    def __init__(self, name):
        self.name, self.stream, self.values = name, None, []
        atexit.register(self.footer)

    def log(self, loss):
        self.values.append(loss)

    def footer(self):
        out = sys.stderr
        out.write("tracker: \ntracker: Run history:\ntracker:   loss %s\n" % (
            "".join(" .:-=+*#"[min(7, int(v * 5))] for v in
                    self.values[::4])))
        out.write("tracker: Run summary:\ntracker:   loss %.5f\n" % (
            self.values[-1] if self.values else 0))
        out.write("tracker: Synced %s: 4 files, 0 errors\n" % self.name)

    def finish(self):
        self.stream.close()


def arguments(argv):
    parser = argparse.ArgumentParser()
    parser.add_argument("--stage", default="fit")
    parser.add_argument("--batch_size", type=int, default=32)
    parser.add_argument("--log_every", type=int, default=10)
    parser.add_argument("--model", default="caps_small")
    parser.add_argument("--images", default="images")
    parser.add_argument("--guard", action="store_true")
    return parser.parse_args(argv)


def load_model(name):
    try:
        return importlib.import_module(name)
    except ImportError as e:
        raise ImportFailed(
            "Failed to import %s because of the following error (look up to "
            "see its traceback):\n%s" % (name, e)) from e


def fit(run, args, tracker, count=40):
    for step, loss in run.steps(count, form="kv", every=10):
        tracker.log(loss)
    print("epoch end: validation accuracy %.3f" % run.accuracy())


def report(run, args, tracker):
    fit(run, args, tracker)
    scores = {"bleu": np.float32(31.4), "cider": np.float32(0.98)}
    with open("scores.json", "w") as out:
        json.dump({"model": args.model, "scores": scores}, out)


def root(run, args, tracker):
    base = os.environ["CAPTION_ROOT"]
    run.info("pictures below %s", base)


def pictures(run, args, tracker):
    fit(run, args, tracker, 80)
    run.info("epoch 2: switching to the web pictures")
    names = sorted(os.listdir(os.path.join(args.images, "web_2024")))
    run.info("%d pictures", len(names))


def registry(run, args, tracker):
    return load_model(args.model)


def settings(run, args, tracker):
    fit(run, args, tracker, 20)
    config = {"decoder": {"layers": 6}, "optim": {"lr": 1e-3}}
    try:
        return config["decoder"]["heads"]
    except KeyError as e:
        raise ConfigError("captions.yaml is not complete, see "
                          "docs/settings.md") from e


def goodbye(run, args, tracker):
    try:
        fit(run, args, tracker)
        lengths = [7, "12", 9]
        run.info("longest caption %d", max(lengths))
    except Exception:
        tracker.finish()
        raise


def smoothing(run, args, tracker):
    fit(run, args, tracker, 20)

    def smooth(values):
        return [v / norm for v in values]

    result = smooth(tracker.values)
    norm = sum(result)
    return norm


def modulo(run, args, tracker):
    for step, loss in run.steps(30, say=False):
        tracker.log(loss)
        print("step", step, "loss", round(loss, 4))
        if step == 13:
            args.log_every = args.log_every // 64
        if step % args.log_every == 0:
            print("checkpoint at", step)


def width(run, args, tracker):
    fit(run, args, tracker, 20)
    run.info("%d batches a day", 86400 // args.batchsize)


def names(run, args, tracker):
    os.makedirs(args.images, exist_ok=True)
    for name in (b"a1.jpg", b"caf\xe9.jpg", b"z9.jpg"):
        with open(os.path.join(args.images.encode(), name), "wb"):
            pass
    fit(run, args, tracker, 20)
    with open("index.txt", "w", encoding="utf-8") as out:
        for name in sorted(os.listdir(args.images)):
            out.write(name + "\n")


def circular(run, args, tracker):
    run.info("building the vocabulary")
    import vocabs
    return vocabs.Vocabulary()


def records(run, args, tracker):
    texts = [{"caption_en": "a cat", "caption_fr": "un chat"}] * 6
    texts.append({"caption_en": "a dog"})
    for i, text in enumerate(texts):
        run.train(5, form="kv", every=5)
        try:
            text["caption_fr"].split()
        except Exception as e:
            run.error("record %d is unusable: %s", i, repr(e))
            raise


def main(argv):
    args = arguments(argv)
    run = Run("captions", "bracket" if len(args.stage) % 2 else "std",
              seed=61)
    run.config(vars(args), "args")
    try:
        globals()[args.stage](run, args, Tracker("captions-" + args.stage))
    except Exception:
        if not args.guard:
            raise
        traceback.print_exc()
        print("stage failed, see above; results so far are in runs/last")
        sys.exit(1)
    run.info("stage %s finished", args.stage)


if __name__ == "__main__":
    main(sys.argv[1:])
