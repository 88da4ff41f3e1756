/* What a filter reports, by set: each literal's hit is one of all its sets. */
#ifndef TESTS_RULES_HITS_H
#define TESTS_RULES_HITS_H

#include "tests/test.h"

#include "rules/prefilter.h"

#include <stdlib.h>

struct set_hit {
	uint32_t pos, id;
};

static inline int set_hit_order(const void *a, const void *b)
{
	const struct set_hit *x = a, *y = b;

	if (x->pos != y->pos)
		return x->pos < y->pos ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

/* The hits by place and set, each once; to be freed. */
static inline struct set_hit *set_hits(
    const struct prefilter *pf, const struct prefilter_hits *hits, size_t *n)
{
	struct set_hit *v = NULL;
	size_t count = 0, kept = 0, n_ids;

	for (int pass = 0; pass < 2; pass++) {
		if (pass)
			v = malloc((count + 1) * sizeof *v);
		count = 0;
		for (size_t i = 0; i < hits->n; i++) {
			const uint32_t *id =
			    prefilter_ids(pf, &hits->v[i], &n_ids);

			assert_true(i == 0 ||
			    hits->v[i - 1].pos < hits->v[i].pos ||
			    (hits->v[i - 1].pos == hits->v[i].pos &&
				hits->v[i - 1].literal < hits->v[i].literal));
			for (size_t k = 0; k < n_ids; k++, count++)
				if (v)
					v[count] =
					    (struct set_hit){ hits->v[i].pos,
						    id[k] };
		}
	}
	assert_non_null(v);
	if (v && count)
		qsort(v, count, sizeof *v, set_hit_order);
	for (size_t i = 0; v && i < count; i++)
		if (!i || set_hit_order(&v[i - 1], &v[i]) != 0)
			v[kept++] = v[i];
	*n = kept;
	return v;
}

/* Whether a set is among the hits in [from, to). */
static inline bool set_hit_in(const struct prefilter *pf,
    const struct prefilter_hits *hits, size_t id, size_t from, size_t to)
{
	for (size_t i = 0; i < hits->n; i++) {
		size_t n;
		const uint32_t *ids = prefilter_ids(pf, &hits->v[i], &n);

		for (size_t k = 0; k < n; k++)
			if (ids[k] == id && hits->v[i].pos >= from &&
			    hits->v[i].pos < to)
				return true;
	}
	return false;
}

#endif
