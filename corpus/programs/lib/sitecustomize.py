"""Shift the wall clock of every Python program of the corpus to a fixed day,
in whole seconds, so that two runs of make.sh print the same times."""
import time

_EPOCH = 1741680000
_real = time.time
_born = _real()


def _shifted():
    return float(_EPOCH + int(_real() - _born))


time.time = _shifted
