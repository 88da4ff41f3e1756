/*
 * Sets are fixed arrays: they are small, live on the stack and are copied by
 * their used rows only.
 */
#include "rules/litset.h"

#include "rules/rarity.h"

#include <limits.h>
#include <string.h>

#define SHORT 5 /* bytes that the prefilter needs to find a text at once */
#define USELESS (-100)  /* score of a text that no filter can look for */
#define IN_EACH (-1000) /* score of one that each text holds */
#define NO_SCORE INT_MIN

static bool same(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (litset_fold((unsigned char)a[i]) !=
		    litset_fold((unsigned char)b[i]))
			return false;
	return true;
}

void litset_empty_text(struct litset *s)
{
	s->n = 1;
	s->len[0] = 0;
	s->score = NO_SCORE;
}

void litset_copy(struct litset *to, const struct litset *from)
{
	to->n = from->n;
	to->score = from->score;
	for (unsigned i = 0; i < from->n; i++) {
		to->len[i] = from->len[i];
		memcpy(to->text[i], from->text[i], from->len[i]);
	}
}

/* A text of a set. */
struct text {
	const char *p;
	size_t n;
};

static struct text text_of(const struct litset *s, unsigned i)
{
	return (struct text){ s->text[i], s->len[i] };
}

/* Add a followed by b; false when there is no room for it. */
static bool add(struct litset *s, struct text a, struct text b)
{
	size_t n = a.n + b.n;
	char *to;

	if (n > LITSET_TEXT_MAX || s->n == LITERALS_MAX)
		return false;
	to = s->text[s->n];
	memcpy(to, a.p, a.n);
	memcpy(to + a.n, b.p, b.n);
	for (unsigned k = 0; k < s->n; k++)
		if (s->len[k] == n && same(s->text[k], to, n))
			return true;
	s->len[s->n++] = (unsigned char)n;
	return true;
}

bool litset_add_byte(struct litset *s, unsigned char c)
{
	char p = (char)c;

	s->score = NO_SCORE;
	return add(s, (struct text){ &p, 1 }, (struct text){ "", 0 });
}

bool litset_merge(struct litset *s, const struct litset *from)
{
	s->score = NO_SCORE;
	for (unsigned i = 0; i < from->n; i++) {
		if (!add(s, text_of(from, i), (struct text){ "", 0 })) {
			s->n = 0;
			return false;
		}
	}
	return true;
}

bool litset_merge_needed(struct litset *s, const struct litset *from)
{
	s->score = NO_SCORE;
	for (unsigned i = 0; i < from->n; i++) {
		if (add(s, text_of(from, i), (struct text){ "", 0 }))
			continue;
		litset_reduce(s);
		if (!add(s, text_of(from, i), (struct text){ "", 0 })) {
			s->n = 0;
			return false;
		}
	}
	return true;
}

/* The common case: one text behind all. They stay different from each other,
 * so nothing need be compared. */
static bool append(struct litset *s, struct text b)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->len[i] + b.n > LITSET_TEXT_MAX)
			return false;
	for (unsigned i = 0; i < s->n; i++) {
		memcpy(s->text[i] + s->len[i], b.p, b.n);
		s->len[i] = (unsigned char)(s->len[i] + b.n);
	}
	return true;
}

bool litset_multiply(struct litset *s, const struct litset *b)
{
	struct litset product;

	s->score = NO_SCORE;
	if (b->n == 1)
		return append(s, text_of(b, 0));
	product.n = 0;
	product.score = NO_SCORE;
	for (unsigned i = 0; i < s->n; i++)
		for (unsigned j = 0; j < b->n; j++)
			if (!add(&product, text_of(s, i), text_of(b, j)))
				return false;
	litset_copy(s, &product);
	return true;
}

size_t litset_least(const struct litset *s)
{
	size_t least = s->n ? LITSET_TEXT_MAX : 0;

	for (unsigned i = 0; i < s->n; i++)
		if (s->len[i] < least)
			least = s->len[i];
	return least;
}

static bool contains(
    const unsigned char *big, size_t n, const unsigned char *small, size_t m)
{
	const unsigned char *end = big + n - m;

	while (big <= end) {
		big = memchr(big, small[0], (size_t)(end - big) + 1);
		if (!big)
			return false;
		if (!memcmp(big, small, m))
			return true;
		big++;
	}
	return false;
}

static void fold_text(const struct litset *s, unsigned i, unsigned char *low)
{
	for (unsigned k = 0; k < s->len[i]; k++)
		low[k] = litset_fold((unsigned char)s->text[i][k]);
}

static bool stands_in(
    const struct litset *s, unsigned i, const struct litset *in, unsigned k)
{
	unsigned char small[LITSET_TEXT_MAX] = { 0 }, big[LITSET_TEXT_MAX];

	fold_text(s, i, small);
	fold_text(in, k, big);
	return s->len[i] <= in->len[k] &&
	    contains(big, in->len[k], small, s->len[i]);
}

bool litset_implied(const struct litset *s, unsigned i, const struct litset *by)
{
	unsigned in = 0;

	for (unsigned k = 0; k < by->n; k++) {
		if (stands_in(by, k, s, i))
			return true;
		in += stands_in(s, i, by, k);
	}
	return by->n && in == by->n;
}

void litset_reduce(struct litset *s)
{
	unsigned char low[LITERALS_MAX][LITSET_TEXT_MAX];
	bool drop[LITERALS_MAX];
	unsigned kept = 0;

	if (s->n < 2 || !litset_least(s))
		return;
	for (unsigned i = 0; i < s->n; i++)
		fold_text(s, i, low[i]);
	for (unsigned i = 0; i < s->n; i++) {
		drop[i] = false;
		for (unsigned j = 0; j < s->n && !drop[i]; j++)
			drop[i] = s->len[j] < s->len[i] &&
			    contains(low[i], s->len[i], low[j], s->len[j]);
	}
	for (unsigned i = 0; i < s->n; i++) {
		if (drop[i])
			continue;
		if (kept != i) {
			s->len[kept] = s->len[i];
			memcpy(s->text[kept], s->text[i], s->len[i]);
		}
		kept++;
	}
	s->n = kept;
}

/* Whether it is the end of an exception's class, as in "KeyError: ". */
static bool of_class(const char *text, unsigned n)
{
	static const char *const ends[] = { "error: ", "exception: " };
	char low[LITSET_TEXT_MAX];

	for (unsigned i = 0; i < n; i++)
		low[i] = (char)litset_fold((unsigned char)text[i]);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		size_t len = strlen(ends[i]);

		if (n >= len && !memcmp(low + n - len, ends[i], len))
			return true;
	}
	return false;
}

/* How good a set is for finding matches: how many bits of surprise its most
 * common text holds, one less each time the number of texts doubles. */
static int score(const struct litset *s, const struct rarity *r)
{
	int least = RARITY_ENOUGH;

	for (unsigned i = 0; i < s->n; i++) {
		int bits = USELESS;

		if ((r->raised && of_class(s->text[i], s->len[i])) ||
		    (r->known && litset_implied(s, i, r->known)))
			bits = IN_EACH;
		else if (s->len[i] > 1)
			rarity_window(r, s->text[i], s->len[i], &bits);
		if (bits < least)
			least = bits;
	}
	for (unsigned n = s->n; n > 1; n = (n + 1) / 2)
		least--;
	return least;
}

/* Whether a is better than b; the scores are in them. One short text, of
 * whichever pattern, makes the filter go over all logs twice. */
static bool better(const struct litset *a, const struct litset *b)
{
	if ((a->score <= IN_EACH) != (b->score <= IN_EACH))
		return b->score <= IN_EACH;
	if ((litset_least(a) < SHORT) != (litset_least(b) < SHORT))
		return litset_least(b) < SHORT;
	if (a->score != b->score)
		return a->score > b->score;
	if (a->n != b->n)
		return a->n < b->n;
	return litset_least(a) > litset_least(b);
}

void litset_consider(
    struct litset *best, const struct litset *candidate, struct rarity *r)
{
	struct litset s;

	if (!litset_least(candidate))
		return;
	if (!best->n) {
		litset_copy(best, candidate);
		litset_reduce(best);
		best->score = NO_SCORE;
		return;
	}
	/* Many patterns have one candidate only, and need no estimates. */
	if (!r->ready)
		rarity_init(r);
	if (best->score == NO_SCORE)
		best->score = score(best, r);
	if (best->n == 1 && best->score == RARITY_ENOUGH)
		return;
	litset_copy(&s, candidate);
	litset_reduce(&s);
	s.score = score(&s, r);
	if (better(&s, best))
		litset_copy(best, &s);
}
