#!/usr/bin/env python3
"""Check an example against what its scheduler documents.

usage: recipes.py kubernetes|shards|aws|htcondor|airflow|nextflow FOLDER

The constraints are written down here from the schedulers' references. Each
check then asks what the scheduler would do with every exit status that the
wrapper can end with, and tries examples that break the constraints.
"""
import copy
import json
import os
import re
import subprocess
import sys
import tempfile
import types

import jsonschema
import yaml

STOP, RETRY, ADJUST = 93, 75, 76
# the gate's, a failure without an answer, killed
STATUSES = [STOP, RETRY, ADJUST, 1, 2, 127, 137, 143]


def refused(validate, good, changes):
    """Each change of the good example must be refused."""
    for name, change in changes.items():
        bad = copy.deepcopy(good)
        change(bad)
        try:
            validate(bad)
        except (jsonschema.ValidationError, AssertionError):
            continue
        raise SystemExit("accepted: " + name)


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


# ---- AWS Batch: retryStrategy.evaluateOnExit -------------------------------

def glob(letters):
    return {"type": "string", "maxLength": 512,
            "pattern": r"^[%s]*\*?$" % letters}


BATCH = {
    "type": "object",
    "required": ["jobDefinitionName", "type", "retryStrategy"],
    "properties": {
        "type": {"enum": ["container", "multinode"]},
        "retryStrategy": {
            "type": "object",
            "required": ["attempts"],
            "additionalProperties": False,
            "properties": {
                "attempts": {"type": "integer", "minimum": 1, "maximum": 10},
                "evaluateOnExit": {
                    "type": "array", "maxItems": 5,
                    "items": {
                        "type": "object",
                        "required": ["action"],
                        "minProperties": 2,
                        "additionalProperties": False,
                        "properties": {
                            "action": {"enum": ["RETRY", "EXIT"]},
                            "onExitCode": glob("0-9"),
                            "onReason": glob(r"A-Za-z0-9.:\s"),
                            "onStatusReason": glob(r"A-Za-z0-9.:\s"),
                        },
                    },
                },
            },
        },
    },
}


def aws_fits(pattern, text):
    if pattern.endswith("*"):
        return text.startswith(pattern[:-1])
    return text == pattern


def aws_action(job, status, status_reason):
    facts = {"onExitCode": str(status), "onReason": "",
             "onStatusReason": status_reason}
    for row in job["retryStrategy"]["evaluateOnExit"]:
        if all(aws_fits(row[k], facts[k]) for k in facts if k in row):
            return row["action"]
    return "RETRY"


def aws(folder):
    with open(os.path.join(folder, "aws-batch.json")) as f:
        job = json.load(f)
    validate = jsonschema.Draft7Validator(BATCH).validate
    validate(job)
    own = "Essential container in task exited"
    spot = "Host EC2 (instance i-0abc) terminated."
    for status in STATUSES:
        want = "EXIT" if status == STOP else "RETRY"
        assert aws_action(job, status, own) == want, status
        assert aws_action(job, status, spot) == "RETRY", status

    def strategy(j):
        return j["retryStrategy"]
    refused(validate, job, {
        "11 attempts": lambda j: strategy(j).update(attempts=11),
        "no attempts": lambda j: strategy(j).pop("attempts"),
        "6 conditions": lambda j: strategy(j).update(
            evaluateOnExit=strategy(j)["evaluateOnExit"][:1] * 6),
        "action": lambda j: strategy(j)["evaluateOnExit"][0].update(
            action="STOP"),
        "letters": lambda j: strategy(j)["evaluateOnExit"][0].update(
            onExitCode="9x"),
        "star inside": lambda j: strategy(j)["evaluateOnExit"][0].update(
            onReason="a*b"),
        "no condition": lambda j: strategy(j)["evaluateOnExit"][0].pop(
            "onStatusReason"),
    })


# ---- HTCondor: a submit description ----------------------------------------

COMMANDS = {"universe", "executable", "arguments", "success_exit_code",
            "max_retries", "retry_until", "on_exit_hold",
            "on_exit_hold_reason", "on_exit_hold_subcode", "request_memory",
            "request_gpus", "request_cpus", "log", "output", "error"}


def condor_read(text):
    out, queued = {}, False
    for line in text.splitlines():
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if line == "queue":
            queued = True
            continue
        name, equals, value = (s.strip() for s in line.partition("="))
        assert equals and not queued, line
        assert name in COMMANDS, name
        assert name not in out, name
        assert value.count("(") == value.count(")"), line
        out[name] = value
    assert queued
    return out


def condor_value(expression, ad):
    """The few operators of ClassAds that the example uses."""
    text = re.sub(r'"[^"]*"', "''", expression)
    text = text.replace("=?=", " == ").replace("&&", " and ")
    text = text.replace("||", " or ").replace("{", "[").replace("}", "]")
    names = {"true": True, "false": False, "undefined": None, "max": max,
             "ifThenElse": lambda test, yes, no: yes() if test else no()}
    names.update(ad)
    # only the branch that is taken has a value
    text = re.sub(r"ifThenElse\(([^,]*),([^,]*),(.*)\)$",
                  r"ifThenElse(\1,lambda:(\2),lambda:(\3))", text)
    names["__builtins__"] = {}
    return eval(text, names)  # pylint: disable=W0123


def condor_after(job, ad):
    """What becomes of a job that has ended: the hold is looked at first."""
    if condor_value(job["on_exit_hold"], ad):
        return "hold"
    done = (not ad["ExitBySignal"] and
            ad["ExitCode"] == int(job["success_exit_code"]))
    if done or condor_value(job["retry_until"], ad):
        return "remove"
    over = ad["NumJobCompletions"] > int(job["max_retries"])
    return "remove" if over else "retry"


def htcondor(folder):
    with open(os.path.join(folder, "htcondor.sub")) as f:
        text = f.read()
    job = condor_read(text)
    for status in STATUSES + [0]:
        for completions in 1, 3, 4:
            want = "hold" if status == STOP else \
                "remove" if status == 0 or completions > 3 else "retry"
            got = condor_after(job, {
                "ExitBySignal": False, "ExitCode": status,
                "NumJobCompletions": completions})
            assert got == want, (status, completions, got)
    killed = {"ExitBySignal": True, "ExitCode": None, "NumJobCompletions": 1}
    assert condor_after(job, killed) == "retry"
    for used, want in (None, 65536), (1000, 65536), (80000, 120000):
        got = condor_value(job["request_memory"], {"MemoryUsage": used})
        assert got == want, (used, got)
    # the old syntax of arguments: words between blanks, no quotes
    words = job["arguments"].split()
    assert "--" in words and '"' not in job["arguments"]
    assert "$$([NumJobStarts+1])" in job["arguments"]
    for bad in (text.replace("max_retries", "max_retry"),
                text.replace("queue", ""), text + "max_retries = 2\n"):
        try:
            condor_read(bad)
        except AssertionError:
            continue
        raise SystemExit("accepted: a wrong submit description")


# ---- Airflow: the DAG, with the little of Airflow that it uses -------------

def airflow(folder):
    class AirflowException(Exception):
        pass

    class AirflowFailException(AirflowException):
        pass

    class DAG:
        def __init__(self, *_, **__):
            pass

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

    made = []

    def operator(**given):
        made.append(given)
    modules = {
        "airflow": {"DAG": DAG},
        "airflow.exceptions": {"AirflowException": AirflowException,
                               "AirflowFailException":
                               AirflowFailException},
        "airflow.operators": {},
        "airflow.operators.python": {"PythonOperator": operator},
    }
    for name, content in modules.items():
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__dict__.update(content)
    sys.path.insert(0, folder)
    import airflow_dag  # pylint: disable=C0415
    assert len(made) == 1 and made[0]["retries"] > 0
    ran = []

    def run(status):
        def answer(command, **_):
            ran.append(command)
            return types.SimpleNamespace(returncode=status)
        return answer
    ti = types.SimpleNamespace(task_id="train", try_number=2)
    for status in STATUSES + [0]:
        airflow_dag.subprocess = types.SimpleNamespace(run=run(status))
        try:
            made[0]["python_callable"](ti=ti, run_id="r", other=1,
                                       **made[0]["op_kwargs"])
            got = None
        except AirflowException as e:
            got = type(e)
        want = None if status == 0 else \
            AirflowFailException if status == STOP else AirflowException
        assert got is want, (status, got)
    assert ran[0][0] == "jobtriage-retry" and "--attempt=2" in ran[0]
    assert ran[0][ran[0].index("--") + 1:] == ["python3", "train.py"]


# ---- Nextflow: the closure that decides ------------------------------------

def nextflow_action(text, status):
    found = re.search(r"errorStrategy = \{ task\.exitStatus in \[([0-9, ]*)\] "
                      r"\? '(\w+)' : '(\w+)' \}", text)
    assert found, "no errorStrategy"
    for word in found.group(2, 3):
        assert word in ("retry", "terminate", "finish", "ignore"), word
    numbers = [int(n) for n in found.group(1).split(",")]
    return found.group(2 if status in numbers else 3)


def nextflow(folder):
    with open(os.path.join(folder, "nextflow.config")) as f:
        text = f.read()
    code = "\n".join(line for line in text.splitlines()
                     if not line.lstrip().startswith("//"))
    assert code.count("{") == code.count("}")
    for status in STATUSES:
        want = "terminate" if status == STOP else "retry"
        assert nextflow_action(code, status) == want, status
    # a retry without a bound is one of one attempt or of all of them
    assert re.search(r"maxRetries = [1-9]", code)
    assert re.search(r"memory = \{ \d+\.GB \* task\.attempt \}", code)
    try:
        nextflow_action(code.replace("'retry'", "'again'"), RETRY)
    except AssertionError:
        return
    raise SystemExit("accepted: a strategy that is none")


def main():
    checks = {"kubernetes": kubernetes, "shards": shards, "aws": aws,
              "htcondor": htcondor,
              "airflow": airflow, "nextflow": nextflow}
    if len(sys.argv) != 3 or sys.argv[1] not in checks:
        sys.exit(__doc__)
    checks[sys.argv[1]](sys.argv[2])


main()
