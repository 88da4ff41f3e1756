"""Classical models on tables."""
import os
import sys

import numpy as np

from lab import Run


def predict(run):
    from sklearn.linear_model import SGDClassifier
    model = SGDClassifier(random_state=0)
    run.info("fold 1 of 5")
    return model.predict(run.x)


def penalty(run):
    from sklearn.linear_model import LogisticRegression
    run.info("grid point 3 of 12: C=-0.5")
    return LogisticRegression(C=-0.5).fit(run.x, run.y)


def archive(run):
    np.savez("features.npz", x=run.x)
    size = os.path.getsize("features.npz")
    with open("features.npz", "r+b") as f:
        f.truncate(size // 2)
    run.info("loading features.npz")
    return np.load("features.npz")["x"]


def volume(run):
    import h5py
    with h5py.File("volume.h5", "w") as f:
        f["x"] = np.zeros((64, 64, 16))
    with open("volume.h5", "r+b") as f:
        f.truncate(20000)
    run.info("opening volume.h5")
    run.train(10)
    return h5py.File("volume.h5", "r")["x"][0]


def parse(run):
    import pandas as pd
    with open("events.csv", "w") as f:
        f.write("user,amount,day\n" + "u1,12.5,3\n" * 20 + "u2,9.0,4,x,1\n")
    run.info("reading events.csv")
    return pd.read_csv("events.csv")


def features(run):
    run.train(40, every=20)
    names = ["age", "tenure", "plan"]
    return [names[int(i)] for i in np.argsort(run.x[0])[::-1]]


def ratio(run):
    run.train(20, every=20)
    positives = int((run.y == 9).sum())
    run.info("positives %d of %d", positives, len(run.y))
    return (len(run.y) - positives) // positives


def cache(run):
    run.train(20, every=10)
    run.info("writing encoded features for the next run")
    os.makedirs("/usr/lib/churn-cache", exist_ok=True)


def save(run):
    for epoch in range(2):
        run.train(30, form="epoch", epoch=epoch)
    target = "shared/weights.npy"
    run.info("saving weights to %s", target)
    np.save(target, run.w)


def export(run):
    run.train(20)
    record = {"model": "gbt", "threshold": run.w.max()}
    record["threshold"].append(0.5)


if __name__ == "__main__":
    job = Run("churn", "bracket", seed=13)
    job.config({"model": "gbt", "folds": 5, "error_metric": "logloss"}, "json")
    globals()[sys.argv[1]](job)
