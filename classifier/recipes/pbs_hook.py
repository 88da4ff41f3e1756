"""OpenPBS: a job whose script ends with jobtriage-retry is queued again when
the gate says so, and left alone when it says stop.

    qmgr -c 'create hook jobtriage event=execjob_epilogue'
    qmgr -c 'import hook jobtriage application/x-python default pbs_hook.py'

The job's script, submitted with `qsub -r y`:

    exec jobtriage-retry --job="$PBS_JOBID" --logs="$HOME/logs" \\
        --store="sqlite:$HOME/gate.db" -- python3 train.py

The statuses are the wrapper's: 75 retry, 76 retry with a change; every other
one is the job's own end. The hook runs on the first node as soon as the script
has ended; the other nodes of the job have nothing to say. A job that exceeded
its walltime was killed with its wrapper: give --time-limit there.
"""
import pbs

AGAIN = (75, 76)
MAX_RUNS = 10  # whatever the gate's own budgets say


def main(event):
    """Flag the job to be queued again; the server does so after the hook."""
    job = event.job
    if not job.in_ms_mom() or job.Exit_status not in AGAIN:
        return
    if not job.Rerunable:
        said = "not rerunable"
    elif int(job.run_count or 0) >= MAX_RUNS:
        said = "run %d times, enough" % int(job.run_count)
    else:
        job.rerun()
        said = "queued again"
    pbs.logjobmsg(job.id, "jobtriage: status %d, %s" % (job.Exit_status, said))


main(pbs.event())
