/*
 * What earlier attempts of a job tell about another one: the same failure at
 * the same place without a new checkpoint is deterministic, whatever its rule
 * says; progress makes another attempt worth it; and no cause gets more
 * retries than its budget.
 *
 * Two failures are the same when their fingerprints are: other ranks, nodes,
 * times or paths do not make them different.
 */
#ifndef DIAGNOSE_HISTORY_H
#define DIAGNOSE_HISTORY_H

#include "diagnose/diagnosis.h"

/* An attempt of the job, as a store keeps it. Texts may be NULL or empty. */
struct attempt {
	int64_t attempt; /* from 1 */
	int failed;      /* 1, 0, or -1: cannot tell */
	const char *fingerprint, *category, *rule;
	const char *checkpoint; /* the last durable one */
	const char *artefact;   /* the file that its root names */
	const char *stage;      /* as stage_find calls it */
	struct progress last;   /* the last progress printed */
	enum verdict verdict;   /* by its logs alone */
	bool declared;          /* the job's own word decided */
};

/*
 * Judge d again, which verdict_job has judged by its logs, with the job's
 * earlier attempts. They come in any order; d's own attempt and later ones are
 * passed over, and of several with one number the last counts. n = 0: it is
 * known that there were none. An attempt between them that is missing
 * (preempted, say) counts for the budget of all. Fills in d->history, and
 * changes d->verdict, d->adjust and d->reason. Once for each verdict_job. -1
 * with e set: out of memory.
 */
int history_apply(struct diagnosis *d, const struct taxonomy *tax,
    const struct attempt *v, size_t n, struct err *e);

/*
 * The earlier attempts are not to be had, or only so many of them, though there
 * were as many as d's number says: what lacks counts as retries of this cause,
 * so that no failure is tried again without end where no store works. After
 * history_apply, if that was called. -1 with e set: out of memory.
 */
int history_lacks(struct diagnosis *d, const struct taxonomy *tax, size_t known,
    struct err *e);

/* d as an attempt; borrows from d. To be called before history_apply, which
 * replaces the verdict of the logs. */
void history_attempt(const struct diagnosis *d, struct attempt *out);

/* Whether b came further than a: a later step, or a new checkpoint. */
bool history_progress(const struct taxonomy *tax, const struct attempt *a,
    const struct attempt *b);

#endif
