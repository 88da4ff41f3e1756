/*
 * A job of a unit: its logs are gathered, and become a diagnosis together with
 * its record. Private to jobs/.
 */
#ifndef JOBS_UNIT_JOB_H
#define JOBS_UNIT_JOB_H

#include "jobs/triage.h"
#include "jobs/unit_log.h"

struct job {
	char *key; /* first: what the tree compares */
	char *name;
	char *cluster; /* owned: told by a path; or NULL */
	int attempt;   /* from 1 */
	size_t scope;  /* as that of struct log_id */
	bool told;     /* by the path */
	bool named;    /* by more than its path */
	struct findings **logs;
	size_t n_logs;
	size_t bytes;            /* held by the findings */
	size_t coming;           /* logs that have begun and are not here yet */
	struct unit_time time;   /* that is left for them */
	bool listed;             /* from its first log that is here */
	struct job *next, *prev; /* in the order of these */
};

/* Free what it has. */
void unit_job_release(struct job *j);
/* Takes f over. -1: out of memory. */
int unit_job_add(struct job *j, struct findings *f);
/* What the rules see in the job's record becomes one of its logs. */
int unit_job_record(struct job *j, const struct job_record *rec,
    const struct unit_reader *reader, struct err *e);
/* Whose its id is, as far as its paths and the options tell; or NULL. */
const char *unit_job_cluster(
    const struct job *j, const struct triage_options *o);
/* The record of the one job, in its own copy. NULL: nothing is known. */
const struct job_record *unit_job_own_record(
    struct triage_job *t, struct job *j, const struct triage_options *o);
/* Root failure, cost and verdict of a job whose logs have all been read. Takes
 * the job's logs over. */
int unit_job_diagnose(struct job *j, const struct job_record *rec,
    const struct triage_options *o, struct diagnosis *d, struct err *e);

#endif
