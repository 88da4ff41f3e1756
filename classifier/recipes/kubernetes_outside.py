"""Kubernetes, from outside: asks the gate about Jobs that have failed, and
makes them anew where it says so, as it says.

What kills a container whole (its memory limit, the node, a deadline) leaves
nobody in it to ask. Its pod's status says what it was: this reads it, and the
log, by kubectl, and hands both to `jobtriage gate --jobs`. The Jobs that want
this have the label jobtriage=ask and backoffLimit: 0, since every attempt is a
Job of its own: NAME, NAME-2, NAME-3. Nothing of jobtriage is in their images.

usage: python3 kubernetes_outside.py    once over all of them; the YAML beside it
                                         has it done every minute
  JOBTRIAGE_STORE  where earlier attempts are remembered; without it every
                   attempt is the first one
  MAX_ATTEMPTS     4, whatever the gate's own budgets say
  NAMESPACE        default: that of kubectl

What was answered stands in the Job's annotations jobtriage/verdict and
jobtriage/reason, by which it is known to have been looked at.
"""
import copy
import json
import os
import subprocess
import sys
import tempfile

MAX_ATTEMPTS = int(os.environ.get("MAX_ATTEMPTS", "4"))
JOBTRIAGE = os.environ.get("JOBTRIAGE", "jobtriage")
STORE = os.environ.get("JOBTRIAGE_STORE")
SPACE = ["-n", os.environ["NAMESPACE"]] if os.environ.get("NAMESPACE") else []
SIZES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12,
         "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}


def kubectl(*words, feed=None):
    """What it prints; it has told of its own failure."""
    return subprocess.run(["kubectl", *SPACE, *words], input=feed, text=True,
                          check=True, stdout=subprocess.PIPE).stdout


def items(*words):
    return json.loads(kubectl("get", *words, "-o", "json"))["items"]


def notes(job):
    return job["metadata"].get("annotations", {})


def has_failed(job):
    return any(c["type"] == "Failed" and c["status"] == "True"
               for c in job.get("status", {}).get("conditions", []))


def first_end(pod):
    """When its first container that failed ended; pods without one come last."""
    ends = [s["state"]["terminated"]
            for s in pod.get("status", {}).get("containerStatuses", [])
            if "terminated" in s.get("state", {})]
    return min((e.get("finishedAt") or "~" for e in ends
                if e.get("exitCode")), default="~")


def record_of(job, pod, name, attempt):
    """The pod as the record of this attempt of the job; where a deadline has
    taken the pods away, one that says as much of it as the Job does."""
    if pod:
        record = copy.deepcopy(pod)
        record["metadata"]["labels"] = {}
    else:
        over = [c for c in job["status"]["conditions"] if c["type"] == "Failed"]
        record = {
            "apiVersion": "v1", "kind": "Pod", "metadata": {},
            "spec": job["spec"]["template"]["spec"],
            "status": {"phase": "Failed", "reason": over[0].get("reason"),
                       "startTime": job["status"].get("startTime"),
                       "containerStatuses": []}}
    record["metadata"]["name"] = name
    # What a restart in its place would be, which is the next attempt.
    main = record["spec"]["containers"][0]["name"]
    states = record["status"].setdefault("containerStatuses", [])
    if not any(s["name"] == main for s in states):
        states.append({"name": main})
    for state in states:
        state["restartCount"] = attempt - 1
        state.pop("lastState", None)
    return record


def ask(job, pod):
    """The gate's answer: its diagnosis with `gate` and `adjust` in it."""
    name = notes(job).get("jobtriage/job", job["metadata"]["uid"])
    attempt = int(notes(job).get("jobtriage/attempt", "1"))
    record = record_of(job, pod, name, attempt)
    with tempfile.TemporaryDirectory() as folder:
        records = os.path.join(folder, "records.json")
        log = os.path.join(folder, "log")
        with open(records, "w", encoding="utf-8") as f:
            json.dump({"apiVersion": "v1", "kind": "List",
                       "items": [record]}, f)
        with open(log, "wb") as f:
            if pod:
                # It may be gone already: then the record has to do.
                subprocess.run(
                    ["kubectl", *SPACE, "logs", pod["metadata"]["name"],
                     "-c", pod["spec"]["containers"][0]["name"]],
                    stdout=f, check=False)
        said = subprocess.run(
            [JOBTRIAGE, "gate", "-q", "--print", "json", "--job", name,
             "--attempt", str(attempt), "--jobs", records] + (["--store", STORE] if STORE else []) +
            [log], stdout=subprocess.PIPE, text=True, check=False).stdout
    return json.loads(said)


def times(quantity, factor):
    """A quantity of memory, larger, in MiB."""
    number = quantity.rstrip("kKMGTi")
    size = float(number) * SIZES[quantity[len(number):]]
    return "%dMi" % -(-int(size * factor) // 2**20)


def changed(spec, adjust, nodes):
    """Put into the spec what the answer asks for, within reason."""
    pod = spec["template"]["spec"]
    factor = min(adjust.get("memory_factor") or 1, 4)
    if factor > 1:
        for kind in "limits", "requests":
            sizes = pod["containers"][0].get("resources", {}).get(kind, {})
            if "memory" in sizes:
                sizes["memory"] = times(sizes["memory"], factor)
    factor = min(adjust.get("time_factor") or 1, 4)
    if factor > 1 and "activeDeadlineSeconds" in spec:
        spec["activeDeadlineSeconds"] = int(
            spec["activeDeadlineSeconds"] * factor)
    # Names come from the log, too: only the job's own nodes.
    bad = [n for n in adjust.get("exclude_nodes") or [] if n in nodes]
    if bad:
        part = pod
        for key in ("affinity", "nodeAffinity",
                    "requiredDuringSchedulingIgnoredDuringExecution"):
            part = part.setdefault(key, {})
        for term in part.setdefault("nodeSelectorTerms", [{}]):
            term.setdefault("matchExpressions", []).append(
                {"key": "kubernetes.io/hostname", "operator": "NotIn",
                 "values": bad})


def again(job, adjust, nodes):
    """The Job of the next attempt: what its owner wrote, and no more."""
    old = job["metadata"]
    spec = copy.deepcopy(job["spec"])
    attempt = int(notes(job).get("jobtriage/attempt", "1")) + 1
    base = notes(job).get("jobtriage/base", old["name"])
    for key in "selector", "manualSelector":
        spec.pop(key, None)
    inner = spec["template"].setdefault("metadata", {})
    inner.pop("creationTimestamp", None)
    labels = [old.get("labels", {}), inner.get("labels", {})]
    for part in labels:
        for key in [k for k in part if k in ("controller-uid", "job-name") or
                    k.startswith("batch.kubernetes.io/")]:
            del part[key]
    changed(spec, adjust, nodes)
    return {
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": {
            "name": "%s-%d" % (base[:58], attempt),
            "namespace": old.get("namespace"),
            "labels": labels[0],
            "annotations": {
                "jobtriage/job": notes(job).get("jobtriage/job", old["uid"]),
                "jobtriage/base": base,
                "jobtriage/attempt": str(attempt)}},
        "spec": spec}


def settle(job):
    """Ask about one Job, and do as was said."""
    name = job["metadata"]["name"]
    pods = sorted(items("pods", "-l", "batch.kubernetes.io/job-name=" + name),
                  key=first_end)
    answer = ask(job, pods[0] if pods else None)
    word = answer["gate"]["answer"]
    attempt = int(notes(job).get("jobtriage/attempt", "1"))
    # In doubt a bounded retry, as the Job itself would have it.
    if word in ("retry", "adjust", "undecided") and attempt < MAX_ATTEMPTS:
        nodes = [p["spec"].get("nodeName") for p in pods]
        new = again(job, answer.get("adjust") or {}, nodes)
        # Made before this Job is marked: one who is killed in between finds it.
        if not kubectl("get", "job", new["metadata"]["name"],
                       "--ignore-not-found", "-o", "name").strip():
            kubectl("create", "-f", "-", feed=json.dumps(new))
    kubectl("annotate", "--overwrite", "job", name,
            "jobtriage/verdict=" + word,
            "jobtriage/reason=" + (answer.get("reason") or "")[:1000])
    print("%s: %s: %s" % (name, word, answer.get("reason")))


def main():
    """Every Job that wants it and was not looked at."""
    status = 0
    for job in items("jobs", "-l", "jobtriage=ask"):
        if not has_failed(job) or "jobtriage/verdict" in notes(job):
            continue
        try:
            settle(job)
        except (subprocess.CalledProcessError, KeyError, ValueError) as e:
            # It is looked at again the next time.
            print("%s: %r" % (job["metadata"]["name"], e), file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
