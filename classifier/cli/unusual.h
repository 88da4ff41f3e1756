/*
 * What a store's baseline says of a job: which of its lines good runs print,
 * and, of one that leaves open what failed, which they do not.
 */
#ifndef CLI_UNUSUAL_H
#define CLI_UNUSUAL_H

#include "cli/session.h"
#include "diagnose/decision/usual.h"
#include "reports/baseline/baseline.h"

struct unusual {
	struct usual usual; /* for triage_options */
	const struct settings *s;
	const struct session *x;
	struct baseline known;
	bool person; /* one job, for a person: wherever its log lies, and each
		      * failure whose good runs are known */
};

/* Read the baseline of a store; x->options ask it from now on, if there is
 * anything in it. -1 with e set. Release in every case. */
int unusual_read(struct unusual *u, const struct settings *s, struct session *x,
    struct store *st, struct err *e);
void unusual_release(struct unusual *u);

#endif
