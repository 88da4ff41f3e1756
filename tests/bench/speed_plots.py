"""How the cost grows, as SVG: the growth tables of a run of `make bench
OUT=FILE`, one picture each. What one thread does is told in CPU seconds, which
other work on the machine does not lengthen; the least of the rounds.

usage: speed_plots.py FILE [FOLDER]   (default: tests/bench/plots)
"""
import json
import math
import os
import re
import sys

WIDTH, HEIGHT = 560, 340
LEFT, RIGHT, TOP, BOTTOM = 62, 150, 34, 46
COLOURS = "#1b6ca8", "#d1495b", "#3a7d44", "#8a6d3b"
UNITS = {"KiB": 1 / 1024, "MiB": 1, "%": 1}

# file, title, what x is, [(name of the line, table, rows that begin so)]
PLOTS = (
    ("size", "One log, one thread", "MiB of log", (
        ("jobtriage, process", "Growth with the size", ""),
        ("Hyperscan, scan alone", "Other engines", "Hyperscan"),
        ("PCRE2 loop, scan alone", "Other engines", "PCRE2"))),
    ("logs", "Small logs, one thread", "logs", (
        ("jobtriage", "Growth with the number of logs", ""),)),
    ("rules", "Rules, one thread", "rules", (
        ("one log", "Growth with the number of rules", "log"),
        ("empty log", "Growth with the number of rules", "empty"))),
    ("threads", "Threads", "threads", (
        ("one log", "Growth with threads: one log", ""),
        ("logs of 512 KiB", "Growth with threads: logs of", ""),
        ("small logs", "Growth with threads: small", ""))),
    ("failing", "Lines that are errors, one thread", "% of the lines", (
        ("jobtriage", "Growth with the share", ""),)))


def points(tables, title, rows):
    """[(x, seconds)] of a table's rows, x being the last number in the name.
    rows: how their names begin; or "empty" or "log", which they hold or not.
    """
    kind = "seconds" if "threads" in title else "cpu_seconds"
    found = []
    for table in tables:
        for row in table["rows"] if table["title"].startswith(title) else ():
            name = row["name"]
            fits = name.startswith(rows) if rows not in ("log", "empty") \
                else ("empty" in name) == (rows == "empty")
            if row["seconds"] and fits:
                number, unit = re.findall(r"(\d[\d.e+]*) ?([^\s,]*)", name)[-1]
                found.append((float(number) * UNITS.get(unit, 1),
                              min(row[kind])))
    return sorted(found)


class Axis:
    """Logarithmic from the first to the last of some values."""

    def __init__(self, values, begin, end):
        self.zero = min(v for v in values if v > 0) / 3
        logs = [math.log10(max(v, self.zero)) for v in values]
        self.low, self.high = min(logs) - 0.05, max(logs) + 0.05
        self.begin, self.end = begin, end

    def at(self, value):
        share = (math.log10(max(value, self.zero)) - self.low) / \
            (self.high - self.low)
        return self.begin + share * (self.end - self.begin)

    def ticks(self):
        steps = (1,) if self.high - self.low > 2 else (1, 2, 5)
        all_ = [s * 10.0 ** n for s in steps
                for n in range(math.floor(self.low), math.ceil(self.high))]
        return sorted(v for v in all_
                      if self.low <= math.log10(v) <= self.high)


def text(x, y, what, more=""):
    return '<text x="%.1f" y="%.1f" %s>%s</text>' % (x, y, more, what)


def draw(title, x_name, lines):
    """The picture: both axes logarithmic, a point for each measurement."""
    x = Axis([p[0] for _, l in lines for p in l], LEFT, WIDTH - RIGHT)
    y = Axis([p[1] for _, l in lines for p in l], HEIGHT - BOTTOM, TOP)
    marks = sorted({p[0] for p in lines[0][1]})
    if len(marks) > 2:
        marks = marks[:marks[0] == 0] + x.ticks()
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" '
           'font-family="sans-serif" font-size="12">' % (WIDTH, HEIGHT),
           '<rect width="100%" height="100%" fill="#fff"/>',
           text(LEFT, 20, title, 'font-weight="bold"'),
           text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, x_name,
                'text-anchor="middle"'),
           text(8, TOP - 2, "seconds")]
    for v in y.ticks():
        out.append('<path d="M%d %.1fH%d" stroke="#ddd"/>' % (
            LEFT, y.at(v), WIDTH - RIGHT))
        out.append(text(LEFT - 6, y.at(v) + 4, "%g" % v,
                        'text-anchor="end"'))
    for v in marks:
        out.append('<path d="M%.1f %dV%d" stroke="#ddd"/>' % (
            x.at(v), TOP, HEIGHT - BOTTOM))
        out.append(text(x.at(v), HEIGHT - BOTTOM + 16, "%g" % v,
                        'text-anchor="middle"'))
    names = []  # where they stand
    for (name, line), colour in zip(lines, COLOURS):
        places = [(x.at(a), y.at(b)) for a, b in line]
        out.append('<polyline fill="none" stroke="%s" stroke-width="2" '
                   'points="%s"/>' % (colour, " ".join(
                       "%.1f,%.1f" % p for p in places)))
        out += ['<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>' % (
            *p, colour) for p in places]
        names.append(places[-1][1] + 4)
        while any(abs(names[-1] - n) < 12 for n in names[:-1]):
            names[-1] += 4
        out.append(text(places[-1][0] + 8, names[-1], name,
                        'fill="%s"' % colour))
    return "\n".join(out + ["</svg>\n"])


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        tables = json.load(f)["tables"]
    folder = sys.argv[2] if len(sys.argv) > 2 else os.path.join(
        os.path.dirname(os.path.abspath(__file__)), "plots")
    os.makedirs(folder, exist_ok=True)
    for name, title, x_name, rows in PLOTS:
        lines = [(what, points(tables, table, begin))
                 for what, table, begin in rows]
        lines = [l for l in lines if l[1]]
        if lines:
            with open("%s/%s.svg" % (folder, name), "w",
                      encoding="utf-8") as f:
                f.write(draw(title, x_name, lines))
    return 0


sys.exit(main())
