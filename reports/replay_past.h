/* An attempt of the past, as replay.c compares it. Private to the replay. */
#ifndef REPORTS_REPLAY_PAST_H
#define REPORTS_REPLAY_PAST_H

#include "diagnose/history.h"
#include "reports/entry.h"

struct past {
	struct diagnosis d; /* put together again from what the store kept */
	struct attempt as;  /* d as history sees it */
	const char *user;   /* in the pool, or NULL */
	int64_t when;       /* or ENVELOPE_NO_TIME */
	bool has_log;
	size_t order; /* in which it was added */
};

/* d as the program had it, as far as the policy and the history ask for it: its
 * verdict and reason are the stored ones. 1 with e set: the record is no
 * diagnosis; -1 with e set: out of memory. Release when 0. */
int past_read(struct past *p, const struct json *record,
    const struct taxonomy *tax, struct pool *users, struct err *e);
void past_release(struct past *p);

/* The gate's verdict on p, with the n attempts before it; *reason is borrowed
 * from p. p is judged once: its own verdict is replaced. -1 with e set. */
int past_judge(struct past *p, const struct taxonomy *tax,
    const struct attempt *before, size_t n, struct err *e);

#endif
