/*
 * Job records repeat themselves: users, states, partitions and above all
 * nodes. Keeping each string once makes them small, and lets equal strings be
 * told by their address.
 */
#include "jobs/accounting_pool.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK ((size_t)256 << 10)

struct accounting_chunk {
	struct accounting_chunk *next;
	size_t used, size;
	void *bytes[];
};

void accounting_pool_release(struct accounting_pool *p)
{
	while (p->chunk) {
		struct accounting_chunk *next = p->chunk->next;

		free(p->chunk);
		p->chunk = next;
	}
	free(p->words);
	buf_release(&p->repaired);
	memset(p, 0, sizeof *p);
}

void *accounting_pool_alloc(struct accounting_pool *p, size_t n)
{
	struct accounting_chunk *c = p->chunk;
	void *at;

	n = (n + sizeof(void *) - 1) / sizeof(void *) * sizeof(void *);
	if (!c || c->size - c->used < n) {
		size_t size = n > CHUNK ? n : CHUNK;

		c = malloc(sizeof *c + size);
		if (!c)
			return NULL;
		c->next = p->chunk;
		c->used = 0;
		c->size = size;
		p->chunk = c;
	}
	at = (char *)c->bytes + c->used;
	c->used += n;
	return at;
}

/* The place of s, or the free one where it belongs. cap is not 0. */
static struct accounting_word *place(
    const struct accounting_pool *p, struct span s, uint64_t hash)
{
	size_t i = (size_t)hash & (p->cap - 1);

	while (p->words[i].s &&
	    (p->words[i].hash != hash || p->words[i].n != s.n ||
		memcmp(p->words[i].s, s.p, s.n) != 0))
		i = (i + 1) & (p->cap - 1);
	return &p->words[i];
}

static int grow(struct accounting_pool *p)
{
	struct accounting_pool old = *p;

	p->cap = old.cap ? 2 * old.cap : 1024;
	p->words = calloc(p->cap, sizeof *p->words);
	if (!p->words) {
		*p = old;
		return -1;
	}
	for (size_t i = 0; i < old.cap; i++) {
		const struct accounting_word *w = &old.words[i];

		if (w->s)
			*place(p, (struct span){ w->s, w->n }, w->hash) = *w;
	}
	free(old.words);
	return 0;
}

struct accounting_word *accounting_pool_find(
    const struct accounting_pool *p, struct span s)
{
	struct accounting_word *w;

	if (!p->cap || !s.n)
		return NULL;
	w = place(p, s, hash_of(s.p, s.n).low);
	return w->s ? w : NULL;
}

char *accounting_pool_string(struct accounting_pool *p, struct span s)
{
	struct accounting_word *w;
	uint64_t hash;

	p->repaired.max = BUF_MAX;
	buf_clear(&p->repaired);
	if (text_utf8(&p->repaired, s) || buf_reserve(&p->repaired, 0))
		return NULL;
	/* a string ends at a NUL, which no field has in earnest */
	s = span_of(p->repaired.p);
	if (2 * p->n >= p->cap && grow(p))
		return NULL;
	hash = hash_of(s.p, s.n).low;
	w = place(p, s, hash);
	if (w->s)
		return w->s;
	w->s = accounting_pool_alloc(p, s.n + 1);
	if (!w->s)
		return NULL;
	memcpy(w->s, s.p, s.n + 1);
	w->n = s.n;
	w->hash = hash;
	w->record = POOL_NO_RECORD;
	p->n++;
	return w->s;
}
