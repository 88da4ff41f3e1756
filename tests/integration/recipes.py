#!/usr/bin/env python3
"""Check an example against what its scheduler documents.

usage: recipes.py WHAT FOLDER    WHAT: a key of the table at the end

The constraints are written down here from the schedulers' references. Each
check then asks what the scheduler would do with every exit status that the
wrapper can end with, and tries examples that break the constraints.
"""
import copy
import json
import os
import re
import signal
import sys
import tempfile
import types

import jsonschema

from recipes_kubernetes import jobset, kubernetes, outside, shards
from recipes_lib import (ADJUST, MEMORY, NODES, RETRY, STATUSES, STOP, TIME,
                         refused)


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


def aws_action(job, status, status_reason, reason=""):
    facts = {"onExitCode": str(status), "onReason": reason,
             "onStatusReason": status_reason}
    for row in job["retryStrategy"]["evaluateOnExit"]:
        if all(aws_fits(row[k], facts[k]) for k in facts if k in row):
            return row["action"]
    return "RETRY"


def aws_model(job):
    """The vendor's own description of the call, where Debian's is there."""
    try:
        from botocore import session, validate  # pylint: disable=C0415
    except ImportError:
        if os.environ.get("CI") in ("1", "true"):
            raise
        return
    shape = session.get_session().get_service_model(
        "batch").operation_model("RegisterJobDefinition").input_shape
    check = validate.ParamValidator().validate
    assert not check(job, shape).has_errors(), check(job, shape).generate_report()
    wrong = copy.deepcopy(job)
    wrong["retryStrategy"]["evaluateOnExit"][0]["onExit"] = "1"
    assert check(wrong, shape).has_errors()


def aws(folder):
    with open(os.path.join(folder, "aws-batch.json")) as f:
        job = json.load(f)
    validate = jsonschema.Draft7Validator(BATCH).validate
    validate(job)
    aws_model(job)
    words = job["containerProperties"]["command"]
    # Batch can give a job neither more memory nor more time
    assert "--adjust=memory=94,time=94" in words
    limit = [int(w.split("=")[1]) for w in words if "--time-limit" in w]
    assert limit[0] < job["timeout"]["attemptDurationSeconds"]
    own = "Essential container in task exited"
    spot = "Host EC2 (instance i-0abc) terminated."
    killed = "OutOfMemoryError: Container killed due to memory usage"
    assert aws_action(job, 137, own, killed) == "EXIT"
    for status in STATUSES + [94]:
        want = "EXIT" if status in (STOP, 94) else "RETRY"
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

COMMANDS = {"universe", "executable", "transfer_executable", "arguments",
            "should_transfer_files", "transfer_input_files",
            "when_to_transfer_output", "success_exit_code",
            "max_retries", "retry_until", "on_exit_hold",
            "on_exit_hold_reason", "on_exit_hold_subcode",
            "job_machine_attrs", "job_machine_attrs_history_length",
            "requirements", "request_memory", "request_gpus", "request_cpus",
            "allowed_execute_duration", "log", "output", "error"}


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


class Undefined:
    """ClassAds' value of what is not there: it makes sums undefined, too."""

    def same(self, _):
        return self
    __mul__ = __rmul__ = __add__ = __radd__ = same


UNDEFINED = Undefined()


class Ad(dict):
    def __missing__(self, name):
        return UNDEFINED


def condor_value(expression, ad):
    """The few operators of ClassAds that the example uses."""
    text = re.sub(r'"[^"]*"', "''", expression)
    text = text.replace("=?=", " == ").replace("=!=", " != ")
    text = text.replace("&&", " and ").replace("||", " or ")
    text = text.replace("{", "[").replace("}", "]").replace("TARGET.", "")
    names = Ad({"true": True, "false": False, "undefined": UNDEFINED,
                "max": lambda v: UNDEFINED if UNDEFINED in v else max(v),
                "ifThenElse": lambda test, yes, no: yes if test else no})
    names.update(ad)
    return eval(text, {"__builtins__": {}}, names)  # pylint: disable=W0123


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
    # more memory only when it was asked for, and never less than was used
    assert condor_value(job["request_memory"], {}) == 65536
    for used, code, want in ((1000, MEMORY, 65536), (60000, MEMORY, 120000),
                             (80000, RETRY, 80000), (80000, NODES, 80000)):
        got = condor_value(job["request_memory"],
                           {"MemoryUsage": used, "ExitCode": code})
        assert got == want, (used, code, got)
    # other nodes only when that was asked for
    been = {"MachineAttrMachine0": "a", "MachineAttrMachine1": "b"}
    assert condor_value(job["requirements"], {"Machine": "a"})
    for code, machine, want in ((NODES, "a", False), (NODES, "b", False),
                                (NODES, "c", True), (RETRY, "a", True)):
        got = condor_value(job["requirements"],
                           dict(been, ExitCode=code, Machine=machine))
        assert got is want, (code, machine)
    assert int(job["job_machine_attrs_history_length"]) == \
        len(set(re.findall(r"MachineAttrMachine\d", job["requirements"])))
    # more time, below what the job is held at
    inner = re.search(r"--time-limit=\$\$\(\[(.*?)\]\)",
                      job["arguments"]).group(1)
    short, long = (condor_value(inner, {"ExitCode": c}) for c in (RETRY, TIME))
    assert condor_value(inner, {}) == short < long
    assert long + 60 < int(job["allowed_execute_duration"])
    # what the command needs comes with it
    command = job["arguments"].split(" -- ")[1].split()
    assert command[-1] in job["transfer_input_files"].split(",")
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
            return status
        return answer
    real = airflow_dag.run
    ti = types.SimpleNamespace(dag_id="d", task_id="train", map_index=4,
                               try_number=2)
    for status in STATUSES + [0]:
        airflow_dag.run = run(status)
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
    assert "--job=d.r.train.4" in ran[0]
    limit = [int(w.split("=")[1]) for w in ran[0] if "--time-limit" in w]
    assert limit[0] < made[0]["execution_timeout"].total_seconds()
    airflow_timeout(real, folder)


def airflow_timeout(run, folder):
    """Airflow raises in the task's process: nothing of the command stays."""
    class Timeout(BaseException):
        pass

    def over(*_):
        raise Timeout
    signal.signal(signal.SIGALRM, over)
    with tempfile.TemporaryDirectory() as work:
        told = os.path.join(work, "told")
        try:
            run([os.path.join(folder, "jobtriage-retry"), "--", "sh", "-c",
                 "trap 'echo $$ >%s; exit 1' TERM; kill -ALRM %d; "
                 "while :; do sleep 0.05; done" % (told, os.getpid())])
            raise SystemExit("no time-out")
        except Timeout:
            pass
        with open(told) as f:
            child = int(f.read())
    try:
        os.kill(child, 0)
    except ProcessLookupError:
        return
    raise SystemExit("the command lives")


# ---- Nextflow: the closure that decides ------------------------------------

def nextflow_action(text, attempt, status):
    found = re.search(r"errorStrategy = \{ task\.exitStatus in \[([0-9, ]*)\] "
                      r"\|\| task\.attempt > (\d) "
                      r"\? params\.(\w+) : '(\w+)' \}", text)
    assert found, "no errorStrategy"
    over = re.search(r"params\.%s = '(\w+)'" % found.group(3), text).group(1)
    for word in over, found.group(4):
        assert word in ("retry", "terminate", "finish", "ignore"), word
    numbers = [int(n) for n in found.group(1).split(",")]
    if status in numbers or attempt > int(found.group(2)):
        return over
    return found.group(4)


def nextflow_size(text, name, before, status):
    """How much the next attempt gets, as many times as the one before."""
    found = re.search(r"%s = \{ task\.attempt == 1 \? (\d+)\.\w+ : "
                      r"task\.previousTrace\.%s \* \(task\.previousTrace\."
                      r"exit\.toString\(\) == '(\d+)' \? (\d) : 1\) \}"
                      % (name, name), text)
    assert found, name
    if before is None:
        return int(found.group(1))
    return before * (int(found.group(3)) if status == int(found.group(2))
                     else 1)


def nextflow(folder):
    with open(os.path.join(folder, "nextflow.config")) as f:
        text = f.read()
    code = "\n".join(line for line in text.splitlines()
                     if not line.lstrip().startswith("//"))
    assert code.count("{") == code.count("}")
    retries = int(re.search(r"maxRetries = (\d)", code).group(1))
    for status in STATUSES:
        # one that is stopped, or has had its retries, leaves the run alone:
        # past maxRetries, 'retry' would end it
        for attempt in range(1, retries + 2):
            want = "ignore" if status == STOP or attempt > retries else "retry"
            assert nextflow_action(code, attempt, status) == want, status
        for name, first, number in ("memory", 64, MEMORY), ("time", 24, TIME):
            assert nextflow_size(code, name, None, None) == first
            want = 2 * first if status == number else first
            assert nextflow_size(code, name, first, status) == want, status
    assert "--adjust=memory=%d,time=%d" % (MEMORY, TIME) in text
    try:
        nextflow_action(code.replace("'retry'", "'again'"), 1, RETRY)
    except AssertionError:
        return
    raise SystemExit("accepted: a strategy that is none")


# ---- OpenPBS: the hook, with the little of its module that it uses ----------

def pbs(folder):
    with open(os.path.join(folder, "pbs_hook.py")) as f:
        code = compile(f.read(), "pbs_hook.py", "exec")

    def hook(status, mother=True, rerunable=True, count=1):
        did = []
        job = types.SimpleNamespace(
            id="7.server", Exit_status=status, Rerunable=rerunable,
            run_count=count, in_ms_mom=lambda: mother,
            rerun=lambda: did.append("rerun"))
        module = types.ModuleType("pbs")
        module.event = lambda: types.SimpleNamespace(job=job)
        module.logjobmsg = lambda id, text: None
        sys.modules["pbs"] = module
        exec(code, {"__name__": "hook"})  # pylint: disable=W0122
        return did
    for status in STATUSES + [0, -3, 271]:
        want = ["rerun"] if status in (RETRY, ADJUST) else []
        assert hook(status) == want, status
        assert hook(status, mother=False) == []
        assert hook(status, rerunable=False) == []
        assert hook(status, count=10) == []


def main():
    checks = {"kubernetes": kubernetes, "shards": shards, "aws": aws,
              "outside": outside, "jobset": jobset, "htcondor": htcondor,
              "airflow": airflow, "nextflow": nextflow, "pbs": pbs}
    if len(sys.argv) != 3 or sys.argv[1] not in checks:
        sys.exit(__doc__)
    checks[sys.argv[1]](sys.argv[2])


main()
