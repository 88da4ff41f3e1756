#!/bin/sh
# A month of a made-up cluster: each night is scanned with its job records into
# a store, then the month is reported in every format, and the figures are
# compared with the true totals. Prints seconds and peak memory of each part.
#
# usage: [BUILD=DIR] tests/bench/month.sh [NIGHTS JOBS]   default: 30 50000
#   KEEP=1  leave what was made; MONTH=DIR  where (default: $BUILD/month)
# Status 1: a command failed, a figure is wrong, or a report of the whole month
# took longer than 30 s.
set -u
TOP=$(cd "$(dirname "$0")/../.." && pwd) || exit 1
BUILD=${BUILD:-build}
case $BUILD in
/*) ;;
*) BUILD=$TOP/$BUILD ;;
esac
PYTHON=${PYTHON:-$(PATH=/usr/bin:$PATH command -v python3 || echo python3)}
# What a user has set must not decide a measurement.
JOBTRIAGE_CONFIG=
export JOBTRIAGE_CONFIG
[ -x "$BUILD/jobtriage" ] || { echo "no $BUILD/jobtriage: run make"; exit 2; }

month=${MONTH:-$BUILD/month}
rm -rf "$month"
mkdir -p "$month" || exit 1
[ -n "${KEEP:-}" ] || trap 'rm -rf "$month"' EXIT
trap 'exit 1' HUP INT TERM
"$PYTHON" -W error "$TOP/tests/integration/month.py" "$month" \
    --nights "${1:-30}" --jobs "${2:-50000}" || exit 1
"$PYTHON" -W error - "$BUILD/jobtriage" "$month" <<'P' || exit 1
import json, os, subprocess, sys, time

LIMIT = 30  # seconds a report of the month may take
program, month = sys.argv[1:]
os.environ["TZ"] = "UTC0"
with open(month + "/truth.json") as f:
    truth = json.load(f)
store = ["--store", "sqlite:" + month + "/jobs.db"]
bad = 0


def run(*args):
    """Seconds and MB of one run; its status other than 0 is told."""
    global bad
    begin = time.monotonic()
    child = subprocess.Popen([program, *args], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        print("status %d: %s" % (child.returncode, " ".join(args)))
        bad = 1
    return time.monotonic() - begin, usage.ru_maxrss / 1024


def row(what, seconds, mb):
    print("%-28s %8.2f s %8.0f MB" % (what, seconds, mb), flush=True)


print("%d nights, %d attempts, %d logs, %.0f MB" % (
    truth["nights"], truth["total"]["attempts"], truth["log_files"],
    truth["log_bytes"] / 1e6))
for what in "first", "again":
    runs = [run("scan", "-q", "--jobs", month + "/sacct/" + night, *store,
                "--format", "jsonl", month + "/logs/" + night[:-4])
            for night in sorted(os.listdir(month + "/sacct"))]
    total = sum(r[0] for r in runs)
    row("scan of all nights, " + what, total, max(r[1] for r in runs))
print("%-28s %8.1f MB" % ("store", os.path.getsize(month + "/jobs.db") / 1e6))
for form in "text", "markdown", "json", "csv", "prometheus", "html":
    out = month + "/report." + form
    seconds, mb = run("report", "--since", truth["since"], "--until",
                      truth["until"], *store, "--format", form, "-o", out)
    row("report as " + form, seconds, mb)
    size = os.path.getsize(out) if os.path.exists(out) else 0
    print("%-28s %8.1f KB" % ("", size / 1e3))
    if seconds > LIMIT:
        print("more than %d s" % LIMIT)
        bad = 1
sys.exit(bad)
P
"$PYTHON" -W error "$TOP/tests/integration/month.py" "$month" \
    --check "$month/report.json"
