#!/bin/sh
# How long a scheduler waits for the gate: wall time of a cold process (its
# files are in the page cache), the median of RUNS, on logs of several sizes
# that end in a failure, with and without a store; beside it what the start of
# a process that does nothing takes (/bin/true), what this program's does, and
# what a log adds that has hardly more than the failure. From posix_spawn to the
# end of the wait.
#
# usage: [BUILD=DIR] tests/bench/gate.sh [RUNS [KIBIBYTES...]]
#        default: 20 runs; 64, 1024 (1 MB), 102400 and 1048576 (1 GB)
# Status 1: an answer is not the expected one.
set -u
TOP=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
BUILD=${BUILD:-build}
case $BUILD in
/*) ;;
*) BUILD=$TOP/$BUILD ;;
esac
PYTHON=${PYTHON:-$(PATH=/usr/bin:$PATH command -v python3 || echo python3)}
JOBTRIAGE_CONFIG=
export JOBTRIAGE_CONFIG
[ -x "$BUILD/jobtriage" ] || { echo "no $BUILD/jobtriage: run make"; exit 2; }

place=$BUILD/gate
rm -rf "$place"
mkdir -p "$place" || exit 1
trap 'rm -rf "$place"' EXIT
trap 'exit 1' HUP INT TERM
runs=${1:-20}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- 64 1024 102400 1048576
"$PYTHON" -W error - "$BUILD/jobtriage" "$place" "$runs" "$@" <<'P'
import os, statistics, sys, time

program, place, runs = sys.argv[1], sys.argv[2], int(sys.argv[3])
sizes = [int(n) for n in sys.argv[4:]]
bad = 0


def median(want, *args):
    """Milliseconds of one run: the median, the fastest, the slowest."""
    global bad
    times = []
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    for _ in range(runs):
        begin = time.perf_counter()
        pid = os.posix_spawn(args[0], args, os.environ, file_actions=quiet)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        times.append((time.perf_counter() - begin) * 1000)
        if status != want:
            print("status %d, not %d: %s" % (status, want, " ".join(args)))
            bad = 1
    return statistics.median(times), min(times), max(times)


def row(what, figures, more=""):
    print("%-32s %8.2f ms  (%.2f to %.2f)%s" % (what, *figures, more),
          flush=True)
    return figures[0]


def make_log(path, kibibytes):
    steps = "".join(
        "2026-11-20 10:%02d:%02d,%03d INFO trainer: step %d | loss %.4f | "
        "lr 3.0e-04 | grad_norm %.3f | tokens/s %d\n"
        % (i // 600 % 60, i // 10 % 60, i % 1000, i, 9 - i % 7000 / 1000,
           1 + i % 13 / 10, 180000 + i % 977) for i in range(8000))
    with open(path, "w", encoding="ascii") as f:
        while f.tell() < kibibytes << 10:
            f.write(steps[:(kibibytes << 10) - f.tell() + 200])
        f.write("\nTraceback (most recent call last):\n"
                '  File "train.py", line 61, in <module>\n'
                "    batch = next(loader)\n"
                "FileNotFoundError: [Errno 2] No such file or directory: "
                "'/data/shard-0042.bin'\n")


empty = row("a process that does nothing", median(0, "/bin/true"))
start = row("process start (--version)", median(0, program, "--version"))
tiny = place + "/tiny.log"
make_log(tiny, 0)
row("a log of only the failure", median(1, program, "gate", tiny))
for size in sizes:
    log = "%s/log%d" % (place, size)
    make_log(log, size)
    name = "%g MB" % (size / 1024) if size >= 1024 else "%d KiB" % size
    whole = row("log of " + name, median(1, program, "gate", log))
    row("the same, with a store",
        median(1, program, "gate", "--store", "sqlite:%s/s.db" % place, "--job",
               str(size), log))
    print("%-32s %8.1f %%, of an empty process %.1f %%" % (
        "share of process start", 100 * start / whole, 100 * empty / whole))
    os.unlink(log)
sys.exit(bad)
P
