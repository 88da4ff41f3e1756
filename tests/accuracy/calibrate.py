#!/usr/bin/env python3
"""How often an answer is right, by the confidence it was given with.

usage: calibrate.py [--folds N] [--need] JOBTRIAGE DIR...

Each DIR holds logs and a labels.tsv (file, category, source, accept, ...), as
`jobtriage eval` reads it. All logs of one source, which is a repository, go
into the same of N folds, so that a figure that only holds for the logs of one
place shows as a bad fold. With --need the status is 1 unless high answers are
right 98 times in 100 and medium ones 88 times."""
import argparse
import csv
import json
import os
import re
import subprocess
import sys
import zlib

NEED = {"high": 0.98, "medium": 0.88, "low": 0.0}


def labels(folder):
    with open(os.path.join(folder, "labels.tsv"), errors="replace") as f:
        rows = csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {row["file"]: row for row in rows}


def source(row):
    """The repository: "owner/name" before a path, a revision or a remark."""
    text = row.get("source") or row["file"]
    found = re.match(r"[\w.-]+/[\w.-]+", text)
    if found:
        return found.group(0)
    # a log of which only a number is known is its own source
    return text


def diagnoses(program, folder):
    run = subprocess.run(
        [program, "scan", "-q", "--format", "jsonl", "."], cwd=folder,
        stdout=subprocess.PIPE, text=True, errors="surrogateescape")
    if run.returncode not in (0, 3):
        sys.exit(f"{program} scan {folder}: status {run.returncode}")
    return [json.loads(line) for line in run.stdout.splitlines()]


def right(answer, row):
    accepted = re.split(r"[,\s]+", row.get("accept") or "")
    return answer == row["category"] or answer in accepted


def count(program, folders, folds):
    seen = {c: [[0, 0] for _ in range(folds)] for c in NEED}
    sources = set()
    for folder in folders:
        known = labels(folder)
        for d in diagnoses(program, folder):
            row = known.get(os.path.basename(d["paths"][0]))
            # what ended well is judged by its ending, not by this
            if not row or not d["failed"]:
                continue
            name = source(row)
            sources.add(name)
            cell = seen[d["confidence"]][zlib.crc32(name.encode()) % folds]
            cell[0] += right(d["category"], row)
            cell[1] += 1
    return seen, len(sources)


def share(cell):
    return f"{cell[0] / cell[1]:.3f}" if cell[1] else "-"


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("--folds", type=int, default=5)
    p.add_argument("--need", action="store_true")
    p.add_argument("program")
    p.add_argument("folders", nargs="+")
    a = p.parse_args()
    program = os.path.abspath(a.program)
    seen, sources = count(program, a.folders, a.folds)
    missed = False
    print(f"{sources} sources in {a.folds} folds; right of those called failed")
    for name, cells in seen.items():
        all_of = [sum(c[0] for c in cells), sum(c[1] for c in cells)]
        folds = " ".join(f"{share(c)} of {c[1]:<4}" for c in cells)
        print(f"{name:7} {share(all_of)} ({all_of[0]} of {all_of[1]})  "
              f"folds: {folds}")
        missed |= all_of[1] > 0 and all_of[0] < NEED[name] * all_of[1]
    sys.exit(1 if a.need and missed else 0)


if __name__ == "__main__":
    main()
