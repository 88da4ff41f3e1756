/*
 * The templates of one good run: its lines go in, one after the other, and what
 * is kept of them comes out.
 */
#ifndef REPORTS_LEARN_H
#define REPORTS_LEARN_H

#include "base/buf.h"
#include "base/span.h"

struct learn;

/* Lines seen a moment ago, but for their digits. */
#define LEARN_RECENT 1024 /* a power of two */
struct learn_recent {
	uint64_t v[LEARN_RECENT];
};
/* Whether one was like this; then it is remembered. */
bool learn_again(struct learn_recent *r, struct span line);

struct learn *learn_new(void);    /* NULL: out of memory */
void learn_free(struct learn *l); /* accepts NULL */

/* Whether a raw line like this one was seen in this run. */
bool learn_seen(struct learn *l, struct span raw);
/* A line without its envelope and secrets. 1: there is room for no more; -1:
 * out of memory. */
int learn_line(struct learn *l, struct span line);
/* What was learned, a line each, and how many; borrowed until the next one
 * begins. */
const char *learn_templates(const struct learn *l, size_t *n);
/* Begin the next run. */
void learn_begin(struct learn *l);

#endif
