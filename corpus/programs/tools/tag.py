"""Prefix every line of stdin the way a launcher or a container runtime does:
tag.py srun|rank|docker|cri|stamp [NUMBER]"""
import datetime
import json
import random
import sys

style = sys.argv[1]
number = sys.argv[2] if len(sys.argv) > 2 else "0"
now = datetime.datetime(2025, 3, 11, 8, 0, 4, 218309)
rng = random.Random(7)

for raw in sys.stdin.buffer:
    line = raw.decode("utf-8", "replace").rstrip("\n")
    now += datetime.timedelta(seconds=rng.uniform(0.01, 1.5))
    stamp = now.isoformat(timespec="microseconds")
    if style == "srun":
        out = "%s: %s" % (number, line)
    elif style == "rank":
        out = "[rank%s]: %s" % (number, line)
    elif style == "docker":
        out = json.dumps({"log": line + "\n", "stream": "stderr",
                          "time": stamp + "Z"})
    elif style == "cri":
        out = "%s000Z stdout F %s" % (stamp, line)
    else:
        out = "[%s] %s" % (now.strftime("%Y-%m-%d %H:%M:%S"), line)
    sys.stdout.buffer.write(out.encode() + b"\n")
    sys.stdout.flush()
