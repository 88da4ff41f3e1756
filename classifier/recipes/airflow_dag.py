"""Airflow (2.5 or newer, and 3): a training task that is not tried again when
the gate says stop.

jobtriage-retry ends with 93 for stop and with something else for another
attempt; AirflowFailException fails a task without using its retries.

A run over its execution_timeout, or marked as failed by hand, ends the task's
own process alone: the command is told to end here, with everything that it has
started. --time-limit is below that, so that the gate hears of the time first.
"""
import datetime
import os
import signal
import subprocess

from airflow import DAG
from airflow.exceptions import AirflowException, AirflowFailException
try:
    from airflow.providers.standard.operators.python import PythonOperator
except ImportError:  # Airflow 2
    from airflow.operators.python import PythonOperator

STOP = 93
HOURS = 24
GRACE = 60  # seconds, for a last checkpoint


def run(command):
    """Its exit status. Whatever ends the wait ends the command."""
    with subprocess.Popen(command, start_new_session=True) as process:
        try:
            return process.wait()
        except BaseException:
            try:
                os.killpg(process.pid, signal.SIGTERM)
                process.wait(GRACE)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                pass
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            raise


def train(command, ti, run_id, **_):
    """Run the command; the gate's answer decides what its failure means."""
    status = run(
        ["jobtriage-retry",
         # a mapped task has many of them in a run; -1: it is none
         "--job=%s.%s.%s.%d" % (ti.dag_id, run_id, ti.task_id, ti.map_index),
         "--attempt=%d" % ti.try_number,
         "--time-limit=%d" % (HOURS * 3600 - 600),
         "--logs=/shared/jobtriage/logs",
         "--store=sqlite:/shared/jobtriage/jobtriage.db",
         "--"] + command)
    if status == STOP:
        raise AirflowFailException(
            "jobtriage: stop, another attempt would fail in the same way")
    if status != 0:
        raise AirflowException("ended with status %d" % status)


with DAG("train", start_date=datetime.datetime(2026, 1, 1), schedule=None,
         catchup=False) as dag:
    PythonOperator(
        task_id="train",
        python_callable=train,
        op_kwargs={"command": ["python3", "train.py"]},
        execution_timeout=datetime.timedelta(hours=HOURS),
        retries=3,
        retry_delay=datetime.timedelta(minutes=2),
        retry_exponential_backoff=True,
    )
