"""Trains for long, then evaluates on a directory from the configuration."""
import json
import os
import sys

from lab import Run

CONFIG = {"model": "swin_s", "batch_size": 96, "epochs": 6,
          "train_dir": "/mnt/data/scenes/train",
          "test_dir": "/mnt/data/scenes_v2/test", "num_gpus": 4}


def list_images(folder):
    return sorted(name for name in os.listdir(folder)
                  if name.endswith((".jpg", ".png")))


def evaluate(run, config):
    images = list_images(config["test_dir"])
    run.info("evaluating on %d images", len(images))


def main():
    run = Run("scenes", "color", seed=5)
    run.info("config %s", json.dumps(CONFIG))
    for epoch in range(CONFIG["epochs"]):
        for _ in run.bar(40, "epoch %d" % epoch, 1, "36", (45, 70)):
            pass
        run.info("epoch %d top1 %.2f%%", epoch, 100 * run.accuracy())
    run.info("training took %.1f h", run.clock.elapsed() / 3600)
    evaluate(run, CONFIG)
    return 0


if __name__ == "__main__":
    sys.exit(main())
