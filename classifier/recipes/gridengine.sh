#!/bin/sh
#$ -N train
#$ -cwd
#$ -r y
# Grid Engine (Univa, Altair, Son of, Open): a job that is queued again when the
# gate says retry, and held in the error state when it says stop.
#
#	qsub gridengine.sh python3 train.py
#
# Grid Engine has two exit statuses of its own: a job that ends with 99 is queued
# again, one that ends with 100 waits in the state Eqw until somebody has looked
# (qstat -j JOB, the log) and lets it go on (qmod -cj JOB) or deletes it. More
# memory or time is the owner's to give: such a job waits there, too, for
# `qalter -l h_vmem=... JOB` and qmod. Any other status is the job's own end.
#
# Its own limit on time ends a job with its wrapper: --time-limit is below h_rt.
#$ -l h_rt=86400
id=$JOB_ID
[ "${SGE_TASK_ID:-undefined}" = undefined ] || id=$id.$SGE_TASK_ID
logs=${JOBTRIAGE_LOGS:-$HOME/jobtriage}
mkdir -p "$logs"
exec jobtriage-retry --exit-map stop=100,retry=99,adjust=99 \
    --adjust memory=100,time=100 --time-limit 85800 --job "$id" \
    --logs "$logs" --store "sqlite:$logs/jobtriage.db" -- "$@"
