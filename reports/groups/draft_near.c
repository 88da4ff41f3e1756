#include "reports/groups/draft_near.h"

#include "base/buf.h"
#include "rules/taxonomy.h"

#include <stdlib.h>

#define LEAST 4 /* letters: shorter words stand everywhere */
#define SHOWN 3

static bool letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static char small(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* The next word of *rest; what stands in < > is a placeholder. */
static bool next_word(struct span *rest, struct span *word)
{
	size_t i = 0, n = 0;

	while (i < rest->n && !letter(rest->p[i])) {
		size_t end = i;

		if (rest->p[i++] != '<')
			continue;
		while (end < rest->n && rest->p[end] != '>')
			end++;
		if (end < rest->n && end - i < 6)
			i = end;
	}
	while (i + n < rest->n && letter(rest->p[i + n]))
		n++;
	*word = span_sub(*rest, i, i + n);
	*rest = span_sub(*rest, i + n, rest->n);
	return n > 0;
}

static bool same(const char *a, size_t n, struct span word)
{
	if (n != word.n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (a[i] != small(word.p[i]))
			return false;
	return true;
}

static size_t find(const struct draft_near *w, struct span word)
{
	size_t i = 0;

	while (i < w->n && !same(w->v[i].text, w->v[i].n, word))
		i++;
	return i;
}

void draft_near_add(struct draft_near *w, struct span text)
{
	struct span word;

	while (w->n < DRAFT_NEAR_WORDS && next_word(&text, &word)) {
		if (word.n < LEAST || word.n > sizeof w->v[0].text ||
		    find(w, word) < w->n)
			continue;
		for (size_t i = 0; i < word.n; i++)
			w->v[w->n].text[i] = small(word.p[i]);
		w->v[w->n++].n = word.n;
	}
}

/* Which of them stand in a text, as bits. */
static uint32_t bits_in(const struct draft_near *w, struct span text)
{
	struct span word;
	uint32_t bits = 0;

	while (next_word(&text, &word)) {
		size_t i = find(w, word);

		if (i < w->n)
			bits |= UINT32_C(1) << i;
	}
	return bits;
}

unsigned draft_near_in(const struct draft_near *w, struct span text)
{
	uint32_t bits = bits_in(w, text);
	unsigned n = 0;

	for (; bits; bits &= bits - 1)
		n++;
	return n;
}

static uint32_t bits_of_rule(const struct draft_near *w, const struct rule *r)
{
	const struct strings *const lists[] = { &r->pattern, &r->match };
	uint32_t bits = bits_in(w, span_of(r->title));

	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < lists[k]->n; i++)
			bits |= bits_in(w, span_of(lists[k]->v[i]));
	return bits;
}

static int write_rule(const struct draft_near *w, const struct taxonomy *tax,
    const struct rule *r, uint32_t bits, struct buf *out)
{
	const struct category *c = &tax->categories[r->category];
	int rc = buf_addf(out, "#   %s (%s): %s, by", c->id, r->id,
	    taxonomy_role_name(r->role));

	for (size_t i = 0; i < w->n && !rc; i++)
		if (bits & UINT32_C(1) << i)
			rc = buf_addf(
			    out, " %.*s", (int)w->v[i].n, w->v[i].text);
	return rc || buf_addc(out, '\n') ? -1 : 0;
}

/* A word of few rules says more: it counts one over their number. */
static double weigh(
    const struct draft_near *w, const size_t *rules, uint32_t bits)
{
	double sum = 0;

	for (size_t i = 0; i < w->n; i++)
		if (bits & UINT32_C(1) << i)
			sum += 1.0 / (double)rules[i];
	return sum;
}

int draft_near_rules(
    const struct draft_near *w, const struct taxonomy *tax, struct buf *out)
{
	uint32_t *bits = calloc(tax->n_rules + 1, sizeof *bits);
	size_t rules[DRAFT_NEAR_WORDS] = { 0 };
	int rc = bits ? buf_adds(out,
			    "# The nearest rules and their "
			    "categories, by the words they share:\n")
		      : -1;

	for (size_t i = 0; i < tax->n_rules && !rc; i++) {
		const struct rule *r = taxonomy_rule_at(tax, i);

		if (r->category != TAXONOMY_NO_CATEGORY)
			bits[i] = bits_of_rule(w, r);
		for (size_t k = 0; k < w->n; k++)
			rules[k] += bits[i] >> k & 1;
	}
	for (int n = 0; n < SHOWN && !rc; n++) {
		double most = 0, here;
		size_t at = 0;

		for (size_t i = 0; i < tax->n_rules; i++) {
			here = weigh(w, rules, bits[i]);
			if (here > most) {
				most = here;
				at = i;
			}
		}
		if (most <= 0)
			break;
		rc = write_rule(
		    w, tax, taxonomy_rule_at(tax, at), bits[at], out);
		bits[at] = 0;
	}
	free(bits);
	return rc;
}
