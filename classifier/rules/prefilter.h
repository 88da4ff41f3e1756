/*
 * Nomination: finds where, in a block of text, one of the literals of each of
 * many sets stands (in either case). It may report too much, never too little.
 * Immutable after prefilter_new and shared by threads.
 */
#ifndef RULES_PREFILTER_H
#define RULES_PREFILTER_H

#include "base/text.h"
#include "rules/literals.h"

struct err;
struct prefilter;

struct prefilter_hit {
	uint32_t pos;     /* offset in the text of the literal's first byte */
	uint32_t literal; /* its number; sets share it: see prefilter_ids */
};

struct prefilter_hits {
	struct prefilter_hit
	    *v; /* sorted by pos, then literal; no equal pairs */
	size_t n, cap;
};

/* sets[i] has id i; empty sets are never reported (the caller must always
 * consider them). Literals shorter than 2 bytes count as empty sets: see
 * prefilter_covers. NULL with e set: out of memory. */
struct prefilter *prefilter_new(
    const struct literals *sets, size_t n, struct err *e);
/* The same, with what is left of another one, which takes far less time. base:
 * may be NULL, and is borrowed; its set b is here number[b], or gone. Of the n
 * sets in all n_new are new: sets[i] has id ids[i]. */
struct prefilter *prefilter_derive(const struct prefilter *base,
    const uint32_t *number, const struct literals *sets, const uint32_t *ids,
    size_t n_new, size_t n, struct err *e);
#define PREFILTER_GONE UINT32_MAX
void prefilter_free(struct prefilter *pf);

size_t prefilter_sets(const struct prefilter *pf);
size_t prefilter_literals(const struct prefilter *pf);
/* How long what was hit is. */
size_t prefilter_length(
    const struct prefilter *pf, const struct prefilter_hit *h);
/* Whether the filter reports this set. */
bool prefilter_covers(const struct prefilter *pf, size_t id);

/* All literal occurrences that lie wholly in text, which is under 2^31 bytes.
 * hits is overwritten, its memory reused. 0, or -1 when out of memory. */
int prefilter_find(
    const struct prefilter *pf, struct span text, struct prefilter_hits *hits);
/* The same of text[from, to) alone, and put behind the hits that are there, all
 * of which stand before it. */
int prefilter_find_on(const struct prefilter *pf, struct span text, size_t from,
    size_t to, struct prefilter_hits *hits);
/* The sets that a hit of the filter is of. Another literal of one of them may
 * stand at the same place, too. */
const uint32_t *prefilter_ids(
    const struct prefilter *pf, const struct prefilter_hit *h, size_t *n);
/* Put one behind the others. 0, or -1: no memory. */
int prefilter_hits_add(struct prefilter_hits *h, struct prefilter_hit hit);
void prefilter_hits_release(struct prefilter_hits *hits);

#endif
