"""Made weeks of a cluster with lemons in it: nodes that fail far more often
than the others. Users differ: one's jobs fail of the network wherever they run,
mostly on the same few nodes; one's fail of his own code. Nodes are shared; an
outage hits many at once. What is known: each job's root, and the lemons.

usage: lemons_month.py make DIR [SEED [NODES [DAYS]]]
           writes DIR/{jobs,nodes}, DIR/sacct.txt, DIR/truth.json
       lemons_month.py check DIR SCAN.jsonl NODES.json
           the figures; status 1 when something is not as it should be"""
import json
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from nodes_day import ECC, KEY, NCCL, PANIC, XID79, stamp  # noqa: E402

START = 1772323200  # 2026-03-01 00:00 UTC
HOUR = 3600
GOOD, LEMON = 1 / (3000 * HOUR), 1 / (70 * HOUR)  # faults a second
ISO = "%Y-%m-%dT%H:%M:%S"
XID = "gpu_hardware_fault.xid_hardware"
FAULTS = [(XID79, XID), (XID79, XID), (ECC, XID),
    (PANIC, "node_failure.kernel_panic")]
SOCKET = "{node}:4131:4188 [0] misc/socket.cc:484 NCCL WARN " \
    "socketStartConnect: Connect to 10.4.0.7<41013> failed : Software " \
    "caused connection abort"
# name, weight, nodes, hours, share of a node; chance of own code, of network
USERS = [("ada", 4, (1, 2, 4), (4, 30), 8, 0.03, 0),
    ("bob", 3, (1,), (1, 12), 8, 0.30, 0),
    ("cho", 3, (2, 4), (6, 40), 8, 0.02, 0),
    ("dan", 3, (1,), (2, 20), 2, 0.05, 0),
    ("eve", 3, (1, 2), (2, 16), 8, 0.02, 0.25),
    ("fay", 2, (1, 8), (3, 24), 8, 0.02, 0)]
EVES = 6  # nodes that most of eve's jobs run on


class Month:
    def __init__(self, top, seed, nodes, days):
        self.top, self.rand = top, random.Random(seed)
        self.nodes = [f"n{i:03}" for i in range(1, nodes + 1)]
        self.end = START + days * 24 * HOUR
        # none of them is one of eve's
        self.lemons = sorted(self.rand.sample(
            self.nodes[EVES:], max(2, nodes // 16)))
        self.free = {n: START + self.rand.randrange(HOUR) for n in self.nodes}
        self.lost = {n: [] for n in self.nodes}  # lines of its log
        self.outage = START + (self.end - START) // 2
        self.hit = set(self.rand.sample(self.nodes, nodes // 4))
        self.records, self.truth, self.id = [], {}, 40000
        os.makedirs(os.path.join(top, "jobs"))
        os.makedirs(os.path.join(top, "nodes"))

    def fault_of(self, node, start, end):
        """When a fault of the node ends the job, and which; or None."""
        rate = LEMON if node in self.lemons else GOOD
        at = start + int(self.rand.expovariate(rate))
        return (at, node) if start + 120 < at < end - 60 else None

    def place(self, user):
        name, _, sizes, spans, share, own, network = user
        pool = self.nodes
        if name == "eve" and self.rand.random() < 0.8:
            pool = self.nodes[:EVES]
        pool = sorted(pool, key=lambda n: self.free[n])
        size = self.rand.choice(sizes)
        nodes = self.rand.sample(pool[:2 * size], size)
        start = max(self.free[n] for n in nodes) + self.rand.randrange(60, 900)
        end = start + int(self.rand.uniform(*spans) * HOUR)
        tenants = 1 if share == 8 else 3
        ends = [self.job(user, nodes, start + 11 * k, end + 600 * k, k == 0)
            for k in range(tenants)]
        for n in nodes:
            self.free[n] = max(ends)

    def job(self, user, nodes, start, end, first):
        """One job; when it ended. A fault hits all that share the node."""
        name, _, _, _, _, own, network = user
        if first:
            self.faults = [f for f in (self.fault_of(n, start, end)
                for n in nodes) if f]
        faults = [f for f in self.faults if f[0] < end - 60]
        down = start + 120 < self.outage < end - 60 and \
            [n for n in nodes if n in self.hit]
        dice = self.rand.random()
        died = start + int((end - start) * self.rand.random())
        if down and (not faults or self.outage < min(faults)[0]):
            return self.write(name, nodes, start, self.outage + 7, [
                f"{stamp(self.outage + 5)} {SOCKET.format(node=down[0])}"],
                "network", None)
        if faults:
            return self.broken(name, nodes, start, min(faults), first)
        if dice < own and died > start + 120:
            return self.write(name, nodes, start, died, [
                f"{stamp(died)} - train - ERROR - giving up"] + KEY,
                "key_not_found.key_error", None)
        if dice < own + network and died > start + 120:
            return self.write(name, nodes, start, died, [
                f"{stamp(died)} {SOCKET.format(node=nodes[0])}"],
                "network", None)
        return self.write(name, nodes, start, end, [
            f"{stamp(end)} - train - INFO - Training completed."], "none",
            None, "COMPLETED")

    def broken(self, name, nodes, start, fault, first):
        """The node's log tells it; the job's peers only wait."""
        at, node = fault
        if first:
            self.kind = self.rand.choice(FAULTS)
            self.lost[node].append((at, self.kind[0]))
        if len(nodes) == 1:
            lines = [f"{stamp(at + 1)} - train - ERROR - "
                "RuntimeError: CUDA error: unspecified launch failure"]
            end = at + 3
        else:
            end = at + 605
            lines = [f"{stamp(at + 600)} {NCCL.format(r=r)}" for r in (1, 2)]
        return self.write(name, nodes, start, end, lines, self.kind[1], node,
            last=at - 5)

    def write(self, name, nodes, start, end, lines, want, node,
            state="FAILED", last=None):
        self.id += 1
        job = str(self.id)
        steps = list(range(start + 60, (last or end) - 5, HOUR)) + \
            [(last or end) - 3]
        with open(f"{self.top}/jobs/slurm-{job}.out", "w") as f:
            for i, t in enumerate(steps):
                f.write(f"{stamp(t)} - train - INFO - step {i}/9000 "
                    "loss 2.31\n")
            f.write("\n".join(lines) + "\n")
        self.records.append("|".join([job, "train", name, state,
            "0:0" if state == "COMPLETED" else "1:0", stamp(start, ISO),
            stamp(end, ISO), ",".join(nodes)]))
        self.truth[job] = [want, node]
        return end

    def make(self):
        weights = [u[1] for u in USERS]
        while min(self.free.values()) < self.end - 2 * 24 * HOUR:
            self.place(self.rand.choices(USERS, weights)[0])
        for node in self.nodes:
            with open(f"{self.top}/nodes/{node}.dmesg", "w") as f:
                for t, text in sorted(self.lost[node]):
                    f.write(f"[{stamp(t, '%a %b %e %T %Y')}] {text}\n")
        with open(f"{self.top}/sacct.txt", "w") as f:
            f.write("JobID|JobName|User|State|ExitCode|Start|End|NodeList\n")
            f.write("\n".join(self.records) + "\n")
        with open(f"{self.top}/truth.json", "w") as f:
            json.dump({"jobs": self.truth, "lemons": self.lemons}, f)


def check(top, scan, nodes):
    with open(f"{top}/truth.json") as f:
        truth = json.load(f)
    jobs, right, joined, false = truth["jobs"], 0, 0, 0
    total = len(jobs)
    with open(scan) as f:
        for line in f:
            d = json.loads(line)
            want, node = jobs.pop(d["job"])
            rule = d["rule"] or "none"
            if want == "network":
                good = d["category"] == "network_communication"
            else:
                good = rule == want
            by_node = d["facts"]["node_log"]
            good = good and (not node or
                (by_node and d["evidence"][0]["node"] == node))
            joined += by_node
            false += by_node and not node
            right += good
            if not good:
                print("wrong:", d["job"], want, node, "not", rule,
                    d["category"])
    with open(nodes) as f:
        report = json.load(f)
    found = set(report["exclude"])
    lemons = set(truth["lemons"])
    print(f"{right} of {total} roots right, {joined} joined, {false} of them "
        f"false; {len(found & lemons)} of {len(lemons)} lemons found, "
        f"{len(found - lemons)} false of {len(report['nodes'])} nodes, "
        f"{report['all']['failures']} failures")
    return 1 if jobs or false or right != total or found != lemons else 0


if __name__ == "__main__":
    if sys.argv[1] == "make":
        seed, count, days = [int(v) for v in sys.argv[3:]] + \
            [1, 32, 28][len(sys.argv) - 3:]
        Month(sys.argv[2], seed, count, days).make()
    else:
        sys.exit(check(*sys.argv[2:5]))
