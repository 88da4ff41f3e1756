/*
 * Job records repeat themselves: users, states, partitions and above all
 * nodes. Keeping each string once makes them small, and lets equal strings be
 * told by their address.
 */
#include "jobs/accounting_pool.h"

void accounting_pool_release(struct accounting_pool *p)
{
	arena_free(p->arena);
	buf_release(&p->repaired);
	*p = (struct accounting_pool){ .arena = NULL };
}

/* -1: out of memory. */
static int begin(struct accounting_pool *p)
{
	if (!p->arena)
		p->arena = arena_new();
	return p->arena ? 0 : -1;
}

void *accounting_pool_alloc(struct accounting_pool *p, size_t n)
{
	return begin(p) ? NULL : arena_memory(p->arena, n);
}

char *accounting_pool_string(struct accounting_pool *p, struct span s)
{
	p->repaired.max = BUF_MAX;
	buf_clear(&p->repaired);
	if (begin(p) || text_utf8(&p->repaired, s) ||
	    buf_reserve(&p->repaired, 0))
		return NULL;
	/* a string ends at a NUL, which no field has in earnest */
	return (char *)(uintptr_t)arena_string(
	    p->arena, span_of(p->repaired.p));
}
