#!/usr/bin/env python3
"""How well groups of unnamed failures tell kinds of failures apart.

usage: groups.py JOBTRIAGE DIR...

DIR holds logs and labels.tsv (columns file and category). One category's rules
are switched off at a time; then its jobs are failures that nobody has named.
Said of them: how many have a template at all, how pure the groups are that they
lie in (share of the jobs of a group that are of its most frequent kind),
how complete (share of a kind's jobs that lie in its largest group; a kind is
the rule that explains them when it is on), and how many groups there are;
beside grouping by the last line, by the class of the exception, and by a tree
as Drain builds it (a similarity of 0.5, lines in the order of their files).
"""
import collections
import csv
import json
import os
import re
import subprocess
import sys
import tempfile


def run(*args, cwd=None):
    return subprocess.run(args, cwd=cwd, capture_output=True, text=True,
                          errors="surrogateescape", check=False).stdout


def labels(folder):
    path = os.path.join(folder, "labels.tsv")
    with open(path, errors="replace", newline="") as f:
        rows = csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE)
        return {r["file"]: r["category"] for r in rows}


def scan(program, folder, rules, store):
    args = [program, "scan", "-q", "--format", "jsonl", "--layout", "file"]
    for name in rules:
        args += ["--taxonomy", name]
    if store:
        args += ["--store", store]
    out = {}
    for line in run(*args, ".", cwd=folder).splitlines():
        d = json.loads(line)
        if d["paths"]:
            out[os.path.relpath(d["paths"][0], folder)
                if os.path.isabs(d["paths"][0])
                else os.path.normpath(d["paths"][0])] = d
    return out


def last_line(path):
    with open(path, "rb") as f:
        f.seek(0, 2)
        f.seek(max(0, f.tell() - 16384))
        lines = [x.strip() for x in f.read().splitlines() if x.strip()]
    return re.sub(rb"\d+", b"#", lines[-1]) if lines else b""


def exception_class(d):
    text = d["evidence"][0]["text"] if d["evidence"] else ""
    m = re.search(r"^([\w.]*\w(?:Error|Exception|Interrupt|Exit)\b)", text,
                  re.M)
    return m.group(1) if m else re.split(r"[:\s]", text + " ")[0]


class Drain:
    """The fixed-depth tree of He et al. 2017: length, first word, leaves."""

    def __init__(self, similar=0.5):
        self.leaves = collections.defaultdict(list)
        self.similar = similar

    def of(self, line):
        words = [re.sub(r"\d+", "<*>", w) for w in line.split()]
        first = words[0] if words else ""
        leaf = self.leaves[(len(words), "<*>" if "<*>" in first else first)]
        for i, t in enumerate(leaf):
            same = sum(a == b for a, b in zip(t, words))
            if words and same / len(words) >= self.similar:
                leaf[i] = [a if a == b else "<*>" for a, b in zip(t, words)]
                return (len(words), first, i)
        leaf.append(words)
        return (len(words), first, len(leaf) - 1)


def judge(groups):
    """groups: {group: [(category, kind)]} -> pure, all, groups"""
    pure = total = 0
    for jobs in groups.values():
        pure += collections.Counter(k for _, k in jobs).most_common(1)[0][1]
        total += len(jobs)
    return pure, total, len(groups)


def complete(groups):
    kinds = collections.defaultdict(collections.Counter)
    for name, jobs in groups.items():
        for _, kind in jobs:
            kinds[kind][name] += 1
    whole = [k for k in kinds.values() if sum(k.values()) > 1]
    return sum(max(k.values()) for k in whole), sum(map(
        lambda k: sum(k.values()), whole))


def main():
    program, folders = os.path.abspath(sys.argv[1]), sys.argv[2:]
    folders = [os.path.abspath(f) for f in folders]
    known = {f: labels(f) for f in folders}
    plain = {f: scan(program, f, [], None) for f in folders}
    rules = json.loads(run(program, "taxonomy", "list", "--format", "json"))
    rules = {c["id"]: [r["id"] for r in c["rules"]]
             for c in rules["categories"]}
    sums = collections.defaultdict(collections.Counter)
    wrong = collections.Counter()
    for category in sorted(rules):
        wanted = {f: [n for n, c in known[f].items() if c == category and
                      n in plain[f] and plain[f][n]["category"] == category]
                  for f in folders}
        if sum(map(len, wanted.values())) < 2:
            continue
        with tempfile.TemporaryDirectory() as tmp:
            off = os.path.join(tmp, "off.yaml")
            with open(off, "w") as f:
                f.write("disable: [%s]\n" % ", ".join(rules[category]))
            ways = collections.defaultdict(lambda: collections.defaultdict(
                list))
            store = os.path.join(tmp, "s.db")
            now = {f: scan(program, f, [off], store) for f in folders}
            listed = json.loads(run(program, "groups", "--store", store,
                                    "--format", "json") or '{"groups": []}')
            root = {i: g["id"] for g in listed["groups"]
                    for i in [g["id"]] + g["others"]}
            drain = Drain()
            for f in folders:
                for name, d in sorted(now[f].items()):
                    if not d.get("template"):
                        continue
                    kind = plain[f].get(name, d)["rule"]
                    job = (known[f].get(name, "?"), kind)
                    t = d["template"]["id"]
                    text = d["evidence"][0]["text"] if d["evidence"] else ""
                    text = text.strip().splitlines()[-1] if text else ""
                    ways["template"][t].append(job)
                    ways["joined"][root.get(t, t)].append(job)
                    ways["Drain"][drain.of(text)].append(job)
                    ways["class"][exception_class(d)].append(job)
                    ways["last line"][last_line(os.path.join(f, name))
                                      ].append(job)
            has = sum(1 for f in folders for n in wanted[f]
                      if now[f].get(n, {}).get("template"))
            wrong["jobs"] += sum(map(len, wanted.values()))
            wrong["with a template"] += has
        for way, groups in ways.items():
            mine = {g: j for g, j in groups.items()
                    if any(c == category for c, _ in j)}
            pure, total, n = judge(mine)
            own = {g: [x for x in j if x[0] == category]
                   for g, j in mine.items()}
            most, all_ = complete(own)
            sums[way].update(pure=pure, total=total, groups=n, most=most,
                             all=all_)
    print("jobs whose category was switched off: %d, of which %d have a "
          "template" % (wrong["jobs"], wrong["with a template"]))
    print("%-10s %7s %8s %8s" % ("by", "groups", "pure", "complete"))
    for way, s in sums.items():
        print("%-10s %7d %7.1f%% %7.1f%%" % (
            way, s["groups"], 100 * s["pure"] / max(1, s["total"]),
            100 * s["most"] / max(1, s["all"])))


if __name__ == "__main__":
    main()
