#!/usr/bin/env python3
"""Print N diagnoses (JSON lines) of a made-up cluster's month.

usage: jobs.py N [SEED]

The diagnoses are the real ones of the corpus ($JOBTRIAGE scan corpus), with
jobs, users, nodes, times and GPU figures made up around them: a storage outage,
two bad nodes, one user who resubmits the same bug, a failure that is new in the
last week, jobs without log or record. The last rows try to break out of
whatever shows them. The same N and SEED give the same bytes.
"""
import datetime
import json
import os
import random
import subprocess
import sys

DAYS = 30
END = datetime.datetime(2026, 11, 21, tzinfo=datetime.timezone.utc)
START = END - datetime.timedelta(days=DAYS)
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
GROUPS = ["vision", "speech", "nlp", "recsys", "robotics", "bio", "climate",
          "search", "ads", "safety", "infra", "students"]
IMAGES = ["pytorch:24.10-py3", "pytorch:24.04-py3", "tensorflow:2.15-gpu",
          "megatron:core-0.9", None]
HOSTILE = ["<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>",
           "'-alert(1)-'", "</script><script>alert(1)</script>",
           "=HYPERLINK(\"x\")", "a|b`c`[d](javascript:alert(1))",
           "\u202egnp.exe", "line\nbreak\ttab\u0000nul", "@@BODY@@ &lt; &amp;"]
# How often a category fails here, in the order of magnitude of published ones.
WEIGHTS = {"path_not_found": 12, "cpu_out_of_memory": 9,
           "gpu_out_of_memory": 8, "illegal_argument": 8,
           "library_not_found": 7, "attribute_not_found": 6,
           "time_limit_exceeded": 6, "killed_by_user": 6, "type_mismatch": 4,
           "tensor_mismatch": 4, "network_communication": 4, "key_not_found": 4,
           "permission_denied": 3, "gpu_hardware_fault": 2, "loss_nan": 2,
           "corrupt_data": 2, "preempted": 3, "hang": 1}


def corpus():
    program = os.environ.get("JOBTRIAGE", os.path.join(ROOT, "build/jobtriage"))
    out = subprocess.run([program, "scan", "--format", "jsonl", "corpus"],
                         cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    return [json.loads(line) for line in out.decode().splitlines()]


def iso(t):
    return t.strftime("%Y-%m-%dT%H:%M:%SZ") if t else None


class Cluster:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        rows = corpus()
        self.text = {id(r): json.dumps(r) for r in rows}
        self.rows = rows
        self.good = [r for r in rows if r["failed"] is False]
        failed = [r for r in rows if r["failed"]]
        failed.sort(key=lambda r: r["job"])
        self.by_category = {}
        for r in failed:
            self.by_category.setdefault(r["category"], []).append(r)
        self.categories = sorted(self.by_category)
        self.weights = [WEIGHTS.get(c, 1.2) for c in self.categories]
        self.users = [("user%02d" % i, GROUPS[i % len(GROUPS)])
                      for i in range(60)]
        self.user_weights = [1 / (i + 2) for i in range(60)]
        self.nodes = ["gpu%03d" % i for i in range(1, 101)]
        self.next_id = 4100000
        self.out = []

    def kind(self, category):
        """One of the first few failures of a category: users repeat them."""
        if category not in self.by_category:
            category = self.categories[0]
        rows = self.by_category[category]
        return rows[min(int(self.rng.expovariate(0.5)), len(rows) - 1)]

    def new_job(self):
        self.next_id += self.rng.randint(1, 3)
        if self.rng.random() < 0.1:
            return "%d_%d" % (self.next_id, self.rng.randint(0, 40))
        return str(self.next_id)

    def add(self, base, when, who=None, job=None, attempt=1, node=None):
        rng = self.rng
        d = json.loads(self.text[id(base)])
        user, group = who or rng.choices(self.users, self.user_weights)[0]
        job = job or self.new_job()
        gpus = rng.choices([1, 2, 4, 8, 16, 32, 64],
                           [40, 10, 15, 20, 8, 5, 2])[0]
        seconds = int(min(rng.lognormvariate(7.6, 1.9), 6 * 86400)) + 5
        count = max(1, gpus // 8)
        first = node or rng.choice(self.nodes)
        nodes = [first] + rng.sample(self.nodes, count - 1)
        has_log = rng.random() > 0.03 or d["failed"]
        has_record = rng.random() > 0.06
        ended = when + datetime.timedelta(seconds=seconds)
        path = "logs/%s/slurm-%s.out" % (when.strftime("%Y-%m-%d"), job)
        lost = 0
        if d["failed"]:
            lost = gpus * seconds
            if seconds > 3600 and rng.random() < 0.5:
                lost = gpus * rng.randint(60, 3600)
        d.update(job=job, attempt=attempt, user=user, group=group, nodes=nodes,
                 family=d.get("family"), started=iso(when), ended=iso(ended),
                 paths=[path] if has_log else [])
        d["usage"] = {"gpus": gpus, "runtime_seconds": seconds,
                      "gpu_seconds": gpus * seconds, "gpu_seconds_lost": lost,
                      "estimated": not has_record}
        state = ("FAILED" if d["failed"] else "COMPLETED")
        d["record"] = {
            "path": "sacct.txt", "line": len(self.out) + 2, "id": job,
            "name": "train-%s" % group, "state": state, "reason": None,
            "exit_code": 1 if d["failed"] else 0, "signal": None,
            "submitted": iso(when - datetime.timedelta(minutes=7)),
            "partition": "a100" if gpus < 16 else "h100",
            "image": rng.choice(IMAGES), "requeues": attempt - 1}
        if not has_record:
            d["record"] = None
            d["user"] = d["group"] = d["nodes"] = None
            if rng.random() < 0.3:
                d["started"] = d["ended"] = None
                d["usage"].update(gpus=None, runtime_seconds=None,
                                  gpu_seconds=None, gpu_seconds_lost=None)
        for i, proof in enumerate(d["evidence"] + d["consequences"] +
                                  d["rejected"]):
            proof.update(path=path, node=first, time=iso(
                ended - datetime.timedelta(seconds=max(0, 4 - i))))
            proof["line"] += rng.randint(0, 40000)
            if gpus > 1:
                proof["rank"] = rng.randrange(gpus)
        if lost and lost < gpus * seconds:
            d["facts"]["last_checkpoint"] = "ckpt/%s/step_%d.pt" % (
                job, rng.randint(1, 900) * 100)
        self.out.append(d)
        return ended

    def moment(self):
        """More work by day and on weekdays."""
        while True:
            t = START + datetime.timedelta(
                seconds=self.rng.randrange(DAYS * 86400))
            busy = 1.0 if 8 <= t.hour < 20 else 0.45
            if t.weekday() >= 5:
                busy *= 0.5
            if self.rng.random() < busy:
                return t

    def disasters(self, n):
        rng = self.rng
        share = max(3, n // 400)
        outage = START + datetime.timedelta(days=17, hours=2)
        storage = self.kind("storage_fault")
        for _ in range(share):
            self.add(storage, outage + datetime.timedelta(
                seconds=rng.randrange(5400)))
        for bad in ("gpu017", "gpu062"):
            fault = self.kind("gpu_hardware_fault")
            for _ in range(max(3, share // 2)):
                self.add(fault, self.moment(), node=bad)
        bug = self.kind("attribute_not_found")
        when = START + datetime.timedelta(days=21)
        job = self.new_job()
        for attempt in range(1, max(4, share // 3)):
            when = self.add(bug, when, who=self.users[7], job=job,
                            attempt=attempt)
        late = self.by_category.get("hang", [self.kind("loss_nan")])[-1]
        for _ in range(max(2, share // 8)):
            self.add(late, END - datetime.timedelta(
                seconds=rng.randrange(6 * 86400)))

    def month(self, n):
        self.disasters(n)
        while len(self.out) < n - len(HOSTILE):
            when = self.moment()
            if self.rng.random() < 0.68:
                self.add(self.rng.choice(self.good), when)
                continue
            category = self.rng.choices(self.categories, self.weights)[0]
            base = self.kind(category)
            job = self.new_job()
            who = self.rng.choices(self.users, self.user_weights)[0]
            ended = self.add(base, when, who, job)
            if self.rng.random() < 0.25:
                again = base if base["verdict"] == "stop" else \
                    self.rng.choice(self.good)
                self.add(again, ended, who, job, attempt=2)
        del self.out[n - len(HOSTILE):]
        for name in HOSTILE:
            self.add(self.kind("key_not_found"), END - datetime.timedelta(
                hours=30), who=(name, name), job=name, node=name)
            d = self.out[-1]
            d["user"] = d["group"] = name
            d["nodes"] = [name]
            d["reason"] = d["evidence"][0]["text"] = name
            d["evidence"][0]["path"] = name
            d["remedies"] = d["notes"] = [name]
        return self.out


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    cluster = Cluster(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    write = sys.stdout.write
    for d in cluster.month(int(sys.argv[1])):
        write(json.dumps(d, separators=(",", ":")) + "\n")


main()
