"""Airflow: a training task that is not tried again when the gate says stop.

jobtriage-retry ends with 93 for stop and with something else for another
attempt; AirflowFailException fails a task without using its retries.
"""
import datetime
import subprocess

from airflow import DAG
from airflow.exceptions import AirflowException, AirflowFailException
from airflow.operators.python import PythonOperator

STOP = 93


def train(command, ti, run_id, **_):
    """Run the command; the gate's answer decides what its failure means."""
    status = subprocess.run(
        ["jobtriage-retry",
         "--job=%s.%s" % (run_id, ti.task_id),
         "--attempt=%d" % ti.try_number,
         "--logs=/shared/jobtriage/logs",
         "--store=sqlite:/shared/jobtriage/jobtriage.db",
         "--"] + command).returncode
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
        retries=3,
        retry_delay=datetime.timedelta(minutes=2),
        retry_exponential_backoff=True,
    )
