/* An attempt of the past, as the store keeps it and history sees it. */
#ifndef REPORTS_REPLAY_PAST_H
#define REPORTS_REPLAY_PAST_H

#include "diagnose/decision/history.h"
#include "reports/judge/judgement.h"
#include "reports/store/entry.h"

struct past {
	struct diagnosis d; /* put together again from what the store kept */
	struct attempt as;  /* d as history sees it; set when all are
			     * read, since it borrows from d */
	struct entry_owner owner; /* its strings in the arena */
	struct judged judged;     /* what a person said; replay.c finds it */
	int64_t when;             /* or ENVELOPE_NO_TIME */
	bool has_log;
	size_t order; /* in which it was added */
};

/* d as the program had it, as far as the policy and the history ask for it: its
 * verdict and reason are the stored ones. 1 with e set: the record is no
 * diagnosis; -1 with e set: out of memory. Release when 0. */
int replay_past_read(struct past *p, const struct json *record,
    const struct taxonomy *tax, struct arena *users, struct err *e);
void replay_past_release(struct past *p);

/* Judge p with the n attempts before it, as the gate does: its verdict and
 * reason are replaced, so once only. -1 with e set. */
int replay_past_judge(struct past *p, const struct taxonomy *tax,
    const struct attempt *before, size_t n, struct err *e);

#endif
