"""One fault at each place where it can strike: the Nth call fails, for every N
up to what an undisturbed run makes; with --places for the first N of every
chain of callers, which is what a rule set of 100,000 allocations allows.
--step K takes every Kth of them, --later lets all later calls fail, too.
inject.c makes the faults.

usage: sweep.py INJECT FAULT[=WHAT] [--step K] [--places] [--later]
                [--only WORD]... PROGRAM

Each run has a folder of its own, with an older output in it. What must hold:
no signal and no hang; a status of the contract; the whole answer or none;
when it failed, one or a few lines that say why, the older output as it was,
nothing left beside it, and a store that is whole and, after one more run
without the fault, complete. The last line tells how many runs there were and
how they ended.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

OLD = "an older report\n"
SECRET = "hunter2-tr0ub4dor"
LIMIT_S = 60
# What jobtriage, and libarchive, say of an archive that they had no memory for.
UNREAD = re.compile(rb"cannot load a library|: unreadable: out of memory"
                    rb"|: damaged: (?:Can't allocate memory|Out of memory"
                    rb"|INTERNAL ERROR)")

TRACE = """step 1 loss 0.5
Traceback (most recent call last):
  File "train.py", line %d, in step
    x = d[k]
KeyError: 'k%d'
"""


def template(folder, program):
    """What the commands work on: four logs, packed; records; rules; a store."""
    os.mkdir(folder + "/logs")
    for i in range(1, 5):
        with open(folder + "/logs/job%d.log" % i, "w") as f:
            f.write("password=%s\nstep %d loss 0.1\n" % (SECRET, i))
            f.write(TRACE % (i, i) if i % 2 else "Training finished.\n")
    subprocess.run(["tar", "-czf", "logs.tgz", "logs"], cwd=folder, check=True)
    with open(folder + "/sacct.txt", "w") as f:
        f.write("JobID|State|ExitCode|Start|End|AllocTRES|NodeList\n")
        for i in range(1, 5):
            f.write("%d|FAILED|1:0|1700000000|1700003600|gres/gpu=8|n%d\n"
                    % (i, i))
    with open(folder + "/slurm.json", "w") as f:
        f.write('{"jobs": [%s]}\n' % ", ".join(
            '{"job_id": %d, "job_state": "FAILED", "start_time": 1700000000, '
            '"end_time": 1700003600, "nodes": "n%d"}' % (i, i)
            for i in range(1, 5)))
    os.makedirs(folder + "/cases/key_not_found")
    shutil.copy(folder + "/logs/job1.log", folder + "/cases/key_not_found")
    with open(folder + "/mine.yaml", "w") as f:
        f.write("""category: key_not_found
rules:
  - id: key_not_found.mine
    title: a key of ours
    where: line
    pattern: 'KeyError: .k(?<number>[0-9])'
    role: root
    extract: [number]
    examples:
      match: ["KeyError: 'k1'"]
      no_match: ["KeyError: 'x'"]
""")
    for args in (["scan", "--store", "sqlite:jobs.db", "logs.tgz"],
                 ["scan", "-f", "jsonl", "-o", "jobs.jsonl", "logs.tgz"],
                 ["scan", "--goodput", "-f", "jsonl", "-o", "nodes.jsonl", "--jobs",
                  "slurm.json", "--records", "all", "logs"]):
        subprocess.run([program] + args, cwd=folder, check=True,
                       stdout=subprocess.DEVNULL)


SCAN = ["scan", "-j", "1", "--no-progress", "logs.tgz"]
REPORT = ["report", "--store", "sqlite:jobs.db", "--since", "2020-01-01",
          "--until", "2100-01-01"]

# name: (arguments, an output file or None, the store or None)
CASES = {
    "taxonomy": (["taxonomy", "show", "key_not_found.mine", "--taxonomy",
                  "mine.yaml"], None, None),
    "check": (["taxonomy", "check", "mine.yaml"], None, None),
    "policy": (["policy", "show"], None, None),
    "overlay": (SCAN + ["--taxonomy", "mine.yaml"], None, None),
    "put": (SCAN + ["--store", "sqlite:new.db"], None, "new.db"),
    "again": (SCAN + ["--store", "sqlite:jobs.db"], None, "jobs.db"),
    "records": (["scan", "--goodput", "--jobs", "sacct.txt", "logs"], None,
                None),
    "slurm json": (["scan", "--jobs", "slurm.json", "logs"], None, None),
    "from lines": (["report", "jobs.jsonl"], None, None),
    "goodput": (["report", "nodes.jsonl"], None, None),
    "nodes": (REPORT + ["--study", "zhang"], None, None),
    "lemons": (["report", "nodes", "-f", "json", "-o", "out", "nodes.jsonl"],
               "out", None),
    "info": (["store", "info", "--store", "sqlite:jobs.db"], None, "jobs.db"),
    "export": (["store", "export", "--store", "sqlite:jobs.db"], None,
               "jobs.db"),
    "import": (["store", "import", "--store", "sqlite:new.db", "jobs.jsonl"],
               None, "new.db"),
    "explain": (["explain", "logs/job1.log"], None, None),
    "diff": (["explain", "--diff", "logs/job2.log", "logs/job1.log"], None,
             None),
}
CASES.update({
    "eval": (["eval", "-f", "json", "-o", "out", "cases"], "out", None),
    "list": (["taxonomy", "list", "-f", "json"], None, None),
    "run": (["run", "-f", "json", "-o", "out", "--", "sh", "-c",
             "tail -n 4 logs/job1.log; exit 5"], "out", None),
    "replay": (["gate", "replay", "--store", "sqlite:jobs.db"], None, None),
})
CASES.update(("scan " + f, (SCAN + ["-f", f, "-o", "out"], "out", None))
             for f in ("text", "json", "jsonl", "csv"))
CASES.update(("report " + f, (REPORT + ["-f", f, "-o", "out"], "out",
                              "jobs.db"))
             for f in ("text", "markdown", "json", "csv",
                       "prometheus"))
# Else its packed data would name the folder of the run.
CASES["report html"] = (REPORT + ["-f", "html", "-o", "out", "--link-logs",
                                  "https://logs.example"], "out", "jobs.db")
# The gate answers whatever happens: with the word of --on-error at worst.
CASES.update(("gate " + w, (["gate", "--on-error", w, "--job", "job1",
                             "--store", "sqlite:jobs.db", "logs/job1.log"],
                            None, "jobs.db"))
             for w in ("retry", "stop", "undecided"))
GATE = {"retry": 0, "stop": 1, "undecided": 3}


def run(program, args, folder, fault=None, inject=None):
    env = dict(os.environ, FAULT_LOG=folder + ".log", JOBTRIAGE_CONFIG="",
               FAULT=fault or "")
    if fault and fault.endswith(":0"):
        env["FAULT_PLACES"] = "1"
    if fault:
        env["LD_PRELOAD"] = inject
    got = subprocess.run([program] + args, cwd=folder, env=env,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE, timeout=LIMIT_S)
    got.stdout = at_home(got.stdout, folder)
    return got


def at_home(text, folder):
    """Without the folder of the run, which diagnoses name."""
    return text.replace(folder.encode(), b"FOLDER")


def read(path):
    try:
        with open(path, "rb") as f:  # some tell when they were made
            text = re.sub(rb'"(made|started|ended)": ?"[^"]*"|'
                          rb'created_seconds \d+', b"", f.read())
            return at_home(text, os.path.dirname(path))
    except FileNotFoundError:
        return None


def rows(path):
    db = sqlite3.connect(path)
    try:
        [[word]] = db.execute("PRAGMA integrity_check").fetchall()
        if word != "ok":
            return word
        return sorted(r[0] for r in db.execute("SELECT job FROM diagnosis"))
    except sqlite3.DatabaseError as e:
        if "no such table" in str(e):  # given up before it was made
            return []
        return "%s: %s" % (path, e)
    finally:
        db.close()


class Sweep:
    def __init__(self, o, name, base):
        self.o, self.name = o, name
        self.args, self.out, self.store = CASES[name]
        self.base = base
        self.gate = GATE.get(self.args[2]) if name.startswith("gate") else None
        folder = self.folder()
        clean = run(o.program, self.args, folder, o.call + ":0", o.inject)
        self.clean = clean.returncode, clean.stdout, clean.stderr
        self.whole = self.out and read(folder + "/" + self.out)
        self.rows = self.store and rows(folder + "/" + self.store)
        if self.store and self.gate is not None:
            self.rows = None
        with open(folder + ".log") as f:
            said = [line.split() for line in f]
        [self.total] = [int(n) for word, call, n in said
                        if word == "total" and call == o.call]
        self.places = [int(n) for word, call, n in said if word == "place"]
        if self.out and (not self.whole or self.whole == OLD.encode()):
            raise SystemExit("%s: no output: %s" % (name, clean.stderr))
        self.drop(folder)

    def folder(self):
        folder = tempfile.mkdtemp(dir=self.base)
        for name in os.listdir(self.base + "/template"):
            os.symlink("../template/" + name, folder + "/" + name)
        os.remove(folder + "/jobs.db")
        shutil.copy(self.base + "/template/jobs.db", folder)
        with open(folder + "/out", "w") as f:
            f.write(OLD)
        return folder

    @staticmethod
    def drop(folder):
        shutil.rmtree(folder)
        if os.path.exists(folder + ".log"):
            os.remove(folder + ".log")

    def wrong(self, got, folder):
        """Why this outcome is wrong, or None; and how it ended."""
        status, stdout, stderr = got.returncode, got.stdout, got.stderr
        same = stdout == self.clean[1]
        told = stderr != self.clean[2]
        if status < 0:
            return "signal %d" % -status, "signal"
        if SECRET.encode() in stdout + stderr:
            return "a secret", "secret"
        if stderr.count(b"\n") > 8 + self.clean[2].count(b"\n"):
            return "talks too much", "talk"
        if self.out:
            same = read(folder + "/" + self.out) == self.whole
        # The loader of libraries ends the process when it is out of memory
        # itself; nothing runs after that.
        if status == 127 and stderr.endswith(b"out of memory\n"):
            return None, "ended by ld.so"
        if self.args[0] == "gate" and status == 2 and \
                stderr == b"jobtriage: out of memory\n":
            return None, "status 2"  # before --on-error was read
        if self.gate is not None:
            if b"verdict=undecided" in stdout and status == 3:
                return None, "undecided"
            if status != self.gate and (status != self.clean[0] or not stdout):
                return "status %d is neither the answer nor --on-error" \
                    % status, "status"
            if status == self.gate and status != self.clean[0] and not told:
                return "no reason", "silent"
            return None, "answered" if status == self.clean[0] else "on error"
        # The status is the command's own, whatever happens to the diagnosis.
        if self.args[0] == "run" and status == 125 and told and not stdout:
            return None, "not run"
        # What there was no memory for is left out of the diagnosis, and told.
        if self.args[0] == "run" and status == self.clean[0] and \
                stdout == self.clean[1] and b"were left out" in stderr:
            return None, "run"
        if self.args[0] == "run" and told:
            if status == self.clean[0] and stdout == self.clean[1] and (
                    self.clean[2] in stderr or b"Verdict" not in stderr) and (
                    same or read(folder + "/" + self.out) == OLD.encode()):
                return None, "run"
        if status == self.clean[0]:
            return (None, "no harm") if same else (
                "status %d, but another answer" % status, "silent")
        if status == 2 and (b"cannot load a library" in stderr or
                            self.o.call in ("open", "read") and
                            re.search(rb"(mine.yaml|sacct.txt|slurm.json|cases"
                                      rb"\S*): [A-Z]", stderr)):
            return None, "status 2"  # a file of rules, records or labels
        if status not in (3, 4):
            return "status %d" % status, "status"
        if not told:
            return "status %d, but nothing said" % status, "silent"
        if status == 4 and self.out and \
                read(folder + "/" + self.out) != OLD.encode():
            return "the older output is gone", "output"
        return None, "status %d" % status

    def left(self, folder):
        """What lies about that should not."""
        known = set(os.listdir(self.base + "/template")) | {"out", "new.db"}
        return [n for n in os.listdir(folder)
                if n not in known and not n.endswith(("-wal", "-shm",
                                                      "-journal"))]

    def store_wrong(self, folder, fully, unread):
        path = folder + "/" + self.store
        if os.path.exists(path) and os.path.getsize(path):
            have = rows(path)
            if isinstance(have, str):
                return "the store: " + have
            if len(have) != len(set(have)) and self.gate is None:
                return "a job is in the store twice"
        if not fully:
            return None
        again = run(self.o.program, self.args, folder)
        if again.returncode != self.clean[0] and self.gate is None:
            return "the next run fails: %s" % again.stderr
        have = rows(path)
        # An archive whose library could not be loaded, or had no memory, is
        # kept as unread.
        if unread and not isinstance(have, str) and self.rows:
            have = [r for r in have if r in self.rows]
        if isinstance(have, str) or self.rows and have != self.rows:
            return "the store after the next run: %s" % have
        return None

    def one(self, n):
        folder = self.folder()
        fault = "%s:%s%s" % (self.o.call, n, self.o.what)
        try:
            try:
                got = run(self.o.program, self.args, folder, fault,
                          self.o.inject)
            except subprocess.TimeoutExpired:
                return "%s: %s: hangs" % (self.name, fault), "hang"
            why, end = self.wrong(got, folder)
            by_library = end == "ended by ld.so" or b"in libarchive" in \
                got.stderr
            if not why and self.left(folder) and not by_library:
                why, end = "left: %s" % self.left(folder), "left"
            if not why and self.store:
                why = self.store_wrong(folder, self.o.call != "alloc" or
                                       int(n.rstrip("+")) % 10 == 0,
                                       UNREAD.search(got.stderr))
                end = "store" if why else end
            return (why and "%s: %s: %s (%s)" % (
                self.name, fault, why,
                (got.stdout[:160] + got.stderr[-300:]).decode(
                    "utf-8", "replace").strip()), end)
        finally:
            self.drop(folder)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("inject")
    p.add_argument("fault")
    p.add_argument("program")
    p.add_argument("--step", type=int, default=1)
    p.add_argument("--places", action="store_true")
    p.add_argument("--later", action="store_true")
    p.add_argument("--only", action="append", default=[])
    o = p.parse_args()
    o.inject, o.program = map(os.path.abspath, (o.inject, o.program))
    o.call, _, what = o.fault.partition("=")
    o.what = ("+" if o.later else "") + ("=" + what if what else "")
    runs, bad, calls, ends = 0, 0, 0, collections.Counter()
    with tempfile.TemporaryDirectory() as base:
        os.mkdir(base + "/template")
        template(base + "/template", o.program)
        # The pipes of run know no such faults: EIO is how a terminal ends.
        chosen = [n for n in CASES
                  if (not o.only or any(w in n for w in o.only)) and
                  not (n == "run" and o.call in ("read", "write"))]
        pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
        for name in chosen:
            s = Sweep(o, name, base)
            every = s.places if o.places else range(1, s.total + 1)
            places = [str(n) for n in every[::o.step]]
            calls += s.total
            told = 0
            for why, end in pool.map(s.one, places):
                runs += 1
                ends[end] += 1
                if why:
                    bad += 1
                    told += 1
                    if told <= 12:
                        print(why, flush=True)
            if told > 12:
                print("%s: %d more" % (name, told - 12), flush=True)
    print("# %s: %d runs of %d commands with %d such calls, %d wrong: %s" % (
        o.fault + ("+" if o.later else ""), runs, len(chosen), calls, bad,
        ", ".join(
            "%s %d" % e for e in sorted(ends.items()))))
    return bad != 0 or not runs


sys.exit(main())
