"""What a night costs a cluster: the logs of a million jobs are read, scanned,
stored and reported by 1, 16 or 256 processes.  A model; what it counts with is
measured (model.tsv) or said below.  Prints Markdown.

usage: [NAME=VALUE...] model.py
  JOBS=1000000  TB=50      of the night: jobs, plain bytes of their logs
  PACKED=1                 the files are so many times smaller (gzip)
  THREADS=16               threads of each process
  SHARDS='1 16 256'        how many processes share the tree (--shard)
  SPREAD=4                 standard deviation of a log's size by its mean
  NFS=1.2,1.2,0.5  LUSTRE=100,5,0.5  OBJECT=50,2.5,20
                           GB a second of all clients together, of one client;
                           milliseconds to open a file
  MEASURE=1                measure on this machine, a minute, and write model.tsv

How a process's time is reckoned: it walks the whole tree; then reading and
scanning go on side by side, and what it finds goes to the store at once, so that
the slowest of the three decides.  Parts are uneven by chance: the largest of n
has SPREAD * sqrt(n / JOBS) * sqrt(2 ln n) more than its share.  The report comes
after, and adds up this night and the one before.
"""
import datetime
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
ENV = os.environ.get
BUILD = os.path.join(TOP, ENV("BUILD") or "build")
INPUTS = os.path.join(TOP, "tests/bench/model.tsv")


def number(name, default):
    return float(ENV(name) or default)


JOBS, BYTES = number("JOBS", 1e6), number("TB", 50) * 1e12
PACKED, THREADS = number("PACKED", 1), number("THREADS", 16)
SPREAD = number("SPREAD", 4)
SHARDS = [int(n) for n in (ENV("SHARDS") or "1 16 256").split()]
STORAGE = [(name, *(float(v) for v in (ENV(key) or default).split(",")))
           for name, key, default in (
               ("NFS server", "NFS", "1.2,1.2,0.5"),
               ("Lustre", "LUSTRE", "100,5,0.5"),
               ("object store", "OBJECT", "50,2.5,20"))]


# ---- measuring --------------------------------------------------------------
def scan(path, *options):
    """Median processor seconds of three runs of one thread: the machine may be
    busy with other things."""
    runs = []
    for _ in range(3):
        child = subprocess.Popen(
            [BUILD + "/jobtriage", "scan", "-q", "-j", "1", "--format",
             "jsonl", *options, path], stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            sys.exit("scan: status %d" % child.returncode)
        runs.append(usage.ru_utime + usage.ru_stime)
    return statistics.median(runs)


def measured(folder):
    """The inputs that take a moment: name, value, unit, of what."""
    make = BUILD + "/bench/speed_make"
    big, many, first, one = (
        folder + "/" + n for n in ("big", "many", "first", "one"))
    size, n = 256 << 20, 20000
    subprocess.run([make, "logs", big, str(size)], check=True)
    subprocess.run([make, "tree", many, str(n)], check=True)
    tree = sum(os.path.getsize(os.path.join(d, f))
               for d, _, files in os.walk(many) for f in files)
    count = sum(len(files) for _, _, files in os.walk(many))
    os.mkdir(first)
    rate = size / (scan(big) - scan(first))
    subprocess.run([make, "log", one, str(size // 4)], check=True)
    subprocess.run(["gzip", one], check=True)
    packed = size // 4 / (scan(one + ".gz") - scan(first))
    each = (scan(many) - tree / rate) / count
    walk = (scan(many, "--shard", "1/1000000") - scan(first)) / count
    return [
        ("scan", rate / 1e6, "MB/s", "a thread, %d logs of 512 KiB" %
         (size >> 19)),
        ("scan_packed", packed / 1e6, "MB/s", "a thread, plain bytes of gzip"),
        ("job", each * 1e6, "us", "a job's own cost, %d small logs" % count),
        ("walk", walk * 1e6, "us", "a file of another part: its name is read"),
    ]


def measure():
    folder = tempfile.mkdtemp(prefix="model.")
    try:
        fresh = measured(folder)
    finally:
        shutil.rmtree(folder)
    today = datetime.date.today().isoformat()
    names = {v[0] for v in fresh}
    with open(INPUTS, encoding="utf-8") as f:
        lines = [v for v in f if v.split("\t")[0] not in names]
    with open(INPUTS, "w", encoding="utf-8") as f:
        f.writelines(lines)
        for name, value, unit, what in fresh:
            f.write("%s\t%.4g\t%s\t%s\t%s\n" % (name, value, unit, today, what))


def inputs():
    values = {}
    with open(INPUTS, encoding="utf-8") as f:
        for line in f:
            if not line.startswith("#"):
                name, value, unit, day, what = line.rstrip("\n").split("\t")
                values[name] = float(value), unit, day, what
    return values


# ---- the model --------------------------------------------------------------
def night(v, storage, n):
    """Seconds of each step, of n processes."""
    _, together, alone, opening = storage
    share = 1 / n
    if n > 1:
        share *= 1 + SPREAD * math.sqrt(n / JOBS) * math.sqrt(
            2 * math.log(n))
    jobs, plain = JOBS * share, BYTES * share
    rate = v["scan"][0] if PACKED == 1 else v["scan_packed"][0]
    return {
        # names come a hundred to an answer
        "walk": JOBS * (v["walk"][0] * 1e-6 + opening * 1e-3 / 100),
        "read": max(BYTES / PACKED / (together * 1e9),
                    plain / PACKED / (alone * 1e9),
                    jobs * opening * 1e-3 / THREADS),
        "scan": (plain / (rate * 1e6) + jobs * v["job"][0] * 1e-6) / THREADS,
        "store": max(jobs / v["put_one"][0], JOBS / v["put_all"][0]),
        "report": 2 * JOBS * v["report"][0] * 1e-6,
    }


def span(s):
    if s < 100:
        return "%.0f s" % s
    if s < 6000:
        return "%.0f min" % (s / 60)
    return "%.1f h" % (s / 3600)


def row(*cells):
    print("| " + " | ".join(cells) + " |")


def main():
    if ENV("MEASURE"):
        measure()
    v = inputs()
    print("%.0f jobs with %.0f TB of logs%s, %.0f threads a process:\n" % (
        JOBS, BYTES / 1e12,
        "" if PACKED == 1 else " in a %.0fth as gzip" % PACKED, THREADS))
    row("storage", "processes", "walk", "read", "scan", "store", "report",
        "the night", "most of it")
    row(*["---"] * 9)
    for storage in STORAGE:
        for n in SHARDS:
            t = night(v, storage, n)
            beside = {k: t[k] for k in ("read", "scan", "store")}
            slowest = max(beside.values())
            steps = {"walk": t["walk"], "report": t["report"],
                     max(beside, key=beside.get): slowest}
            row(storage[0], str(n), *(span(t[k]) for k in t),
                span(t["walk"] + slowest + t["report"]),
                max(steps, key=steps.get))
    print("\nStorage, GB a second together and for one, milliseconds to open: "
          + "; ".join("%s %g, %g, %g" % s for s in STORAGE) + ".\nMeasured:\n")
    for name, (value, unit, day, what) in v.items():
        print("- %s: %g %s (%s; %s)" % (name, value, unit, what, day))


if __name__ == "__main__":
    sys.exit(main())
