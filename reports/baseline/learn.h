/*
 * The templates of one good run: its lines go in, one after the other, and what
 * is kept of them comes out.
 */
#ifndef REPORTS_LEARN_H
#define REPORTS_LEARN_H

#include "base/buf.h"
#include "base/span.h"

struct learn;

struct learn *learn_new(void);    /* NULL: out of memory */
void learn_free(struct learn *l); /* accepts NULL */

/* A line without its envelope and secrets. 1: there is room for no more; -1:
 * out of memory. */
int learn_line(struct learn *l, struct span line);
/* What was learned, a line each, and how many; borrowed until the next one
 * begins. */
const char *learn_templates(const struct learn *l, size_t *n);
/* Begin the next run. */
void learn_begin(struct learn *l);

#endif
