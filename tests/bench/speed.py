"""Speed of jobtriage beside other tools, and how its cost grows: speed.sh
tells the options, README.md what each number means. Markdown goes to standard
output, progress to standard error.
"""
import argparse
import glob
import hashlib
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys

import speed_rules

MIB = 1 << 20
BUILD = os.environ["BUILD"]
PROGRAM = BUILD + "/jobtriage"
TOOLS = BUILD + "/bench/speed_"
PLACE = BUILD + "/speed"
LITERAL = "CUDA out of memory"
PEAK = 32  # MiB that no row of jobtriage may reach

parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=512)
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--parts", default="")
parser.add_argument("--out", default="")
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--failed", type=int, default=60)
parser.add_argument("--limit", type=float, default=60)
args = parser.parse_args()
tables = []  # {title, rows: [row, ...]}
bad = 0


def tell(text):
    print(text, file=sys.stderr, flush=True)


# ---- rows -------------------------------------------------------------------
class Row:
    """A command, and what its runs took."""

    def __init__(self, name, command, size, env=None, ours=False):
        self.name, self.size, self.ours = name, size, ours
        # 1 is also "nothing found", 123 the same through xargs.
        self.good = (0,) if ours else (0, 1, 123)
        self.command = command if isinstance(command, list) else \
            ["sh", "-c", command]
        self.env = dict(os.environ, **(env or {}))
        self.seconds, self.cpu, self.peak = [], [], 0
        self.skipped = None
        # The tool, also the first words of a pipe's parts.
        words = [p.split()[0] for p in command.split("|")] if \
            isinstance(command, str) else command[:1]
        for word in words:
            if not shutil.which(word) and not self.skipped:
                self.skipped = "%s is missing" % word
                tell("skip %s: %s" % (name, self.skipped))

    def run(self):
        global bad
        if self.skipped:
            return
        figures = PLACE + "/figures"
        child = subprocess.Popen([TOOLS + "run", figures, *self.command],
                                 stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, env=self.env,
                                 start_new_session=True)
        try:
            error = child.communicate(timeout=args.limit)[1]
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, 9)
            child.communicate()
            self.skipped = "over %g s" % args.limit
            tell("gave up %s: %s" % (self.name, self.skipped))
            bad |= self.ours
            return
        with open(figures, encoding="ascii") as f:
            ns, us, kib, status = map(int, f.read().split())
        os.unlink(figures)
        if status not in self.good:
            self.skipped = "status %d" % status
            tell("failed %s: %s: %s" % (
                self.name, self.skipped, error[-200:].decode("latin-1")))
            bad |= self.ours
            return
        self.seconds.append(ns / 1e9)
        self.cpu.append(us / 1e6)
        self.peak = max(self.peak, kib / 1024)

    @property
    def median(self):
        return statistics.median(self.seconds) if self.done else None

    @property
    def done(self):
        return bool(self.seconds) and not self.skipped

    @property
    def rate(self):
        return self.size / self.median if self.done else None

    def as_json(self):
        return {"name": self.name, "bytes": self.size, "ours": self.ours,
                "skipped": self.skipped, "seconds": self.seconds,
                "cpu_seconds": self.cpu, "peak_mib": round(self.peak, 1),
                "median_seconds": self.median,
                "mib_per_second": self.rate and self.rate / MIB}


def ours(name, paths, size, threads=None, more=(), env=None):
    command = [PROGRAM, "scan", "-q", "--no-progress", "--format", "jsonl",
               "-o", "/dev/null", *more]
    if threads:
        command += ["-j", str(threads)]
    return Row(name, command + ([paths] if isinstance(paths, str) else paths),
               size, env, True)


def ratio(row, other):
    """How many times as fast, round by round: the median."""
    if not row or not other or not row.done or not other.done:
        return None
    return statistics.median(
        (row.size / a) / (other.size / b)
        for a, b in zip(row.seconds, other.seconds))


def measure(title, rows, note="", rounds=None):
    """The rows in turn, so that a slow moment of the machine hits them all;
    then their table. Ratios are to the first row."""
    for n in range(rounds or args.rounds):
        tell("%s: round %d" % (title, n + 1))
        for row in rows:
            row.run()
    return show(title, rows, note)


def show(title, rows, note=""):
    tables.append({"title": title, "rows": rows})
    print("\n### %s\n" % title)
    if note:
        print(note + "\n")
    print("| | MiB | MiB/s | of the first row | seconds (least, most) | "
          "CPU s | peak MiB |\n|---|---|---|---|---|---|---|")
    for row in rows:
        name = row.name.replace("|", "\\|")
        if not row.done:
            print("| %s | %.4g | %s | | | | |" % (
                name, row.size / MIB, row.skipped))
            continue
        print("| %s | %.4g | %.0f | %.3f | %.3f (%.3f, %.3f) | %.2f | %.1f |"
              % (name, row.size / MIB, row.rate / MIB,
                 ratio(row, rows[0]) or 0, row.median, min(row.seconds),
                 max(row.seconds), statistics.median(row.cpu), row.peak))
    sys.stdout.flush()
    return {row.name: row for row in rows}


# ---- data -------------------------------------------------------------------
def make(kind, name, number, failed=None, errors=0):
    """A generated file or folder below the data; its path."""
    path = PLACE + "/" + name
    if not os.path.exists(path):
        tell("making " + name)
        new = path + ".new"
        shutil.rmtree(new, ignore_errors=True)
        subprocess.run([TOOLS + "make", kind, new, str(int(number)),
                        str(args.seed),
                        str(args.failed if failed is None else failed),
                        str(errors)], check=True)
        os.rename(new, path)
    return path


def pack(name, command):
    """What the command, with the new file's path as $0, makes."""
    path = PLACE + "/" + name
    if not os.path.exists(path):
        tell("packing " + name)
        subprocess.run(["sh", "-c", command, path + ".new"], cwd=PLACE,
                       stdout=subprocess.DEVNULL, check=True)
        os.rename(path + ".new", path)
    return path


def bytes_of(path):
    if not os.path.isdir(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(f) for f in
               glob.glob(path + "/**/*.log", recursive=True))


def fresh_place():
    """Data of other options, or of another generator, goes."""
    with open(TOOLS + "make", "rb") as f:
        code = hashlib.sha256(f.read()).hexdigest()
    stamp = "%d %d %d %s" % (args.size, args.seed, args.failed, code)
    try:
        with open(PLACE + "/stamp", encoding="ascii") as f:
            if f.read() == stamp:
                return
    except FileNotFoundError:
        pass
    shutil.rmtree(PLACE, ignore_errors=True)
    os.makedirs(PLACE)
    with open(PLACE + "/stamp", "w", encoding="ascii") as f:
        f.write(stamp)


class Data:
    """What the parts share: the log, folders of logs, rules for the others."""

    def __init__(self):
        self.size = args.size * MIB
        self.log = make("log", "all.log", self.size)
        self.logs = make("logs", "logs", self.size) + "/logs"
        self.number = max(100, 20000 * args.size // 512)
        self.tree = make("tree", "tree", self.number) + "/logs"
        self.rules = speed_rules.load(PROGRAM)
        self.texts = PLACE + "/literals"
        found, self.without = speed_rules.literals(self.rules)
        with open(self.texts, "w", encoding="ascii") as f:
            f.writelines(t + "\n" for t in found)
        self.number_texts = len(found)

    def export(self, name, convert, command):
        """The path of a tool's rules, and a sentence about what it lacks."""
        path = PLACE + "/rules." + name
        if not shutil.which(command[0]):
            return path, ""
        tell("rules for " + command[0])
        out = speed_rules.export(path, self.rules, convert, command)
        return path, "%s has %d of the %d rules, %d left out." % (
            command[0], len(self.rules) - out, len(self.rules), out)


# ---- parts ------------------------------------------------------------------
def part_plain(data):
    rg, said = data.export("rg", speed_rules.for_rust,
                           ["rg", "--no-unicode", "-c", "-f"])
    ere, said_ere = data.export("grep", speed_rules.for_grep,
                                ["grep", "-E", "-c", "-f"])
    few, said_few = data.export("rg-simple", speed_rules.simple,
                                ["rg", "--no-unicode", "-c", "-f"])
    more, part, small = (make("log", "part-%d.log" % n, data.size // n)
                         for n in (8, 32, 128))
    log, size = data.log, data.size
    measure("One log, plain text", [
        Row("read() alone", [TOOLS + "read", log], size),
        Row("cat", ["cat", log], size),
        Row("wc -l", ["wc", "-l", log], size),
        Row("grep -F, one literal", ["grep", "-c", "-F", LITERAL, log], size),
        Row("rg -F, one literal", ["rg", "-c", "-F", LITERAL, log], size),
        ours("jobtriage -j 1", log, size, 1),
        ours("jobtriage -j 1, portable", log, size, 1,
             env={"JOBTRIAGE_PORTABLE": "1"}),
        ours("jobtriage -j 2", log, size, 2),
        Row("rg --no-unicode -f rules", ["rg", "--no-unicode", "-j1", "-c",
                                         "-f", rg, part], data.size // 32),
        Row("rg --no-unicode -f simple rules",
            ["rg", "--no-unicode", "-j1", "-c", "-f", few, more],
            data.size // 8),
        Row("rg -F -f literals", ["rg", "-F", "-j1", "-c", "-f", data.texts,
                                  more], data.size // 8),
        Row("grep -E -f rules", ["grep", "-E", "-c", "-f", ere, small],
            data.size // 128),
    ], "%d rules. All: %s %s Simple: %s %d literals stand for all but %d of the rules. The "
        "slow tools read a part of the log." % (
            len(data.rules), said, said_ere, said_few, data.number_texts, data.without))
    logs = bytes_of(data.logs)
    measure("Logs of 512 KiB", [
        Row("read() alone", [TOOLS + "read", data.logs], logs),
        ours("jobtriage -j 1", data.logs, logs, 1),
        ours("jobtriage -j 2", data.logs, logs, 2),
        Row("rg -j2 -F, one literal", ["rg", "-j2", "-c", "-F", LITERAL,
                                       data.logs], logs)])
    tree = bytes_of(data.tree)
    measure("%d small logs" % data.number, [
        Row("cat", "find %s -type f -exec cat {} +" % data.tree, tree),
        Row("read() alone", [TOOLS + "read", data.tree], tree),
        ours("jobtriage -j 1", data.tree, tree, 1),
        ours("jobtriage -j 2", data.tree, tree, 2),
        Row("grep -r -F, one literal", ["grep", "-r", "-c", "-F", LITERAL,
                                        data.tree], tree),
        Row("rg -j2 -F, one literal", ["rg", "-j2", "-c", "-F", LITERAL,
                                       data.tree], tree)])


def part_archives(data):
    half = make("log", "half.log", data.size // 2)
    folder = os.path.dirname(make("logs", "half", data.size // 2) + "/logs")
    log, logs = bytes_of(half), bytes_of(folder + "/logs")
    tree = bytes_of(data.tree)
    for title, name, plain, command, others in (
            (".gz of a log", "half.log.gz", log, "gzip -c half.log >$0",
             ("zcat %s | wc -l", "igzip -dc %s | wc -l")),
            (".zst of a log", "half.log.zst", log, "zstd -q -c half.log >$0",
             ("zstd -dc %s | wc -l",)),
            (".tar.gz of logs of 512 KiB", "half.tar.gz", logs,
             "tar -C half -cf - logs | gzip >$0",
             ("zcat %s | wc -l", "igzip -dc %s | wc -l")),
            (".zip of logs of 512 KiB", "half.zip", logs,
             "cd half && zip -q -r - logs >$0", ()),
            (".tar.gz of small logs", "tree.tar.gz", tree,
             "tar -C tree -cf - logs | gzip >$0",
             ("zcat %s | wc -l", "igzip -dc %s | wc -l"))):
        if not shutil.which(command.split("|")[-1].split("&& ")[-1].split()[0]):
            tell("skip %s: no program packs it" % title)
            continue
        path = pack(name, command)
        rows = [Row("libarchive alone", [TOOLS + "archive", path], plain)]
        if name.endswith(".zst"):
            rows.append(Row("zstd -dc >/dev/null", ["zstd", "-q", "-dc", path],
                            plain))
        rows += [ours("jobtriage -j 1", path, plain, 1),
                 ours("jobtriage", path, plain)]
        rows += [Row(o.replace(" %s", ""), o % path, plain) for o in others]
        rows += [Row("ugrep -z -F, one literal",
                     ["ugrep", "-z", "-c", "-F", LITERAL, path], plain),
                 Row("ugrep -z -F -f literals",
                     ["ugrep", "-z", "-c", "-F", "-f", data.texts, path],
                     plain)]
        measure(title, rows)


def engines(data):
    """The same rules in two other engines, whose programs measure the scan
    alone."""
    rows, script = [], os.path.dirname(os.path.abspath(__file__)) + \
        "/speed_engines.py"
    for name, engine, parts in (
            ("Hyperscan", "hyperscan", (8192, 512, 64, 8)),
            ("PCRE2 rule by rule", "pcre2", (8192, 512))):
        tell(name)
        files = [PLACE + "/size-%d.log" % (data.size // p) for p in parts]
        out = subprocess.run([sys.executable, "-W", "error", script, engine,
                              PROGRAM, *files], stdout=subprocess.PIPE,
                             check=False).stdout.split()
        for size, seconds, n in zip(out[::3], out[1::3], out[2::3]):
            rows.append(Row("%s (%s rules), %.4g KiB" % (
                name, n.decode(), int(size) / 1024), ["true"], int(size)))
            rows[-1].seconds = rows[-1].cpu = [float(seconds)]
    if rows:
        show("Other engines, the scan alone", rows,
             "Rules as jobtriage has them, made ready beforehand; what "
             "Hyperscan cannot express it finds too often.")


def part_growth(data):
    rounds = min(3, args.rounds)
    rows = []
    for part in 8192, 512, 64, 8, 1, 0.5:
        size = int(data.size / part)
        path = make("log", "size-%d.log" % size, size)
        rows.append(ours("%.4g KiB" % (size / 1024), path, size, 1))
    measure("Growth with the size of a log (-j 1)", rows, rounds=rounds)
    engines(data)
    folders = sorted(glob.glob(data.tree + "/*"))
    rows = []
    for n in sorted({1, len(folders) // 20, len(folders) // 4,
                     len(folders)} - {0}):
        some = folders[:n]
        rows.append(ours("%d logs" % min(n * 100, data.number), some,
                         sum(map(bytes_of, some)), 1))
    measure("Growth with the number of logs (-j 1)", rows, rounds=rounds)
    rows, tiny = [], []
    for n in 50, 250, 500, 1000, 2000:
        path = PLACE + "/rules-%d.yaml" % n
        tell("%d rules" % n)
        speed_rules.overlay(path, PROGRAM, data.rules, n)
        rows.append(ours("%d rules" % n, data.log, data.size, 1, ["-t", path]))
        tiny.append(ours("%d rules, empty log" % n, "/dev/null", 0, 1,
                         ["-t", path]))
    measure("Growth with the number of rules (-j 1)", rows + tiny,
            "A part of the built-in rules, or all and generated ones in a "
            "file; lines that are never evidence come on top. The rows with "
            "an empty log show what the reading of that file takes.",
            rounds=rounds)
    threads = sorted({1, 2, os.cpu_count() or 1})
    for name, path in ("one log", data.log), ("logs of 512 KiB", data.logs), \
            ("small logs", data.tree):
        size = bytes_of(path)
        measure("Growth with threads: " + name,
                [ours("-j %d" % n, path, size, n) for n in threads],
                rounds=rounds)
    rows = []
    for share, errors in ("0", 0), ("0.01 %", 100), ("1 %", 10000):
        path = make("log", "errors-%d.log" % errors, data.size // 8, 0, errors)
        rows.append(ours(share, path, data.size // 8, 1))
    path = make("errors", "errors-all.log", data.size // 8)
    rows.append(ours("100 %", path, data.size // 8, 1))
    measure("Growth with the share of failing lines (-j 1)", rows,
            rounds=rounds)


HOSTILE = (("errors", "every line an error"), ("traces", "only tracebacks"),
           ("bars", "\\r and no \\n"), ("line", "one line"),
           ("escapes", "colours, hardly text"), ("random", "random bytes"))


def part_hostile(data):
    unit = data.size * 25 * 10**6 // (512 * MIB)  # 25 MB by default
    for kind, what in HOSTILE:
        rows = []
        for times in 1, 2, 4:
            size = unit * times
            path = make(kind, "%s-%d.log" % (kind, times), size)
            rows.append(ours("%d x" % times, path, size, 1))
            if kind == "random":
                rows[-1].good = (3,)  # no text: not read whole
        measure("Hostile: " + what, rows, rounds=min(3, args.rounds))


SHAPES = (("shell", "shell traces of ranks"), ("mllog", "MLLOG lines"),
          ("warnings", "warnings"), ("tables", "tables of numbers"),
          ("long", "long lines"), ("scripts", "other scripts"))


def part_shapes(data):
    size = data.size // 8
    rows = [ours(what, make(kind, kind + ".log", size), size, 1)
            for kind, what in SHAPES]
    measure("Shapes of real logs (-j 1)", rows)


def part_gate(_):
    print("\n### Gate, cold\n\n```", flush=True)
    script = os.path.dirname(os.path.abspath(__file__)) + "/gate.sh"
    more = [] if args.size >= 512 else ["3", "1"]
    global bad
    bad |= subprocess.run(["sh", script, *more], check=False).returncode != 0
    print("```", flush=True)


# ---- targets ----------------------------------------------------------------
def row_of(table, name):
    for t in tables:
        if t["title"].startswith(table):
            for row in t["rows"]:
                if row.name == name:
                    return row
    return None


def rated(table, name, other):
    return ratio(row_of(table, name), row_of(table, other))


def curve(what):
    first, last = (row_of("Hostile: " + what, n) for n in ("1 x", "4 x"))
    return first and last and first.done and last.done and \
        last.median / first.median


def targets():
    """(what, measured, target, whether more is better)"""
    one, many, small = "One log", "Logs of 512 KiB", "%d small" % max(
        100, 20000 * args.size // 512)
    base, wide, rg = "jobtriage -j 1", "jobtriage -j 2", \
        "rg --no-unicode -f rules"
    portable = base + ", portable"
    cat = rated(small, wide, "cat")
    rules = rated("Growth with the number of rules", "250 rules", "2000 rules")
    flood = row_of("Hostile: every line", "4 x")
    peaks = [r.peak for t in tables for r in t["rows"] if r.ours and r.done]
    yield "plain text, of read() alone", rated(one, base, "read() alone"), \
        0.23, True
    yield "plain text, times rg -f rules", rated(one, base, rg), 4.5, True
    yield "plain text, times rg -f simple rules", rated(
        one, base, "rg --no-unicode -f simple rules"), 4.5, True
    yield "portable, of read() alone", rated(one, portable, "read() alone"), \
        0.18, True
    yield "portable, times rg -f rules", rated(one, portable, rg), 3.5, True
    yield "two threads, one log", rated(one, wide, base), 1.8, True
    yield "two threads, many logs", rated(many, wide, base), 1.8, True
    yield ".gz, times libarchive", rated(
        ".gz", "jobtriage", "libarchive alone"), 2.2, True
    yield ".tar.gz, times libarchive", rated(
        ".tar.gz of logs", "jobtriage", "libarchive alone"), 2.2, True
    yield ".zst, of zstd -dc", rated(
        ".zst", "jobtriage", "zstd -dc >/dev/null"), 0.95, True
    yield "small logs, time of cat's", cat and 1 / cat, 2, False
    yield "2,000 rules, time of 250 rules'", rules, 1.5, False
    yield "every line an error, MiB/s", flood and flood.rate and \
        flood.rate / MIB, 60, True
    for _, what in HOSTILE:
        yield "%s, time of 4 x the size" % what, curve(what), 5, False
    yield "peak memory of every row, MiB", max(peaks) if peaks else None, \
        PEAK, False


def show_targets():
    found = []
    print("\n### Targets\n\n| | measured | target | reached |\n"
          "|---|---|---|---|")
    for what, value, target, more in targets():
        reached = None if value is None else \
            value >= target if more else value <= target
        found.append({"name": what, "measured": value, "target": target,
                      "at_least": more, "reached": reached})
        print("| %s | %s | %s %g | %s |" % (
            what, "not measured" if value is None else "%.2f" % value,
            "at least" if more else "at most", target,
            {None: "", True: "yes", False: "no"}[reached]))
    sys.stdout.flush()
    return found


def processor():
    try:
        with open("/proc/cpuinfo", encoding="ascii") as f:
            return next(line.split(":")[1].strip() for line in f
                        if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


def main():
    parts = args.parts.split()
    known = {"plain": part_plain, "archives": part_archives,
             "growth": part_growth, "shapes": part_shapes,
             "hostile": part_hostile,
             "gate": part_gate}
    for part in parts:
        if part not in known:
            raise SystemExit("no part '%s'; there are: %s" % (
                part, " ".join(known)))
    if args.size < 1 or args.rounds < 1:
        raise SystemExit("SIZE and ROUNDS are at least 1")
    fresh_place()
    data = Data()
    machine = "%d x %s, %s" % (os.cpu_count() or 1, processor(),
                               platform.system())
    version = subprocess.run([PROGRAM, "--version"], text=True,
                             stdout=subprocess.PIPE,
                             check=True).stdout.split("\n")[0]
    print("%s; %s; %d MiB, %d rounds, seed %d, %d %% of the jobs fail" % (
        version, machine, args.size, args.rounds, args.seed, args.failed))
    for name, part in known.items():
        if name in parts:
            part(data)
    reached = show_targets()
    if args.out:
        with open(args.out + ".new", "w", encoding="utf-8") as f:
            json.dump({"program": version, "machine": machine,
                       "size_mib": args.size, "rounds": args.rounds,
                       "seed": args.seed, "failed_percent": args.failed,
                       "tables": [{"title": t["title"], "rows": [
                           r.as_json() for r in t["rows"]]} for t in tables],
                       "targets": reached}, f, indent=1)
        os.rename(args.out + ".new", args.out)
    return bad


sys.exit(main())
