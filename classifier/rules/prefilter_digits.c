#include "rules/prefilter_digits.h"

#include "rules/digits.h"
#include "rules/prefilter_private.h"

#include <stdlib.h>

#define NONE 256 /* the literal begins with a digit */

struct prefilter_digits {
	const struct prefilter *pf;
	/* Numbers of literals that hold a digit, by what stands before their
	 * first one: v[start[c]] up to v[start[c + 1]]. */
	uint32_t start[NONE + 2];
	uint32_t *v;
};

/* Where the first digit is in a literal, or its length. */
static uint32_t first_digit(
    const struct prefilter *pf, const struct prefilter_literal *l)
{
	uint32_t i = 0;

	while (i < l->len && !digits_is(pf->text[l->at + i]))
		i++;
	return i;
}

/* What stands before it; -1: the literal has none, or is of nobody. */
static int before_digit(const struct prefilter *pf, uint32_t i)
{
	const struct prefilter_literal *l = &pf->literals[i];
	uint32_t at = first_digit(pf, l);

	if (at == l->len || l->id == l->id_end)
		return -1;
	return at ? pf->text[l->at + at - 1] : NONE;
}

struct prefilter_digits *prefilter_digits_new(const struct prefilter *pf)
{
	struct prefilter_digits *d = calloc(1, sizeof *d);
	uint32_t n = 0, next[NONE + 1];

	if (!d)
		return NULL;
	d->pf = pf;
	for (uint32_t i = 0; i < pf->n_literals; i++) {
		int c = before_digit(pf, i);

		if (c >= 0)
			d->start[c + 1]++;
	}
	for (int c = 0; c <= NONE; c++) {
		next[c] = n;
		n += d->start[c + 1];
		d->start[c + 1] = n;
	}
	d->v = malloc((n + 1) * sizeof *d->v);
	if (!d->v) {
		free(d);
		return NULL;
	}
	for (uint32_t i = 0; i < pf->n_literals; i++) {
		int c = before_digit(pf, i);

		if (c >= 0)
			d->v[next[c]++] = i;
	}
	return d;
}

void prefilter_digits_free(struct prefilter_digits *d)
{
	if (!d)
		return;
	free(d->v);
	free(d);
}

/* Whether a literal stands in text with its first digit at `at`, whatever its
 * digits are. What it then takes from there on goes to *told; n 0: more than
 * there is room for. */
static bool may_stand(const struct prefilter *pf, uint32_t i, struct span text,
    size_t at, struct prefilter_told *told)
{
	const struct prefilter_literal *l = &pf->literals[i];
	const unsigned char *s = pf->text + l->at;
	size_t from, first = first_digit(pf, l), n = 0;

	if (at < first || text.n - (at - first) < l->len)
		return false;
	from = at - first;
	for (size_t k = 0; k < l->len; k++) {
		unsigned char c = (unsigned char)text.p[from + k];

		if (digits_is(s[k]) ? !digits_is(c) : s[k] != prefilter_fold(c))
			return false;
		if (digits_is(s[k]))
			n = k - first + 1;
	}
	*told = (struct prefilter_told){ .at = (uint16_t)at,
		.n = (uint8_t)(n > UINT8_MAX ? 0 : n),
		.stands = true,
		.literal = s + first };
	told->stands = prefilter_told_is(told, text);
	return true;
}

static bool is_told(
    const struct prefilter_told *v, size_t n, const struct prefilter_told *one)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].at == one->at && v[i].n == one->n &&
		    memcmp(v[i].literal, one->literal, one->n) == 0)
			return true;
	return false;
}

size_t prefilter_digits_tell(const struct prefilter_digits *d, struct span text,
    struct prefilter_told *v, size_t n, size_t max)
{
	for (size_t at = 0; at < text.n; at++) {
		/* of literals with another byte before their first digit, then
		 * of those with none */
		int before =
		    at ? prefilter_fold((unsigned char)text.p[at - 1]) : NONE;

		if (!digits_is(text.p[at]))
			continue;
		for (int c = before;; c = NONE) {
			for (uint32_t i = d->start[c]; i < d->start[c + 1];
			     i++) {
				struct prefilter_told one;

				if (!may_stand(d->pf, d->v[i], text, at, &one))
					continue;
				if (n == max || !one.n)
					return max + 1;
				if (!is_told(v, n, &one))
					v[n++] = one;
			}
			if (c == NONE)
				break;
		}
	}
	return n;
}
