"""A month of a made-up GPU cluster: logs, job records, and the true totals.

usage: month.py OUT [--nights 30] [--jobs 50000] [--seed 1]
       month.py OUT --check REPORT.json   compares a report with truth.json

  OUT/logs/YYYY-MM-DD/   logs of the attempts that ended on that day
  OUT/sacct/YYYY-MM-DD.txt  what `sacct -a -D --parsable2` says of that day
      when it is asked half an hour after midnight
  OUT/truth.json         the totals a report of the month must show
  OUT/planted.tsv        job, attempt, category meant, phase, whether it has
      logs, state, GPU-seconds used and lost

The same seed gives the same bytes. Times are naive and lie in 2025; read them
with --timezone UTC. The shares are near those of published studies of such
clusters (Zhang 2020, Jeon 2019, Hu 2024); every text is made up.

In the month: two bad nodes, a shared storage that is away for two hours, a
user who submits one bug all month, job arrays that fail alike, jobs that
requeue themselves into the same error, a new failure in the last week, and
some failures that no rule knows; logs without records, records without logs,
jobs that are running or waiting when the month ends.
"""
import argparse
import datetime
import gzip
import json
import math
import os
import random
import shutil
import sys

sys.dont_write_bytecode = True
from month_kinds import (FOLLOWS, HARDWARE, KINDS, NEW_KIND,  # noqa: E402
                         NOISE, OUTAGE_KIND, REQUEUED_KIND, STUBBORN_KIND, WELL)

FIRST = datetime.date(2025, 3, 1)
DAY, HOUR = 86400, 3600
QUERY = DAY + 30 * 60  # a day's records are asked for at this second of it
GPUS_A_NODE = 8
NODES = ["n%03d" % i for i in range(1, 101)]
BAD_NODES = {"n017": "xid", "n063": "ecc"}
ACCOUNTS = ["vision", "speech", "nlp", "robotics", "genomics", "climate",
            "graphics", "medimg", "chem", "search", "ads", "infra"]
USERS = """abe ada alma anna axel bea ben bo carl cleo cora dan dora ed ella
emil eva finn flora fred gil greta gus hal hedda hugo ida igor ines ivo jan
jane jo kai kara kurt lea leo liv lou max mia milo nell nils nora olga otto pam
pia quinn ravi rosa sam sara theo tom uma vera will""".split()
STUBBORN = "quinn"  # submits the same bug all month
PROJECTS = ["detect", "segment", "caption", "translate", "rank", "denoise",
            "fold", "forecast", "asr", "policy", "tagger", "embed"]


class Attempt:
    """One row of the records and its logs."""
    __slots__ = ("id", "raw", "number", "user", "account", "project", "gpus",
                 "nodes", "submit", "start", "end", "kind", "partition",
                 "limit", "record", "log", "array", "parts", "bad_node",
                 "checkpoint", "own_folder", "state", "exit", "style",
                 "before")


# ---- the plan ---------------------------------------------------------------
class Month:
    def __init__(self, nights, jobs, seed):
        self.rng = random.Random(seed)
        self.nights, self.jobs = nights, jobs
        self.length = nights * DAY
        self.days = [(FIRST + datetime.timedelta(d)).isoformat()
                     for d in range(nights + 30)]
        self.outage = (nights // 2) * DAY + 14 * HOUR
        self.new_from = self.length - min(7, max(1, nights // 3)) * DAY
        self.account = {u: ACCOUNTS[i * len(ACCOUNTS) // len(USERS)]
                        for i, u in enumerate(USERS)}
        self.uid = {u: 2000 + i for i, u in enumerate(USERS)}
        # A few users submit most of the jobs.
        self.user_weight = [1 / (1 + i * 7 % len(USERS)) ** 0.6
                            for i in range(len(USERS))]
        self.kind_weight = [k[1] for k in KINDS]
        self.attempts = []
        self.next_id = 400001

    def take_id(self):
        self.next_id += 1
        return self.next_id - 1

    def plan(self):
        rng = self.rng
        times = []
        while len(times) < self.jobs:
            t = rng.random() * self.length
            # Fewer at night and at weekends.
            busy = 0.35 + 0.65 * math.sin(math.pi * (t % DAY) / DAY) ** 2
            date = FIRST + datetime.timedelta(t // DAY)
            if rng.random() < busy * (0.6 if date.weekday() > 4 else 1):
                times.append(int(t))
        times.sort()
        left = 0
        for t in times:
            if left > 0:  # this one is a task of the last array
                left -= 1
                continue
            x = rng.random()
            if x < 0.003:
                left = rng.randrange(8, 33) - 1
                self.array(t, left + 1)
            else:
                self.job(t)
        for a in self.attempts:
            a.end = a.end + 60 if a.end % DAY == 0 else a.end

    def new(self, t, user):
        rng = self.rng
        a = Attempt()
        a.raw = self.take_id()
        a.id = str(a.raw)
        a.number, a.user, a.account = 1, user, self.account[user]
        a.project = PROJECTS[(self.uid[user] + rng.randrange(2)) %
                             len(PROJECTS)]
        a.gpus = rng.choices((1, 2, 4, 8, 16, 32, 64, 128, 0),
                             (54, 8, 11, 17, 4, 2, 0.9, 0.2, 2.9))[0]
        a.submit = t
        a.start = t + int(rng.expovariate(1 / 240)) + 2
        a.record = a.log = True
        a.array = a.parts = a.bad_node = a.checkpoint = a.before = None
        a.own_folder = False
        a.style = "plain" if a.gpus <= 1 and rng.random() < 0.3 else (
            "iterations" if a.gpus >= 16 else "stamped")
        a.partition = "cpu" if a.gpus == 0 else (
            "large" if a.gpus > 32 else "gpu")
        return a

    def place(self, a):
        n = max(1, -(-a.gpus // GPUS_A_NODE))
        first = self.rng.randrange(len(NODES) - n + 1)
        a.nodes = NODES[first:first + n]

    def pick_kind(self, a):
        rng = self.rng
        if a.user == STUBBORN and rng.random() < 0.6:
            return STUBBORN_KIND
        if a.start > self.new_from and rng.random() < 0.01:
            return NEW_KIND
        if rng.random() < 0.68:
            return WELL
        kind = rng.choices(KINDS, self.kind_weight)[0]
        alone = kind[0] == "network_communication" and kind[2] == "train"
        return WELL if a.gpus < 2 and (alone or kind[0] in (
            "gpu_out_of_memory", "accelerator_error") and a.gpus < 1) else kind

    def settle(self, a, kind):
        """Where and how long it runs, and how it ends."""
        rng = self.rng
        self.place(a)
        full = int(min(5 * DAY, rng.lognormvariate(
            7.0 + 0.25 * math.log2(a.gpus + 1), 1.35))) + 90
        phase = kind[2]
        if kind is WELL or phase == "eval":
            seconds = full
        elif phase == "init":
            seconds = rng.randrange(15, 240)
        elif phase == "data":
            seconds = rng.randrange(60, 1500)
        else:
            seconds = int(full * rng.uniform(0.1, 0.95)) + 60
        for node, fault in BAD_NODES.items():
            if node in a.nodes and a.gpus and rng.random() < 0.35:
                kind, a.bad_node = HARDWARE[fault], node
                seconds = int(full * rng.uniform(0.05, 0.5)) + 60
        a.end = a.start + seconds
        if (a.start < self.outage and a.end > self.outage and a.gpus
                and a.bad_node is None and rng.random() < 0.7):
            kind = OUTAGE_KIND
            a.end = self.outage + rng.randrange(5, 7200)
        if kind[0] == "time_limit_exceeded":
            a.limit = max(600, (a.end - a.start) // 600 * 600)
            a.end = a.start + a.limit + rng.randrange(2, 30)
        else:
            a.limit = -(-(a.end - a.start) * 2 // 3600) * 3600
        a.kind = kind
        a.state = kind[3].format(uid=self.uid[a.user])
        a.exit = kind[4]

    def job(self, t):
        rng = self.rng
        user = rng.choices(USERS, self.user_weight)[0]
        a = self.new(t, user)
        x = rng.random()
        if x < 0.008:
            return self.never_ran(a)
        if x < 0.012 and a.gpus:
            return self.requeues_itself(a)
        self.settle(a, self.pick_kind(a))
        if x < 0.052:
            a.log = False
        elif x < 0.057 and a.gpus:
            # The cluster's records do not know it. Its log must tell when.
            a.record, a.style = False, "stamped"
        elif x < 0.060 and a.gpus in (8, 16):
            a.parts = (self.take_id(), rng.choice((1, 2, 4)))
        self.attempts.append(a)
        if a.kind[0] in ("node_failure", "preempted") or (
                a.bad_node and rng.random() < 0.5):
            if a.bad_node:
                a.state, a.exit = "NODE_FAIL", "1:0"
            a.log = False  # the next attempt writes over it, or behind it
            b = self.again(a, WELL if rng.random() < 0.7 else
                           self.pick_kind(a))
            b.before = a if rng.random() < 0.5 else None

    def never_ran(self, a):
        """Cancelled while it waited."""
        a.start, a.end = None, a.submit + self.rng.randrange(5, 3 * HOUR)
        a.nodes, a.limit, a.log = [], HOUR, False
        a.kind = ("killed_by_user",) + WELL[1:]
        a.state, a.exit = "CANCELLED by %d" % self.uid[a.user], "0:0"
        self.attempts.append(a)

    def again(self, a, kind):
        """The next attempt of the same job."""
        b = Attempt()
        for name in Attempt.__slots__:
            setattr(b, name, getattr(a, name))
        b.number += 1
        b.start = a.end + self.rng.randrange(60, 600)
        b.bad_node = b.checkpoint = b.parts = b.before = None
        b.log = True
        self.settle(b, kind)
        self.attempts.append(b)
        return b

    def requeues_itself(self, a):
        """The batch script asks for another try, whatever the error."""
        a.own_folder, a.style = True, "stamped"
        a.gpus = max(a.gpus, 1)
        self.settle(a, REQUEUED_KIND)
        self.attempts.append(a)
        for _ in range(self.rng.randrange(1, 4)):
            a = self.again(a, REQUEUED_KIND)

    def array(self, t, size):
        rng = self.rng
        user = rng.choices(USERS, self.user_weight)[0]
        first = self.new(t, user)
        alike = rng.random() < 0.4 and rng.choice(
            [k for k in KINDS if k[2] == "data" and k[0] != "unknown"])
        master = first.raw
        for task in range(size):
            a = first if task == 0 else self.new(t, user)
            a.project, a.gpus, a.partition = first.project, 1, "gpu"
            a.style = first.style if first.gpus == 1 else "stamped"
            a.array = (master, task)
            a.id = "%d_%d" % (master, task)
            self.settle(a, alike or self.pick_kind(a))
            self.attempts.append(a)


# ---- logs -------------------------------------------------------------------
class Logs:
    def __init__(self, month, out):
        self.month, self.rng, self.out = month, month.rng, out
        self.days = month.days
        self.bytes = self.files = 0

    def stamp(self, t):
        t = int(t)
        s = t % DAY
        return "%s %02d:%02d:%02d" % (self.days[t // DAY], s // HOUR,
                                      s // 60 % 60, s % 60)

    def write(self, a):
        day = a.end // DAY
        if not a.log or day >= self.month.nights:
            a.log = a.log and None  # not yet there when the month ends
            return
        folder = os.path.join(self.out, "logs", self.days[day])
        stem = "slurm-%s" % a.id
        if a.own_folder:
            folder = os.path.join(folder, a.id, "attempt_%d" % a.number)
            stem = "slurm"
        os.makedirs(folder, exist_ok=True)
        text = a.kind[5]
        if len(a.nodes) > 1 and (a.bad_node or self.rng.random() < 0.3):
            # One log a node, at most four; the first to die tells why.
            dead = a.bad_node or self.rng.choice(a.nodes[:4])
            some = [dead] + [n for n in a.nodes if n != dead][:3]
            for node in some:
                mine = node == dead or not text
                self.file(folder, "%s.%s.out" % (stem, node), self.body(
                    a, node, 0, text if mine else FOLLOWS))
        elif a.gpus == GPUS_A_NODE and not a.own_folder and \
                self.rng.random() < 0.15:
            dead = self.rng.randrange(a.gpus)
            for rank in range(a.gpus):
                mine = rank == dead or not text
                self.file(folder, "%s.rank%d.out" % (stem, rank), self.body(
                    a, a.nodes[0], rank, text if mine else FOLLOWS))
        else:
            body = self.body(a, a.bad_node or a.nodes[0], 0, text)
            if a.before:
                b = a.before
                body = self.body(b, b.nodes[0], 0, b.kind[5]) + body
            self.file(folder, stem + ".out", body)

    def file(self, folder, name, text):
        data = text.encode()
        if self.rng.random() < 0.03:
            name += ".gz"
            data = gzip.compress(data, 6, mtime=0)
        with open(os.path.join(folder, name), "wb") as f:
            f.write(data)
        self.bytes += len(data)
        self.files += 1

    def body(self, a, node, rank, failure):
        rng = self.rng
        phase = a.kind[2]
        lines = []
        if a.style == "plain":
            self.plain(a, phase, lines)
        else:
            self.stamped(a, node, rank, phase, lines)
        if failure:
            lines.append(failure.format(
                home="/home/%s/%s" % (a.user, a.project), account=a.account,
                project=a.project, raw=a.raw, node=node, host=node + ": ",
                at=self.stamp(a.end).replace(" ", "T"), gpu=rank % 8,
                line=40 + a.raw % 7, line2=12 + a.raw % 5,
                batch=8 << a.raw % 5, classes=10 + a.raw % 90,
                mib=200 + a.raw % 700, step=1000 + a.raw % 9000))
        lines.append("")
        return "\n".join(lines)

    def head(self, a, node):
        return [
            "job %s on %s" % (a.id, node),
            "python 3.11.4, torch 2.4.1, driver 550.54.15",
        ]

    def plain(self, a, phase, lines):
        """A small script that prints its epochs and no time."""
        rng = self.rng
        lines += self.head(a, a.nodes[0])
        lines.append("device: %s" % ("cuda:0" if a.gpus else "cpu"))
        lines.append("config: %s batch %d lr %.4f seed %d" % (
            a.project, 8 << a.raw % 5, rng.uniform(1e-4, 1e-1), a.raw % 99))
        if phase == "init":
            return
        lines.append("reading /lustre/%s/%s/train" % (a.account, a.project))
        if phase == "data":
            return
        n = rng.randrange(20, 120)
        loss = 4.0
        for i in range(n):
            loss *= 0.985
            lines.append("epoch %d/%d batch %4d loss %.4f acc %.3f" % (
                i // 10 + 1, n // 10 + 1, i % 10 * 100, loss,
                0.9 - loss / 6))
        if phase == "eval":
            lines.append("evaluating on /lustre/%s/%s/test" % (
                a.account, a.project))
        elif a.kind is WELL:
            lines.append("training finished, best accuracy %.3f" % (
                0.9 - loss / 6))

    def stamped(self, a, node, rank, phase, lines):
        rng = self.rng
        seconds = a.end - a.start
        t = a.start + min(8, seconds * 0.1)
        say = self.stamp(t) + ",104 | INFO | %s: %s"
        lines += self.head(a, node)
        world = max(1, a.gpus)
        if a.gpus:
            lines.append(say % ("launch", "rank %d of world_size=%d, backend "
                                "nccl, device cuda:%d" % (rank, world,
                                                          rank % 8)))
        for key, value in (("model", a.project + "-base"),
                           ("batch_size", 8 << a.raw % 5),
                           ("learning_rate", 0.0003), ("seed", a.raw % 99),
                           ("precision", "bf16")):
            lines.append(say % ("config", "%s: %s" % (key, value)))
        if rng.random() < 0.1:
            lines.append(self.stamp(t) + ",220 | WARNING | env: " +
                         NOISE[a.raw % len(NOISE)])
        if phase == "init":
            return
        t = a.start + min(30, seconds * 0.2)
        lines.append(self.stamp(t) + ",311 | INFO | data: reading /lustre/%s/"
                     "%s/train, %d shards" % (a.account, a.project,
                                              64 + a.raw % 400))
        if phase == "data":
            for i in range(4):
                at = t + (a.start + seconds * 0.9 - t) * i / 4
                lines.append(self.stamp(at) + ",002 | INFO | data: %d shards "
                             "ready" % (i * 16))
            return
        self.steps(a, t, lines)
        if phase == "eval":
            lines.append(self.stamp(a.start + seconds * 0.995) +
                         ",500 | INFO | eval: evaluating on 5000 samples")
        elif a.kind is WELL:
            lines.append(self.stamp(a.end - min(5, seconds * 0.01)) +
                         ",900 | INFO | train: training finished")

    def steps(self, a, t, lines):
        """Progress, evenly over the run, with a checkpoint now and then."""
        rng, start = self.rng, t
        n = rng.randrange(25, 150)
        stop = a.start + (a.end - a.start) * 0.99
        each = (stop - start) / n
        loss, every = 9.0, rng.randrange(15, 40)
        step = 10 if a.gpus < 16 else 100
        megatron = a.style == "iterations"
        speed = 300 + a.raw % 500
        for i in range(1, n + 1):
            t = start + i * each
            loss *= 0.992
            at = self.stamp(t)
            if megatron:
                lines.append(
                    " [%s] iteration %8d/%8d | consumed samples: %12d | "
                    "elapsed time per iteration (ms): %.1f | learning rate: "
                    "3.0E-04 | global batch size: %5d | lm loss: %.6E | grad "
                    "norm: %.3f |" % (at, i * step, n * step, i * step * 512,
                                      each * 1000 / step, 512, loss,
                                      loss / 7))
            else:
                lines.append(
                    "%s,%03d | INFO | train: step %d/%d loss %.4f lr 3.0e-04 "
                    "grad_norm %.3f samples/s %.1f" % (
                        at, i * 37 % 1000, i * step, n * step, loss, loss / 7,
                        speed + i % 13))
            if i % every == 0 and i < n:
                path = "/lustre/%s/%s/runs/%s" % (a.account, a.project, a.id)
                a.checkpoint = max(a.checkpoint or 0, int(t))
                if megatron:
                    lines.append("saving checkpoint at iteration %7d to %s in "
                                 "torch format" % (i * step, path))
                    lines.append("  successfully saved checkpoint from "
                                 "iteration %7d to %s" % (i * step, path))
                else:
                    lines.append("%s,990 | INFO | checkpoint: Saved "
                                 "checkpoint to %s/step_%d.pt" % (
                                     at, path, i * step))


# ---- records ----------------------------------------------------------------
COLUMNS = ("JobID|JobIDRaw|JobName|User|Account|Partition|State|ExitCode|"
           "Submit|Start|End|Elapsed|ElapsedRaw|Timelimit|NNodes|NodeList|"
           "AllocTRES|ReqTRES|Restarts|Reason|WorkDir")


def clock(s):
    s = int(s)
    days = "%d-" % (s // DAY) if s >= DAY else ""
    return "%s%02d:%02d:%02d" % (days, s // HOUR % 24, s // 60 % 60, s % 60)


def hostlist(nodes):
    if not nodes:
        return "None assigned"
    if len(nodes) == 1:
        return nodes[0]
    return "n[%s-%s]" % (nodes[0][1:], nodes[-1][1:])


def tres(gpus, nodes, full):
    n = len(nodes) or 1
    cpus = 12 * gpus if gpus else 16
    text = ("billing=%d," % cpus if full else "") + "cpu=%d" % cpus
    if gpus:
        text += ",gres/gpu:h100=%d,gres/gpu=%d" % (gpus, gpus) if full else \
            ",gres/gpu=%d" % gpus
    return text + ",mem=%dG,node=%d" % (max(1, gpus) * 120, n)


class Records:
    def __init__(self, month, out):
        self.month, self.out = month, out

    def time(self, t):
        s = t % DAY
        return "%sT%02d:%02d:%02d" % (self.month.days[t // DAY], s // HOUR,
                                      s // 60 % 60, s % 60)

    def rows(self, a, now):
        """The job's row and its steps as they look at that time."""
        state, code, end = a.state, a.exit, self.time(a.end)
        if a.start is None:
            shown, seconds, start = [], 0, "None"
            if a.end > now:
                state, end, start = "PENDING", "Unknown", "Unknown"
        else:
            shown, seconds = a.nodes, a.end - a.start
            start = self.time(a.start)
            if a.start > now:
                state, code, end, seconds = "PENDING", "0:0", "Unknown", 0
                start, shown = "Unknown", []
            elif a.end > now:
                state, code, end = "RUNNING", "0:0", "Unknown"
                seconds = now - a.start
        parts = [(a.id, a.raw, a.gpus, shown)]
        if a.parts:
            other, gpus = a.parts
            parts = [(a.id + "+0", a.raw, a.gpus, shown),
                     (a.id + "+1", other, gpus, ["n001"] if shown else [])]
        out = []
        for name, raw, gpus, nodes in parts:
            ran = bool(nodes)
            common = "%s|%s|%s|%s|%d" % (self.time(a.submit), start, end,
                                         clock(seconds), seconds)
            out.append("%s|%d|%s|%s|%s|%s|%s|%s|%s|%s|%d|%s|%s|%s|%d|%s|%s" % (
                name, raw, a.project, a.user, a.account, a.partition, state,
                code, common, clock(a.limit), len(nodes) or 1,
                hostlist(nodes), tres(gpus, nodes, True) if ran else "",
                tres(gpus, nodes, False), a.number - 1, "None",
                "/home/%s/%s" % (a.user, a.project)))
            if not ran:
                continue
            short = state.split()[0]
            for step, step_name in (("batch", "batch"), ("extern", "extern"),
                                    ("0", "python")):
                step_state = "COMPLETED" if step == "extern" and \
                    short != "RUNNING" else short
                if step_state in ("TIMEOUT", "NODE_FAIL", "PREEMPTED"):
                    step_state = "CANCELLED"
                out.append("%s.%s|%d.%s|%s||%s||%s|%s|%s|%s|%s|%s|%d||%d|%s|"
                           "%s||%d||" % (
                               name, step, raw, step, step_name, a.account,
                               step_state,
                               "0:0" if step_state == "COMPLETED" else code,
                               start, start, end, clock(seconds), seconds,
                               1 if step == "batch" else len(nodes),
                               nodes[0] if step == "batch" else
                               hostlist(nodes), tres(gpus, nodes, False),
                               a.number - 1))
        return out

    def write(self):
        os.makedirs(os.path.join(self.out, "sacct"))
        known = sorted((a for a in self.month.attempts if a.record),
                       key=lambda a: (a.raw, a.number))
        by_day = [[] for _ in range(self.month.nights)]
        for a in known:
            first = a.submit if a.start is None else a.start
            if a.number == 1:
                first = min(first, a.submit)
            for d in range(first // DAY, min(self.month.nights - 1,
                                             a.end // DAY) + 1):
                by_day[d].append(a)
        for d, some in enumerate(by_day):
            now = d * DAY + QUERY
            path = os.path.join(self.out, "sacct", self.month.days[d] + ".txt")
            with open(path, "w", encoding="ascii") as f:
                f.write(COLUMNS + "\n")
                for a in some:
                    f.write("\n".join(self.rows(a, now)) + "\n")


# ---- truth ------------------------------------------------------------------
# What a record alone tells.
ALONE = {"CANCELLED": "killed_by_user", "NODE_FAIL": "node_failure",
         "PREEMPTED": "preempted", "TIMEOUT": "time_limit_exceeded",
         "OUT_OF_MEMORY": "cpu_out_of_memory"}


def add(table, key, **more):
    row = table.setdefault(key, {})
    for name, value in more.items():
        row[name] = row.get(name, 0) + value


def truth(month, logs):
    """Totals of the month as the last night's records leave them. An attempt
    counts on the day it ended; one that still runs, on the day it began."""
    now = (month.nights - 1) * DAY + QUERY
    tables = {k: {} for k in ("state", "user", "account", "partition", "day",
                              "node", "category")}
    total = {k: 0 for k in (
        "attempts", "failed", "gpu_seconds", "failed_gpu_seconds", "lost",
        "avoidable", "running", "without_log", "without_record",
        "unrecorded_gpu_seconds")}
    jobs, failed_by = set(), {}
    planted = []
    for a in sorted(month.attempts, key=lambda a: (a.raw, a.number)):
        state = a.state.split()[0]
        if a.start is None or a.start > now:
            continue  # what never ran is no attempt
        running = a.end > now
        when = a.start if running else a.end
        if when is None or when >= month.length:
            continue
        if not a.record and not a.log:
            continue
        seconds = (now if running else a.end) - a.start
        gpus = a.gpus + (a.parts[1] if a.parts else 0)
        used = gpus * seconds
        failed = not running and state != "COMPLETED"
        category = a.kind[0] if a.log is True else ALONE.get(
            state, "native_crash" if a.exit == "139:0" else "unknown")
        if not a.record and a.kind[0] == "unknown":
            failed = False  # nothing tells that it failed
        lost = 0
        if failed:
            lost = used if a.checkpoint is None or a.log is not True else \
                gpus * (a.end - a.checkpoint)
        if running:
            state = "RUNNING"
        same = failed and failed_by.get(a.id) is a.kind is REQUEUED_KIND
        if failed:
            failed_by[a.id] = a.kind
        if not running:
            planted.append((a.id, a.number, category if failed else "none",
                            a.kind[2], "log" if a.log is True else "nolog",
                            state, used, lost if failed else 0))
        if failed:
            add(tables["category"],
                "no_log" if category == "unknown" and a.log is not True
                else category, failed=1)
        jobs.add(a.id)
        total["attempts"] += 1
        total["failed"] += failed
        total["running"] += running
        total["without_log"] += a.log is not True
        if not a.record:
            total["without_record"] += 1
            total["unrecorded_gpu_seconds"] += used
            continue
        total["gpu_seconds"] += used
        total["failed_gpu_seconds"] += used if failed else 0
        total["lost"] += lost
        total["avoidable"] += used if same else 0
        row = dict(attempts=1, failed=int(failed), gpu_seconds=used,
                   failed_gpu_seconds=used if failed else 0)
        add(tables["state"], state, **row)
        add(tables["user"], a.user, **row)
        add(tables["account"], a.account, **row)
        add(tables["partition"], a.partition, **row)
        add(tables["day"], month.days[when // DAY], **row)
        nodes = set(a.nodes) | ({"n001"} if a.parts else set())
        for node in nodes:
            add(tables["node"], node, attempts=1)
    total["jobs"] = len(jobs)
    return {
        "since": month.days[0], "until": month.days[month.nights],
        "nights": month.nights, "log_files": logs.files,
        "log_bytes": logs.bytes, "total": total, "bad_nodes": sorted(BAD_NODES),
        "stubborn_user": STUBBORN,
        "outage": logs.stamp(month.outage),
        "new_from": logs.stamp(month.new_from),
        **{"by_" + k: dict(sorted(v.items())) for k, v in tables.items()},
    }, planted


# ---- a report against the truth ---------------------------------------------
def wrong(what, expected, found, slack=0.0, least=0):
    """1 and a line when a figure is off by more than the slack."""
    if found is not None and abs(expected - found) <= max(
            least, abs(expected) * slack):
        return 0
    print("%s: %s expected, %s found" % (what, expected, found))
    return 1


def check(out, path):
    """Whether the report shows the true figures. What records say must be
    exact; what is read from logs may be off by a little."""
    with open(os.path.join(out, "truth.json")) as f:
        want = json.load(f)
    with open(path) as f:
        report = json.load(f)
    total, now, bad = want["total"], report["now"], 0
    for key in "attempts", "jobs":
        bad += wrong(key, total[key], now[key])
    bad += wrong("failed", total["failed"], now["failed"], 0.001, 1)
    bad += wrong("without a record", total["without_record"],
                 report["counts"]["no_record"])
    bad += wrong("GPU-seconds", total["gpu_seconds"] +
                 total["unrecorded_gpu_seconds"], now["gpu_seconds"], 0.002)
    bad += wrong("GPU-seconds lost", total["lost"], now["lost"], 0.02)
    bad += wrong("GPU-seconds avoidable", total["avoidable"],
                 now["avoidable"], 0.01)
    shown = {name: {row["key"]: row["now"] for row in rows}
             for name, rows in report["breakdowns"].items()}
    for name, table, keys in (
            ("state", "by_state", ("attempts", "failed", "gpu_seconds")),
            ("user", "by_user", ("attempts", "failed", "gpu_seconds",
                                 "failed_gpu_seconds")),
            ("group", "by_account", ("attempts", "failed", "gpu_seconds")),
            ("partition", "by_partition", ("attempts", "gpu_seconds")),
            ("node", "by_node", ("attempts",))):
        for value, row in want[table].items():
            for key in keys:
                # A log without a record may name its node, too.
                bad += wrong("%s %s: %s" % (name, value, key), row[key],
                             shown[name].get(value, {}).get(key),
                             least=3 if name == "node" else 0)
    for day, row in want["by_day"].items():
        bad += wrong("day %s: attempts" % day, row["attempts"],
                     shown["day"].get(day, {}).get("attempts"), 0.05, 5)
    for category, row in want["by_category"].items():
        bad += wrong("category " + category, row["failed"],
                     shown["category"].get(category, {}).get("failed", 0),
                     0.05, 2)
    if want["nights"] >= 20:
        suspects = sorted(n["node"] for n in report["nodes"] if n["suspect"])
        if suspects != want["bad_nodes"]:
            print("suspect nodes: %s expected, %s found" % (
                want["bad_nodes"], suspects))
            bad += 1
        # One row for each cause that was planted, and no other.
        seen = sorted((i["scope"], i["user"] or i["node"] or
                       i["sample"]["category"]) for i in report["incidents"])
        planted = sorted([("platform", "storage_fault"),
                          ("user", want["stubborn_user"])] +
                         [("node", n) for n in want["bad_nodes"]])
        if seen != planted:
            print("incidents: %s expected, %s found" % (planted, seen))
            bad += 1
    print("%d wrong figures" % bad if bad else "every figure is right")
    return 1 if bad else 0


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    p.add_argument("out")
    p.add_argument("--nights", type=int, default=30)
    p.add_argument("--jobs", type=int, default=50000)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--check", metavar="REPORT.json")
    o = p.parse_args()
    if o.check:
        return check(o.out, o.check)
    if o.nights < 1 or o.nights > 300 or o.jobs < 1:
        p.error("1 to 300 nights, at least one job")
    for name in "logs", "sacct":
        shutil.rmtree(os.path.join(o.out, name), ignore_errors=True)
    month = Month(o.nights, o.jobs, o.seed)
    month.plan()
    logs = Logs(month, o.out)
    for day in month.days[:o.nights]:
        os.makedirs(os.path.join(o.out, "logs", day))
    for a in month.attempts:
        logs.write(a)
    Records(month, o.out).write()
    sums, planted = truth(month, logs)
    with open(os.path.join(o.out, "truth.json"), "w") as f:
        json.dump(sums, f, indent=1)
        f.write("\n")
    with open(os.path.join(o.out, "planted.tsv"), "w") as f:
        for row in planted:
            f.write("\t".join(map(str, row)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
