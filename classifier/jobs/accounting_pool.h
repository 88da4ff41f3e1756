/*
 * The strings of a set of job records: each kept once, as valid UTF-8, until
 * the set goes.
 */
#ifndef JOBS_ACCOUNTING_POOL_H
#define JOBS_ACCOUNTING_POOL_H

#include "base/arena.h"
#include "base/buf.h"

/* {0} is an empty one. */
struct accounting_pool {
	struct arena *arena; /* or NULL: it is empty */
	struct buf repaired;
};

void accounting_pool_release(struct accounting_pool *p);
/* Zero, and aligned for any type; lives as long as the pool. NULL: out of
 * memory. */
void *accounting_pool_alloc(struct accounting_pool *p, size_t n);
/* The one copy of s. NULL: out of memory. */
char *accounting_pool_string(struct accounting_pool *p, struct span s);

#endif
