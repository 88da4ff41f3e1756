"""jobtriage's own rules for the other tools, and rule sets of any size.

Each tool gets the patterns that it can take. What it lacks (look-around,
back-references, ...) is left out beforehand, what it refuses is found by
halves; both are counted.
"""
import json
import re
import subprocess

try:
    from re import _parser as parser
except ImportError:  # before Python 3.11
    import sre_parse as parser

LOOK = re.compile(r"\(\?<?[=!]|\(\?>|\\[1-9KR]|[+*?}]\+|\(\?[&P(|]")
LEAST = 5  # bytes of a literal that is worth looking for


def load(program):
    """The rules [{id, pattern, ...}] in the order of their ids."""
    out = subprocess.run([program, "taxonomy", "list", "--format", "json"],
                         stdout=subprocess.PIPE, check=True).stdout
    rules = [r for c in json.loads(out)["categories"] for r in c["rules"]]
    return sorted(rules, key=lambda r: r["id"])


def relaxed(pattern):
    """Without the bounds of long repeats, with which automata are several
    times slower."""
    pattern = re.sub(r"\{0,\d{2,}\}\??", "*", pattern)
    return re.sub(r"\{\d+,\d{2,}\}\??", "+", pattern)


def for_rust(pattern):
    """rg joins its patterns: names would clash, and flags leak."""
    outside = re.sub(r"\[\^(?:\\.|[^\]\\])*\]", "", pattern)
    if LOOK.search(pattern) or not pattern.isascii() or r"\n" in outside:
        return None
    pattern = re.sub(r"\(\?<\w+>", "(?:", pattern)
    pattern = re.sub(r"\\([\"'`<>/:=@%,;! ])", r"\1", pattern)
    return "(?:%s)" % relaxed(pattern)


def simple(pattern):
    """The rules that rg has a fast way for: hardly a repeated class."""
    pattern = for_rust(pattern)
    return None if pattern and re.search(
        r"\[\^|\\[wSsd.][*+]|\(\?i|\][*+]|\.[*+]", pattern) else pattern


def for_grep(pattern):
    """As an extended expression of POSIX with GNU's \\w, \\s and \\b."""
    if LOOK.search(pattern):
        return None
    pattern = relaxed(pattern.replace("(?m)", ""))
    pattern = re.sub(r"\(\?(?:<\w+>|:)", "(", pattern)
    pattern = re.sub(r"(?<!\\)([*+?}])\?", r"\1", pattern)

    def in_set(m):  # within [] a class has another form, an escape none
        text = m.group(0)
        if r"\-" in text:
            text = text.replace(r"\-", "")[:-1] + "-]"
        text = text.replace(r"\d", "0-9").replace(r"\w", "[:alnum:]_")
        text = text.replace(r"\s", "[:space:]").replace(r"\S", "[:graph:]")
        text = re.sub(r"\\[nrt]", "", text).replace("\\", "")
        return "." if text == "[^]" else text
    pattern = re.sub(r"(?<!\\)\[(?:\\.|[^\]\\])*\]", in_set, pattern)
    pattern = pattern.replace(r"\d", "[0-9]")
    return None if re.search(r"\(\?|\\[xnrtA]", pattern) else pattern


def _texts(tree):
    """One text for each branch of which every match holds one, or None."""
    best, run = None, ""

    def better(texts):
        nonlocal best
        if texts and (not best or
                      min(map(len, texts)) > min(map(len, best))):
            best = texts
    for op, value in tree:
        name = str(op)
        if name == "LITERAL" and value < 128:
            run += chr(value)
            continue
        better([run] if run else None)
        run = ""
        if name == "SUBPATTERN":
            better(_texts(value[3]))
        elif name == "BRANCH":
            parts = [_texts(t) for t in value[1]]
            if all(parts):
                better([t for p in parts for t in p])
        elif name == "MAX_REPEAT" and value[0] > 0:
            better(_texts(value[2]))
    better([run] if run else None)
    return best


def literals(rules):
    """Fixed texts for all rules together, and how many rules had none."""
    found, without = set(), 0
    for r in rules:
        pattern = re.sub(r"\(\?<(\w+)>", r"(?P<\1>", r["pattern"])
        try:
            texts = _texts(parser.parse(pattern))
        except re.error:
            texts = None
        if texts and min(map(len, texts)) >= LEAST:
            found.update(texts)
        else:
            without += 1
    return sorted(t for t in found if "\n" not in t), without


def export(path, rules, convert, command):
    """Write the patterns that a tool takes; how many it does not.

    The command gets the file's path as its last but one argument and must end
    with a status below 2.
    """
    taken = [p for p in (convert(r["pattern"]) for r in rules)
             if p and "\n" not in p]

    def fine(patterns):
        with open(path, "w", encoding="utf-8") as f:
            f.writelines(p + "\n" for p in patterns)
        return subprocess.run(command + [path, "/dev/null"],
                              stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL,
                              check=False).returncode < 2

    def good(patterns):
        if not patterns or fine(patterns):
            return patterns
        if len(patterns) == 1:
            return []
        half = len(patterns) // 2
        return good(patterns[:half]) + good(patterns[half:])
    taken = good(taken)
    fine(taken)
    return len(rules) - len(taken)


# ---- rule sets of any size --------------------------------------------------
PARTS = ("bucket shard lease quota tensor stream mirror replica volume gateway "
         "scheduler allocator fabric tokenizer prefetcher checkpointer planner "
         "exporter collator router").split()
STATES = ("was lost", "is not writable", "returned a stale epoch",
          "exceeded its deadline", "refused the handshake", "has no owner",
          "is out of range", "ran dry", "was revoked", "went away")
CLASSES = ("BackendError", "LeaseException", "FabricFault", "QuotaError",
           "SiteStoreError", "PlacementError", "DriverFault", "RelayError")


def overlay(path, program, rules, number):
    """A file with which `number` rules are in force (contexts not counted)."""
    ids = [r["id"] for r in rules]
    wanted = min(number, len(ids))
    keep = {ids[i * len(ids) // wanted] for i in range(wanted)}
    made = []
    for i in range(number - len(ids)):
        part = PARTS[i % 20]
        text = "%s: %s %s" % (CLASSES[i // 20 % 8], part,
                              STATES[i // 160 % 10])
        made.append("  - id: uncaught_exception.made_%04d\n"
                    "    title: Made for the benchmark\n"
                    "    pattern: '%s at slot \\d+'\n    role: root\n"
                    "    examples:\n      match: ['%s at slot 7']\n"
                    "      no_match: ['%s ok']\n" % (i, text, text, part))
    for _ in range(100):
        off = [i for i in ids if i not in keep]
        with open(path, "w", encoding="utf-8") as f:
            if off:
                f.write("disable: [%s]\n" % ", ".join(off))
            if made:
                f.write("category: uncaught_exception\nrules:\n" +
                        "".join(made))
            if not off and not made:
                f.write("disable: []\n")
        check = subprocess.run([program, "taxonomy", "check", "-t", path],
                               stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True,
                               check=False)
        # A rule that another one leans on stays as well.
        lack = re.search(r"no rule '?([a-z_.0-9]+)", check.stdout)
        if not lack or lack.group(1) in keep:
            if check.returncode:
                raise SystemExit("%s: %s" % (path, check.stdout[:300]))
            return
        keep.add(lack.group(1))
