"""Kubernetes: Jobs, an Indexed Job of parts, Jobs looked after from outside,
and a JobSet under Kueue, against what their references say."""
import copy
import json
import os
import re
import subprocess
import sys
import tempfile

import jsonschema
import yaml

from recipes_lib import STATUSES, STOP, refused


# ---- Kubernetes: batch/v1 Job, spec.podFailurePolicy -----------------------

EXIT_CODES = {
    "type": "object",
    "required": ["operator", "values"],
    "additionalProperties": False,
    "properties": {
        "containerName": {"type": "string", "minLength": 1},
        "operator": {"enum": ["In", "NotIn"]},
        "values": {"type": "array", "minItems": 1, "maxItems": 255,
                   "uniqueItems": True,
                   "items": {"type": "integer", "minimum": -2**31,
                             "maximum": 2**31 - 1}},
    },
    "if": {"properties": {"operator": {"const": "In"}}},
    "then": {"properties": {"values": {"items": {"not": {"const": 0}}}}},
}
CONDITION = {
    "type": "object",
    "required": ["type"],
    "additionalProperties": False,
    "properties": {"type": {"type": "string", "minLength": 1},
                   "status": {"enum": ["True", "False", "Unknown"]}},
}
POLICY = {
    "type": "object",
    "required": ["rules"],
    "additionalProperties": False,
    "properties": {"rules": {
        "type": "array", "minItems": 1, "maxItems": 20,
        "items": {
            "type": "object",
            "required": ["action"],
            "additionalProperties": False,
            "properties": {
                "action": {"enum": ["FailJob", "FailIndex", "Ignore",
                                    "Count"]},
                "onExitCodes": EXIT_CODES,
                "onPodConditions": {"type": "array", "minItems": 1,
                                    "maxItems": 20, "items": CONDITION},
            },
            "oneOf": [{"required": ["onExitCodes"]},
                      {"required": ["onPodConditions"]}],
        }}},
}
JOB = {
    "type": "object",
    "required": ["apiVersion", "kind", "metadata", "spec"],
    "properties": {
        "apiVersion": {"const": "batch/v1"},
        "kind": {"const": "Job"},
        "metadata": {"type": "object", "required": ["name"]},
        "spec": {
            "type": "object",
            "required": ["template"],
            "properties": {
                "backoffLimit": {"type": "integer", "minimum": 0},
                "backoffLimitPerIndex": {"type": "integer", "minimum": 0},
                "maxFailedIndexes": {"type": "integer", "minimum": 0,
                                     "maximum": 100000},
                "completionMode": {"enum": ["NonIndexed", "Indexed"]},
                "completions": {"type": "integer", "minimum": 1,
                                "maximum": 100000},
                "parallelism": {"type": "integer", "minimum": 0},
                "podFailurePolicy": POLICY,
                "template": {
                    "type": "object",
                    "required": ["spec"],
                    "properties": {"spec": {
                        "type": "object",
                        "required": ["containers", "restartPolicy"],
                        # podFailurePolicy asks for Never
                        "properties": {
                            "restartPolicy": {"const": "Never"},
                            "containers": {
                                "type": "array", "minItems": 1,
                                "items": {"type": "object",
                                          "required": ["name", "image"]}},
                        }}},
                },
            },
        },
    },
}


def kubernetes_valid(job):
    jsonschema.Draft7Validator(JOB).validate(job)
    pod = job["spec"]["template"]["spec"]
    names = [c["name"] for c in pod["containers"]]
    for rule in job["spec"]["podFailurePolicy"]["rules"]:
        codes = rule.get("onExitCodes", {})
        assert codes.get("containerName", names[0]) in names, codes
        assert codes.get("values", []) == sorted(codes.get("values", []))
        assert rule["action"] != "FailIndex" or \
            "backoffLimitPerIndex" in job["spec"]
    volumes = [v["name"] for v in pod.get("volumes", [])]
    for c in pod["containers"]:
        for mount in c.get("volumeMounts", []):
            assert mount["name"] in volumes, mount
        # what is put into the command is in the environment
        known = [e["name"] for e in c.get("env", [])]
        if job["spec"].get("completionMode") == "Indexed":
            known.append("JOB_COMPLETION_INDEX")
        for name in re.findall(r"(?<!\$)\$\((\w+)\)", " ".join(c["command"])):
            assert name in known, name


def kubernetes_action(job, status, disrupted):
    """The first rule that fits; without one the failure counts."""
    for rule in job["spec"]["podFailurePolicy"]["rules"]:
        codes = rule.get("onExitCodes")
        if codes:
            if (status in codes["values"]) == (codes["operator"] == "In"):
                return rule["action"]
        elif disrupted and any(
                c["type"] == "DisruptionTarget" and
                c.get("status", "True") == "True"
                for c in rule["onPodConditions"]):
            return rule["action"]
    return "Count"


def kubernetes(folder):
    with open(os.path.join(folder, "kubernetes-job.yaml")) as f:
        job = yaml.safe_load(f)
    kubernetes_valid(job)
    for status in STATUSES:
        want = "FailJob" if status == STOP else "Count"
        assert kubernetes_action(job, status, False) == want, status
        assert kubernetes_action(job, status, True) == "Ignore", status
    # a Job that is made anew under its old name is another one
    words = job["spec"]["template"]["spec"]["containers"][0]["command"]
    assert "--job=$(JOB_NAME).$(JOB_UID)" in words

    def rules(j):
        return j["spec"]["podFailurePolicy"]["rules"]

    def codes(j):
        return next(r["onExitCodes"] for r in rules(j) if "onExitCodes" in r)
    refused(kubernetes_valid, job, {
        "restartPolicy": lambda j: j["spec"]["template"]["spec"].update(
            restartPolicy="OnFailure"),
        "0 with In": lambda j: codes(j).update(values=[0, 93]),
        "twice": lambda j: codes(j).update(values=[93, 93]),
        "no values": lambda j: codes(j).update(values=[]),
        "too many": lambda j: codes(j).update(values=list(range(1, 257))),
        "not in order": lambda j: codes(j).update(values=[94, 93]),
        "operator": lambda j: codes(j).update(operator="Equals"),
        "container": lambda j: codes(j).update(containerName="other"),
        "action": lambda j: rules(j)[0].update(action="Retry"),
        "FailIndex": lambda j: rules(j)[1].update(action="FailIndex"),
        "both": lambda j: rules(j)[0].update(onExitCodes=codes(j)),
        "neither": lambda j: rules(j)[0].pop("onPodConditions"),
        "21 rules": lambda j: rules(j).extend([rules(j)[0]] * 18),
        "mount": lambda j: j["spec"]["template"]["spec"].pop("volumes"),
        "a name without a value": lambda j: j["spec"]["template"]["spec"][
            "containers"][0].pop("env"),
    })


# ---- Kubernetes: an Indexed Job of parts ----------------------------------

def shards_valid(job):
    kubernetes_valid(job)
    spec = job["spec"]
    assert spec["completionMode"] == "Indexed"
    # what Kubernetes has to say of an Indexed Job
    assert "completions" in spec
    assert "backoffLimitPerIndex" in spec or "maxFailedIndexes" not in spec
    assert spec.get("maxFailedIndexes", 0) <= spec["completions"]
    # and what the parts need: one run of each
    container = spec["template"]["spec"]["containers"][0]
    env = {e["name"]: e.get("value") for e in container["env"]}
    parts = spec["completions"]
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "jobtriage")
        with open(program, "w") as f:
            f.write('#!/bin/sh\necho "$@"\nexit "$STATUS"\n')
        os.chmod(program, 0o755)
        seen = []
        for index in range(parts):
            for status, want in ((0, 0), (3, 0), (2, 2), (4, 4)):
                ran = subprocess.run(
                    container["command"], capture_output=True, text=True,
                    env={"PATH": folder + ":/usr/bin:/bin",
                         "PARTS": env["PARTS"] or "", "STATUS": str(status),
                         "JOB_COMPLETION_INDEX": str(index)})
                assert ran.returncode == want, (status, ran.returncode)
            words = ran.stdout.split()
            seen.append(words[words.index("--shard") + 1])
    assert seen == [f"{i + 1}/{parts}" for i in range(parts)], seen


def shards(folder):
    with open(os.path.join(folder, "kubernetes-shards.yaml")) as f:
        job = yaml.safe_load(f)
    shards_valid(job)
    assert kubernetes_action(job, 2, False) == "FailIndex"
    for status in 1, 4, 137:
        assert kubernetes_action(job, status, False) == "Count", status
        assert kubernetes_action(job, status, True) == "Ignore", status
    container = job["spec"]["template"]["spec"]["containers"][0]
    refused(shards_valid, job, {
        "not indexed": lambda j: j["spec"].update(
            completionMode="NonIndexed"),
        "mode": lambda j: j["spec"].update(completionMode="Index"),
        "no completions": lambda j: j["spec"].pop("completions"),
        "other parts": lambda j: j["spec"].update(completions=8),
        "none": lambda j: j["spec"].update(completions=0),
        "FailIndex without a limit of its own": lambda j: j["spec"].pop(
            "backoffLimitPerIndex"),
        "OnFailure": lambda j: j["spec"]["template"]["spec"].update(
            restartPolicy="OnFailure"),
        "from 0": lambda j: j["spec"]["template"]["spec"]["containers"][0]
        .update(command=[w.replace(" + 1", "")
                         for w in container["command"]]),
        "mount": lambda j: j["spec"]["template"]["spec"].pop("volumes"),
    })


# ---- Kubernetes: from outside ----------------------------------------------

KUBECTL = """#!%s
import json, os, sys
words = [w for w in sys.argv[1:]]
here = os.path.dirname(os.path.abspath(__file__))
with open(here + "/calls", "a") as f:
    f.write(json.dumps(words) + "\\n")
path = here + "/jobs.json"
jobs = json.load(open(path))
if words[:2] in (["get", "jobs"], ["get", "pods"]):
    print(open(here + "/" + words[1] + ".json").read())
elif words[:2] == ["get", "job"]:
    for j in jobs["items"]:
        if j["metadata"]["name"] == words[2]:
            print("job.batch/" + words[2])
elif words[0] == "logs":
    sys.stdout.write(open(here + "/log").read())
elif words[0] == "create":
    new = json.load(sys.stdin)
    assert all(j["metadata"]["name"] != new["metadata"]["name"]
               for j in jobs["items"])
    jobs["items"].append(new)
    json.dump(jobs, open(path, "w"))
elif words[0] == "annotate":
    for j in jobs["items"]:
        if j["metadata"]["name"] == words[3]:
            j["metadata"].setdefault("annotations", {}).update(
                w.split("=", 1) for w in words[4:])
    json.dump(jobs, open(path, "w"))
else:
    sys.exit("no such kubectl: %%s" %% words)
""" % sys.executable


def as_server(job, uid, reason):
    """A Job that has failed, as kubectl shows it: with what the server adds."""
    job = copy.deepcopy(job)
    own = {"batch.kubernetes.io/controller-uid": uid, "controller-uid": uid,
           "batch.kubernetes.io/job-name": job["metadata"]["name"],
           "job-name": job["metadata"]["name"]}
    job["metadata"].update(uid=uid, namespace="team", generation=1,
                           resourceVersion="7",
                           creationTimestamp="2026-11-20T08:00:00Z")
    job["spec"].update(selector={"matchLabels": {
        "batch.kubernetes.io/controller-uid": uid}}, suspend=False)
    inner = job["spec"]["template"].setdefault("metadata", {})
    inner.setdefault("labels", {}).update(own)
    job["status"] = {"failed": 1, "startTime": "2026-11-20T08:00:00Z",
                     "conditions": [{
                         "type": "Failed", "status": "True", "reason": reason,
                         "lastTransitionTime": "2026-11-20T10:00:05Z"}]}
    pod = {"apiVersion": "v1", "kind": "Pod",
           "metadata": {"name": job["metadata"]["name"] + "-x7k2p",
                        "uid": "p-" + uid, "labels": dict(own)},
           "spec": dict(copy.deepcopy(job["spec"]["template"]["spec"]),
                        nodeName="gpu-a7")}
    return job, pod


def ended(pod, code, reason):
    pod["status"] = {
        "phase": "Failed", "startTime": "2026-11-20T08:00:00Z",
        "containerStatuses": [{
            "name": "train", "restartCount": 0, "state": {"terminated": {
                "exitCode": code, "reason": reason,
                "startedAt": "2026-11-20T08:00:10Z",
                "finishedAt": "2026-11-20T10:00:00Z"}}}]}
    return [pod]


def outside(folder):
    """The script with a kubectl of our own and the real gate."""
    with open(os.path.join(folder, "kubernetes-outside.yaml")) as f:
        docs = {d["kind"]: d for d in yaml.safe_load_all(f)}
    job = docs["Job"]
    kubernetes_valid(job)
    assert job["spec"]["backoffLimit"] == 0
    assert job["metadata"]["labels"]["jobtriage"] == "ask"
    cron = docs["CronJob"]["spec"]
    assert cron["concurrencyPolicy"] == "Forbid"
    pod = cron["jobTemplate"]["spec"]["template"]["spec"]
    assert pod["serviceAccountName"] == \
        docs["ServiceAccount"]["metadata"]["name"] == \
        docs["RoleBinding"]["subjects"][0]["name"]
    granted = {(r, v) for rule in docs["Role"]["rules"]
               for r in rule["resources"] for v in rule["verbs"]}
    needed = set()
    trace = ("Traceback (most recent call last):\n"
             "  File \"train.py\", line 3, in <module>\n"
             "    open(\"/no/such\")\nFileNotFoundError: [Errno 2] "
             "No such file or directory: '/no/such'\n")
    ecc = "RuntimeError: CUDA error: uncorrectable ECC error encountered\n"

    with tempfile.TemporaryDirectory() as work:
        program = os.path.join(work, "kubectl")
        with open(program, "w") as f:
            f.write(KUBECTL)
        os.chmod(program, 0o755)

        def turn(pair, pods, log, **env):
            """One run: the Jobs after it, and what became of this one."""
            mine = pair[0]
            for name, content in (("jobs", {"items": [mine]}),
                                  ("pods", {"items": pods})):
                with open(os.path.join(work, name + ".json"), "w") as f:
                    json.dump(content, f)
            with open(os.path.join(work, "log"), "w") as f:
                f.write(log)
            for _ in range(2):  # the second finds nothing to do
                subprocess.run(
                    [sys.executable, "-B",
                     os.path.join(folder, "kubernetes_outside.py")],
                    check=True, stdout=subprocess.DEVNULL,
                    env=dict(os.environ, PATH=work + ":" + os.environ["PATH"],
                             **env))
            with open(os.path.join(work, "jobs.json")) as f:
                jobs = json.load(f)["items"]
            with open(os.path.join(work, "calls")) as f:
                for words in map(json.loads, f):
                    needed.update({
                        "get": [(words[1] if words[1] == "pods" else "jobs",
                                 "get" if words[1] == "job" else "list")],
                        "logs": [("pods/log", "get"), ("pods", "get")],
                        "create": [("jobs", "create")],
                        "annotate": [("jobs", "get"), ("jobs", "patch")],
                    }[words[0]])
            notes = jobs[0]["metadata"]["annotations"]
            assert notes["jobtriage/reason"]
            for new in jobs[1:]:
                kubernetes_valid(new)
                text = json.dumps(new)
                for word in ("controller-uid", "resourceVersion", "selector",
                             "status\": {", "creationTimestamp"):
                    assert word not in text, word
                assert new["metadata"]["annotations"]["jobtriage/job"] == "u1"
                assert new["metadata"]["labels"]["jobtriage"] == "ask"
            return notes["jobtriage/verdict"], jobs[1:]

        def memory(j):
            return [j["spec"]["template"]["spec"]["containers"][0]["resources"]
                    [k]["memory"] for k in ("limits", "requests")]

        # killed whole at the limit: twice the memory, with and without a log
        for log in "step 10 loss 2.3\n", "":
            pair = as_server(job, "u1", "BackoffLimitExceeded")
            word, made = turn(pair, ended(pair[1], 137, "OOMKilled"), log)
            assert word == "adjust" and len(made) == 1, (word, made)
            assert made[0]["metadata"]["name"] == "train-2"
            assert memory(made[0]) == ["131072Mi"] * 2, memory(made[0])
            assert made[0]["spec"]["activeDeadlineSeconds"] == 86400
        # and again: the third has four times as much, and the same id
        pair = as_server(made[0], "u2", "BackoffLimitExceeded")
        word, made = turn(pair, ended(pair[1], 137, "OOMKilled"), "step 10\n")
        assert made[0]["metadata"]["name"] == "train-3"
        assert made[0]["metadata"]["annotations"]["jobtriage/attempt"] == "3"
        assert memory(made[0]) == ["262144Mi"] * 2, (word, memory(made[0]))
        # as often as it may
        pair = as_server(made[0], "u3", "BackoffLimitExceeded")
        word, made = turn(pair, ended(pair[1], 137, "OOMKilled"), "step 10\n",
                          MAX_ATTEMPTS="3")
        assert (word, made) == ("adjust", [])
        # deterministic: left
        pair = as_server(job, "u1", "BackoffLimitExceeded")
        word, made = turn(pair, ended(pair[1], 1, "Error"), trace)
        assert (word, made) == ("stop", [])
        # its node: another one, in every term that is there
        other = copy.deepcopy(job)
        other["spec"]["template"]["spec"]["affinity"] = {"nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{"matchExpressions": [
                    {"key": "zone", "operator": "In", "values": [z]}]}
                    for z in "ab"]}}}
        for spec, terms in (job, 1), (other, 2):
            pair = as_server(spec, "u1", "BackoffLimitExceeded")
            word, made = turn(pair, ended(pair[1], 1, "Error"), ecc)
            assert word == "adjust", word
            got = made[0]["spec"]["template"]["spec"]["affinity"][
                "nodeAffinity"][
                "requiredDuringSchedulingIgnoredDuringExecution"][
                "nodeSelectorTerms"]
            assert len(got) == terms
            for term in got:
                assert term["matchExpressions"][-1] == {
                    "key": "kubernetes.io/hostname", "operator": "NotIn",
                    "values": ["gpu-a7"]}
        # a deadline takes the pods away: the Job's own record, more time
        late = copy.deepcopy(job)
        late["metadata"]["annotations"] = {
            "jobtriage/attempt": "2", "jobtriage/job": "u1"}
        for spec in job, late:
            pair = as_server(spec, "u1", "DeadlineExceeded")
            word, made = turn(pair, [], "")
            assert word == "adjust", word
            assert made[0]["spec"]["activeDeadlineSeconds"] == 129600
        assert memory(made[0]) == ["64Gi"] * 2
        # no word of why: a plain retry, as the Job itself would have it
        pair = as_server(job, "u1", "BackoffLimitExceeded")
        word, made = turn(pair, [], "")
        assert word in ("retry", "undecided") and len(made) == 1, word
    assert needed <= granted, needed - granted


# ---- JobSet and Kueue -------------------------------------------------------

JOBSET = {
    "type": "object",
    "required": ["apiVersion", "kind", "metadata", "spec"],
    "properties": {
        "apiVersion": {"const": "jobset.x-k8s.io/v1alpha2"},
        "kind": {"const": "JobSet"},
        "metadata": {
            "type": "object", "required": ["name"],
            "properties": {"labels": {"type": "object", "properties": {
                "kueue.x-k8s.io/queue-name": {
                    "type": "string", "maxLength": 63,
                    "pattern": "^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$"}}}}},
        "spec": {
            "type": "object",
            "required": ["replicatedJobs"],
            "additionalProperties": False,
            "properties": {
                "suspend": {"type": "boolean"},
                "failurePolicy": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        "maxRestarts": {"type": "integer", "minimum": 0},
                        "restartStrategy": {
                            "enum": ["Recreate", "BlockingRecreate"]},
                        "rules": {"type": "array", "items": {
                            "type": "object",
                            "required": ["name", "action"],
                            "additionalProperties": False,
                            "properties": {
                                "name": {"type": "string", "pattern":
                                         "^[A-Za-z]([A-Za-z0-9_,:]*"
                                         "[A-Za-z0-9_])?$"},
                                "action": {"enum": [
                                    "FailJobSet", "RestartJobSet",
                                    "RestartJobSetAndIgnoreMaxRestarts"]},
                                "onJobFailureReasons": {
                                    "type": "array", "items": {"enum": [
                                        "BackoffLimitExceeded",
                                        "DeadlineExceeded", "FailedIndexes",
                                        "MaxFailedIndexesExceeded",
                                        "PodFailurePolicy"]}},
                                "targetReplicatedJobs": {
                                    "type": "array",
                                    "items": {"type": "string"}},
                            }}},
                    }},
                "replicatedJobs": {"type": "array", "minItems": 1, "items": {
                    "type": "object",
                    "required": ["name", "template"],
                    "properties": {
                        "replicas": {"type": "integer", "minimum": 1},
                        "template": {"type": "object",
                                     "required": ["spec"]}}}},
            }},
    },
}


def jobset_valid(jobset):
    jsonschema.Draft7Validator(JOBSET).validate(jobset)
    names = [r["name"] for r in jobset["spec"]["replicatedJobs"]]
    for rule in jobset["spec"]["failurePolicy"]["rules"]:
        assert set(rule.get("targetReplicatedJobs", [])) <= set(names), rule
    for each in jobset["spec"]["replicatedJobs"]:
        kubernetes_valid({"apiVersion": "batch/v1", "kind": "Job",
                          "metadata": {"name": each["name"]},
                          "spec": each["template"]["spec"]})


def jobset_action(jobset, status, disrupted):
    job = jobset["spec"]["replicatedJobs"][0]["template"]
    did = kubernetes_action(job, status, disrupted)
    if did == "Ignore":
        return "nothing"
    assert job["spec"]["backoffLimit"] == 0
    reason = {"FailJob": "PodFailurePolicy",
              "Count": "BackoffLimitExceeded"}[did]
    for rule in jobset["spec"]["failurePolicy"]["rules"]:
        if reason in rule.get("onJobFailureReasons", [reason]):
            return rule["action"]
    return "RestartJobSet"


def jobset(folder):
    with open(os.path.join(folder, "jobset-kueue.yaml")) as f:
        good = yaml.safe_load(f)
    jobset_valid(good)
    for status in STATUSES:
        for disrupted in False, True:
            want = "FailJobSet" if status == STOP else "RestartJobSet"
            assert jobset_action(good, status, disrupted) == want, status

    def rule(j):
        return j["spec"]["failurePolicy"]["rules"][0]

    def job(j):
        return j["spec"]["replicatedJobs"][0]["template"]["spec"]
    refused(jobset_valid, good, {
        "version": lambda j: j.update(apiVersion="jobset.x-k8s.io/v1"),
        "action": lambda j: rule(j).update(action="FailJob"),
        "reason": lambda j: rule(j).update(onJobFailureReasons=["Exit93"]),
        "target": lambda j: rule(j).update(targetReplicatedJobs=["leader"]),
        "rule without a name": lambda j: rule(j).pop("name"),
        "OnFailure": lambda j: job(j)["template"]["spec"].update(
            restartPolicy="OnFailure"),
        "no index": lambda j: job(j).pop("completionMode"),
        "queue": lambda j: j["metadata"]["labels"].update(
            {"kueue.x-k8s.io/queue-name": "Team A"}),
    })
