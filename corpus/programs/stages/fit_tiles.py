"""A small training whose error texts come from the system, translated:
fit_tiles.py [FOLDER FOR THE MODELS]"""
import locale
import os
import sys

from lab import Run

locale.setlocale(locale.LC_ALL, "")
run = Run("tiles", "std", seed=71)
run.config({"tiles": 4, "classes": 4, "out": "models"}, "table")
for epoch in range(2):
    run.train(40, form="epoch", every=20, epoch=epoch)
if len(sys.argv) > 1:
    os.makedirs(os.path.join(sys.argv[1], "models"), exist_ok=True)
run.info("accuracy %.3f, model saved", run.accuracy())
