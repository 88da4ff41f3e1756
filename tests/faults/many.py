"""Very many files in one folder: all of them are diagnosed, in bounded memory.

usage: many.py PROGRAM FILES

The folder is made below TMPDIR and removed. The last line tells how long the
scan took and the most memory that it had; the status is 1 when it lost a job,
took more than 512 MiB, or more than half a minute and a millisecond a file.
"""
import os
import resource
import subprocess
import sys
import tempfile
import time

program, n = os.path.abspath(sys.argv[1]), int(sys.argv[2])
with tempfile.TemporaryDirectory() as base:
    free = os.statvfs(base)
    if free.f_favail < n + 100 or free.f_bavail * free.f_frsize < n * 5000:
        sys.exit("failed: %s has no room for %d files: set TMPDIR" % (base, n))
    os.mkdir(base + "/many")
    for i in range(n):
        with open("%s/many/job%07d.log" % (base, i), "w") as f:
            f.write("KeyError: 'k'\n" if i % 10 == 0 else "step 1\n")
    start = time.time()
    with open(base + "/out", "wb") as out:
        code = subprocess.call(
            [program, "scan", "--no-progress", "-f", "jsonl", "many"],
            cwd=base, stdout=out, env=dict(os.environ, JOBTRIAGE_CONFIG=""))
    took = time.time() - start
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
    lines = failed = 0
    with open(base + "/out", "rb") as f:
        for line in f:
            lines += 1
            failed += b'"category":"key_not_found"' in line
passed = (code == 0 and (lines, failed) == (n, (n + 9) // 10) and
          peak < 512 and took < 30 + n / 1000)
print("# %s: %d files in a folder: status %d, %d jobs, %d of them failed, "
      "%.1f s, peak %d MiB" % ("passed" if passed else "failed", n, code,
                               lines, failed, took, peak))
sys.exit(not passed)
