"""What the jobs of the corpus have in common: a clock that runs faster than
the wall, log lines in the styles of the trade, progress bars, a configuration
dump and a small model that really learns."""
from lab.clock import Clock
from lab.run import Run
from lab.text import emit, trace

__all__ = ["Clock", "Run", "emit", "trace"]
