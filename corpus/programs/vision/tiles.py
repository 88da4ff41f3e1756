"""Satellite tiles: what goes wrong between the disk and the first layer."""
import os
import sys

import numpy as np
from PIL import Image

from lab import Run


def read_tile(path):
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB"), dtype=np.float32) / 255


def write_tiles(count):
    os.makedirs("tiles", exist_ok=True)
    rng = np.random.default_rng(0)
    for i in range(count):
        pixels = rng.integers(0, 255, (64, 64, 3), dtype=np.uint8)
        Image.fromarray(pixels).save("tiles/t%03d.png" % i)


def truncated(run):
    write_tiles(8)
    with open("tiles/t005.png", "r+b") as tile:
        tile.truncate(5000)
    for i in range(8):
        run.info("reading tiles/t%03d.png", i)
        read_tile("tiles/t%03d.png" % i)
        run.train(10)


def unidentified(run):
    write_tiles(6)
    with open("tiles/t003.png", "wb") as tile:
        tile.write(b"\0" * 2048)
    for i in range(6):
        read_tile("tiles/t%03d.png" % i)
        run.train(8, every=8)


def bands(run):
    run.train(30)
    mean = np.array([0.41, 0.44, 0.39, 0.52])
    write_tiles(1)
    return read_tile("tiles/t000.png") - mean


def crop(run):
    write_tiles(2)
    run.train(30)
    tile = read_tile("tiles/t000.png")
    row = tile.shape[0] / 2
    return tile[row]


def classes(run):
    run.train(40)
    weights = np.ones(6)
    labels = [0, 3, 5, 6, 2]
    return [weights[label] for label in labels]


def missing(run):
    run.train(20)
    image = {"t001": np.zeros((4, 4))}.get("t01")
    height, width = image.shape[:2]
    return height * width


def alias(run):
    run.train(10)
    return np.zeros((4, 4), dtype=np.bool)


if __name__ == "__main__":
    job = Run("tiles", "iso", seed=9)
    job.config({"patch": 64, "sources": ["s2", "planet"], "workers": 0})
    globals()[sys.argv[1]](job)
