#!/usr/bin/env python3
"""Which logs of jobs that ended well are called failed.

usage: good.py JOBTRIAGE PATH...

Each PATH is a log, or a folder of logs, of jobs that ended well. Of a folder
with a labels.tsv (file, category, accept, ...) only the logs labelled none
count, and what a label accepts is no mistake.
Prints every log that is called failed, with what speaks for it; the status is
1 if there is one."""
import csv
import json
import os
import subprocess
import sys


def logs(path):
    """The logs labelled none, with what else is accepted for each; None: all
    logs are good."""
    labels = os.path.join(path, "labels.tsv")
    if not os.path.exists(labels):
        return None
    with open(labels, errors="replace") as f:
        rows = csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {row["file"]: (row.get("accept") or "").split(",")
                for row in rows if row["category"] == "none"}


def diagnoses(program, path):
    run = subprocess.run(
        [program, "scan", "-q", "--format", "jsonl", path],
        stdout=subprocess.PIPE, encoding="utf-8", errors="replace")
    if run.returncode not in (0, 3):  # 3: some input could not be read
        sys.exit(f"good.py: {program} scan {path}: status {run.returncode}")
    return [json.loads(line) for line in run.stdout.splitlines()]


def tell(found):
    first = (found["evidence"] or [{}])[0]
    where = first.get("path") or found["job"]
    if first.get("line"):
        where += f":{first['line']}"
    text = " ".join((first.get("text") or "").split())
    print(f"{where}: {found['category']}, {found['confidence']} "
          f"[{found['rule'] or ''}] {text[:120]}".rstrip())


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__.split("\n\n")[1])
    jobs = failed = 0
    for path in sys.argv[2:]:
        if not os.path.exists(path):
            sys.exit(f"good.py: {path}: no such file or folder")
        good = logs(path)
        for found in diagnoses(sys.argv[1], path):
            name = os.path.basename((found["paths"] or [found["job"]])[0])
            if name == "labels.tsv" or not (good is None or name in good):
                continue
            jobs += 1
            if found["failed"] and not (
                    good and found["category"] in good[name]):
                failed += 1
                tell(found)
    print(f"{jobs} jobs that ended well, {failed} called failed")
    if not jobs:
        sys.exit("good.py: there is no log of a job that ended well")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
