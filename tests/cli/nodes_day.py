"""A made day of a cluster whose truth is known: nodes, what they log, jobs,
their logs and records; and how many roots the join finds.

usage: nodes_day.py make DIR [SEED]    writes DIR/{jobs,nodes}, DIR/sacct.txt,
                                       DIR/truth.json
       nodes_day.py check DIR          reads scan's JSON lines on stdin"""
import json
import os
import random
import sys
import tarfile
import time

DAY = 1773014400  # 2026-03-09 00:00 UTC
NODES = [f"n{i:02}" for i in range(1, 17)]
XID79 = "NVRM: Xid (PCI:0000:9a:00): 79, pid='<unknown>', name=<unknown>, " \
    "GPU has fallen off the bus."
ECC = "NVRM: Xid (PCI:0000:3b:00): 95, pid=7712, name=python, Uncontained: " \
    "FBHUB. RST: Yes, D-RST: No"
PANIC = "Kernel panic - not syncing: Fatal machine check"
PORT = "mlx5_core 0000:5e:00.0: Port: 1 Link DOWN"
QUIET = ["systemd[1]: Started Session 41 of user ada.",
    "mlx5_core 0000:5e:00.0: Port: 1 Link ACTIVE",
    "pcieport 0000:9a:01.0: AER: Corrected error received: 0000:9b:00.0",
    "NVRM: Xid (PCI:0000:3b:00): 63, pid=1180, name=nvidia-persiste, Row "
    "Remapper: New row (0x0000000004a1f2) marked for remapping"]
NCCL = "[rank{r}]:[E ProcessGroupNCCL.cpp:616] [Rank {r}] Watchdog caught " \
    "collective operation timeout: WorkNCCL(SeqNum=812, OpType=ALLREDUCE, " \
    "NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600021 milliseconds " \
    "before timing out."
KEY = ["Traceback (most recent call last):",
    '  File "/home/ada/train.py", line 31, in <module>',
    "    row = table[name]", "KeyError: 'mel_bands'"]


def stamp(t, form="%Y-%m-%d %H:%M:%S"):
    return time.strftime(form, time.gmtime(t))


class Day:
    def __init__(self, top, seed):
        self.top, self.rand = top, random.Random(seed)
        self.events = {n: [] for n in NODES}
        self.skew = {n: 0 for n in NODES}
        self.records, self.truth, self.id = [], {}, 88000
        os.makedirs(os.path.join(top, "jobs"))
        os.makedirs(os.path.join(top, "nodes"))

    def event(self, node, t, text):
        self.events[node].append((t, text))

    def job(self, nodes, start, end, lines, want, state="FAILED", log=True,
            node=None):
        self.id += 1
        job = str(self.id)
        if log:
            with open(f"{self.top}/jobs/slurm-{job}.out", "w") as f:
                f.write("\n".join(lines) + "\n")
        code = "0:0" if state == "COMPLETED" else "1:0"
        self.records.append("|".join([job, "train", "ada", state, code,
            stamp(start, "%Y-%m-%dT%H:%M:%S"), stamp(end, "%Y-%m-%dT%H:%M:%S"),
            ",".join(nodes)]))
        self.truth[job] = [want, node]
        return job

    def steps(self, start, last):
        return [f"{stamp(t)} - train - INFO - step {i}/9000 loss 2.31"
            for i, t in enumerate(range(start + 60, last + 1, 30))]

    def pick(self, n):
        return self.rand.sample([m for m in NODES if m != "n08"], n)

    def write_nodes(self):
        boot = DAY - 881230
        for i, node in enumerate(NODES):
            for t in range(DAY + 900 * (i % 4), DAY + 86400, 7200):
                self.event(node, t, self.rand.choice(QUIET))
            rows = sorted(self.events[node])
            skew, form = self.skew[node], i % 5
            if skew:
                form = 1
            base = f"{self.top}/nodes"
            if form == 0:
                with open(f"{base}/{node}.dmesg", "w") as f:
                    for t, text in rows:
                        f.write(f"[{stamp(t, '%a %b %e %T %Y')}] {text}\n")
            elif form == 1:
                os.makedirs(f"{base}/{node}")
                with open(f"{base}/{node}/messages", "w") as f:
                    for t, text in rows:
                        f.write(f"{stamp(t + skew, '%b %e %T')} "
                            f"{node} kernel: {text}\n")
            elif form == 2:
                with open(f"{base}/journal-{node}.log", "w") as f:
                    for t, text in rows:
                        f.write(f"{stamp(t, '%Y-%m-%dT%T+0000')} {node} "
                            f"kernel: {text}\n")
            elif form == 3:
                with open(f"{base}/{node}.json", "w") as f:
                    for t, text in rows:
                        f.write(json.dumps({"_HOSTNAME": node,
                            "__REALTIME_TIMESTAMP": str(t * 1000000),
                            "SYSLOG_IDENTIFIER": "kernel",
                            "MESSAGE": text}) + "\n")
            else:  # without dates, and the same with dates in an archive
                with open(f"{base}/{node}.dmesg", "w") as f:
                    for t, text in rows:
                        f.write(f"[{t - boot}.114411] {text}\n")
                with open(f"{base}/tmp", "w") as f:
                    for t, text in rows:
                        f.write(f"{stamp(t, '%b %e %T')} {node} "
                            f"kernel: {text}\n")
                with tarfile.open(f"{base}/{node}-syslog.tar.gz", "w:gz") as a:
                    a.add(f"{base}/tmp", f"var/log/{node}/syslog")
                os.remove(f"{base}/tmp")

    def done(self):
        self.write_nodes()
        with open(f"{self.top}/sacct.txt", "w") as f:
            f.write("JobID|JobName|User|State|ExitCode|Start|End|NodeList\n")
            f.write("\n".join(self.records) + "\n")
        with open(f"{self.top}/truth.json", "w") as f:
            json.dump(self.truth, f)


def fault(day, start, text, rule, shared):
    """A node dies of it; its job waits for it, and a neighbour dies, too."""
    nodes = day.pick(3)
    bad, at = nodes[0], start + 4000
    day.event(bad, at, text)
    end = at + 600
    day.job(nodes, start, end + 5, day.steps(start, at - 5) +
        [f"{stamp(end)} {NCCL.format(r=r)}" for r in (1, 2)], rule, node=bad)
    if shared:
        day.job([bad], start + 7, at + 3, day.steps(start + 7, at - 20) +
            [f"{stamp(at + 1)} - train - ERROR - "
             "RuntimeError: CUDA error: unspecified launch failure"], rule,
            node=bad)
        day.job([bad], start + 9, at + 900, day.steps(start + 9, at + 800) +
            [f"{stamp(at + 899)} - train - INFO - Training completed."],
            "none", state="COMPLETED")


def make(top, seed):
    day = Day(top, seed)
    x, e, p, l = ("gpu_hardware_fault.xid_hardware",) * 2 + (
        "node_failure.kernel_panic", "network_communication.port_down")
    for hour in range(0, 20):
        start = DAY + hour * 4000
        text, rule = [(XID79, x), (ECC, e), (PANIC, p), (PORT, l)][hour % 4]
        fault(day, start, text, rule, hour % 4 < 2)
    for hour in range(0, 20):  # of their own, whatever nodes say
        start = DAY + hour * 4000 + 1500
        nodes = day.pick(2)
        died = start + 1000
        log = day.steps(start, died - 10)
        kind = hour % 5
        if kind == 0:    # the node broke when the job was dead
            day.event(nodes[0], died + 40, XID79)
        elif kind == 1:  # it lived through it
            day.event(nodes[0], died - 400, ECC)
        elif kind == 2:  # another node
            other = [n for n in NODES if n not in nodes][hour % 7]
            day.event(other, died - 2, XID79)
        elif kind == 3:  # a short loss of the link that it lived through
            day.event(nodes[1], died - 7, PORT)
        day.job(nodes, start, died + 3, log +
            [f"{stamp(died)} - train - ERROR - giving up"] +
            [f"{stamp(died)} {line}" if i == 0 else line
             for i, line in enumerate(KEY)], "key_not_found.key_error")
    clock(day)
    # its log only stops, and the record says that the node failed
    start = DAY + 82000
    day.event("n05", start + 500, PANIC)
    day.job(["n05"], start, start + 700, day.steps(start, start + 480), p,
        state="NODE_FAIL", node="n05")
    day.event("n06", start + 500, XID79)
    day.job(["n06"], start, start + 503, [], x, log=False, node="n06")
    day.done()


def clock(day):
    """The clock of a node is an hour off; the job's log shows its line."""
    start, node = DAY + 81000, "n08"
    day.skew[node] = 3600
    day.event(node, start + 700, XID79)
    day.job([node, "n01"], start, start + 720, day.steps(start, start + 690) +
        [f"{stamp(start + 700)} {node} kernel: {XID79}"] +
        [f"{stamp(start + 715)} {NCCL.format(r=1)}"],
        "gpu_hardware_fault.xid_hardware", node=node)


def check(top):
    with open(f"{top}/truth.json") as f:
        truth = json.load(f)
    right = wrong = false = joins = 0
    for line in sys.stdin:
        d = json.loads(line)
        want, node = truth.pop(d["job"])
        root = d["evidence"][0] if d["evidence"] else None
        told = root["path"].startswith("nodes/") if root else False
        rule = d["rule"] or "none"
        good = rule == want and (not node or (root["node"] == node and
            (d["adjust"] or {}).get("exclude_nodes") == [node]))
        joins += told
        false += told and not node
        right += good
        wrong += not good
        if not good:
            print("wrong:", d["job"], want, node, "not", rule,
                root and (root["node"], root["path"]), d["verdict"],
                d["adjust"])
    assert not truth, truth
    print(f"{right} of {right + wrong} roots right, {joins} joined, "
        f"{false} of them false")
    return 1 if wrong or false else 0


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    else:
        sys.exit(check(sys.argv[2]))
