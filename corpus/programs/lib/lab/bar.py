"""A progress bar that redraws itself with a carriage return."""
import sys

_PARTS = " \u258f\u258e\u258d\u258c\u258b\u258a\u2589"


def _span(seconds):
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return "%d:%02d:%02d" % (hours, minutes, seconds)
    return "%02d:%02d" % (minutes, seconds)


class Bar:
    def __init__(self, total, desc="", every=1, color="", width=10):
        self.total, self.desc, self.every = total, desc, every
        self.color, self.width = color, width
        self.elapsed = 0.0

    def update(self, n, seconds, note=""):
        self.elapsed += seconds
        if n % self.every and n != self.total:
            return
        fill = n * self.width * 8 // self.total
        cells = "\u2588" * (fill // 8)
        if len(cells) < self.width:
            cells = (cells + _PARTS[fill % 8]).ljust(self.width)
        rate = n / self.elapsed if self.elapsed else 0.0
        left = (self.total - n) / rate if rate else 0.0
        if self.color:
            cells = "\033[%sm%s\033[0m" % (self.color, cells)
        sys.stderr.write("\r%s: %3d%%|%s| %d/%d [%s<%s, %5.2fit/s%s]" % (
            self.desc, n * 100 // self.total, cells, n, self.total,
            _span(self.elapsed), _span(left), rate,
            ", " + note if note else ""))
        sys.stderr.flush()

    def close(self):
        sys.stderr.write("\n")
        sys.stderr.flush()
