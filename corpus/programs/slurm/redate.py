"""redate.py STARTED FILE...: print the files with every time stamp moved so
that a session which began at STARTED (seconds) began on 2025-03-11."""
import datetime
import re
import sys

STAMP = re.compile(r"(\d{4}-\d\d-\d\d)([T ])(\d\d:\d\d:\d\d)")
GLOG = re.compile(r"(?m)^([IWEF])\d{4} (\d\d:\d\d:\d\d)\.")
began = datetime.datetime.fromtimestamp(int(sys.argv[1]))
delta = datetime.datetime(2025, 3, 11, 9, 12, 40) - began


def moved(match):
    then = datetime.datetime.fromisoformat(match[1] + " " + match[3]) + delta
    return then.strftime("%Y-%m-%d") + match[2] + then.strftime("%H:%M:%S")


def moved_glog(match):
    then = datetime.datetime.fromisoformat(
        began.strftime("%Y-%m-%d ") + match[2]) + delta
    return then.strftime(match[1] + "%m%d %H:%M:%S.")


for path in sys.argv[2:]:
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        text = GLOG.sub(moved_glog, STAMP.sub(moved, f.read()))
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
