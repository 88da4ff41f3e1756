/*
 * What the logs of a job say beside its failure, found once: the verdict, the
 * cost, the history and whatever tells of a diagnosis read it here.
 *
 * Nothing in it is a copy of a log's words: it points to the findings, so what
 * is hidden there is hidden here.
 */
#ifndef DIAGNOSE_JOB_FACTS_H
#define DIAGNOSE_JOB_FACTS_H

#include "diagnose/decision/trends.h"
#include "diagnose/evidence/inputs.h"
#include "diagnose/findings.h"
#include "diagnose/signals/collective.h"
#include "diagnose/signals/memory.h"

struct diagnosis;
struct err;
struct taxonomy;

struct job_facts {
	const char *framework;           /* static, or NULL */
	struct progress last;            /* the last one printed */
	const struct findings *saved;    /* the log with the latest durable
					  * checkpoint, or NULL */
	const struct findings *done;     /* it failed, but its work was done by
					  * then: the log that says so; or NULL */
	const struct findings *declared; /* the log in which the job says why
					  * it ends, or NULL */
	bool declared_decides;        /* its category or verdict is the job's */
	int exit_code, signal;        /* the logs', else the record's; or -1 */
	struct collective collective; /* that ranks wait in; seq -1: none */
	struct trends trends;         /* of its curves, if they were kept */
	struct trend_nan nan;         /* likewise */
	/* of the root failure: */
	enum stage stage;
	int first_error_rank;        /* or -1 */
	int64_t first_nan_step;      /* of a fault that lasts; or -1 */
	const struct frame *frame;   /* the user's own, or NULL */
	const struct inputs *inputs; /* named last before it; or NULL */
	struct memory memory;        /* of its message */
	bool out_of_memory;          /* memory has something */
};

/* Fill in d->facts from d's logs, record and root failure. -1 with e set: out
 * of memory. */
int job_facts_find(
    struct diagnosis *d, const struct taxonomy *tax, struct err *e);
void job_facts_release(struct job_facts *f);

#endif
