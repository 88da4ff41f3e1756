/*
 * Which good runs a baseline learns from, and learning from them: their logs
 * are read once more when all jobs have been told of, so that what was asked of
 * the baseline meanwhile does not depend on the order of the threads.
 */
#ifndef CLI_LEARNING_H
#define CLI_LEARNING_H

#include "cli/session.h"
#include "reports/baseline/baseline.h"

struct learning;
struct store;

struct learning_done {
	uint64_t runs, lines;
};

/* known: what the store has, borrowed. all: every run that did not fail is
 * good, and learned though its name has enough of them; else those proven to
 * have ended well, as far as they are needed. NULL with e set: out of memory.
 */
struct learning *learning_new(const struct settings *s, const struct session *x,
    const struct baseline *known, bool all, struct err *e);
void learning_free(struct learning *l); /* accepts NULL */

/* Whether d is one to learn from; then what is needed of it is kept. -1 with e
 * set: out of memory. */
int learning_add(struct learning *l, const struct diagnosis *d, struct err *e);
/* Learn from them, into the store. -1 with e set. */
int learning_run(struct learning *l, struct store *st,
    struct learning_done *done, struct err *e);

#endif
