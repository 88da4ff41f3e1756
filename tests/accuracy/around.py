#!/usr/bin/env python3
"""What stands around a job's output, and moves an answer though it should not.

usage: around.py JOBTRIAGE DIR...

DIR holds logs and labels.tsv (columns file, category, accept). Each log is put
into surroundings that tell nothing of why the job died: a collector's or
launcher's prefix before each line, what a script prints before or behind it,
what a launcher says of its end. Of the answers that are right without, those
are counted that are not right any more. Good logs get no tail: that a program
died behind one may well be so.
"""
import csv
import html
import io
import json
import os
import re
import subprocess
import sys
import tempfile

MOST = 3_000_000  # bytes of a log


def clock(i, form):
    """The time of line i: two seconds a line, from nine o'clock."""
    s = 2 * i
    return form % (9 + s // 3600 % 12, s // 60 % 60, s % 60)


def prefix(form):
    return lambda i, line: clock(i, form).encode() + line if "%" in form else form.encode() + line


def record(key, **more):
    def one(i, line):
        o = {"time": clock(i, "2025-03-04T%02d:%02d:%02d.123456789Z"), key: line.decode("utf8", "replace")}
        if key == "log":
            o["log"] += "\n"
        return json.dumps({**o, **more}).encode()

    return one


def behind(form, **more):
    """A JSON record behind a prefix."""
    inner = record("message", **more)
    return lambda i, line: prefix(form)(i, inner(i, line))


def sidecar(i, line):
    """Of three lines one is another container's."""
    other = b'[pod/train-0/istio-proxy] "GET /healthz HTTP/1.1" 200 - via_upstream'
    return b"[pod/train-0/main] " + line + (b"\n" + other if i % 3 == 2 else b"")


def logfmt(i, line):
    text = json.dumps(line.decode("utf8", "replace"), ensure_ascii=False)
    return ('time="%s" level=info msg=%s' % (clock(i, "2025-03-04T%02d:%02d:%02dZ"), text)).encode()


BAR = " 12%|█▏        | 12/100 [00:12<01:28,  1.00s/it]".encode()


def bar(i, line):
    return BAR + line if line.startswith(b"Traceback (most") else line


# each line of a log, by its number
LINES = {
    "docker json-file": record("log", stream="stderr"),
    "Kubernetes CRI": prefix("2025-03-04T%02d:%02d:%02d.123456789Z stderr F "),
    "JSON, all of level info": record("message", level="info"),
    "GitHub's runner": prefix("2025-03-04T%02d:%02d:%02d.1234567Z "),
    "gh run view --log": prefix("Unit tests (linux)\tRun make\t2025-03-04T%02d:%02d:%02d.1234567Z "),
    "GitLab's runner": prefix("2025-03-04T%02d:%02d:%02d.123456Z 01O "),
    "journald": prefix("Mar 04 %02d:%02d:%02d node042 train[4711]: "),
    "srun --label": prefix("0: "),
    "rank": prefix("[rank0]: "),
    "Ray": prefix("(train_fn pid=4711, ip=10.0.0.4) "),
    "torchelastic": prefix("[default0]:"),
    "mpirun --tag-output": prefix("[1,0]<stderr>:"),
    "pdsh": prefix("node042: "),
    "docker compose": prefix("trainer-1  | "),
    "a time": prefix("2025-03-04 %02d:%02d:%02d,123 "),
    "a time in brackets": prefix("[2025-03-04 %02d:%02d:%02d] "),
    "Airflow": prefix("[2025-03-04T%02d:%02d:%02d.123+0000] {subprocess.py:93} INFO - "),
    "a logger, all of level info": prefix("2025-03-04 %02d:%02d:%02d,123 - launch.run - INFO - "),
    "stern": prefix("trainer-7d9f8b6c5d-x2x9z trainer "),
    "colours": lambda i, line: b"\x1b[31m" + line + b"\x1b[0m",
    "kubectl logs --timestamps, JSON": behind("2025-03-04T%02d:%02d:%02d.123456789Z ", level="info"),
    "kubectl logs --prefix, JSON": behind("[pod/train-0/main] ", level="info"),
    "srun --label, JSON": behind("0: ", level="info"),
    "docker compose, JSON": behind("trainer-1  | ", level="info"),
    "journald, JSON": behind("Mar 04 %02d:%02d:%02d node042 train[4711]: ", level="info"),
    "mpirun --timestamp-output": prefix("Tue Mar  4 %02d:%02d:%02d 2025<stderr>:"),
    "Open MPI 5 --tag-output": prefix("[prterun-node042-4711@1,0]<stderr>: "),
    "mpiexec -prepend-rank": prefix("[0] "),
    "journalctl -o short-precise": prefix("Mar 04 %02d:%02d:%02d.123456 node042 train[4711]: "),
    "journalctl -o short-monotonic": prefix("[ 1234.567890] node042 train[4711]: "),
    "journalctl -o short-unix": prefix("1741078800.123456 node042 train[4711]: "),
    "ts": prefix("Mar 04 %02d:%02d:%02d "),
    "ts -s": prefix("%02d:%02d:%02d "),
    "Jenkins' timestamper": prefix("%02d:%02d:%02d  "),
    "Jenkins' timestamper, ISO": prefix("[2025-03-04T%02d:%02d:%02d.123Z] "),
    "Jenkins, a parallel branch": prefix("[train] "),
    "TeamCity": prefix("[%02d:%02d:%02d] :\t [Step 1/2] "),
    "TeamCity, a warning": prefix("[%02d:%02d:%02d]W:\t [Step 1/2] "),
    "Buildkite": prefix("\x1b_bk;t=1741078800123\x07"),
    "act": prefix("[CI/train]   | "),
    "Drone": prefix("[train:12] "),
    "honcho": prefix("%02d:%02d:%02d worker.1 | "),
    "foreman": prefix("%02d:%02d:%02d worker.1  | "),
    "concurrently": prefix("[train] "),
    "parallel --tag": prefix("lr=0.1\t"),
    "SkyPilot": prefix("(worker1, rank=1, pid=4711, ip=10.0.0.4) "),
    "Ray, in colours": prefix("\x1b[36m(train_fn pid=4711)\x1b[0m "),
    "torchx": prefix("trainer/0 "),
    "Metaflow": prefix("2025-03-04 %02d:%02d:%02d.123 [1712/train/3 (pid 4711)] "),
    "SageMaker, local": prefix("pe7u4ms8xj-algo-1-m5plm  | "),
    "aws logs tail": prefix("2025-03-04T%02d:%02d:%02d.123000+00:00 train/default/0a1b2c3d4e5f "),
    "Vertex AI's stream-logs": prefix("INFO\t2025-03-04 %02d:%02d:%02d +0000\tworkerpool0-0\t\t"),
    "Vertex AI's stream-logs, stderr": prefix("ERROR\t2025-03-04 %02d:%02d:%02d +0000\tworkerpool0-0\t\t"),
    "AzureML": prefix("[2025-03-04T%02d:%02d:%02d.123456] "),
    "argo logs": prefix("train-x2x9z: "),
    "logcli": prefix('2025-03-04T%02d:%02d:%02dZ {app="train", pod="train-0"} '),
    "logcli, JSON": record("line", labels={"app": "train"}),
    "fluentd": behind("2025-03-04 %02d:%02d:%02d.123456789 +0000 kube.train: ", stream="stderr"),
    "vector": record("message", host="node042", source_type="kubernetes_logs", timestamp="2025-03-04T09:00:00Z"),
    "Datadog": record("message", status="info", service="train", host="node042"),
    "CloudWatch": record("message", timestamp=1741078800000, ingestionTime=1741078800001),
    "Google's logging, stderr": record("textPayload", severity="ERROR", resource={"type": "k8s_container"}),
    "logfmt, all of level info": logfmt,
    "a sidecar's lines between": sidecar,
    "a bar before a traceback": bar,
    "indented by four": prefix("    "),
    "indented by two": prefix("  "),
    "a tab": prefix("\t"),
    "quoted": prefix("> "),
    "a bar": prefix("| "),
}

def wrapped(columns):
    """As a terminal cuts lines."""

    def all_of(b):
        out = []
        for line in b.decode("utf8", "replace").replace("\r\n", "\n").split("\n"):
            out += [line[i:i + columns] for i in range(0, len(line), columns)] or [""]
        return "\n".join(out).encode()

    return all_of


def escaped(b):
    return html.escape(b.decode("utf8", "replace")).encode()


def table(names, row, newest_first=False, **form):
    """As viewers of logs export them."""

    def all_of(b):
        out = io.StringIO()
        lines = b.decode("utf8", "replace").replace("\r\n", "\n").removesuffix("\n").split("\n")
        rows = [row(i, line) for i, line in enumerate(lines)]
        csv.writer(out, lineterminator="\n", **form).writerows([names] + rows[:: -1 if newest_first else 1])
        return out.getvalue().encode()

    return all_of


def newest(name):
    """The last line first, as such viewers sort them."""

    return lambda b: b"\n".join(with_lines(LINES[name])(b).removesuffix(b"\n").split(b"\n")[::-1]) + b"\n"


def kibana(i, line):
    return [clock(i, "Mar 4, 2025 @ %02d:%02d:%02d.123"), "x%d" % i, line]


# all of a log
WHOLE = {
    "CSV, as CloudWatch Insights has it": table(["@timestamp", "@message"], lambda i, line: [clock(i, "2025-03-04 %02d:%02d:%02d.123"), line]),
    "CSV, as Kibana has it": table(["@timestamp", "_id", "message"], kibana, quoting=csv.QUOTE_ALL),
    "CSV, as Datadog has it": table(
        ["Date", "Host", "Service", "Message"],
        lambda i, line: [clock(i, "2025-03-04T%02d:%02d:%02d.123Z"), "node042", "train", line], quoting=csv.QUOTE_ALL),
    "CSV, as Grafana has it": table(
        ["Line", "Time", "labels"], lambda i, line: [line, clock(i, "2025-03-04 %02d:%02d:%02d.123"), '{"app":"train"}'], quoting=csv.QUOTE_ALL),
    "newest first": newest("a time"),
    "newest first, CRI": newest("Kubernetes CRI"),
    "newest first, docker json-file": newest("docker json-file"),
    "newest first, journald": newest("journald"),
    "CSV, newest first": table(["@timestamp", "_id", "message"], kibana, newest_first=True, quoting=csv.QUOTE_ALL),
    "a text in JSON": lambda b: json.dumps({"id": 7, "logs": b.decode("utf8", "replace")}).encode(),
    "a list of lines in JSON": lambda b: json.dumps(b.decode("utf8", "replace").split("\n")).encode(),
    "CSV, milliseconds": table(["timestamp", "message"], lambda i, line: [1741078800000 + 100 * i, line]),
    "CR LF": lambda b: b.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"),
    "UTF-16": lambda b: b.decode("utf8", "replace").encode("utf-16"),
    "its last 200 lines": lambda b: b"\n".join(b.split(b"\n")[-200:]),
    "twice": lambda b: b + b"\n" + b,
    "a blank line behind each": lambda b: b.replace(b"\n", b"\n\n"),
    "cut at 80 columns": wrapped(80),
    "cut at 120 columns": wrapped(120),
    "HTML's escapes": escaped,
    "a saved page": lambda b: b"<html><head><title>log</title></head><body><pre>\n" + escaped(b) + b"</pre></body></html>\n",
    "cat -n": lambda b: with_lines(lambda i, line: b"%6d\t" % (i + 1) + line)(b),
    "less -N": lambda b: with_lines(lambda i, line: b"%7d " % (i + 1) + line)(b),
    "grep -n": lambda b: with_lines(lambda i, line: b"%d:" % (i + 1) + line)(b),
    "typographic quotes": lambda b: b.replace(b"'", "\u2019".encode()),
    "typographic quotes of Windows": lambda b: b.replace(b"'", b"\x92"),
}

TRACE = """Traceback (most recent call last):
  File "%s", line 4, in <module>
    %s
%s
"""

HEADS = {
    "nohup": "nohup: ignoring input\n",
    "nohup's file": "nohup: ignoring input and appending output to 'nohup.out'\n",
    "script": 'Script started on 2025-03-04 09:00:00+01:00 [TERM="xterm-256color" TTY="/dev/pts/3" COLUMNS="120" LINES="40"]\n',
    "a prompt": "(base) ada@node042:~/train$ python train.py\n",
    "a prompt of zsh": "➜  train git:(main) ✗ python train.py\n",
    "PowerShell's transcript": "**********************\nWindows PowerShell transcript start\nStart time: 20250304090000\nUsername: LAB\\ada\n"
    "RunAs User: LAB\\ada\nConfiguration Name: \nMachine: NODE042 (Microsoft Windows NT 10.0.19045.0)\nHost Application: powershell.exe\n"
    "Process ID: 4711\nPSVersion: 5.1.19041.4522\n**********************\nTranscript started, output file is out.txt\nPS C:\\train> python train.py\n",
    "LSF's report": "Sender: LSF System <lsfadmin@node042>\nSubject: Job 4711: <train> in cluster <lab> Exited\n\n"
    "Job <train> was submitted from host <login1> by user <ada> in cluster <lab> at Tue Mar  4 09:00:00 2025\n"
    "Job was executed on host(s) <node042>, in queue <gpu>, as user <ada> in cluster <lab> at Tue Mar  4 09:00:02 2025\n"
    "The output (if any) follows:\n\n",
    "PBS' prologue": "Begin PBS Prologue Tue Mar  4 09:00:00 CET 2025 1741078800\nJob ID:\t\t4711.pbs01\nUsername:\tada\nGroup:\t\tlab\n"
    "Name:\t\ttrain\nLimits:\t\tncpus=4,neednodes=1:ppn=4,nodes=1:ppn=4,walltime=12:00:00\nJob Queue:\tgpu\nNodes:\t\tnode042\n"
    "End PBS Prologue Tue Mar  4 09:00:00 CET 2025 1741078800\n",
    "SGE's warning": "Warning: no access to tty (Bad file descriptor).\nThus no job control in this shell.\n",
    "stty": "stty: 'standard input': Inappropriate ioctl for device\n",
    "conda, not initialised": "CommandNotFoundError: Your shell has not been properly configured to use 'conda activate'.\nTo initialize your shell, run\n\n"
    "    $ conda init <SHELL_NAME>\n\nCurrently supported shells are:\n  - bash\n  - zsh\n\nSee 'conda init --help' for more information and options.\n\n"
    "IMPORTANT: You may need to close and restart your shell after running 'conda init'.\n\n",
    "NVIDIA's container": "\n=============\n== PyTorch ==\n=============\n\nNVIDIA Release 24.02 (build 82611821)\n\n"
    "NOTE: MOFED driver for multi-node communication was not detected.\n      Multi-node communication performance may be reduced.\n\n"
    "WARNING: The NVIDIA Driver was not detected.  GPU functionality will not be available.\n\n",
    "set -x": "+ source /opt/conda/bin/activate\n++ _CONDA_ROOT=/opt/conda\n+ python train.py\n",
    "TensorRT not found": "2025-03-04 10:49:29.123456: W tensorflow/compiler/tf2tensorrt/utils/py_utils.cc:38] TF-TRT Warning: Could not find TensorRT\n",
    "oom_score_adj": "slurmstepd: error: failed to open /proc/self/oom_score_adj: Read-only file system\n",
    "module: command not found": "/var/spool/slurmd/job884213/slurm_script: line 12: module: command not found\n",
    "nvidia-smi: not found": "/bin/sh: 1: nvidia-smi: not found\n",
    "cp: cannot stat": "cp: cannot stat 'data/*.zip': No such file or directory\n",
    "rm: cannot remove": "rm: cannot remove 'out/old.pt': No such file or directory\n",
    "mkdir: File exists": "mkdir: cannot create directory 'out': File exists\n",
    "not a git repository": "fatal: not a git repository (or any of the parent directories): .git\n",
    "xauth": "/usr/bin/xauth:  file /home/ada/.Xauthority does not exist\n",
    "setlocale": "bash: warning: setlocale: LC_ALL: cannot change locale (en_US.UTF-8)\n",
    "Lmod: unknown module": 'Lmod has detected the following error:  The following module(s) are unknown: "cudnn/8.1"\n\n',
    "pip's resolver": "ERROR: pip's dependency resolver does not currently take into account all the packages that are installed.\n",
    "wandb: Network error": "wandb: Network error (ConnectionError), entering retry loop.\n",
    "apex is not there": "Please install apex from https://www.github.com/nvidia/apex to use distributed and fp16 training.\n",
    "no home": "Could not chdir to home directory /home/ada: No such file or directory\n",
    "the shell's own file": "bash: /root/.bashrc: Permission denied\n",
    "ulimit": "./run.sh: line 9: ulimit: open files: cannot modify limit: Operation not permitted\n",
    "source: not found": "/bin/sh: 1: source: not found\n",
    "conda: command not found": "./run.sh: line 4: conda: command not found\n",
    "mkdir: Permission denied": "mkdir: cannot create directory '/scratch/ada': Permission denied\n",
    "ls: cannot access": "ls: cannot access 'ckpt/*.pt': No such file or directory\n",
    "unzip": "unzip:  cannot find or open data.zip, data.zip.zip or data.zip.ZIP.\n",
    "git clone": "fatal: destination path 'yolov5' already exists and is not an empty directory.\n",
    "apt without root": "E: Could not open lock file /var/lib/dpkg/lock-frontend - open (13: Permission denied)\n",
    "pip, an older one": "ERROR: tensorflow 2.8.0 has requirement numpy>=1.20, but you'll have numpy 1.19.5 which is incompatible.\n",
    "a module that is not there": "ERROR: Unable to locate a modulefile for 'cuda/11.3'\n",
    "no container": "Error: No such container: train-0\n",
    "ALSA": "ALSA lib conf.c:4568:(snd_config_evaluate) function snd_func_refer returned error: No such file or directory\n",
    "nltk": "[nltk_data] Error loading punkt: <urlopen error [Errno -3] Temporary\n[nltk_data]     failure in name resolution>\n",
    "wandb: ERROR": "wandb: ERROR Error while calling W&B API: permission denied (<Response [403]>)\n",
    "FlashAttention": "FlashAttention2 is not installed.\n",
    "an import that was caught": TRACE % ("/home/ada/attn.py", "import flash_attn", "ModuleNotFoundError: No module named 'flash_attn'") + "flash attention is off\n",
}

TAILS = {
    "script": '\nScript done on 2025-03-04 09:12:44+01:00 [COMMAND_EXIT_CODE="1"]\n',
    "a prompt": "(base) ada@node042:~/train$ \n",
    "a prompt and what was typed": "(base) ada@node042:~/train$ echo $?\n1\n(base) ada@node042:~/train$ exit\nexit\n",
    "PowerShell's transcript": "PS C:\\train> Stop-Transcript\n**********************\nWindows PowerShell transcript end\nEnd time: 20250304091244\n**********************\n",
    "LSF's report": "\n------------------------------------------------------------\nSender: LSF System <lsfadmin@node042>\n"
    "Subject: Job 4711: <train> in cluster <lab> Exited\n\nExited with exit code 1.\n\nResource usage summary:\n\n    CPU time :  84.61 sec.\n"
    "    Max Memory :  3520 MB\n    Max Processes :  4\n\nThe output (if any) is above this job summary.\n\n",
    "PBS' epilogue": "Begin PBS Epilogue Tue Mar  4 09:12:44 CET 2025 1741079564\nJob ID:\t\t4711.pbs01\nUsername:\tada\nGroup:\t\tlab\nName:\t\ttrain\n"
    "Session:\t4242\nResources:\tcput=00:12:01,mem=3520112kb,vmem=9520112kb,walltime=00:12:44\nJob Queue:\tgpu\nNodes:\t\tnode042\n"
    "Killing leftovers...\n\nEnd PBS Epilogue Tue Mar  4 09:12:44 CET 2025 1741079564\n",
    "HTCondor": "005 (4711.000.000) 2025-03-04 09:12:44 Job terminated.\n\t(1) Normal termination (return value 1)\n"
    "\t\tUsr 0 00:12:01, Sys 0 00:00:12  -  Run Remote Usage\n...\n",
    "set -x": "+ rc=1\n+ date\nTue Mar  4 11:02:13 CET 2025\n+ exit 1\n",
    "Buildkite": "\U0001f6a8 Error: The command exited with status 1\nuser command error: exit status 1\n",
    "Travis": 'The command "python train.py" exited with 1.\n\nDone. Your build exited with 1.\n',
    "CircleCI": "\nExited with code exit status 1\n",
    "Jenkins": "Build step 'Execute shell' marked build as failure\nFinished: FAILURE\n",
    "TeamCity": "Process exited with code 1\nStep Train (Command Line) failed\n",
    "Azure Pipelines": "##[error]Bash exited with code '1'.\n##[section]Finishing: Bash\n",
    "Drone": "time=\"2025-03-04T09:12:44Z\" level=fatal msg=\"exit code 1\"\n",
    "srun: exit code": "srun: error: node042: task 0: Exited with exit code 1\n",
    "make": "make: *** [Makefile:12: train] Error 1\n",
    "GitHub": "Error: Process completed with exit code 1.\n",
    "GitLab": "Cleaning up project directory and file based variables\nERROR: Job failed: exit code 1\n",
    "kubectl": "command terminated with exit code 1\n",
    "conda run": "ERROR conda.cli.main_run:execute(124): `conda run python train.py` failed. (See above for error)\n",
    "DeepSpeed's launcher": "[2025-03-04 11:02:13,123] [INFO] [launch.py:319:sigkill_handler] Killing subprocess 4720\n"
    "[2025-03-04 11:02:13,200] [ERROR] [launch.py:325:sigkill_handler] ['python', '-u', 'train.py'] exits with return code = 1\n",
    "wandb": "wandb: Waiting for W&B process to finish... (failed 1). Press Control-C to abort syncing.\n",
    "a script's last word": "\nJob finished\ndone\nTue Mar  4 11:02:13 CET 2025\n",
    "a script's report": "\n====================\nSLURM_JOB_ID = 884213\nJob ended at Tue Mar  4 11:02:13 CET 2025\n====================\n",
    "sacct": "\n            JobID    JobName    Elapsed      State ExitCode     MaxRSS\n"
    "----------------- ---------- ---------- ---------- -------- ----------\n"
    "           884213      train   00:12:44     FAILED      1:0\n"
    "     884213.batch      batch   00:12:44     FAILED      1:0    3520112K\n",
    "time": "\nreal\t0m12.345s\nuser\t0m9.876s\nsys\t0m1.234s\n",
    "an exception that is ignored": "Exception ignored in: <function Pool.__del__ at 0x7f3a5c1d2e50>\n"
    + TRACE % ("/opt/lib/python3.10/pool.py", "self.stop()", "AttributeError: 'NoneType' object has no attribute 'wait'"),
    "a thread": "Exception in thread Thread-3:\n"
    + TRACE % ("/usr/lib/python3.10/threading.py", "self.run()", "EOFError"),
    "the next step": TRACE % ("eval.py", "m = torch.load('out/model.pt')", "FileNotFoundError: [Errno 2] No such file or directory: 'out/model.pt'"),
    "Snakemake": "[Tue Mar  4 11:02:13 2025]\nError in rule train:\n    jobid: 3\n    output: out/model.pt\n    shell:\n"
    "        python train.py\n        (one of the commands exited with non-zero exit code; note that snakemake uses bash strict mode!)\n\n"
    "Exiting because a job execution failed. Look above for error message\n",
}


def with_lines(one):
    def all_of(b):
        lines = b.replace(b"\r\n", b"\n").split(b"\n")
        return b"\n".join(one(i, line) for i, line in enumerate(lines[:-1] if lines[-1] == b"" else lines)) + b"\n"

    return all_of


def after(text):
    return lambda b: b + (b"" if b.endswith(b"\n") else b"\n") + text.encode()


KINDS = [
    ("before each line", {k: with_lines(f) for k, f in LINES.items()}, True),
    ("all of it", WHOLE, True),
    ("before it", {k: lambda b, t=t: t.encode() + b for k, t in HEADS.items()}, True),
    ("behind it", {k: after(t) for k, t in TAILS.items()}, False),
]


def scan(program, logs, change):
    """The answers to the changed logs, by their number."""
    with tempfile.TemporaryDirectory() as folder:
        for i, log in enumerate(logs):
            with open(os.path.join(folder, "%05d.log" % i), "wb") as f:
                f.write(change(log["bytes"]))
        out = subprocess.run(
            [program, "scan", "-q", "--format", "jsonl", "--layout", "file", "."],
            cwd=folder, capture_output=True, check=False).stdout
    answers = {}
    for line in out.splitlines():
        d = json.loads(line)
        answers[int(re.search(r"(\d{5})\.log", d["paths"][0]).group(1))] = d
    return answers


def load(folders):
    for folder in folders:
        with open(os.path.join(folder, "labels.tsv"), errors="replace", newline="") as f:
            for row in csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE):
                with open(os.path.join(folder, row["file"]), "rb") as log:
                    data = log.read(MOST + 1)
                if len(data) <= MOST:
                    right = {row["category"], *re.split("[, ;]+", row.get("accept") or "")}
                    yield {"bytes": data, "right": right - {""}, "good": row["category"] == "none", "cells": row["file"].endswith(".ipynb")}


def main():
    program, logs = os.path.abspath(sys.argv[1]), list(load(sys.argv[2:]))
    plain = scan(program, logs, lambda b: b)
    right = [i for i, log in enumerate(logs) if i in plain and plain[i]["category"] in log["right"]]
    print("%d logs, %d right as they are\n" % (len(logs), len(right)))
    print("| where | what | lost | said high | good ones called failed |\n|---|---|---|---|---|")
    for kind, changes, good in KINDS:
        of = [i for i in right if good or not logs[i]["good"]]
        # nothing stands around the lines of a notebook's file
        of = [i for i in of if not (kind.endswith(" it") and logs[i]["cells"])]
        for name, change in changes.items():
            answers = scan(program, logs, change)
            lost = [i for i in of if i not in answers or answers[i]["category"] not in logs[i]["right"]]
            high = sum(i in answers and answers[i]["confidence"] == "high" for i in lost)
            print("| %s | %s | %d of %d | %d | %s |" % (
                kind, name, len(lost), len(of), high, sum(logs[i]["good"] for i in lost) if good else "-"), flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main()
