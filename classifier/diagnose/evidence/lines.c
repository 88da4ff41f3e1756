#include "diagnose/evidence/lines.h"

#include "rules/digits.h"
#include "rules/prefilter_digits.h"

#include <stdlib.h>
#include <string.h>

#define PLACES 1024 /* of lines that are kept */
#define WAYS 4      /* beside each other, of those with one hash */
#define TEXT 2048   /* bytes of one */
#define TOLD 24     /* places of one where digits tell */

struct line {
	struct line_found found;
	uint64_t hash;
	void *memory; /* hits, those for exceptions, the text */
	size_t cap;
	const char *text; /* each digit is '0' */
	size_t n;
	size_t n_told;
	struct prefilter_told told[TOLD];
};

struct lines {
	const struct engine_tables *tables;
	struct prefilter_digits *digits, *raised_digits;
	struct line v[PLACES];
	struct line other;                  /* one that is not kept */
	unsigned next;                      /* the way to use next */
	struct prefilter_hits hits, raised; /* of the line at hand, */
	char text[DIGITS_ROOM(TEXT)];       /* and its text as it is kept */
};

struct lines *lines_new(const struct engine_tables *t)
{
	struct lines *l = calloc(1, sizeof *l);

	if (!l)
		return NULL;
	l->tables = t;
	l->digits = prefilter_digits_new(t->prefilter);
	l->raised_digits = prefilter_digits_new(t->raised);
	if (l->digits && l->raised_digits)
		return l;
	lines_free(l);
	return NULL;
}

void lines_free(struct lines *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < PLACES; i++)
		free(t->v[i].memory);
	prefilter_digits_free(t->digits);
	prefilter_digits_free(t->raised_digits);
	prefilter_hits_release(&t->hits);
	prefilter_hits_release(&t->raised);
	free(t);
}

/* Whether what is known of a line is true of the one at hand. */
static bool is(const struct line *l, const struct lines *t, uint64_t hash,
    struct span line)
{
	if (l->hash != hash || l->n != line.n ||
	    memcmp(l->text, t->text, line.n) != 0)
		return false;
	for (size_t i = 0; i < l->n_told; i++)
		if (!prefilter_told_is(&l->told[i], line))
			return false;
	return true;
}

/* Note by which of its digits the line at hand may have other hits. Whether
 * they are few. */
static bool tell(const struct lines *t, struct line *l, struct span line)
{
	size_t n = prefilter_digits_tell(t->digits, line, l->told, 0, TOLD);

	if (n <= TOLD)
		n = prefilter_digits_tell(
		    t->raised_digits, line, l->told, n, TOLD);
	l->n_told = n;
	return n <= TOLD;
}

/* Keep what was found in the line at hand. 0, or -1: no memory. */
static int keep(struct lines *t, struct line *l, uint64_t hash, size_t n)
{
	size_t hits = t->hits.n * sizeof *t->hits.v;
	size_t raised = t->raised.n * sizeof *t->raised.v;
	size_t need = hits + raised + n;
	char *p;

	l->n = 0;
	if (need > l->cap) {
		free(l->memory);
		l->memory = malloc(need);
		l->cap = l->memory ? need : 0;
		if (!l->memory)
			return -1;
	}
	p = l->memory;
	if (hits)
		memcpy(p, t->hits.v, hits);
	if (raised)
		memcpy(p + hits, t->raised.v, raised);
	memcpy(p + hits + raised, t->text, n);
	l->text = p + hits + raised;
	l->n = n;
	l->hash = hash;
	l->found = (struct line_found){ .hits = l->memory,
		.raised = (const struct prefilter_hit *)(void *)(p + hits),
		.n_hits = t->hits.n,
		.n_raised = t->raised.n };
	return 0;
}

struct line_found *lines_find(struct lines *t, struct span line, bool *known)
{
	bool may = line.n && line.n <= TEXT, digits;
	uint64_t hash = may ? digits_drop(line, t->text, &digits) : 0;
	struct line *set = &t->v[hash % (PLACES / WAYS) * WAYS], *l;

	*known = true;
	for (size_t i = 0; may && i < WAYS; i++)
		if (is(&set[i], t, hash, line))
			return &set[i].found;
	*known = false;
	if (prefilter_find(t->tables->prefilter, line, &t->hits) ||
	    prefilter_find(t->tables->raised, line, &t->raised))
		return NULL;
	l = &set[t->next++ % WAYS];
	if (may && tell(t, l, line))
		return keep(t, l, hash, line.n) ? NULL : &l->found;
	if (may)
		l->n = 0;
	t->other.found = (struct line_found){ .hits = t->hits.v,
		.raised = t->raised.v,
		.n_hits = t->hits.n,
		.n_raised = t->raised.n };
	return &t->other.found;
}
