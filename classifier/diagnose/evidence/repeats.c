#include "diagnose/evidence/repeats.h"

#include "diagnose/evidence/shape.h"
#include "rules/digits.h"

#include <stdlib.h>
#include <string.h>

#define SETS 256
#define WAYS 4   /* beside each other, of those with one hash */
#define PASSED 3 /* times that one could not be kept, after which none is */
#define VAIN 8   /* that gave way and were never met again */

struct repeats {
	struct prefilter_digits *digits, *raised_digits;
	struct repeat *v[SETS][WAYS];
	unsigned char next[SETS]; /* the way to use next */
	unsigned char vain[SETS]; /* how many were not met again, and refused */
	uint64_t seen[SETS];      /* a hash that was seen once */
	char plain[DIGITS_ROOM(REPEAT_TEXT)];
	uint64_t hash; /* of the text at hand */
};

struct repeats *repeats_new(const struct engine_tables *t)
{
	struct repeats *r = calloc(1, sizeof *r);

	if (!r)
		return NULL;
	r->digits = prefilter_digits_new(t->prefilter);
	r->raised_digits = prefilter_digits_new(t->raised);
	if (r->digits && r->raised_digits)
		return r;
	repeats_free(r);
	return NULL;
}

void repeats_clear(struct repeat *r)
{
	free(r->text);
	free(r->plain);
	free(r->raisers);
	free(r->runs);
	free(r->found);
	*r = (struct repeat){ .hash = r->hash, .passed = r->passed };
}

void repeats_free(struct repeats *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < SETS; i++)
		for (size_t k = 0; k < WAYS; k++) {
			if (t->v[i][k])
				repeats_clear(t->v[i][k]);
			free(t->v[i][k]);
		}
	prefilter_digits_free(t->digits);
	prefilter_digits_free(t->raised_digits);
	free(t);
}

static bool same_at(const struct repeat *r, struct span text, size_t i)
{
	const struct repeat_place *p = &r->fixed[i];

	return memcmp(r->text + p->at, text.p + p->at, p->n) == 0;
}

/* Whether the text at hand is like one. */
static bool is(const struct repeat *r, const struct repeats *t, struct span s)
{
	if (r->n != s.n || memcmp(r->plain, t->plain, s.n) != 0)
		return false;
	for (size_t i = 0; i < r->n_fixed; i++)
		if (!same_at(r, s, i))
			return false;
	for (size_t i = 0; i < r->n_told; i++)
		if (!prefilter_told_is(&r->told[i], s))
			return false;
	return true;
}

/* Whether what is kept in r's set is not met again: then for a while nothing
 * gives way to others. */
static bool in_vain(struct repeats *t, const struct repeat *r)
{
	unsigned char *vain = &t->vain[t->hash % SETS];

	if (*vain < VAIN) {
		if (r->n && !r->met)
			++*vain;
		return false;
	}
	++*vain; /* up to the highest, then anew */
	return true;
}

/* Where a text of this hash may be kept; NULL: nowhere now. */
static struct repeat *place(
    struct repeats *t, struct repeat **set, uint32_t block)
{
	struct repeat **r = NULL;

	for (size_t i = 0; !r && i < WAYS; i++)
		if (!set[i] || (set[i]->hash == t->hash && !set[i]->n))
			r = &set[i];
	if (!r)
		r = &set[t->next[t->hash % SETS]++ % WAYS];
	if (!*r)
		*r = calloc(1, sizeof **r);
	if (!*r || ((*r)->n && (*r)->block == block) || in_vain(t, *r))
		return NULL;
	if ((*r)->hash != t->hash)
		(*r)->passed = 0;
	(*r)->hash = t->hash;
	repeats_clear(*r);
	return *r;
}

struct repeat *repeats_find(
    struct repeats *t, struct span text, uint32_t block, bool more)
{
	struct repeat **set;
	uint64_t *seen;
	bool digits;

	t->hash = digits_drop(text, t->plain, &digits);
	set = t->v[t->hash % SETS];
	for (size_t i = 0; i < WAYS; i++) {
		if (!set[i] || set[i]->hash != t->hash)
			continue;
		if (set[i]->passed >= PASSED)
			return NULL;
		if (!is(set[i], t, text))
			continue;
		set[i]->met = true;
		return set[i];
	}
	if (!more)
		return NULL;
	seen = &t->seen[t->hash % SETS];
	if (*seen != t->hash) {
		*seen = t->hash;
		return NULL;
	}
	return place(t, set, block);
}

/* What a frame is called must be the same: much is known by it. */
static bool fix(struct repeat *r, struct span line)
{
	struct shape_frame sf;
	const struct span *part[] = { &sf.file, &sf.function };

	if (!shape_frame(line, &sf))
		return true;
	for (size_t i = 0; i < 2; i++) {
		if (!part[i]->n)
			continue;
		if (r->n_fixed == REPEAT_FIXED)
			return false;
		r->fixed[r->n_fixed++] =
		    (struct repeat_place){ (uint32_t)(part[i]->p - r->text),
			    (uint32_t)part[i]->n };
	}
	return true;
}

/* The places where digits tell. Whether they are few. */
static bool tell(const struct repeats *t, struct repeat *r, struct span text)
{
	size_t n =
	    prefilter_digits_tell(t->digits, text, r->told, 0, REPEAT_TOLD);

	if (n <= REPEAT_TOLD)
		n = prefilter_digits_tell(
		    t->raised_digits, text, r->told, n, REPEAT_TOLD);
	r->n_told = n <= REPEAT_TOLD ? n : 0;
	return n <= REPEAT_TOLD;
}

bool repeats_keep(struct repeats *t, struct repeat *r, struct span text,
    const struct repeat_place *fixed, size_t n)
{
	struct span rest, line;
	bool digits;

	r->text = span_dup(text);
	r->plain = malloc(DIGITS_ROOM(text.n));
	if (!r->text || !r->plain)
		return false;
	(void)digits_drop(text, r->plain, &digits);
	while (n-- > 0)
		r->fixed[r->n_fixed++] = fixed[n];
	rest = (struct span){ r->text, text.n };
	while (span_line(&rest, &line))
		if (!fix(r, line))
			return false;
	r->n = text.n;
	return tell(t, r, text);
}

bool repeats_digits_tell(const struct repeats *t, struct span text)
{
	struct prefilter_told told[1];

	return prefilter_digits_tell(t->digits, text, told, 0, 1) ||
	    prefilter_digits_tell(t->raised_digits, text, told, 0, 1);
}

void repeats_pass(struct repeat *r)
{
	r->passed++;
	repeats_clear(r);
}
