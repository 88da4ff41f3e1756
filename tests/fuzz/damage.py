"""The corpus in archives of every kind, damaged at random, read by scan.

usage: damage.py [SECONDS]    environment: JOBTRIAGE, TOP, SEED, SANITIZE

Each round packs some logs, damages the archive (cut short, bits flipped,
bytes taken out or put in; now and then not at all) and scans it, as a file or
through a pipe in pieces. What must hold:

  - it ends within TIME and MEMORY, with status 0 or 3, and 3 exactly when a
    note was told;
  - an archive that is whole gives the answers of the whole one and no note;
  - no answer differs from the whole archive's unless a note was told;
  - what the decompressor itself (or 7z, or the CRC of a zip's member) calls
    bad is told, though every byte came out;
  - the logs before the damage, and in a tar or zip all logs but the ones that
    it hit, are answered as before.

A tar without compression keeps no sum over its logs: nobody can tell that a
byte of one has changed. And who changes the first bytes of a file, by which
its kind is known, makes it another file; only bounds and status are checked
then. Ends with 1 at the first breach and leaves the archive where it ran.
"""

import bz2
import io
import json
import lzma
import os
import random
import resource
import signal
import subprocess
import sys
import tarfile
import threading
import time
import zipfile
import zlib

TOP = os.environ["TOP"]
JOBTRIAGE = os.environ["JOBTRIAGE"]
TIME = 60 if os.environ.get("SANITIZE") else 20  # seconds a scan
MEMORY = 1 << 30     # bytes of address space
RESIDENT = 160 << 10  # KiB
LOGS = 12            # in an archive
MAGIC = 10           # first bytes by which a kind is known
PER_ARCHIVE = 8 if os.environ.get("SANITIZE") else 25  # damages of one

rng = random.Random(int(os.environ.get("SEED", "1")))


class Breach(Exception):
    pass


# ---- packing ----

def corpus():
    found = []
    for folder, _, names in sorted(os.walk(TOP + "/corpus")):
        for name in sorted(names):
            if name.endswith((".log", ".out", ".err")):
                with open(os.path.join(folder, name), "rb") as f:
                    found.append((name, f.read()))
    return found


def through(command, data):
    return subprocess.run(command, input=data, check=True,
                          stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout


def pack_tar(members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as t:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            t.addfile(info, io.BytesIO(data))
    return out.getvalue()


def pack_zip(members, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as z:
        for name, data in members:
            z.writestr(zipfile.ZipInfo(name), data, method)
    return out.getvalue()


def pack_7z(members):
    os.makedirs("in", exist_ok=True)
    for name, data in members:
        os.makedirs(os.path.dirname("in/" + name), exist_ok=True)
        with open("in/" + name, "wb") as f:
            f.write(data)
    subprocess.run("rm -f a.7z && cd in && 7z a -bd ../a.7z * && rm -rf ../in",
                   shell=True, check=True, stdout=subprocess.DEVNULL)
    with open("a.7z", "rb") as f:
        return f.read()


def gz(data):
    """In one part, or in two: gzip files are put one after the other."""
    at = rng.choice([0, rng.randrange(len(data))])
    parts = [data[:at], data[at:]] if at else [data]
    return b"".join(through(["gzip", "-c"], p) for p in parts)


COMPRESS = {
    "gz": gz,
    "xz": lambda d: through(["xz", "-c"], d),
    "bz2": lambda d: through(["bzip2", "-c"], d),
    "zst": lambda d: through(["zstd", "-qc"], d),
    "lz4": lambda d: through(["lz4", "-qc"], d),
}

KINDS = {
    "tar": pack_tar,
    "zip": pack_zip,
    "stored.zip": lambda m: pack_zip(m, zipfile.ZIP_STORED),
    "7z": pack_7z,
    "tar.gz": lambda m: gz(pack_tar(m)),
    "tar.xz": lambda m: COMPRESS["xz"](pack_tar(m)),
    "tar.bz2": lambda m: COMPRESS["bz2"](pack_tar(m)),
    "tar.zst": lambda m: COMPRESS["zst"](pack_tar(m)),
    "tar.lz4": lambda m: COMPRESS["lz4"](pack_tar(m)),
    "log.gz": lambda m: gz(m[0][1]),
    "log.xz": lambda m: COMPRESS["xz"](m[0][1]),
    "log.bz2": lambda m: COMPRESS["bz2"](m[0][1]),
    "log.zst": lambda m: COMPRESS["zst"](m[0][1]),
    "log.lz4": lambda m: COMPRESS["lz4"](m[0][1]),
    "nested.tar": lambda m: pack_tar(
        [("a/in.tar.gz", gz(pack_tar(m[:4]))),
         ("a/in.zip", pack_zip(m[4:8])),
         ("a/in.log.zst", COMPRESS["zst"](m[8][1]))] + m[9:]),
    "nested.tar.gz": lambda m: gz(pack_tar(
        [("a/in.zip", pack_zip(m[:6])), ("a/in.7z", pack_7z(m[6:]))])),
    "nested.zip": lambda m: pack_zip(
        [("a/in.tar.gz", gz(pack_tar(m[:6])))] + m[6:]),
}


# ---- damage: (what was done, the bytes, the ranges that it hit) ----

def flip(data):
    out = bytearray(data)
    hit = []
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        at = rng.randrange(len(out))
        if rng.random() < 0.15:  # where the sums and the sizes stand
            at = len(out) - 1 - rng.randrange(min(24, len(out)))
        out[at] ^= 1 << rng.randrange(8)
        hit.append((at, at + 1))
    return f"bits at {[h[0] for h in hit]}", bytes(out), hit


def cut(data):
    at = rng.choice([rng.randrange(len(data)),
                     len(data) - 1 - rng.randrange(min(600, len(data)))])
    return f"cut at {at}", data[:at], [(at, len(data))]


def take_out(data):
    at = rng.randrange(len(data))
    n = rng.choice([1, 7, 512, 1000])
    return (f"{n} bytes taken out at {at}", data[:at] + data[at + n:],
            [(at, len(data))])


def put_in(data):
    at = rng.randrange(len(data))
    n = rng.choice([1, 7, 512, 1000])
    return (f"{n} bytes put in at {at}",
            data[:at] + rng.randbytes(n) + data[at:], [(at, len(data))])


def blank(data):
    at = rng.randrange(len(data))
    n = min(rng.choice([4, 64, 512, 4096]), len(data) - at)
    return (f"{n} bytes zeroed at {at}",
            data[:at] + bytes(n) + data[at + n:], [(at, at + n)])


DAMAGES = [flip] * 8 + [cut] * 4 + [take_out, put_in, blank, blank]


# ---- scanning ----

class Scan:
    """The answers by path, without the archive's own; the notes."""

    def __init__(self, path, data, piped):
        self.path = "-" if piped else path
        command = [JOBTRIAGE, "scan", "--format", "jsonl", "--no-progress",
                   "-j", rng.choice("124"), self.path]
        start = time.monotonic()
        child = subprocess.Popen(
            command, stdin=subprocess.PIPE if piped else subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=bound)
        guard = threading.Timer(TIME, child.kill)
        guard.start()
        if piped:
            threading.Thread(target=feed, args=(
                child.stdin, data, random.Random(rng.random()))).start()
        err = []
        reader = threading.Thread(
            target=lambda: err.append(child.stderr.read()))
        reader.start()
        out = child.stdout.read()
        reader.join()
        _, status, usage = os.wait4(child.pid, 0)
        guard.cancel()
        child.stdout.close()
        child.stderr.close()
        child.returncode = os.waitstatus_to_exitcode(status)
        self.status = child.returncode
        self.err = err[0].decode("utf-8", "replace")
        self.notes = [line for line in self.err.splitlines() if line]
        self.seconds = time.monotonic() - start
        self.resident = usage.ru_maxrss
        self.answers = {}
        if self.status not in (0, 3):
            raise Breach(f"status {self.status}")
        for line in out.decode("utf-8").splitlines():
            self.add(line)

    def add(self, line):
        answer = json.loads(line)
        for path in answer["paths"]:
            own = path[len(self.path):].lstrip("!")
            self.answers[own] = line.replace(self.path + "!", "").replace(
                json.dumps(self.path), '""')
        self.answers.setdefault("", None)
        if self.answers[""] is None:
            del self.answers[""]


def bound():
    if not os.environ.get("SANITIZE"):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def feed(pipe, data, sizes):
    try:
        at = 0
        while at < len(data):
            n = sizes.choice([1, 100, 511, 4096, 65536])
            pipe.write(data[at:at + n])
            pipe.flush()
            at += n
    except BrokenPipeError:
        pass
    finally:
        try:
            pipe.close()
        except BrokenPipeError:
            pass


# ---- what the damage did, told without jobtriage ----

def parts(data, new):
    """(bytes that come out before a fault, whether there is none)."""
    out = bytearray()
    while data:
        d = new()
        for at in range(0, len(data), 16):
            try:
                out += d.decompress(data[at:at + 16])
            except (zlib.error, lzma.LZMAError, OSError, EOFError, ValueError):
                return bytes(out), False
            if d.eof:
                data = d.unused_data + data[at + 16:]
                break
        else:
            return bytes(out), False
        if not data.strip(b"\0"):
            break
    return bytes(out), True


def tested(command, data):
    rc = subprocess.run(command, input=data, stdout=subprocess.DEVNULL,
                        stderr=subprocess.DEVNULL, check=False).returncode
    return b"", rc == 0


def test_7z(data):
    """Of damage to the directory it tells even what does not matter."""
    with open("t.7z", "wb") as f:
        f.write(data)
    run = subprocess.run(["7z", "t", "-bd", "-p", "t.7z"], check=False,
                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT)
    return b"", b"CRC Failed" not in run.stdout


def test_zip(data):
    """A member whose bytes do not have their CRC."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as z:
            for info in z.infolist():
                try:
                    z.read(info)
                except zipfile.BadZipFile as e:
                    if "CRC" in str(e):
                        return b"", False
                except Exception:  # what else it does not like
                    pass
    except Exception:
        pass
    return b"", True


ORACLES = {
    "gz": lambda d: parts(d, lambda: zlib.decompressobj(31)),
    "xz": lambda d: parts(d, lambda: lzma.LZMADecompressor(
        lzma.FORMAT_XZ, memlimit=256 << 20)),
    "bz2": lambda d: parts(d, bz2.BZ2Decompressor),
    "zst": lambda d: tested(["zstd", "-tq"], d),
    "lz4": lambda d: tested(["lz4", "-tq"], d),
    "7z": test_7z,
    "zip": test_zip,
}


def tar_ranges(data):
    """Name to where its header begins and its bytes end."""
    with tarfile.open(fileobj=io.BytesIO(data)) as t:
        return {m.name: (m.offset, m.offset_data + (m.size + 511) // 512 * 512)
                for m in t}


def zip_ranges(data):
    with zipfile.ZipFile(io.BytesIO(data)) as z:
        starts = [(i.header_offset, i.filename) for i in z.infolist()]
        ends = [s for s, _ in starts[1:]] + [z.start_dir]
    return {name: (at, end) for (at, name), end in zip(starts, ends)}


def zip_end(data):
    with zipfile.ZipFile(io.BytesIO(data)) as z:
        return z.start_dir


def in_name(data, hit):
    with zipfile.ZipFile(io.BytesIO(data)) as z:
        return any(i.header_offset + 30 <= hit[0] and
                   hit[1] <= i.header_offset + 30 + len(i.filename)
                   for i in z.infolist())


def spared(kind, whole, hit, prefix):
    """Names of members that must be answered as before."""
    last = kind.rsplit(".", 1)[-1]
    if kind in ("tar", "nested.tar"):
        ranges = tar_ranges(whole)
    elif last == "zip":
        ranges = zip_ranges(whole)
        # without its directory a zip is read in turn, and a header that lies
        # about its member's size takes the next ones with it
        heads = [a for n, (a, _) in ranges.items() for h in hit
                 if h[0] < a + 30 + len(n) and h[1] > a]
        if heads and any(b > zip_end(whole) for _, b in hit):
            ranges = {n: r for n, r in ranges.items() if r[1] <= min(heads)}
    elif kind in ("tar.gz", "nested.tar.gz"):
        plain, _ = ORACLES["gz"](whole)
        same = len(os.path.commonprefix([plain, prefix]))
        return [n for n, r in tar_ranges(plain).items() if r[1] <= same]
    else:
        return []
    return [n for n, (a, b) in ranges.items()
            if not any(h[0] < b and h[1] > a for h in hit)]


# ---- a round ----

def compare(kind, whole, base, scan, damaged, hit):
    told = bool(scan.notes)
    last = kind.rsplit(".", 1)[-1]
    if told != (scan.status == 3):
        raise Breach(f"status {scan.status} with {len(scan.notes)} notes")
    if not hit:
        if told or scan.answers != base.answers:
            raise Breach("the whole archive has a note or other answers")
        return
    if hit[0][0] < MAGIC or min(h[0] for h in hit) < MAGIC:
        return
    if kind.endswith("tar") and min(h[0] for h in hit) < 512 and \
            list(scan.answers) == [""]:
        return  # its first header is what a tar is known by
    # no sum stands over the logs of a tar and the names of a zip
    loose = kind.endswith("tar") or (
        last == "zip" and any(in_name(whole, h) for h in hit))
    if not told and scan.answers != base.answers and not loose:
        raise Breach("answers differ, and nothing is told")
    prefix = b""
    # the directory at a zip's end has a second copy of each sum
    if last in ORACLES and not (last == "zip" and min(
            h[0] for h in hit) >= zip_end(whole)):
        prefix, good = ORACLES[last](damaged)
        if not good and not told:
            raise Breach(f"{last} finds damage, and nothing is told")
    for name in spared(kind, whole, hit, prefix):
        for path, answer in base.answers.items():
            if (path == name or path.startswith(name + "!")) and \
                    scan.answers.get(path) != answer:
                raise Breach(f"{path} was spared, and its answer is lost")


def run_round(kind, whole, base, count):
    what, data, hit = ("nothing", whole, []) if rng.random() < 0.05 else \
        rng.choice(DAMAGES)(whole)
    if data == whole:
        hit = []
    path = "a." + kind
    with open(path, "wb") as f:
        f.write(data)
    piped = base.path == "-"
    scan = None
    try:
        scan = Scan(path, data, piped)
        count["told"] += bool(scan.notes)
        count["seconds"] = max(count["seconds"], scan.seconds)
        count["resident"] = max(count["resident"], scan.resident)
        if scan.resident > RESIDENT and not os.environ.get("SANITIZE"):
            raise Breach(f"{scan.resident} KiB of memory")
        compare(kind, whole, base, scan, data, hit)
    except (Breach, ValueError) as e:
        print(f"not ok {path}{' through a pipe' if piped else ''}: {what}: {e}")
        print("# " + "\n# ".join(scan.notes[:5] if scan else []))
        print(f"# {os.path.abspath(path)}, whole: whole.{kind}")
        with open("whole." + kind, "wb") as f:
            f.write(whole)
        return False
    return True


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 30
    logs = corpus()
    ends = time.monotonic() + seconds
    count = {"told": 0, "seconds": 0.0, "resident": 0}
    rounds = 0
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    while time.monotonic() < ends:
        for kind, pack in KINDS.items():
            members = [(f"j{i}/{name}", data) for i, (name, data) in
                       enumerate(rng.sample(logs, LOGS))]
            whole = pack(members)
            with open("a." + kind, "wb") as f:
                f.write(whole)
            # a zip is read another way through a pipe: not here
            bases = [Scan("a." + kind, whole, piped) for piped in
                     ((False,) if kind.endswith("zip") else (False, True))]
            if any(b.notes or not b.answers for b in bases):
                print(f"not ok {kind}: the whole archive has a note")
                return 1
            for _ in range(PER_ARCHIVE):
                if not run_round(kind, whole, rng.choice(bases), count):
                    return 1
                rounds += 1
            if rounds > PER_ARCHIVE * len(KINDS) and time.monotonic() > ends:
                break
    print(f"# {rounds} archives, {count['told']} with a note; at most "
          f"{count['seconds']:.2f} s and {count['resident'] >> 10} MiB")
    print("ok damaged archives: nothing is lost in silence")
    return 0


if __name__ == "__main__":
    sys.exit(main())
