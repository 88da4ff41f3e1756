"""Four simple ways to classify a failed job by its log, beside jobtriage.

Each is what a team writes in an afternoon; README.md says what each column
means. Only the standard library is used.

usage: baselines.py JOBTRIAGE DIR...
"""
import csv
import json
import os
import re
import subprocess
import sys
import time

TAIL = 256 << 10  # bytes from a log's end that the rule list is run on

# ---- exit code only -------------------------------------------------------
# What a scheduler knows of a job, read from where the log repeats it.
CODE = re.compile(
    r"exit(?:ed with)?[ _-]?(?:code|status|value)?\s*[:=]?\s*\(?(-?\d{1,3})\b"
    r"|returned (?:non-zero )?exit (?:status|code) (-?\d{1,3})\b"
    r"|exitcode\s*[:=]\s*(-?\d{1,3})\b"
    r"|(?:by signal|signal:?) (\d{1,2})\b", re.I)
BY_CODE = {
    124: "time_limit_exceeded", 126: "permission_denied",
    127: "path_not_found", 130: "killed_by_user", 134: "native_crash",
    135: "native_crash", 136: "native_crash", 137: "cpu_out_of_memory",
    139: "native_crash", 143: "killed_by_user",
}


def exit_code(text):
    last = None
    for m in CODE.finditer(text):
        last = m
    if not last:
        return "none"
    code = next(g for g in last.groups() if g)
    code = 128 + int(code) if last.group(4) else int(code)
    if code < 0:
        code = 128 - code
    if code == 0:
        return "none"
    return BY_CODE.get(code, "unknown")


# ---- the class of the last exception --------------------------------------
EXCEPTION = re.compile(
    r"^(?:\S{0,40}\]:? ?)?(?:\w+\.)*"
    r"(\w*(?:Error|Exception|KeyboardInterrupt|BadZipFile|StopIteration))"
    r"(?::.*)?$", re.M)
BY_CLASS = {
    "NameError": "undefined_variable",
    "UnboundLocalError": "undefined_variable",
    "KeyError": "key_not_found",
    "AttributeError": "attribute_not_found",
    "TypeError": "type_mismatch",
    "ValueError": "illegal_argument",
    "ArgumentError": "illegal_argument",
    "IndexError": "illegal_index",
    "ZeroDivisionError": "division_by_zero",
    "NotImplementedError": "not_implemented",
    "AssertionError": "assertion_failure",
    "SyntaxError": "syntax_error",
    "IndentationError": "syntax_error",
    "TabError": "syntax_error",
    "ImportError": "library_not_found",
    "ModuleNotFoundError": "library_not_found",
    "FileNotFoundError": "path_not_found",
    "NotADirectoryError": "path_not_found",
    "IsADirectoryError": "path_not_found",
    "PermissionError": "permission_denied",
    "MemoryError": "cpu_out_of_memory",
    "OutOfMemoryError": "gpu_out_of_memory",
    "ResourceExhaustedError": "gpu_out_of_memory",
    "InvalidArgumentError": "tensor_mismatch",
    "FailedPreconditionError": "framework_api_misuse",
    "FloatingPointError": "loss_nan",
    "JSONDecodeError": "corrupt_data",
    "UnpicklingError": "corrupt_data",
    "BadZipFile": "corrupt_data",
    "EOFError": "corrupt_data",
    "ParserError": "corrupt_data",
    "UnicodeDecodeError": "unexpected_encoding",
    "UnicodeEncodeError": "unexpected_encoding",
    "OSError": "storage_fault",
    "ConnectionError": "network_communication",
    "ConnectionRefusedError": "network_communication",
    "ConnectionResetError": "network_communication",
    "BrokenPipeError": "network_communication",
    "TimeoutError": "network_communication",
    "DistBackendError": "network_communication",
    "HTTPError": "network_communication",
    "KeyboardInterrupt": "killed_by_user",
}


def last_exception(text):
    last = None
    for m in EXCEPTION.finditer(text):
        last = m
    if not last:
        return "none"
    return BY_CLASS.get(last.group(1), "uncaught_exception")


# ---- keywords -------------------------------------------------------------
KEYWORDS = {
    "path_not_found": ["no such file or directory", "filenotfounderror",
                       "does not exist"],
    "library_not_found": ["no module named", "modulenotfounderror",
                          "cannot open shared object file"],
    "permission_denied": ["permission denied", "permissionerror",
                          "operation not permitted"],
    "version_mismatch": ["undefined symbol", "cannot import name",
                         "version mismatch"],
    "tensor_mismatch": ["size mismatch", "shapes cannot be multiplied",
                        "must match the size of tensor"],
    "gpu_out_of_memory": ["cuda out of memory", "outofmemoryerror",
                          "resource_exhausted"],
    "cpu_out_of_memory": ["oom-kill", "cannot allocate memory",
                          "memoryerror"],
    "loss_nan": ["loss is nan", "loss: nan", "non-finite"],
    "framework_api_misuse": ["expected all tensors to be on the same device",
                             "does not require grad",
                             "mark a variable ready only once"],
    "illegal_argument": ["unrecognized arguments", "valueerror",
                         "unexpected keyword argument"],
    "type_mismatch": ["typeerror", "unsupported operand type",
                      "is not iterable"],
    "key_not_found": ["keyerror", "key not found", "missing key"],
    "null_reference": ["'nonetype' object", "nullpointerexception",
                       "null pointer"],
    "attribute_not_found": ["attributeerror", "has no attribute",
                            "no such method"],
    "syntax_error": ["syntaxerror", "indentationerror", "invalid syntax"],
    "illegal_index": ["indexerror", "index out of range",
                      "out of bounds"],
    "undefined_variable": ["nameerror", "is not defined",
                           "referenced before assignment"],
    "not_implemented": ["notimplementederror", "not implemented",
                        "not supported"],
    "division_by_zero": ["zerodivisionerror", "division by zero",
                         "divide by zero"],
    "assertion_failure": ["assertionerror", "assertion failed",
                          "check failed"],
    "uncaught_exception": ["traceback (most recent call last)",
                           "unhandled exception", "runtimeerror"],
    "corrupt_data": ["jsondecodeerror", "corrupt", "truncated"],
    "unexpected_encoding": ["unicodedecodeerror", "unicodeencodeerror",
                            "codec can't decode"],
    "native_crash": ["segmentation fault", "core dumped",
                     "terminate called"],
    "accelerator_error": ["cuda error", "device-side assert",
                          "illegal memory access"],
    "gpu_hardware_fault": ["xid", "ecc error", "fallen off the bus"],
    "network_communication": ["connection refused", "connection reset",
                              "nccl error"],
    "storage_fault": ["no space left on device", "input/output error",
                      "stale file handle"],
    "node_failure": ["node failure", "node_fail", "machine check"],
    "preempted": ["preempt", "spot interruption", "requeue"],
    "time_limit_exceeded": ["due to time limit", "timelimit",
                            "walltime"],
    "killed_by_user": ["keyboardinterrupt", "scancel", "cancelled"],
    "authentication_failure": ["401 unauthorized", "403 forbidden",
                               "authentication failed"],
    "hang": ["watchdog caught collective operation timeout",
             "blocked for more than", "no progress"],
}


def keywords(text):
    text = text.lower()
    best, where = "none", -1
    for category, words in KEYWORDS.items():
        for word in words:
            at = text.rfind(word)
            if at > where:
                best, where = category, at
    return best


# ---- the first rule that matches ------------------------------------------
class FirstRule:
    """The rules of the taxonomy as a plain list of regular expressions."""

    ROLES = ["root", "consequence", "fallback"]

    def __init__(self, program):
        listed = json.loads(subprocess.run(
            [program, "taxonomy", "list", "--format", "json"],
            check=True, stdout=subprocess.PIPE).stdout)
        self.rules, self.skipped = [], 0
        for role in self.ROLES:
            for category in listed["categories"]:
                for rule in category["rules"]:
                    if rule["role"] == role:
                        self.add(category["id"], rule)

    @staticmethod
    def compiled(pattern):
        if re.search(r"\[\[:|\\[hHRNK]|\(\?\|", pattern):
            raise re.error("not known here")
        return re.compile(re.sub(r"\(\?<(?=[A-Za-z_])", "(?P<", pattern), re.M)

    def add(self, category, rule):
        try:
            unless = rule.get("unless")
            self.rules.append((category, self.compiled(rule["pattern"]),
                               self.compiled(unless) if unless else None))
        except (re.error, FutureWarning):
            self.skipped += 1

    def __call__(self, text):
        text = text[-TAIL:]
        for category, pattern, unless in self.rules:
            m = pattern.search(text)
            if not m:
                continue
            if unless:
                start = text.rfind("\n", 0, m.start()) + 1
                end = text.find("\n", m.end())
                if unless.search(text[start:end if end >= 0 else None]):
                    continue
            return category
        return "none"


# ---- scoring, as `jobtriage eval` does ------------------------------------
def score(cases, answers):
    labelled, answered, right = {}, {}, {}
    alarms = 0
    for case, got in zip(cases, answers):
        want = case["category"]
        accept = [a.strip() for a in (case.get("accept") or "").split(",")]
        if got in accept:
            got = want
        labelled[want] = labelled.get(want, 0) + 1
        answered[got] = answered.get(got, 0) + 1
        right[want] = right.get(want, 0) + (got == want)
        alarms += want == "none" and got != "none"
    f1 = [2 * right[c] / (labelled[c] + answered.get(c, 0)) for c in labelled]
    return (sum(right.values()) / len(cases), sum(f1) / len(f1), alarms,
            labelled.get("none", 0))


def text_of(path):
    """A log, or every file of a job's folder, one after the other."""
    if not os.path.isdir(path):
        paths = [path]
    else:
        paths = sorted(os.path.join(d, name) for d, _, names in os.walk(path)
                       for name in names)
    parts = []
    for p in paths:
        with open(p, "rb") as f:
            parts.append(f.read().decode("utf-8", "replace"))
    return "\n".join(parts).replace("\r\n", "\n").replace("\r", "\n")


def read_labels(folder):
    labels = os.path.join(folder, "labels.tsv")
    if os.path.exists(labels):
        with open(labels, encoding="utf-8", newline="") as f:
            cases = list(csv.DictReader(f, delimiter="\t",
                                        quoting=csv.QUOTE_NONE))
        return [c for c in cases if c["file"]]
    cases = []
    for category in sorted(os.listdir(folder)):
        inside = os.path.join(folder, category)
        if os.path.isdir(inside):
            cases += [{"file": category + "/" + name, "category": category}
                      for name in sorted(os.listdir(inside))]
    return cases


def jobtriage(program, folder):
    begin = time.perf_counter()
    done = subprocess.run([program, "eval", "--format", "json",
                           "--no-progress", "-q", folder],
                          stdout=subprocess.PIPE)
    seconds = time.perf_counter() - begin
    if done.returncode not in (0, 3):
        sys.exit("%s eval %s: status %d" % (program, folder, done.returncode))
    d = json.loads(done.stdout)
    good = d["confusion"].get("none", {})
    healthy = sum(good.values())
    return (d["accuracy"], d["macro_f1"], healthy - good.get("none", 0),
            healthy), seconds


def row(name, figures, seconds):
    accuracy, macro_f1, alarms, healthy = figures
    print("%-28s %8.3f %8.3f %7d of %-4d %8.2f"
          % (name, accuracy, macro_f1, alarms, healthy, seconds))


def main(program, folders):
    first = FirstRule(program)
    methods = [("exit code only", exit_code),
               ("last exception's class", last_exception),
               ("keywords, the last one", keywords),
               ("first matching rule", first)]
    for folder in folders:
        cases = read_labels(folder)
        if not cases:
            sys.exit("%s: no labelled logs" % folder)
        begin = time.perf_counter()
        texts = [text_of(os.path.join(folder, c["file"])) for c in cases]
        reading = time.perf_counter() - begin
        print("%d jobs in %s" % (len(cases), os.path.basename(
            os.path.normpath(folder))))
        print("%-28s %8s %8s %15s %8s" % ("", "accuracy", "macro-F1",
                                          "healthy failed", "seconds"))
        row("jobtriage", *jobtriage(program, folder))
        for name, classify in methods:
            begin = time.perf_counter()
            answers = [classify(t) for t in texts]
            seconds = reading + time.perf_counter() - begin
            row(name, score(cases, answers), seconds)
        print()
    print("first matching rule: %d rules, %d left out that Python's re does "
          "not take" % (len(first.rules), first.skipped))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
