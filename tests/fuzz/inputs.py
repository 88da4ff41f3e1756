"""What the fuzz targets begin with, made from the project itself.

usage: inputs.py seeds TARGET DIR   files to begin with
       inputs.py dict TARGET        the literals of the code that reads them

TOP is the project, JOBTRIAGE the program. Nothing of it is random.
"""

import glob
import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile

TOP = os.environ["TOP"]
JOBTRIAGE = os.environ["JOBTRIAGE"]

# The code whose literals are words of a target's language.
SOURCES = {
    "taxonomy": ["classifier/rules/*.c"],
    "policy": ["classifier/rules/taxonomy_read.c", "classifier/rules/fields.c",
               "tests/fuzz/fuzz_policy.c"],
    "archive": [],
    "lines": ["classifier/input/*.c", "classifier/base/when.c"],
    "blocks": ["classifier/diagnose/*/*.c", "classifier/input/origin.c",
               "classifier/input/logger.c"],
    "records": ["classifier/jobs/accounting*.c"],
    "jsonlines": ["reports/*/*.c", "classifier/diagnose/decision/verdict.c"],
    "store": ["reports/store/store*.c", "reports/store/entry.c", "reports/output/diagnosis_json.c"],
    "scan": ["classifier/jobs/accounting*.c"],
    "overlay": ["classifier/rules/*.c"],
    "diff": ["reports/explain/*.c"],
    "history": ["reports/store/entry*.c", "reports/gate/*.c"],
    "export": ["reports/store/store*.c", "reports/store/entry*.c"],
    "dump": ["classifier/input/unwrap_dump.c"],
}
# What no string of the code has.
WORDS = {
    "taxonomy": [b"(?<a>", b"(?i)", b"\\b", b"[^\\n]{0,9}", b"\n  - ", b"\f"],
    "policy": [b"\n  - ", b"\f"],
    "archive": [b"\x1f\x8b\x08", b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06",
                b"PK\x07\x08", b"PK\x06\x06", b"7z\xbc\xaf\x27\x1c", b"ustar",
                b"ustar  ", b"BZh9", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd",
                b"\x04\x22\x4d\x18", b"\x50\x2a\x4d\x18", b"././@LongLink",
                b"GNU.sparse.major", b"SCHILY.xattr", b"path="],
    "lines": [b"\x1b[", b"\r", b"\xff\xfe", b"\xef\xbb\xbf", b"\\u0000"],
    "blocks": [b"\r", b"\x1b["],
    "records": [b"\f", b"\xef\xbb\xbf"],
    "jsonlines": [b"</script", b"<!--", b"\\u0000", b"\\u001b", b"\\ud800",
                  b"1e999", b"-0"],
    "store": [b"\\u0000", b"\\ud800"],
    "scan": [b"\f"],
    "overlay": [b"\n  - ", b"\f"],
    "diff": [b"\r", b"\x1b[", b"\f"],
    "history": [b"\\u0000", b"\f"],
    "export": [b"\\u0000", b"\\ud800"],
    "dump": [b"\x80\x02}(", b"q\x00", b"h\x00", b"X\x04\x00\x00\x00"],
}
CUT = 4096  # bytes of a seed made from a log
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
JOINED = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*')
COMMENT = re.compile(r"/\*.*?\*/|^\s*#include[^\n]*", re.S | re.M)
ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|.)", re.S)
NAMED = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f",
         "v": "\v", "e": "\x1b"}


def source(pattern):
    for path in sorted(glob.glob(os.path.join(TOP, pattern))):
        with open(path, encoding="latin-1") as f:
            yield COMMENT.sub("", f.read())


def unescape(text):
    def one(m):
        s = m.group(1)
        if s[0] == "x":
            return chr(int(s[1:], 16))
        if s[0] in "01234567":
            return chr(int(s, 8) & 255)
        return NAMED.get(s, s)
    return ESCAPE.sub(one, text).encode("latin-1")


def literals(pattern, least=1, most=1 << 20):
    """The texts in sources, adjacent ones joined, each once."""
    seen = {}
    for text in source(pattern):
        for m in JOINED.finditer(text):
            s = unescape("".join(STRING.findall(m.group())))
            if least <= len(s) <= most:
                seen[s] = None
    return list(seen)


def taxonomy_files():
    for path in sorted(glob.glob(TOP + "/taxonomy/**/*.yaml", recursive=True)):
        with open(path, "rb") as f:
            yield os.path.basename(path), f.read()


def logs():
    for path in sorted(glob.glob(TOP + "/corpus/*/**", recursive=True)):
        if os.path.isfile(path) and path.endswith((".log", ".out", ".err")):
            with open(path, "rb") as f:
                yield os.path.relpath(path, TOP + "/corpus"), f.read()


# ---- seeds: generators of (name, bytes) ----

def seeds_taxonomy():
    """Every rule as a file of its own, and what the tests refuse."""
    for name, text in taxonomy_files():
        if name == "policy.yaml":
            continue
        head, mark, rest = text.partition(b"rules:\n")
        for i, rule in enumerate(re.split(rb"(?m)^(?=  - id:)", rest)[1:]):
            if i % 4 == 0:
                yield f"{name}.{i}", head + mark + rule
    for i, text in enumerate(literals("tests/rules/test_taxonomy.c", 30)):
        if b":" in text and b"\n" in text:
            yield f"test.{i}", text
            yield f"layers.{i}", text + b"\f" + text


def seeds_policy():
    with open(TOP + "/taxonomy/policy.yaml", "rb") as f:
        text = f.read()
    budgets = re.search(rb"(?ms)^budgets:.*?(?=^\S)", text).group()
    ids = {b"category": [b"gpu_out_of_memory", b"storage_fault",
                         b"key_not_found", b"unknown"],
           b"rule": [b"gpu_out_of_memory.cuda", b"storage_fault.enospc",
                     b"storage_fault.eio", b"key_not_found.python"],
           b"seen_with": [b"storage_fault"]}
    rows = re.split(rb"(?m)^(?=  - )", text.partition(b"\npolicy:\n")[2])[1:]
    for i in range(0, len(rows), 3):
        def known(m, n=[i]):
            n[0] += 1
            v = ids[m.group(2)]
            return m.group(1) + v[n[0] % len(v)]
        some = re.sub(rb"((category|rule|seen_with): )\S+", known,
                      b"".join(rows[i:i + 3]))
        yield f"rows.{i}", b"policy:\n" + some + b"\f" + bytes(
            (i * 7 + k * 29) % 256 for k in range(16))
        yield f"all.{i}", budgets + b"policy:\n" + some


def pack(kind, members):
    """An archive, or a compressed file of the first member."""
    with tempfile.TemporaryDirectory() as d:
        for name, data in members:
            os.makedirs(os.path.dirname(f"{d}/in/{name}"), exist_ok=True)
            with open(f"{d}/in/{name}", "wb") as f:
                f.write(data)
        one = "in/" + members[0][0]
        command = {
            "gz": f"gzip -nc {one} >out",
            "bz2": f"bzip2 -c {one} >out",
            "xz": f"xz -c {one} >out",
            "zst": f"zstd -qc {one} >out",
            "lz4": f"lz4 -qc {one} >out",
            "7z": "7z a -bd out.7z ./in/* && mv out.7z out",
            "lzma.7z": "7z a -bd -m0=lzma -ms=on out.7z ./in/* && mv out.7z out",
        }[kind]
        subprocess.run(command, shell=True, cwd=d, check=True,
                       stdout=subprocess.DEVNULL)
        with open(d + "/out", "rb") as f:
            return f.read()


def tar(members, form):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as t:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, members[0][0]
        t.addfile(link)
    return out.getvalue()


def zipped(members, method):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as z:
        for name, data in members:
            z.writestr(zipfile.ZipInfo(name), data, method)
    return out.getvalue()


def some_logs():
    picked = [(n, d) for n, d in logs() if 200 < len(d) < 2000]
    return picked[:2] + [("a/very/" + "long/" * 30 + "name.log",
                          picked[2][1])]


def seeds_archive():
    members = some_logs()
    made = {"plain.log": members[0][1]}
    for name, form in ("ustar", tarfile.USTAR_FORMAT), (
            "gnu", tarfile.GNU_FORMAT), ("pax", tarfile.PAX_FORMAT):
        short = members if name != "ustar" else members[:2]
        made[name + ".tar"] = tar(short, form)
    made["store.zip"] = zipped(members, zipfile.ZIP_STORED)
    made["deflate.zip"] = zipped(members, zipfile.ZIP_DEFLATED)
    for kind in "gz", "bz2", "xz", "zst", "lz4":
        made["log." + kind] = pack(kind, members)
        made["tar." + kind] = pack(kind, [("t/t.tar", made["gnu.tar"])])
    made["two.gz"] = made["log.gz"] + made["log.gz"] + bytes(512)
    made["two.zst"] = made["log.zst"] + made["log.zst"]
    made["plain.7z"] = pack("7z", members)
    made["solid.7z"] = pack("lzma.7z", members)
    inner = [("n/" + k, made[k]) for k in
             ("tar.gz", "deflate.zip", "plain.7z", "log.zst")]
    made["nested.tar"] = tar(inner, tarfile.GNU_FORMAT)
    made["nested.zip"] = zipped(inner, zipfile.ZIP_DEFLATED)
    return made.items()


def split_at(i):
    """The two bytes that say where a seed is split."""
    return bytes([i * 37 % 256, i * 101 % 256])


def seeds_lines():
    texts = [d[:CUT] for _, d in logs()][::4]
    for name in "envelope", "unwrap", "decode":
        texts += literals(f"tests/input/test_{name}.c", 8, CUT)
    texts.append(texts[0].decode("latin-1").encode("utf-16"))
    for i, text in enumerate(texts):
        yield str(i), split_at(i) + text


def seeds_blocks():
    texts = []
    for _, d in logs():
        texts.append(d[:CUT])
        texts.append(d[-600:])
    for name in "scan", "rank", "facts", "stage", "usage":
        texts += literals(f"tests/diagnose/test_{name}.c", 40, CUT)
    for _, text in taxonomy_files():
        matches = re.findall(rb"(?m)^        - '(.*)'$", text)
        lines = [m.replace(b"''", b"'") + b"\n" for m in matches]
        texts += [b"".join(lines[i:i + 6]) for i in range(0, len(lines), 6)]
    for i, text in enumerate(texts):
        yield str(i), split_at(i) + text


def seeds_records():
    for path in sorted(glob.glob(TOP + "/tests/jobs/test_accounting*.c")):
        name = os.path.basename(path)
        for i, text in enumerate(literals("tests/jobs/" + name, 30)):
            yield f"{name}.{i}", text
    for i, text in enumerate(literals(
            "classifier/jobs/accounting_maps.c", 60)):
        yield f"map.{i}", text + b"\fid,state\n1,FAILED\n"


def answers():
    out = subprocess.run([JOBTRIAGE, "scan", "--format", "jsonl",
                          TOP + "/corpus"], capture_output=True, check=False)
    return out.stdout.splitlines(keepends=True)


def seeds_jsonlines():
    lines = answers()
    for i in range(0, len(lines), 6):
        yield f"one.{i}", lines[i]
    for i in range(0, len(lines), 40):
        yield f"ten.{i}", b"".join(lines[i:i + 10])


def seeds_store():
    lines = answers()
    for i in range(0, len(lines), 12):
        yield f"scan.{i}", lines[i]
    with tempfile.TemporaryDirectory() as d:
        with open(d + "/in", "wb") as f:
            f.writelines(lines[::5])
        url = f"sqlite:{d}/s.db"
        subprocess.run([JOBTRIAGE, "store", "import", "--quiet", "--store",
                        url, d + "/in"], check=True)
        subprocess.run([JOBTRIAGE, "store", "export", "--store", url, "-o",
                        d + "/out"], check=True)
        with open(d + "/out", "rb") as f:
            lines = f.readlines()
    for i, line in enumerate(lines):
        yield f"export.{i}", line
    yield "all", b"".join(lines[:8])


def seeds_scan():
    """Job records before a log; every other, since a whole scan is slow."""
    log = [d[:CUT] for _, d in logs()]
    for i, (name, text) in enumerate(list(seeds_records())[::2]):
        if b"\f" not in text:
            yield name, text + b"\f" + log[i % len(log)]


def seeds_overlay():
    """A rule before its own examples."""
    for name, text in list(seeds_taxonomy())[::16]:
        if b"\f" in text:
            continue
        matches = re.findall(rb"(?m)^        - '(.*)'$", text)
        lines = [m.replace(b"''", b"'") + b"\n" for m in matches]
        yield name, text + b"\f" + b"".join(lines)


def seeds_diff():
    log = [d[:CUT] for _, d in logs()]
    for i in range(0, len(log) - 1, 8):
        yield str(i), log[i + 1] + b"\f" + log[i]


def seeds_history():
    """One job of several attempts, and the logs of two."""
    lines = answers()
    log = [d[:CUT] for _, d in logs()]
    for i in range(0, len(lines) - 3, 30):
        past = [re.sub(rb'"attempt": ?[0-9]+', b'"attempt":%d' % (k + 1),
                       re.sub(rb'"job": ?"[^"]*"', b'"job":"77"', line))
                for k, line in enumerate(lines[i:i + 3])]
        yield str(i), b"".join(past) + b"\f" + log[i % len(log)] + b"\f" + \
            log[(i + 1) % len(log)]


def seeds_export():
    for name, data in list(seeds_store())[::4]:
        yield name, data


def seeds_dump():
    """Dumps of all forms, each in a file of its own."""
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("size", "pipeline"):
            subprocess.run([sys.executable, TOP + "/tests/cli/hang_job.py",
                            kind, os.path.join(folder, kind)], check=True)
            for path in sorted(glob.glob(f"{folder}/{kind}/*trace*")):
                with open(path, "rb") as f:
                    yield kind + "-" + os.path.basename(path), f.read()


# ---- the two commands ----

def write_seeds(target, folder):
    os.makedirs(folder, exist_ok=True)
    for name, data in globals()["seeds_" + target]():
        with open(os.path.join(folder, "seed-" + name), "wb") as f:
            f.write(data)


def write_dict(target):
    words = dict.fromkeys(WORDS[target])
    for pattern in SOURCES[target]:
        for s in literals(pattern, 2, 40):
            if b"%" not in s:
                words[s] = None
    for word in words:
        print('"%s"' % "".join("\\x%02x" % c for c in word))


if __name__ == "__main__":
    if len(sys.argv) == 4 and sys.argv[1] == "seeds":
        write_seeds(sys.argv[2], sys.argv[3])
    elif len(sys.argv) == 3 and sys.argv[1] == "dict":
        write_dict(sys.argv[2])
    else:
        sys.exit(__doc__)
