"""What the rules make of the lines of a table: tables right, by name.

usage: node_lines.py JOBTRIAGE TABLE [-v]
Each line is a log of its own. Prints a row a table, and what is wrong; the
status is 1 where a table has under 95 % right, or a quiet line is not."""
import json
import os
import subprocess
import sys
import tempfile

LEAST = 0.95


def main():
    program, table = sys.argv[1:3]
    rows = [line.rstrip("\n").split("\t", 2) for line in open(table)
            if not line.startswith("#")]
    with tempfile.TemporaryDirectory() as top:
        for i, (_, _, text) in enumerate(rows):
            with open(os.path.join(top, f"{i:04}.log"), "w") as f:
                f.write(text + "\n")
        out = subprocess.run([program, "scan", "--format", "jsonl", top],
            check=True, capture_output=True, text=True).stdout
    got = {}
    for line in out.splitlines():
        d = json.loads(line)
        category = d["category"] if d["failed"] else "quiet"
        got[int(os.path.basename(d["paths"][0])[:4])] = category, d["rule"]
    assert len(got) == len(rows), (len(got), len(rows))
    tables, loud = {}, 0
    for i, (name, want, text) in enumerate(rows):
        right = got[i][0] == want
        t = tables.setdefault(name, [0, 0])
        t[0] += right
        t[1] += 1
        loud += want == "quiet" and not right
        if not right:
            print(f"{name}: {want}, not {got[i][0]} ({got[i][1]}): {text}")
    bad = loud
    for name, (right, n) in tables.items():
        print(f"{name:12} {right:3} of {n:3}  {100 * right / n:5.1f} %")
        bad += right / n < LEAST
    right, n = (sum(t[k] for t in tables.values()) for k in (0, 1))
    print(f"{'all':12} {right:3} of {n:3}  {100 * right / n:5.1f} %")
    return 1 if bad else 0


sys.exit(main())
