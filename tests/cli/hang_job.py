#!/usr/bin/env python3
"""A job of eight ranks that hangs in a collective: logs, flight recorder dumps
and stacks, as PyTorch, NCCL and py-spy write them.

No torch is needed. The dumps have the keys of c10d's FlightRecorder.hpp
(version 2.9), written by Python's own pickler and, as `c10`, with the
instructions that torch/csrc/jit/serialization/pickler.cpp writes (protocol 2,
strings and shared values in the memo, tuples of two). Stacks have the form of
py-spy's dump.rs and of CPython's faulthandler.c, NCCL's lines that of
enqueue.cc, init.cc and ras/client_support.cc.

usage: hang_job.py KIND FOLDER"""

import json
import os
import pickle
import struct
import sys

RANKS = 8
SEQ = 21
LATE = 5

WATCHDOG = (
    "2026-03-09 03:12:46 [rank{r}]:[E ProcessGroupNCCL.cpp:616] [Rank {r}] "
    "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=21, "
    "OpType=ALLREDUCE, NumelIn=1024, NumelOut=1024, Timeout(ms)=600000) ran "
    "for 600071 milliseconds before timing out.\n")
FRAMES = [
    {"name": "all_reduce", "line": 2810, "filename":
     "/opt/venv/lib/python3.11/site-packages/torch/distributed/"
     "distributed_c10d.py"},
    {"name": "reduce_gradients", "line": 88, "filename": "/work/train.py"},
    {"name": "<module>", "line": 130, "filename": "/work/train.py"}]
PYSPY = '''Process 4711: python train.py
Python v3.11.4 (/usr/bin/python3.11)

Thread 4790 (idle): "Thread-1 (_pin)"
    wait (threading.py:320)
    _bootstrap (threading.py:995)
Thread 4711 (idle): "MainThread"
    wait (threading.py:324)
    get (queue.py:180)
    _try_get_data (torch/utils/data/dataloader.py:1133)
    __next__ (torch/utils/data/dataloader.py:631)
    next_batch (data/pipeline.py:71)
    <module> (train.py:120)
'''
FAULT = '''Timeout (0:30:00)!
Thread 0x00007f31c0ff9700 (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 320 in wait
  File "/usr/lib/python3.11/threading.py", line 995 in _bootstrap

Thread 0x00007f31c27ea740 (most recent call first):
  File "/usr/lib/python3.11/ssl.py", line 1132 in read
  File "/work/data/fetch.py", line 52 in fetch_shard
  File "/work/train.py", line 120 in <module>
'''


def entry(seq, op="all_reduce", state="completed", size=1024, dtype="Float",
          group=("0", "default_pg"), p2p=False):
    return {"frames": FRAMES, "record_id": seq, "pg_id": 0,
            "process_group": group, "collective_seq_id": 0 if p2p else seq,
            "p2p_seq_id": seq if p2p else 0, "op_id": seq,
            "profiling_name": "nccl:" + op,
            "time_created_ns": 1772500000000000000 + seq,
            "input_sizes": [[size]], "input_dtypes": [dtype],
            "output_sizes": [[size]], "output_dtypes": [dtype],
            "state": state, "time_discovered_started_ns": None,
            "time_discovered_completed_ns": None, "duration_ms": 1.5,
            "retired": state == "completed", "timeout_ms": 600000,
            "is_p2p": p2p}


def dump(entries, groups=None):
    groups = groups or {("0", "default_pg"): range(RANKS)}
    return {"version": "2.9",
            "pg_config": {n: {"name": n, "desc": d, "ranks": str(list(r))}
                          for (n, d), r in groups.items()},
            "pg_status": {"0": {"last_enqueued_collective": SEQ,
                                "last_started_collective": SEQ,
                                "last_completed_collective": SEQ - 1}},
            "entries": entries}


class C10:
    """What torch::jit::Pickler makes of an IValue without type tags."""

    def __init__(self):
        self.out = b"\x80\x02"
        self.memo = {}
        self.shared = {}

    def keep(self, memo, key):
        n = len(self.memo) + len(self.shared)
        memo[key] = n
        self.out += (b"q" + bytes([n]) if n < 256
                     else b"r" + struct.pack("<I", n))

    def get(self, n):
        self.out += (b"h" + bytes([n]) if n < 256
                     else b"j" + struct.pack("<I", n))

    def put(self, v):
        if v is None:
            self.out += b"N"
        elif isinstance(v, bool):
            self.out += b"\x88" if v else b"\x89"
        elif isinstance(v, int):
            if 0 <= v < 256:
                self.out += b"K" + bytes([v])
            elif 0 <= v < 65536:
                self.out += b"M" + struct.pack("<H", v)
            elif -2**31 <= v < 2**31:
                self.out += b"J" + struct.pack("<i", v)
            else:
                self.out += b"\x8a\x08" + struct.pack("<q", v)
        elif isinstance(v, float):
            self.out += b"G" + struct.pack(">d", v)
        elif isinstance(v, str):
            if v in self.memo:
                self.get(self.memo[v])
                return
            s = v.encode()
            self.out += b"X" + struct.pack("<I", len(s)) + s
            self.keep(self.memo, v)
        elif isinstance(v, tuple):
            for x in v:
                self.put(x)
            self.out += b"\x86"
        elif id(v) in self.shared:
            self.get(self.shared[id(v)])
        elif isinstance(v, dict):
            self.out += b"}("
            for k, x in v.items():
                self.put(k)
                self.put(x)
            self.out += b"u"
            self.keep(self.shared, id(v))
        else:
            self.out += b"]("
            for x in v:
                self.put(x)
            self.out += b"e"
            self.keep(self.shared, id(v))

    def bytes(self, v):
        self.put(v)
        return self.out + b"."


def encode(value, rank):
    """Each rank's dump in another form."""
    form = ("c10", 2, 4, 5, "json", "c10", 2, 3)[rank]
    if form == "c10":
        return C10().bytes(value)
    if form == "json":
        return json.dumps(value).encode()
    return pickle.dumps(value, protocol=form)


def write(folder, name, data):
    with open(os.path.join(folder, name), "wb") as f:
        f.write(data if isinstance(data, bytes) else data.encode())


def died(rank, second, what):
    at = f"2026-03-09 03:12:{second} [rank{rank}]: "
    return "".join(at + line + "\n" for line in (
        "Traceback (most recent call last):",
        '  File "/work/train.py", line 120, in <module>',
        "    main()", what))


def collective(kind, folder):
    for r in range(RANKS):
        late = r == LATE and kind in ("absent", "dead", "loader", "fault",
                                      "disk", "gpu")
        entries = [entry(s) for s in range(1, SEQ)]
        log = f"2026-03-09 03:0{r}:00 step 20 loss 1.2\n"
        if not late:
            log += WATCHDOG.format(r=r)
            odd = r == 3
            entries.append(entry(
                SEQ, state="started" if r % 2 else "scheduled",
                op="broadcast" if odd and kind == "type" else "all_reduce",
                size=512 if odd and kind == "size" else 1024,
                dtype="Half" if odd and kind == "dtype" else "Float"))
        elif kind == "fault":
            log += FAULT
        elif kind == "gpu":
            log += ("[Mon Mar  9 03:02:44 2026] NVRM: Xid (PCI:0000:1b:00): "
                    "79, pid=4711, GPU has fallen off the bus.\n")
        elif kind == "disk":
            log += died(r, 50, "OSError: [Errno 5] Input/output error: "
                        "'/data/7.tar'")
        if kind == "disk" and r == 1:
            # another rank, which had come, dies before
            log = log.split("\n")[0] + "\n" + died(
                r, 20, "FileNotFoundError: [Errno 2] No such file or "
                "directory: '/data/mel.json'")
        write(folder, f"rank_{r}.log", log)
        if kind == "dead" and late:
            continue
        write(folder, f"nccl_trace_rank_{r}", encode(dump(entries), r))
    if kind == "loader":
        write(folder, f"pyspy_rank_{LATE}.txt", PYSPY)


def groups(kind, folder):
    """Ranks of two pipeline stages: stage 1 waits for a rank of stage 0 that
    stopped, or both for each other."""
    of = {("0", "default_pg"): range(4), ("1", "stage0"): (0, 1),
          ("2", "stage1"): (2, 3), ("3", "pp"): (1, 3)}
    for r in range(4):
        own = ("1", "stage0") if r < 2 else ("2", "stage1")
        entries = [entry(s, group=own) for s in range(1, 9)]
        if kind == "pipeline":
            # 0 stands; 1 waits for 0; 3 waits for 1 in a receive; 2 for 3
            if r == 1:
                entries.append(entry(9, state="started", group=own))
            if r == 2:
                entries.append(entry(9, state="started", group=own))
            if r == 3:
                entries.append(entry(4, "recv 1<-0", "started", p2p=True,
                                     group=("3", "pp")))
        else:
            # 0 waits for 1 in its stage, 1 for 0 in the group of all
            if r == 0:
                entries.append(entry(9, state="started", group=own))
            else:
                entries.append(entry(1, "barrier", "started"))
        write(folder, f"comm_trace_rank_{r}.json",
              json.dumps(dump(entries, of)))


def nccl(folder):
    for r in range(4):
        who = f"n{r // 2}:47{r}:48{r} [{r}] NCCL INFO "
        log = who + (f"ncclCommInitRank comm 0x55d{r} rank {r} nranks 4 cudaDev"
                     f" {r} nvmlDev {r} busId 1b000 commId 0xa1b2c3 - Init "
                     "COMPLETE\n")
        for i in range(28 if r == 2 else 30):
            log += who + (f"AllReduce: opCount {i:x} sendbuff 0x7f10 recvbuff "
                          "0x7f10 count 1024 datatype 7 op 0 root 0 comm "
                          f"0x55d{r} [nranks=4] stream 0x55aa\n")
        if r != 2:
            log += WATCHDOG.format(r=r)
        write(folder, f"rank_{r}.log", log)


def ras(folder):
    write(folder, "rank_0.log", WATCHDOG.format(r=0))
    write(folder, "ncclras.txt", '''NCCL version 2.28.3
Warnings
========

#0-0 (78db921d1c117b4a) MISMATCH
  Communicator ranks have different AllReduce operation counts
  7 ranks have launched up to operation 64
  Rank 7 has launched up to operation 60 -- GPU 3 managed by process 16503 on node n17
''')


def slow(folder):
    for s in range(60):
        with open(os.path.join(folder, "train.log"), "a") as f:
            for r in range(RANKS):
                t = 1 + (s * 7 + r * 3) % 11 / 500 + (0.4 if r == LATE else 0)
                f.write(f"n{r // 4}: 2026-03-09 03:{s:02}:{r:02} [rank{r}]: "
                        f"step {s} loss {2 - s / 100:.3f} "
                        f"step_time {t:.3f}s\n")


def main():
    kind, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    if kind in ("pipeline", "deadlock"):
        groups(kind, folder)
    elif kind in ("nccl", "ras", "slow"):
        {"nccl": nccl, "ras": ras, "slow": slow}[kind](folder)
    else:
        collective(kind, folder)


if __name__ == "__main__":
    main()
