/*
 * The strings of a set of job records: each kept once, as valid UTF-8, until
 * the set goes; and which record a string names.
 */
#ifndef JOBS_ACCOUNTING_POOL_H
#define JOBS_ACCOUNTING_POOL_H

#include "base/buf.h"
#include "base/text.h"

/* Of a string that names no record, and one that names several. */
#define POOL_NO_RECORD UINT32_MAX
#define POOL_SEVERAL (UINT32_MAX - 1)

struct accounting_word {
	char *s;
	uint64_t hash;
	size_t n;
	uint32_t record;
};

struct accounting_chunk;

/* {0} is an empty one. */
struct accounting_pool {
	struct accounting_chunk *chunk;
	struct accounting_word *words; /* a hash table; s NULL: free */
	size_t n, cap;
	struct buf repaired;
};

void accounting_pool_release(struct accounting_pool *p);
/* Aligned for pointers; lives as long as the pool. NULL: out of memory. */
void *accounting_pool_alloc(struct accounting_pool *p, size_t n);
/* The one copy of s. NULL: out of memory. */
char *accounting_pool_string(struct accounting_pool *p, struct span s);
/* NULL: not there. */
struct accounting_word *accounting_pool_find(
    const struct accounting_pool *p, struct span s);

#endif
