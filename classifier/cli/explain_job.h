/*
 * What explain tells of: one job, its logs read, and its earlier attempts from
 * other logs or a store.
 */
#ifndef CLI_EXPLAIN_JOB_H
#define CLI_EXPLAIN_JOB_H

#include "cli/session.h"
#include "cli/unusual.h"
#include "reports/explain/explain.h"
#include "reports/judge/judgement.h"

struct explain_attempts; /* of the past */

struct explain_job {
	const struct settings *s;
	struct session x; /* opened by the caller, its engine keeps excerpts */
	struct triage_job job;
	struct diagnosis d; /* of the last attempt */
	struct explain_attempts *earlier;
	/* In order; borrowed from earlier. */
	const struct explain_attempt *past;
	size_t n_past;
	struct judged judged; /* what a person said of it, in the store */
	struct judgements judgements;
	struct unusual unusual; /* what good runs print, in the store */
	bool degraded;          /* some input could not be read */
	size_t n_jobs; /* that the paths tell of in the folders that were given
			* (files that were named are taken for one job's) */
	const char *newest; /* a log of the one written last; borrowed from
			     * earlier, or NULL: no folder was given */
};

/* Find the logs under s->arguments; with s->last those of the newest job only.
 * -1 with e set: out of memory. Release in every case. */
int explain_job_find(struct explain_job *j, struct err *e);
/* Read them, as one job's. -1 with e set: out of memory. */
int explain_job_read(struct explain_job *j, struct err *e);
void explain_job_release(struct explain_job *j);

#endif
