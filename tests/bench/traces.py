#!/usr/bin/env python3
"""Totals over public job records, against those worked out by other means.

usage: traces.py PROGRAM FOLDER

FOLDER holds the public samples (they are not part of this project): the pods
of Alibaba's GPU cluster of 2023, sacct output of Kabre and of facebookresearch's
gcm. Each line of the table below is a file, a state, and its attempts and
GPU-hours (or hours); None is not checked.
"""
import collections
import json
import subprocess
import sys

GCM = "gcm_sacct/sample-sacct-"
# file, state, attempts, GPU-hours, hours
TOTALS = [
    ("alibaba_gpu_v2023/openb_pod_list_default.csv", "Running", 5193, 46439.909214, None),
    ("alibaba_gpu_v2023/openb_pod_list_default.csv", "Succeeded", 192, 4094.791111, None),
    ("alibaba_gpu_v2023/openb_pod_list_default.csv", "Failed", 1870, 935.973833, None),
    ("alibaba_gpu_v2023/openb_pod_list_default.csv", "Pending", 897, 0, None),
    ("alibaba_gpu_v2023/first2000.csv", "Running", 1043, 36538.886417, None),
    ("alibaba_gpu_v2023/first2000.csv", "Succeeded", 45, 3064.444444, None),
    ("alibaba_gpu_v2023/first2000.csv", "Failed", 754, 380.014119, None),
    ("kabre_sacct/sacct.csv", "FAILED", 18156, None, None),
    ("kabre_sacct/sacct.csv", "COMPLETED", 9237, None, None),
    ("kabre_sacct/sacct.csv", "CANCELLED", 2111, None, None),
    ("kabre_sacct/sacct.csv", "TIMEOUT", 872, None, None),
    (GCM + "multiple-multiline.txt", "FAILED", 1, 22583.751111, None),
    (GCM + "multiple-multiline.txt", "REQUEUED", 3, 3 * 6211.982222, None),
    (GCM + "one-multiline.txt", "FAILED", 1, 22583.751111, None),
    (GCM + "fake-line-break.txt", "FAILED", 1, 22583.751111, None),
    (GCM + "output-invalid-utf8.txt", "FAILED", 1, 0.22, None),
    (GCM + "output-invalid-utf8.txt", "TIMEOUT", 1, 2.003333, None),
    (GCM + "output-midnight-edge-case.txt", "FAILED", 259, None, 61.0981),
    (GCM + "output-midnight-edge-case.txt", "CANCELLED", 24, None, 660.1833),
    (GCM + "output-midnight-edge-case.txt", "COMPLETED", 18, None, 128.6278),
    (GCM + "output-midnight-edge-case.txt", "REQUEUED", 2, None, 140.3317),
    (GCM + "output-midnight-edge-case.txt", "OUT_OF_MEMORY", 2, None, 0.8828),
    (GCM + "output-midnight-edge-case.txt", "TIMEOUT", 1, None, 3.0033),
]


def totals(program, path):
    out = subprocess.run(
        [program, "scan", "-q", "--no-progress", "--timezone", "UTC", "-f",
         "jsonl", "--jobs", path], check=False, stdout=subprocess.PIPE).stdout
    sums = collections.defaultdict(lambda: [0, 0, 0])
    for line in out.splitlines():
        d = json.loads(line)
        s = sums[d["record"]["state"]]
        s[0] += 1
        s[1] += d["usage"]["gpu_seconds"] or 0
        s[2] += d["usage"]["runtime_seconds"] or 0
    return sums


def main():
    program, folder = sys.argv[1:]
    known, wrong = {}, 0
    for name, state, attempts, gpu_hours, hours in TOTALS:
        if name not in known:
            known[name] = totals(program, folder + "/" + name)
        n, gpu_seconds, seconds = known[name][state]
        # a share of a GPU is kept in whole seconds, half a second off at most
        slack = 0.5 * attempts / 3600 if "alibaba" in name else 1e-6
        right = (n == attempts
                 and (gpu_hours is None
                      or abs(gpu_seconds / 3600 - gpu_hours) <= slack + 1e-6)
                 and (hours is None or abs(seconds / 3600 - hours) <= 1e-4))
        wrong += not right
        print(f"{'ok' if right else 'WRONG':5}  {name:52}  {state:13}  {n:6}"
              f"  {gpu_seconds / 3600:14.6f} GPU-h  {seconds / 3600:14.4f} h")
    print(f"{len(TOTALS) - wrong} right, {wrong} wrong")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
