#include "diagnose/evidence/judged.h"

#include "rules/digits.h"
#include "rules/taxonomy.h"

#include <stdlib.h>
#include <string.h>

#define PLACES 512 /* texts that are kept */
#define TEXT 8192  /* bytes of one */
#define ASKED 96   /* patterns run on one */
#define FOUND 4    /* of them that find something */

/* What one has found, in places of the text; an unset group is at NOWHERE. */
struct found {
	uint32_t pattern;
	int n;
	struct {
		uint32_t at, n;
	} group[PATTERN_GROUPS];
};
#define NOWHERE UINT32_MAX

struct judgement {
	uint64_t hash;
	char *text; /* each digit is '0' */
	size_t n, cap;
	bool digits; /* it has some */
	size_t n_asked, n_found;
	uint32_t asked[ASKED];
	/* by the first pattern of a rule: what they have found */
	enum { NOT_ASKED, NOTHING, SOMETHING } said[ASKED];
	unsigned char which[ASKED]; /* of found */
	struct found found[FOUND];
};

enum alike { NOT_KNOWN, ALIKE, NOT_ALIKE };

struct judged {
	const struct taxonomy *tax;
	struct judgement *v[PLACES];
	/* enum alike, of each pattern, of each rule's unless: */
	unsigned char *pattern, *unless;
	char text[DIGITS_ROOM(TEXT)]; /* the one at hand, as they are kept */
	bool digits;
};

struct judged *judged_new(const struct taxonomy *tax)
{
	struct judged *j = calloc(1, sizeof *j);

	if (!j)
		return NULL;
	j->tax = tax;
	j->pattern = calloc(tax->n_patterns + 1, 1);
	j->unless = calloc(tax->n_rules + 1, 1);
	if (j->pattern && j->unless)
		return j;
	judged_free(j);
	return NULL;
}

void judged_free(struct judged *j)
{
	if (!j)
		return;
	for (size_t i = 0; i < PLACES; i++) {
		if (j->v[i])
			free(j->v[i]->text);
		free(j->v[i]);
	}
	free(j->pattern);
	free(j->unless);
	free(j);
}

/* Whether that is of the text at hand. */
static bool is(const struct judgement *v, const struct judged *j, uint64_t hash,
    size_t n, const size_t *patterns, size_t n_patterns)
{
	if (v->hash != hash || v->n != n || v->n_asked != n_patterns ||
	    memcmp(v->text, j->text, n) != 0)
		return false;
	for (size_t i = 0; i < n_patterns; i++)
		if (v->asked[i] != patterns[i])
			return false;
	return true;
}

/* Let a place hold the text at hand, of which nothing is known. */
static struct judgement *begin(struct judgement **place, const struct judged *j,
    uint64_t hash, size_t n, const size_t *patterns, size_t n_patterns)
{
	struct judgement *v = *place;

	if (!v)
		v = *place = calloc(1, sizeof *v);
	if (v && v->cap < n) {
		free(v->text);
		v->text = malloc(n);
		v->cap = v->text ? n : 0;
		v->n = 0;
	}
	if (!v || !v->text || v->cap < n)
		return NULL;
	v->hash = hash;
	memcpy(v->text, j->text, n);
	v->n = n;
	v->digits = j->digits;
	v->n_asked = n_patterns;
	v->n_found = 0;
	for (size_t i = 0; i < n_patterns; i++)
		v->asked[i] = (uint32_t)patterns[i];
	memset(v->said, 0, n_patterns * sizeof *v->said);
	return v;
}

struct judgement *judged_of(struct judged *j, unsigned kind, struct span text,
    const size_t *patterns, size_t n)
{
	struct judgement **place;
	uint64_t hash;

	if (!text.n || text.n > TEXT || n > ASKED)
		return NULL;
	hash = digits_drop(text, j->text, &j->digits) + kind;
	place = &j->v[hash % PLACES];
	return *place && is(*place, j, hash, text.n, patterns, n)
	    ? *place
	    : begin(place, j, hash, text.n, patterns, n);
}

bool judged_told(const struct judgement *v, size_t i, struct span text,
    ptrdiff_t *by, struct pattern_match *m)
{
	const struct found *f;

	if (v->said[i] != SOMETHING) {
		*by = -1;
		return v->said[i] == NOTHING;
	}
	f = &v->found[v->which[i]];
	*by = (ptrdiff_t)f->pattern;
	m->n = f->n;
	for (int k = 0; k < f->n; k++)
		m->group[k] = f->group[k].at == NOWHERE
		    ? (struct span){ NULL, 0 }
		    : (struct span){ text.p + f->group[k].at, f->group[k].n };
	return true;
}

/* Whether none of some expressions tells one digit from another; *known keeps
 * it. */
static bool alike(unsigned char *known, char *const *v, size_t n)
{
	if (*known == NOT_KNOWN) {
		*known = ALIKE;
		for (size_t i = 0; i < n && *known == ALIKE; i++)
			*known = digits_alike(v[i]) ? ALIKE : NOT_ALIKE;
	}
	return *known == ALIKE;
}

bool judged_alike(
    struct judged *j, const size_t *patterns, size_t n, bool matched)
{
	size_t rule = j->tax->pattern_rule[*patterns];
	const struct rule *r = taxonomy_rule_at(j->tax, rule);

	for (size_t i = 0; i < n; i++)
		if (!alike(&j->pattern[patterns[i]],
			&r->pattern.v[patterns[i] - r->first], 1))
			return false;
	return !matched || alike(&j->unless[rule], r->unless.v, r->unless.n);
}

static void keep(struct found *f, struct span text, ptrdiff_t by,
    const struct pattern_match *m)
{
	f->pattern = (uint32_t)by;
	f->n = m->n;
	for (int k = 0; k < m->n; k++) {
		const struct span *g = &m->group[k];

		f->group[k].at = g->p ? (uint32_t)(g->p - text.p) : NOWHERE;
		f->group[k].n = (uint32_t)g->n;
	}
}

bool judged_has_digits(const struct judgement *v)
{
	return v->digits;
}

void judged_tell(struct judgement *v, size_t i, struct span text, ptrdiff_t by,
    const struct pattern_match *m)
{
	if (by < 0) {
		v->said[i] = NOTHING;
	} else if (v->n_found < FOUND) {
		keep(&v->found[v->n_found], text, by, m);
		v->which[i] = (unsigned char)v->n_found++;
		v->said[i] = SOMETHING;
	}
}
