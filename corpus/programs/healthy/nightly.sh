#!/bin/bash
# A nightly script that echoes its commands and looks at old logs.
cat >previous.log <<'LOG'
Traceback (most recent call last):
  File "train.py", line 12, in <module>
RuntimeError: CUDA error: device-side assert triggered
LOG
set -x
grep -c 'Traceback (most recent call last)' previous.log
grep -n 'RuntimeError: CUDA error' previous.log || echo 'no CUDA error'
test -f resume.pt || echo 'FileNotFoundError is fine on the first night'
python3 fine.py metrics plain || { echo 'training failed'; exit 1; }
trap 'echo "Killed by signal"' TERM
set +x
echo "nightly: all stages passed"
