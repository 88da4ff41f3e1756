#!/usr/bin/env python3
"""Logs of made-up jobs in every place that logs lie in, and their records.

usage: shard_tree.py FOLDER JOBS [MEAN_LINES]

FOLDER/logs: files and folders of ranks and attempts, zip, tar and tar.gz
archives, also one job in several of them. FOLDER/sacct.txt: their records and
those of jobs without a log.
"""
import io
import os
import random
import sys
import tarfile
import time
import zipfile

FAILURES = [
    "FileNotFoundError: [Errno 2] No such file or directory: '/data/a.tar'",
    "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB",
    "RuntimeError: mat1 and mat2 shapes cannot be multiplied (3x7 and 5x2)",
    "ConnectionResetError: [Errno 104] Connection reset by peer",
    "KeyError: 'labels'",
    None,
]
START = 1772323200  # 2026-03-01


def stamp(seconds):
    return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(START + seconds))


class Tree:
    def __init__(self, folder, jobs, lines):
        self.folder, self.jobs, self.lines = folder, jobs, lines
        self.random = random.Random(jobs)

    def log(self, job, rank=0, failed=True):
        """Its length has the long tail that lengths of logs have."""
        n = int(self.random.lognormvariate(0, 1.2) * self.lines) + 3
        text = [f"{stamp(job * 60)} INFO job {job} rank {rank} starts"]
        text += [f"{stamp(job * 60 + i % 50)} INFO step {i} loss "
                 f"{2 + self.random.random():.4f}" for i in range(n)]
        failure = FAILURES[job % len(FAILURES)] if failed else None
        if failure:
            text += ["Traceback (most recent call last):",
                     f'  File "/home/ada/train.py", line {job % 90 + 1}, in '
                     "main", "    step(batch)", failure]
        else:
            text.append("Training finished")
        return ("\n".join(text) + "\n").encode()

    def files(self, job):
        """(path, text) of the job, as one of seven layouts has it."""
        kind, day = job % 7, f"d{job % 5}"
        if kind == 0:
            return [(f"{day}/slurm-{job}.out", self.log(job))]
        if kind == 1:
            return [(f"{day}/slurm-{job}.{s}", self.log(job, 0, s == "err"))
                    for s in ("out", "err")]
        if kind == 2:
            return [(f"{day}/job-{job}/rank{r}.log",
                     self.log(job, r, r == 1)) for r in range(4)]
        if kind == 3:
            return [(f"run-{job}/attempt_{a}/{r}/stderr.log",
                     self.log(job, r, a == 0))
                    for a in range(2) for r in range(2)]
        if kind == 4:
            return [(f"many/run.{job}.rank{r}.log", self.log(job, r))
                    for r in range(2)]
        return [(f"pile/job-{job}/rank{r}.log", self.log(job, r))
                for r in range(2)]

    def put(self, path, text):
        path = os.path.join(self.folder, "logs", path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(text)

    def pack(self, name, files):
        path = os.path.join(self.folder, "logs", name)
        if name.endswith(".zip"):
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
                for member, text in files:
                    z.writestr(member, text)
            return
        with tarfile.open(path, "w:gz" if name.endswith("gz") else "w") as t:
            for member, text in files:
                info = tarfile.TarInfo(member)
                info.size = len(text)
                info.mtime = START
                t.addfile(info, io.BytesIO(text))

    def make(self):
        packed = {"a.zip": [], "b.tar": [], "c.tar.gz": []}
        for job in range(1001, 1001 + self.jobs):
            if job % 7 < 5:
                for path, text in self.files(job):
                    self.put(path, text)
            else:
                packed[list(packed)[job // 7 % 3]] += self.files(job)
        for name, files in packed.items():
            self.pack(name, files)
        with open(os.path.join(self.folder, "sacct.txt"), "w") as f:
            f.write("JobID|User|State|ExitCode|Start|End|AllocTRES|NodeList\n")
            # every other one has a record; a tenth has nothing else
            for job in list(range(1001, 1001 + self.jobs, 2)) + \
                    list(range(500001, 500001 + self.jobs // 10)):
                start = stamp(job % 100000 * 60).replace(" ", "T")
                end = stamp(job % 100000 * 60 + 3000).replace(" ", "T")
                f.write(f"{job}|ada|FAILED|1:0|{start}|{end}|gres/gpu=4|"
                        f"n{job % 9}\n")


os.makedirs(os.path.join(sys.argv[1], "logs"), exist_ok=True)
Tree(sys.argv[1], int(sys.argv[2]),
     int(sys.argv[3]) if len(sys.argv) > 3 else 20).make()
