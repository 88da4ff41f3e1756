"""What real logs cost: `make bench-real LOGS=DIR`. README.md tells how it is
measured. Markdown goes to standard output, progress to standard error."""
import argparse
import collections
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

MIB = 1 << 20
PROGRAM = os.environ["BUILD"] + "/jobtriage"
TARGET_FILE, TARGET_ALL, TARGET_TWO = 100, 600, 1.9  # MiB per CPU second; times
LEAST = 1 * MIB  # smaller files: starting the program would be measured
HEAD = 1 * MIB   # of a file, by which its kind is told

parser = argparse.ArgumentParser()
parser.add_argument("logs")
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--slowest", type=int, default=20)
args = parser.parse_args()


def tell(text):
    print(text, file=sys.stderr, flush=True)


def run(*arguments):
    """CPU seconds, seconds and peak MiB of a scan."""
    command = [PROGRAM, "scan", "--all-files", "--format", "jsonl", *arguments]
    start = os.times().elapsed
    with subprocess.Popen(command, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as child:
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1):
        sys.exit("%s: exit status %d" % (" ".join(command), child.returncode))
    return (usage.ru_utime + usage.ru_stime, os.times().elapsed - start,
            usage.ru_maxrss / 1024)


def medians(*arguments):
    runs = [run(*arguments) for _ in range(args.rounds)]
    return [statistics.median(column) for column in zip(*runs)]


KINDS = (  # the first of which a fifth of the lines is, and its lines
    ("shell trace", re.compile(rb"^(?:\d+: ?)?\+{1,4} ")),
    ("MLLOG", re.compile(rb":::ML")),
    ("JSON lines", re.compile(rb"^\s*\{.*\}\s*$")),
    ("traceback", re.compile(rb'^\s*(?:Traceback \(most|File "|\S*Error: )')),
    ("progress bars", re.compile(rb"\r|\d+%\|")),
    ("other scripts", re.compile(rb"[\x80-\xff]{3}")),
    ("long lines", re.compile(rb".{1000}")),
    ("table", re.compile(rb"^[\s|]*(?:[-+\d.eE%]+[\s|,;]+){4}")),
)


def kind_of(path):
    with open(path, "rb") as log:
        lines = log.read(HEAD).split(b"\n")
    for name, pattern in KINDS:
        if sum(bool(pattern.search(s)) for s in lines) * 5 >= len(lines):
            return name
    return "text"


def costs(path):
    """The functions that took most of the time, by perf where it is there."""
    if not shutil.which("perf"):
        return "no perf"
    with tempfile.TemporaryDirectory() as place:
        data = place + "/perf.data"
        record = subprocess.run(
            ["perf", "record", "-q", "-e", "cpu-clock", "-F", "9999", "-o",
             data, PROGRAM, "scan", "-j", "1", "--all-files", path],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        if record.returncode > 1 or not os.path.exists(data):
            return "perf cannot"
        report = subprocess.run(
            ["perf", "report", "-i", data, "--no-children", "--stdio", "-g",
             "none", "--percentage", "relative", "--sort", "symbol"],
            capture_output=True, text=True, errors="replace", check=False)
    share = collections.Counter()
    for line in report.stdout.splitlines():
        row = re.match(r"\s*([\d.]+)%\s+\[(.)\]\s+(\S+)", line)
        if row:
            name = "patterns" if row[3].startswith("0x") else \
                "kernel" if row[2] == "k" else row[3]
            share[name] += float(row[1])
    return ", ".join("%s %.0f %%" % (name, part)
                     for name, part in share.most_common(3))


def files_below(top):
    for folder, _, names in os.walk(top):
        for name in names:
            path = os.path.join(folder, name)
            if os.path.isfile(path) and not os.path.islink(path):
                yield path


def percentile(values, part):
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


def whole(files):
    size = sum(map(os.path.getsize, files)) / MIB
    one, two = medians("-j", "1", args.logs), medians("-j", "2", args.logs)
    print("| all of it | | target |\n|---|---|---|")
    print("| files, MiB | %d, %.0f | |" % (len(files), size))
    print("| MiB per CPU second, one thread | %.0f | %d |" %
          (size / one[0], TARGET_ALL))
    print("| two threads, times one | %.2f | %.1f |" %
          (one[1] / two[1], TARGET_TWO))
    print("| peak MiB, one and two threads | %.0f, %.0f | |\n" %
          (one[2], two[2]))


def each(files):
    large = [f for f in files if os.path.getsize(f) >= LEAST]
    if not large:
        print("No file of %d MiB or more." % (LEAST // MIB))
        return
    with tempfile.NamedTemporaryFile(suffix=".log") as empty:
        empty.write(b"step 1\n")
        empty.flush()
        start = medians("-j", "1", empty.name)[0]
    rows, kinds, line_cost = [], collections.defaultdict(list), []
    for i, path in enumerate(large):
        cpu = max(medians("-j", "1", path)[0] - start, 1e-4)
        size = os.path.getsize(path)
        with open(path, "rb") as log:
            lines = sum(chunk.count(b"\n")
                        for chunk in iter(lambda: log.read(MIB), b""))
        rows.append((size / MIB / cpu, path))
        kinds[kind_of(path)].append((size, cpu))
        line_cost.append(cpu / max(lines, 1) * 1e6)
        if i % 50 == 49:
            tell("%d of %d" % (i + 1, len(large)))
    print("A start takes %.1f ms of processor time, which is taken off.\n" %
          (start * 1e3))
    print("| kind | files | MiB | MiB per CPU second | slowest |")
    print("|---|---|---|---|---|")
    for name, of in sorted(kinds.items()):
        print("| %s | %d | %.0f | %.0f | %.0f |" % (
            name, len(of), sum(s for s, _ in of) / MIB,
            sum(s for s, _ in of) / MIB / sum(c for _, c in of),
            min(s / MIB / c for s, c in of)))
    print("\nMicroseconds a line, by file: median %.2f, 90 %% %.2f, 99 %% "
          "%.2f, most %.2f.\n" % tuple(
              percentile(line_cost, p) for p in (0.5, 0.9, 0.99, 1)))
    rows.sort()
    print("%d of %d files are below %d MiB per CPU second.\n" % (
        sum(rate < TARGET_FILE for rate, _ in rows), len(rows), TARGET_FILE))
    print("| slowest | MiB | MiB per CPU second | what took the time |")
    print("|---|---|---|---|")
    for rate, path in rows[:args.slowest]:
        print("| %s | %.1f | %.0f | %s |" % (
            os.path.relpath(path, args.logs), os.path.getsize(path) / MIB,
            rate, costs(path)))


def main():
    files = list(files_below(args.logs))
    if not files:
        sys.exit("no files below %s" % args.logs)
    whole(files)
    each(files)


main()
