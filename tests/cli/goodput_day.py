"""A made day of a cluster whose truth is known: jobs with queues, restarts,
hangs, checkpoints and evaluations; and whether the goodput that is told of it
is the one that was made.

usage: goodput_day.py make DIR [SEED]   writes DIR/logs, DIR/records.csv,
                                        DIR/truth.json
       goodput_day.py check DIR         reads scan's JSON lines on stdin
       goodput_day.py report DIR FILE   FILE: the report as JSON"""
import json
import os
import random
import sys
import time

DAY = 1773014400  # 2026-03-09 00:00 UTC
PHASES = ["initializing", "training", "recomputing", "checkpointing",
    "evaluating", "hanging", "stopping", "unknown"]
SLACK = 3  # seconds: times are printed as whole ones, each end of a phase


def stamp(t, form="%Y-%m-%d %H:%M:%S"):
    return time.strftime(form, time.gmtime(t))


class Plain:
    """Python's logging; says when something begins and when it is done."""
    total = 100000

    def head(self, t):
        return f"{stamp(t)},000 - train - INFO - "

    def start(self, t):
        return [self.head(t) + "loading data from /data/shards"]

    def resumed(self, t, step):
        return [self.head(t) + f"resumed from checkpoint at step {step}"]

    def step(self, t, n):
        return [self.head(t) + f"step {n} loss {2 + 1 / n:.4f} lr 0.0003"]

    def saving(self, t, n):
        return [self.head(t) + f"saving checkpoint to out/step_{n}.pt"]

    def saved(self, t, n):
        return [self.head(t) + f"checkpoint saved to out/step_{n}.pt"]

    def evaluating(self, t, n):
        return [self.head(t) + f"evaluating on 500 samples"]

    def evaluated(self, t, n):
        return [self.head(t) + f"step {n} val_loss 2.1"]

    def done(self, t):
        return [self.head(t) + "Training finished"]


class Megatron(Plain):
    """Dates its steps only."""

    def start(self, t):
        return ["using world size: 8, data-parallel size: 8",
            f"[after dataloaders are built] datetime: {stamp(t)}"]

    def resumed(self, t, step):
        return [f"  successfully loaded checkpoint from ckpt [ t 0 ] at "
            f"iteration {step}"]

    def step(self, t, n):
        return [f" [{stamp(t)}] iteration {n:8}/{self.total:8} | consumed "
            f"samples: {n * 256:12} | elapsed time per iteration (ms): "
            f"5000.0 | learning rate: 3.0E-04 | global batch size:   256 | "
            f"lm loss: 2.1E+00 | loss scale: 1.0 | grad norm: 1.2 |"]

    def saving(self, t, n):
        return [f"saving checkpoint at iteration {n:7} to ckpt in torch format"]

    def saved(self, t, n):
        return [f"  successfully saved checkpoint from iteration {n:7} to ckpt"]

    def evaluating(self, t, n):
        return ["Evaluating on 6400 samples", "Evaluating iter 1/25"]

    def evaluated(self, t, n):
        return [" validation loss at iteration "
            f"{n} on validation set | lm loss value: 2.2E+00 | lm loss PPL: 9 |"]

    def done(self, t):
        return [f"[after training is done] datetime: {stamp(t)}"]


class Lightning(Plain):
    """Bars whose lines a collector dates; steps are counted in each epoch."""
    per = 200

    def head(self, t):
        return f"{stamp(t, '%Y-%m-%dT%H:%M:%SZ')} stderr F "

    def step(self, t, n):
        e, k = divmod(n - 1, self.per)
        k += 1
        return [self.head(t) + f"Epoch {e}: {100 * k // self.per:3}%|####  | "
            f"{k}/{self.per} [00:10<00:20,  5.00it/s, v_num=0, "
            f"train_loss=2.1]"]

    def saving(self, t, n):
        return []

    def saved(self, t, n):
        e, k = divmod(n - 1, self.per)
        return [self.head(t) + f"Epoch {e}, global step {n}: saved checkpoint "
            f"to 'out/epoch={e}-step={n}.ckpt'"]

    def evaluating(self, t, n):
        return [self.head(t) + f"Validation DataLoader 0:  {k}%|##    | "
            f"{k}/100 [00:01<00:02]" for k in (1, 50)]

    def evaluated(self, t, n):
        return [self.head(t) + "Validation DataLoader 0: 100%|######| "
            "100/100 [00:02<00:00]"]

    def resumed(self, t, step):
        return [self.head(t) + "Restored all states from the checkpoint at "
            f"out/step={step}.ckpt"]


CRASH = ["Traceback (most recent call last):",
    '  File "/home/ada/train.py", line 88, in <module>',
    "    loss = step(batch)",
    '  File "/home/ada/train.py", line 40, in step',
    "    w = table[name]", "KeyError: 'mel_bands'"]
NCCL = "[rank0]:[E ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught " \
    "collective operation timeout: WorkNCCL(SeqNum=812, OpType=ALLREDUCE, " \
    "NumelIn=1, NumelOut=1, Timeout(ms)=1800000) ran for 1800021 " \
    "milliseconds before timing out."


class Job:
    """One job: attempts, each of which goes on where a checkpoint was."""

    def __init__(self, number, rand, out):
        self.rand, self.out = rand, out
        self.id = f"train-{number}"
        self.user = f"user{number % 4}"
        self.cluster = f"c{number % 2}"
        self.gpus = rand.choice([8, 16, 64])
        self.style = [Plain, Megatron, Lightning][number % 3]()
        self.each = rand.choice([2, 5, 9])  # seconds a step takes
        self.every = rand.choice([1, 5, 10]) if number % 3 < 2 else 10
        self.save_every, self.save_takes = rand.choice([40, 50]), \
            rand.choice([7, 20, 31])
        self.eval_at, self.eval_takes = 0, rand.choice([0, 15, 44])
        if isinstance(self.style, Megatron):  # both at once are not told apart
            self.eval_at, self.save_every = 50, 40
            self.every = rand.choice([1, 5])
        self.saved = self.high = 0
        self.t = DAY + rand.randrange(0, 3600)
        self.truth, self.pending = [], 0

    def attempt(self, steps, end):
        """Makes so many steps, and then: well, crash, hang."""
        rand, style = self.rand, self.style
        spent = dict.fromkeys(PHASES, 0)
        submitted, lines = self.t, []
        started = t = self.t + rand.randrange(0, 900)
        at, unsaved = self.saved, 0
        t += rand.randrange(5, 30)
        lines += style.start(t)
        if at:
            t += rand.randrange(1, 20)
            lines += style.resumed(t, at)
        t += rand.randrange(20, 200)
        first = True
        since = 0
        for n in range(at + 1, at + steps + 1):
            since += self.each
            if n % self.every and not first:
                continue
            t += since
            if first:
                # up to the first line about a step it begins
                spent["initializing"] = t - started
            elif n <= self.high:
                spent["recomputing"] += since
            elif n - self.every < self.high:
                again = since * (self.every - (n - self.high)) // self.every
                spent["recomputing"] += again
                spent["training"] += since - again
                unsaved += since - again
            else:
                spent["training"] += since
                unsaved += since
            first, since = False, 0
            lines += style.step(t, n)
            if self.eval_takes and n % 100 == self.eval_at:
                lines += style.evaluating(t, n)
                t += self.eval_takes
                spent["evaluating"] += self.eval_takes
                lines += style.evaluated(t, n)
            if n % self.save_every == 0:
                lines += style.saving(t, n)
                t += self.save_takes
                spent["checkpointing"] += self.save_takes
                lines += style.saved(t, n)
                self.saved = n
                if n >= self.high:
                    unsaved = self.pending = 0
            last = n
        silence = {"well": 4, "crash": 3, "hang": 1800}[end]
        if end == "well":
            t += 2
            lines += style.done(t)
            t += 2
        elif end == "crash":
            t += 3
            lines += [style.head(t) + x if isinstance(style, Lightning)
                else x for x in CRASH]
        else:
            t += silence
            lines += [style.head(t) + NCCL if isinstance(style, Lightning)
                else NCCL]
        spent["hanging" if end == "hang" else "stopping"] = silence
        self.high = max(self.high, last)
        self.pending = 0 if end == "well" else self.pending + unsaved
        self.t = t + rand.randrange(10, 100)
        self.write(len(self.truth) + 1, lines)
        self.record(len(self.truth) + 1, submitted, started, t, end)
        self.truth.append({"queued": started - submitted, "spent": spent})

    def write(self, attempt, lines):
        top = f"{self.out}/logs/{self.id}/attempt-{attempt}"
        os.makedirs(top)
        with open(f"{top}/train.log", "w") as f:
            f.write("\n".join(lines) + "\n")

    def record(self, attempt, submitted, started, ended, end):
        form = "%Y-%m-%dT%H:%M:%SZ"
        with open(f"{self.out}/records.csv", "a") as f:
            f.write(",".join([self.id, str(attempt), self.cluster, self.user,
                "COMPLETED" if end == "well" else "FAILED",
                stamp(submitted, form), stamp(started, form),
                stamp(ended, form), str(self.gpus)]) + "\n")


def make(out, seed):
    rand = random.Random(seed)
    os.makedirs(f"{out}/logs")
    with open(f"{out}/records.csv", "w") as f:
        f.write("job_id,attempt,cluster,user,state,submit_time,start_time,"
            "end_time,gpus\n")
    truth = {}
    for number in range(24):
        job = Job(number, rand, out)
        ends = rand.choice([["well"], ["crash", "well"],
            ["hang", "crash", "well"], ["hang"], ["crash", "crash"]])
        for end in ends:
            job.attempt(rand.randrange(15, 33) * 10 + 5, end)
        truth[job.id] = {"attempts": job.truth, "lost": job.pending,
            "gpus": job.gpus, "user": job.user, "cluster": job.cluster}
    with open(f"{out}/truth.json", "w") as f:
        json.dump(truth, f)


def near(what, got, want, slack):
    if got is None or abs(got - want) > slack:
        print(f"not as made: {what}: {got} instead of {want}")
        return 1
    return 0


def check(out):
    with open(f"{out}/truth.json") as f:
        truth = json.load(f)
    bad = seen = 0
    for line in sys.stdin:
        d = json.loads(line)
        job, g = truth[d["job"]], d["goodput"]
        want = job["attempts"][d["attempt"] - 1]
        name = f"{d['job']}/{d['attempt']}"
        seen += 1
        bad += near(f"{name} queued", g["queued"], want["queued"], 0)
        bad += near(f"{name} sum", sum(g[k] for k in PHASES),
            d["usage"]["runtime_seconds"], 0)
        # what an earlier attempt made is for the report to know
        both = want["spent"]["training"] + want["spent"]["recomputing"]
        for k in PHASES:
            bad += near(f"{name} {k}", g[k],
                both if k == "training" else 0 if k == "recomputing"
                else want["spent"][k], SLACK)
    bad += near("attempts", seen, sum(len(j["attempts"])
        for j in truth.values()), 0)
    print(f"{seen} attempts, {bad} figures not as made")
    return bad


def report(out, path):
    with open(f"{out}/truth.json") as f:
        truth = json.load(f)
    with open(path) as f:
        g = json.load(f)["goodput"]
    bad, sums = 0, {}
    for row in g["by_job"]:
        job = truth[row["job"]]
        n = job["gpus"]
        want = dict.fromkeys(PHASES + ["queued"], 0)
        for a in job["attempts"]:
            for k in PHASES:
                want[k] += a["spent"][k] * n
            want["queued"] += a["queued"] * n
        want["training"] -= job["lost"] * n
        want["lost"] = job["lost"] * n
        for k, v in want.items():
            bad += near(f"{row['job']} {k}", row[k], v,
                SLACK * n * len(job["attempts"]))
        bad += near(f"{row['job']} sum", sum(row[k] for k in PHASES) +
            row["lost"], row["gpu_seconds"], 0)
        for by in ("user", "cluster"):
            to = sums.setdefault((by, job[by]), dict.fromkeys(want, 0))
            for k in want:
                to[k] += row[k]
        whole = row["gpu_seconds"] + row["queued"]
        bad += near(f"{row['job']} goodput", row["goodput"],
            10000 * want["training"] / row["gpu_seconds"], 60)
        bad += near(f"{row['job']} ETTR", row["ettr"], 10000 *
            (want["training"] + want["checkpointing"] + want["evaluating"]) /
            whole, 60)
    bad += near("jobs", len(g["by_job"]), len(truth), 0)
    for by in ("user", "cluster"):
        for row in g[f"by_{by}"]:
            for k, v in sums.pop((by, row[by])).items():
                bad += near(f"{by} {row[by]} {k}", row[k], v, 0)
    bad += near("others", len(sums), 0, 0)
    for k in PHASES + ["lost", "queued"]:
        bad += near(f"all {k}", g[k], sum(r[k] for r in g["by_job"]), 0)
    print(f"{len(g['by_job'])} jobs, {bad} figures not as made")
    return bad


def main():
    if sys.argv[1] == "make":
        make(sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 5)
        return 0
    bad = check(sys.argv[2]) if sys.argv[1] == "check" else \
        report(sys.argv[2], sys.argv[3])
    return 1 if bad else 0


sys.exit(main())
