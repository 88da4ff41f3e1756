"""Makes one small folder for each shape in which trackers, launchers and
schedulers leave their logs. All of it is made up.

usage: shapes_tree.py DIR
"""

import json
import os
import sys
import zipfile

TOP = sys.argv[1]


def put(path, text, mode="w"):
    path = os.path.join(TOP, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, mode) as f:
        f.write(text if isinstance(text, (str, bytes)) else "\n".join(text) + "\n")


def steps(n, first=1):
    return "".join(f"step {i} loss {5 / i:.3f} lr 0.001\n" for i in range(first, n + 1))


def failed(error, file="/home/ada/lab/train.py", line=41, call="out = model(batch)"):
    return (
        "Traceback (most recent call last):\n"
        f'  File "{file}", line {line + 50}, in <module>\n    main()\n'
        f'  File "{file}", line {line}, in main\n    {call}\n{error}\n'
    )


OOM = (
    "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. "
    "GPU 0 has a total capacity of 79.15 GiB of which 1.12 GiB is free. Process "
    "4711 has 78.02 GiB memory in use."
)
KEY = "KeyError: 'pixel_values'"
SHAPE = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x768 and 512x10)"
FILE = "FileNotFoundError: [Errno 2] No such file or directory: '/data/cifar/train.bin'"
MODULE = "ModuleNotFoundError: No module named 'flash_attn'"
INDEX = "IndexError: list index out of range"
ATTRIBUTE = "AttributeError: 'Trainer' object has no attribute 'resume'"


def lines(text):
    return text.rstrip("\n").split("\n")


def wandb():
    for kind, name, log in (
        ("offline-run", "20240501_120000-a1b2c3d4", steps(9) + failed(KEY)),
        ("run", "20240502_130000-e5f6a7b8", steps(9) + failed(OOM)),
    ):
        run = f"wandb/wandb/{kind}-{name}"
        put(f"{run}/files/output.log", log)
        put(f"{run}/files/requirements.txt", "torch==2.1.0\n")
        put(f"{run}/files/config.yaml", "lr:\n  value: 0.1\n")
        put(f"{run}/files/wandb-metadata.json", '{"program": "train.py", "host": "gn1"}\n')
        put(f"{run}/files/wandb-summary.json", '{"loss": 0.5, "_step": 9}\n')
        put(
            f"{run}/logs/debug.log",
            "2024-05-01 12:00:00,123 INFO    MainThread:4711 [wandb_setup.py:_flush():76] Current SDK version is 0.16.6\n"
            "2024-05-01 12:00:01,123 INFO    MainThread:4711 [wandb_run.py:_atexit_cleanup():2259] got exitcode: 1\n"
            "2024-05-01 12:00:02,123 WARNING MsgRouterThr:4711 [router.py:message_loop():77] message_loop has been closed\n",
        )
        put(
            f"{run}/logs/debug-internal.log",
            "2024-05-01 12:00:00,200 INFO    StreamThr :4720 [internal.py:wandb_internal():86] W&B internal server running at pid: 4720\n"
            "2024-05-01 12:00:02,200 INFO    StreamThr :4720 [handler.py:finish():882] shutting down handler\n",
        )
        put(f"{run}/run-{name.split('-')[1]}.wandb", b"\0\1\2:W&B", "wb")
    os.symlink("run-20240502_130000-e5f6a7b8", os.path.join(TOP, "wandb/wandb/latest-run"))
    os.symlink(
        "run-20240502_130000-e5f6a7b8/logs/debug.log", os.path.join(TOP, "wandb/wandb/debug.log")
    )


def ray():
    s = "ray/session_2024-05-01_12-00-00_123456_4711/logs"
    worker = "a" * 56
    for i in range(2):
        name = f"{s}/worker-{worker[:-1]}{i}-01000000-{4800 + i}"
        bad = failed(OOM, call="loss = step(batch)") if i == 0 else ""
        put(name + ".out", f":job_id:01000000\n:actor_name:TrainWorker\n{steps(5)}")
        put(name + ".err", f":job_id:01000000\n:actor_name:TrainWorker\n{bad}")
    put(
        f"{s}/raylet.out",
        "[2024-05-01 12:00:00,123 I 4700 4700] (raylet) main.cc:180: Setting cluster ID\n"
        "[2024-05-01 12:09:00,123 I 4700 4700] (raylet) node_manager.cc:1481: NodeManager::DisconnectClient, disconnect_type=1, has creation task exception = 0\n",
    )
    put(f"{s}/raylet.err", "")
    put(
        f"{s}/gcs_server.out",
        "[2024-05-01 12:00:00,100 I 4690 4690] (gcs_server) gcs_server_main.cc:48: Ray cluster metadata\n"
        "[2024-05-01 12:09:01,100 W 4690 4690] (gcs_server) gcs_worker_manager.cc:55: Reporting worker exit, worker id = aaaa, exit_type = USER_ERROR, exit_detail = Worker exits with an exit code 1.\n",
    )
    put(
        f"{s}/dashboard.log",
        "2024-05-01 12:00:00,500\tINFO head.py:242 -- Starting dashboard metrics server\n",
    )
    put(
        f"{s}/log_monitor.log",
        "2024-05-01 12:00:00,500\tINFO log_monitor.py:151 -- Starting log monitor\n",
    )
    put(f"{s}/monitor.log", "2024-05-01 12:00:00,500\tINFO monitor.py:690 -- Starting monitor\n")
    put(
        f"{s}/python-core-driver-01000000ffffffff_4680.log",
        "[2024-05-01 12:00:00,700 I 4680 4680] core_worker_process.cc:107: Constructing CoreWorkerProcess. pid: 4680\n",
    )
    put(
        f"{s}/job-driver-raysubmit_AbCdEf0123456789.log",
        "2024-05-01 12:00:01,000\tINFO worker.py:1400 -- Using address 10.0.0.1:6379\n"
        "Traceback (most recent call last):\n"
        '  File "/home/ada/lab/tune.py", line 30, in <module>\n    ray.get(worker.step.remote())\n'
        '  File "/opt/env/lib/python3.10/site-packages/ray/_private/worker.py", line 2549, in get\n    raise value.as_instanceof_cause()\n'
        "ray.exceptions.RayTaskError(OutOfMemoryError): \x1b[36mray::TrainWorker.step()\x1b[39m (pid=4800, ip=10.0.0.1)\n"
        '  File "/home/ada/lab/tune.py", line 41, in step\n    loss = step(batch)\n' + OOM + "\n",
    )


def mlflow():
    run = "mlflow/mlruns/0/0123456789abcdef0123456789abcdef"
    put("mlflow/mlruns/0/meta.yaml", "name: Default\n")
    put(f"{run}/meta.yaml", "status: 4\n")
    put(f"{run}/params/lr", "0.1")
    put(f"{run}/params/batch_size", "32")
    put(f"{run}/metrics/loss", "1714564800123 0.51 1\n1714564801123 0.49 2\n")
    put(f"{run}/tags/mlflow.user", "ada")
    put(f"{run}/tags/mlflow.note.content", "an error that was not there before")
    put(f"{run}/artifacts/train.log", steps(9) + failed(SHAPE))
    put(f"{run}/artifacts/model/MLmodel", "flavors:\n  python_function: {}\n")


def hydra():
    top = "hydra/multirun/2024-05-01/12-00-00"
    put(f"{top}/multirun.yaml", "hydra: {}\n")
    for i in range(3):
        put(f"{top}/{i}/.hydra/config.yaml", f"lr: 0.{i}\n")
        put(f"{top}/{i}/.hydra/overrides.yaml", f"- lr=0.{i}\n")
        text = "".join(
            f"[2024-05-01 12:0{i}:{s:02},000][__main__][INFO] - step {s} loss 0.{99 - s}\n"
            for s in range(1, 9)
        )
        if i == 1:
            text += "[2024-05-01 12:01:09,000][__main__][ERROR] - the run failed\n" + failed(
                SHAPE
            )
        put(f"{top}/{i}/train.log", text)


def lightning():
    for i, bad in enumerate((failed(INDEX), "")):
        run = f"lightning/lightning_logs/version_{i}"
        put(f"{run}/hparams.yaml", "lr: 0.1\n")
        put(f"{run}/metrics.csv", "epoch,step,train_loss\n0,10,0.5\n")
        put(f"{run}/events.out.tfevents.1714564800.gn1.4711.0", b"\x18\0\0\0", "wb")
        put(
            f"{run}/train.log",
            "GPU available: True (cuda), used: True\n"
            + steps(9)
            + (bad or "`Trainer.fit` stopped: `max_epochs=1` reached.\n"),
        )


def tensorboard():
    put("tensorboard/runs/May01_gn1/events.out.tfevents.1714564800.gn1", b"\x18\0\0\0", "wb")
    put("tensorboard/runs/May01_gn1/loss_train/events.out.tfevents.1714564801.gn1", b"\x18", "wb")
    put("tensorboard/runs/May01_gn1/train.log", steps(9) + failed(ATTRIBUTE))


def github():
    def stamp(text, at=0):
        return "".join(
            f"2024-05-01T12:00:{at + i:02}.1234567Z {s}\n" for i, s in enumerate(lines(text))
        )

    one = stamp("Current runner version: '2.316.0'\n##[group]Operating System\nUbuntu\n##[endgroup]")
    two = stamp("##[group]Run pip install -r requirements.txt\n##[endgroup]\nInstalled", 10)
    three = stamp(
        "##[group]Run python train.py\n##[endgroup]\n"
        + steps(3)
        + failed(MODULE, call="import flash_attn")
        + "##[error]Process completed with exit code 1.",
        20,
    )
    four = stamp("Cleaning up orphan processes", 40)
    path = os.path.join(TOP, "github/logs_123.zip")
    os.makedirs(os.path.dirname(path))
    with zipfile.ZipFile(path, "w") as z:
        z.writestr("0_train (3.10).txt", one + two + three + four)
        z.writestr("train (3.10)/1_Set up job.txt", one)
        z.writestr("train (3.10)/2_Install.txt", two)
        z.writestr("train (3.10)/3_Train.txt", three)
        z.writestr("train (3.10)/9_Complete job.txt", four)
        z.writestr("1_lint.txt", one + stamp("All checks passed!", 10) + four)
        z.writestr("lint/1_Set up job.txt", one)
        z.writestr("lint/2_Lint.txt", stamp("All checks passed!", 10))
        z.writestr("lint/5_Complete job.txt", four)


def jupyter():
    def cell(source, outputs):
        return {
            "cell_type": "code",
            "execution_count": 1,
            "metadata": {},
            "outputs": outputs,
            "source": source,
        }

    book = {
        "cells": [
            {"cell_type": "markdown", "metadata": {}, "source": ["# Training\n", "may raise KeyError: 'x'\n"]},
            cell(
                ["for s in range(9):\n", "    train(s)"],
                [{"name": "stdout", "output_type": "stream", "text": [l + "\n" for l in lines(steps(9))]}],
            ),
            cell(
                ["evaluate(model)"],
                [
                    {"name": "stderr", "output_type": "stream", "text": "slow reader\n"},
                    {
                        "ename": "RuntimeError",
                        "evalue": SHAPE.split(": ", 1)[1],
                        "output_type": "error",
                        "traceback": [
                            "\x1b[0;31m" + "-" * 75 + "\x1b[0m",
                            "\x1b[0;31mRuntimeError\x1b[0m                              Traceback (most recent call last)",
                            "Cell \x1b[0;32mIn[2], line 1\x1b[0m\n\x1b[0;32m----> 1\x1b[0m \x1b[43mevaluate\x1b[49m\x1b[43m(\x1b[49m\x1b[43mmodel\x1b[49m\x1b[43m)\x1b[49m\n",
                            'File \x1b[0;32m/home/ada/lab/evaluate.py:12\x1b[0m, in \x1b[0;36mevaluate\x1b[0;34m(model)\x1b[0m\n\x1b[1;32m     11\x1b[0m x = batch()\n\x1b[0;32m---> 12\x1b[0m \x1b[38;5;28;01mreturn\x1b[39;00m model(x)\n',
                            "\x1b[0;31mRuntimeError\x1b[0m: " + SHAPE.split(": ", 1)[1],
                        ],
                    },
                ],
            ),
        ],
        "metadata": {"kernelspec": {"name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    put("jupyter/train.ipynb", json.dumps(book, indent=1) + "\n")
    put("jupyter/.ipynb_checkpoints/train-checkpoint.ipynb", json.dumps(book, indent=1) + "\n")
    # Colab has the cells last and keeps no message; others begin with the metadata
    book["cells"][-1]["outputs"][-1]["evalue"] = "ignored"
    for name, keys in (
        ("colab", ["nbformat", "nbformat_minor", "metadata", "cells"]),
        ("metadata_first", ["metadata", "nbformat", "nbformat_minor", "cells"]),
    ):
        put(name + "/train.ipynb", json.dumps({k: book[k] for k in keys}))


def htcondor():
    put("htcondor/job.1235.0.out", steps(9))
    put("htcondor/job.1235.0.err", failed(FILE))
    put(
        "htcondor/job.1235.0.log",
        "000 (1235.000.000) 2024-05-01 12:00:00 Job submitted from host: <10.0.0.1:9618?addrs=10.0.0.1-9618>\n...\n"
        "001 (1235.000.000) 2024-05-01 12:00:10 Job executing on host: <10.0.0.7:9618?addrs=10.0.0.7-9618>\n...\n"
        "005 (1235.000.000) 2024-05-01 12:09:00 Job terminated.\n\t(1) Normal termination (return value 1)\n"
        "\t\tUsr 0 00:08:00, Sys 0 00:00:10  -  Run Remote Usage\n...\n",
    )
    put("htcondor/job.1235.1.out", steps(9) + "Training finished successfully\n")
    put("htcondor/job.1235.1.err", "")
    put(
        "htcondor/job.1235.1.log",
        "000 (1235.001.000) 2024-05-01 12:00:00 Job submitted from host: <10.0.0.1:9618?addrs=10.0.0.1-9618>\n...\n"
        "005 (1235.001.000) 2024-05-01 12:09:00 Job terminated.\n\t(1) Normal termination (return value 0)\n...\n",
    )


def pbs():
    put("pbs/solver.o9912", steps(9))
    put("pbs/solver.e9912", failed(INDEX))


def lsf():
    put("lsf/8812.err", failed(KEY))
    put(
        "lsf/8812.out",
        "Sender: LSF System <lsfadmin@gn1>\nSubject: Job 8812: <train> in cluster <lab> Exited\n\n"
        "Job <train> was submitted from host <login1> by user <ada> in cluster <lab> at Wed May  1 12:00:00 2024\n\n"
        "Exited with exit code 1.\n\nResource usage summary:\n\n    CPU time :                                   30.00 sec.\n\n"
        "The output (if any) follows:\n\n" + steps(9) + "\n\nPS:\n\nRead file <8812.err> for stderr output of this job.\n\n",
    )


def airflow():
    top = "airflow/dag_id=nightly/run_id=scheduled__2024-05-01T00:00:00+00:00"
    for attempt in (1, 2):
        bad = (
            "[2024-05-01T00:00:01.000+0000] {taskinstance.py:1979} INFO - Dependencies all met\n"
            + "".join(
                f"[2024-05-01T00:00:0{i}.000+0000] {{logging_mixin.py:188}} INFO - step {i} loss 0.5\n"
                for i in range(2, 8)
            )
            + "[2024-05-01T00:01:00.000+0000] {taskinstance.py:2731} ERROR - Task failed with exception\n"
            + failed(FILE)
            + "[2024-05-01T00:01:01.000+0000] {taskinstance.py:1149} INFO - Marking task as UP_FOR_RETRY. dag_id=nightly, task_id=train, execution_date=20240501T000000, start_date=20240501T000001, end_date=20240501T000100\n"
            "[2024-05-01T00:01:02.000+0000] {local_task_job_runner.py:234} INFO - Task exited with return code 1\n"
        )
        put(f"{top}/task_id=train/attempt={attempt}.log", bad)
    put(
        f"{top}/task_id=fetch/attempt=1.log",
        "[2024-05-01T00:00:01.000+0000] {taskinstance.py:1979} INFO - Dependencies all met\n"
        "[2024-05-01T00:00:09.000+0000] {taskinstance.py:1149} INFO - Marking task as SUCCESS. dag_id=nightly, task_id=fetch\n"
        "[2024-05-01T00:00:10.000+0000] {local_task_job_runner.py:234} INFO - Task exited with return code 0\n",
    )


def sagemaker():
    job = "sagemaker/TrainingJobs/bert-2024-05-01-12-00-00-123"
    for i in (1, 2):
        text = (
            "2024-05-01 12:00:00,123 sagemaker-training-toolkit INFO     Invoking user script\n" + steps(9)
        )
        if i == 1:
            text += failed(KEY, "/opt/ml/code/train.py") + (
                "2024-05-01 12:09:00,123 sagemaker-training-toolkit ERROR    Reporting training FAILURE\n"
                "2024-05-01 12:09:00,123 sagemaker-training-toolkit ERROR    ExecuteUserScriptError:\nExitCode 1\n"
                'ErrorMessage "KeyError: \'pixel_values\'\n"\nCommand "/opt/conda/bin/python3.10 train.py"\n'
            )
        put(f"{job}/algo-{i}-1714564800.log", text)


def azureml():
    for i in range(2):
        put(f"azureml/user_logs/std_log_process_{i}.txt", steps(9) + (failed(OOM) if i == 1 else ""))
    put(
        "azureml/system_logs/lifecycler/lifecycler.log",
        '2024-05-01T12:00:00.123456Z INFO lifecycler: starting\n2024-05-01T12:09:00.123456Z INFO lifecycler: exiting with code 0\n',
    )
    put("azureml/logs/azureml/executionlogs.txt", "[2024-05-01 12:00:00Z] Job is running, job runstatus is Running\n")
    put(
        "azureml/system_logs/cs_capability/cs-capability.log",
        "2024-05-01T12:00:00.123456Z INFO cs_capability: capabilities started\n",
    )


def kubeflow():
    for i in range(2):
        put(f"kubeflow/bert-worker-{i}.log", steps(9) + (failed(OOM) if i == 1 else ""))
    put("kubeflow/bert-master-0.log", steps(9))


def cloudwatch():
    text = lines(steps(9) + failed(SHAPE))
    put(
        "cloudwatch/get.json",
        json.dumps(
            {
                "events": [
                    {"timestamp": 1714564800000 + i * 1000, "message": s, "ingestionTime": 1714564900000}
                    for i, s in enumerate(text)
                ],
                "nextForwardToken": "f/380",
                "nextBackwardToken": "b/380",
            },
            indent=4,
        )
        + "\n",
    )
    put(
        "cloudwatch/filter.json",
        json.dumps(
            {
                "events": [
                    {
                        "logStreamName": "bert/algo-1",
                        "timestamp": 1714564800000 + i * 1000,
                        "message": s,
                        "ingestionTime": 1714564900000,
                        "eventId": f"38{i}",
                    }
                    for i, s in enumerate(text)
                ],
                "searchedLogStreams": [],
            },
        )
        + "\n",
    )


def gke():
    text = lines(steps(9) + failed(SHAPE))

    def entry(i, s):
        return {
            "insertId": f"x{i}",
            "labels": {"k8s-pod/app": "bert"},
            "logName": "projects/lab/logs/stderr",
            "receiveTimestamp": "2024-05-01T12:01:00.1Z",
            "resource": {"labels": {"pod_name": "bert-0"}, "type": "k8s_container"},
            "severity": "ERROR",
            "textPayload": s + "\n",
            "timestamp": f"2024-05-01T12:00:{i:02}.123456789Z",
        }

    rows = [entry(i, s) for i, s in enumerate(text)]
    put("gke/array.json", json.dumps(rows[::-1], indent=2) + "\n")
    put("gke/lines.json", [json.dumps(r) for r in rows])
    for r in rows:
        r["jsonPayload"] = {"message": r.pop("textPayload").rstrip("\n"), "logger": "train"}
    put("gke/payload.json", json.dumps(rows, indent=2) + "\n")


def loki():
    text = lines(steps(9) + failed(KEY))
    at = [str(1714564800000000000 + i * 1000000000) for i in range(len(text))]
    put(
        "loki/query.json",
        json.dumps(
            {
                "status": "success",
                "data": {
                    "resultType": "streams",
                    "result": [
                        {
                            "stream": {"app": "bert", "pod": "bert-0"},
                            "values": [[a, s] for a, s in zip(at, text)][::-1],
                        }
                    ],
                    "stats": {},
                },
            }
        )
        + "\n",
    )
    put(
        "loki/logcli.jsonl",
        [
            json.dumps({"labels": {"app": "bert"}, "line": s, "timestamp": f"2024-05-01T12:00:{i:02}.5Z"})
            for i, s in enumerate(text)
        ],
    )


def journal_entries():
    text = lines(steps(9)) + [
        "train.service: Main process exited, code=dumped, status=11/SEGV",
        "train.service: Failed with result 'core-dump'.",
    ]
    for i, s in enumerate(text):
        ours = s.startswith("step")
        yield {
            "__CURSOR": f"s=ab;i={i}",
            "__REALTIME_TIMESTAMP": str(1714564800000000 + i * 1000000),
            "__MONOTONIC_TIMESTAMP": str(5000000 + i),
            "_BOOT_ID": "ab",
            "PRIORITY": "6" if ours else "4",
            "SYSLOG_IDENTIFIER": "python3" if ours else "systemd",
            "_HOSTNAME": "gn1",
            "_PID": "4711",
            "MESSAGE": s,
        }


def pretty(row):
    """As journalctl -o json-pretty does, what has an escape in it as bytes."""
    row["MESSAGE"] = list((row["MESSAGE"] + "\x1b[0m").encode())
    return "{\n" + ",\n".join(f'\t"{k}" : {json.dumps(v)}' for k, v in row.items()) + "\n}\n"


def streams():
    """Two pods that die at about the same time, each of something else: what
    the first says first is the cause."""
    first = lines(steps(9) + failed(INDEX, "/home/ada/lab/read.py", 7, "row[9]"))
    then = lines(steps(9) + failed(KEY))
    rows = []
    for i, pair in enumerate(zip(first, then)):
        for pod, text in enumerate(pair):
            rows.append((1714564800000 + i * 1000 + pod * 100, pod, text))
    put(
        "streams/cloudwatch.json",
        json.dumps(
            {
                "events": [
                    {"logStreamName": f"bert/algo-{pod + 1}-17", "timestamp": at, "message": s}
                    for at, pod, s in rows
                ]
            },
            indent=4,
        ),
    )
    put(
        "streams/gke.json",
        json.dumps(
            [
                {
                    "insertId": f"i{at}",
                    "resource": {"type": "k8s_container", "labels": {"pod_name": f"bert-{pod}"}},
                    "textPayload": s + "\n",
                    "timestamp": f"2024-05-01T12:00:{at // 1000 % 60:02}.{at % 1000:03}Z",
                }
                for at, pod, s in rows[::-1]
            ],
            indent=2,
        ),
    )
    put(
        "streams/loki.json",
        json.dumps(
            {
                "status": "success",
                "data": {
                    "resultType": "streams",
                    "result": [
                        {
                            "stream": {"pod": f"bert-{pod}", "level": level},
                            "values": [
                                [str(at * 1000000), s]
                                for at, p, s in rows[::-1]
                                if p == pod and s.startswith("step") == (level == "info")
                            ],
                        }
                        for pod in (0, 1)
                        for level in ("info", "error")
                    ],
                },
            }
        ),
    )
    put("streams/kubectl.log", [f"[pod/bert-{pod}/main] {s}" for _, pod, s in rows])
    put("streams/compose.log", [f"bert-{pod}  | {s}" for _, pod, s in rows])


def journal():
    rows = list(journal_entries())
    put("journal_json/journal.json", [json.dumps(r) for r in rows])
    rows[0]["MESSAGE"] = list("step 1 loss 5.000 \x1b[0m".encode())
    put("journal_bytes/journal.json", [json.dumps(r) for r in rows])
    put("journal_pretty/journal.json", "".join(pretty(r) for r in journal_entries()))
    rows = list(journal_entries())
    put(
        "journal_export/journal.export",
        "\n".join("".join(f"{k}={v}\n" for k, v in r.items()) for r in rows) + "\n",
    )


def kubectl():
    text = []
    for i in range(9):
        for pod in range(2):
            text.append(f"[pod/bert-worker-{pod}/pytorch] step {i + 1} loss 0.{99 - i}")
    text += ["[pod/bert-worker-1/pytorch] " + s for s in lines(failed(OOM))]
    put("kubectl/pods.log", text)


def compose():
    text = []
    for i in range(9):
        text.append(f"trainer-1  | step {i + 1} loss 0.{99 - i}")
        text.append("redis-1    | 1:M 01 May 2024 12:00:00.123 * Ready to accept connections")
    text += ["trainer-1  | " + s for s in lines(failed(FILE))]
    text += ["trainer-1 exited with code 1"]
    put("compose/compose.log", text)


def error_json():
    put(
        "error_json/error.json",
        json.dumps(
            {
                "message": {
                    "message": "RuntimeError: " + SHAPE.split(": ", 1)[1],
                    "extraInfo": {"py_callstack": failed(SHAPE), "timestamp": "1714564800"},
                }
            },
        ),
    )


def gitlab():
    esc = "\x1b[0K"
    put(
        "gitlab/job_4711.log",
        f"{esc}Running with gitlab-runner 16.11.0 (91a27b2a)\n"
        f"section_start:1714564800:prepare_executor\r{esc}{esc}\x1b[36;1mPreparing the \"docker\" executor\x1b[0;m{esc}\n"
        f"{esc}Using Docker executor with image python:3.10 ...\n"
        f"section_end:1714564801:prepare_executor\r{esc}section_start:1714564801:step_script\r{esc}{esc}\x1b[36;1mExecuting \"step_script\" stage of the job script\x1b[0;m{esc}\n"
        f"\x1b[32;1m$ python train.py\x1b[0;m\n"
        + steps(9)
        + failed(MODULE, "/builds/ada/lab/train.py", call="import flash_attn")
        + f"section_end:1714564900:step_script\r{esc}section_start:1714564900:cleanup_file_variables\r{esc}{esc}\x1b[36;1mCleaning up project directory and file based variables\x1b[0;m{esc}\n"
        f"section_end:1714564901:cleanup_file_variables\r{esc}\x1b[31;1mERROR: Job failed: exit code 1\n\x1b[0;m\n",
    )


def json_lines():
    put(
        "json_lines/train.jsonl",
        [
            json.dumps({"ts": 1714564800 + i, "level": "info", "msg": s})
            for i, s in enumerate(lines(steps(9)))
        ]
        + [json.dumps({"ts": 1714564900, "level": "error", "msg": "the run failed\n" + failed(KEY)})],
    )


for make in (
    wandb, ray, mlflow, hydra, lightning, tensorboard, github, jupyter, htcondor, pbs, lsf,
    airflow, sagemaker, azureml, kubeflow, cloudwatch, gke, loki, streams, journal, kubectl, compose,
    error_json, gitlab, json_lines,
):  # fmt: skip
    make()
