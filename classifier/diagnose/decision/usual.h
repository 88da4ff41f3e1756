/*
 * What good runs print, as far as somebody has learned it: a line that they
 * print, too, is no lead to a failure. It orders what leaves open what failed,
 * and nothing else: a cause that a rule states stays the cause.
 */
#ifndef DIAGNOSE_USUAL_H
#define DIAGNOSE_USUAL_H

#include "base/span.h"
#include "diagnose/decision/candidates.h"

struct diagnosis;
struct err;

/* Who knows; asked from any thread. */
struct usual {
	void *ctx;
	/* Whether good runs print this line in a job like d, whose record and
	 * key are in place. */
	bool (*prints)(void *ctx, const struct diagnosis *d, struct span line);
	/* Look for lines that they do not print: d->leads, of a job that has
	 * been judged. -1 with e set: out of memory. */
	int (*look)(void *ctx, struct diagnosis *d, struct err *e);
};

/* Of the candidates of a claim that leave open what failed, those that good
 * runs print, too, give way to those that they do not. */
void usual_settle(struct ranking *r, enum claim claim);

#endif
