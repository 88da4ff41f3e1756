/*
 * Buckets by the number of words and the first one, as Drain's tree has them,
 * one level deep. Two words that differ must be of the same sort: a frame and a
 * class tell failures apart, a word behind a placeholder (its unit) does not.
 */
#include "reports/groups/alike.h"

#include "base/array.h"
#include "base/hash.h"
#include "base/span.h"

#include <stdlib.h>

#define WORDS_MOST 64
#define DIFFER 6     /* one word in so many may differ */
#define BUCKETS 1024 /* a power of two */
#define LEADERS 512  /* of a bucket that are compared with */

struct leader {
	const char *text;
	void *what;
};

struct bucket {
	struct leader *v;
	size_t n, cap;
};

struct alike {
	struct bucket v[BUCKETS];
};

struct alike *alike_new(void)
{
	return calloc(1, sizeof(struct alike));
}

void alike_free(struct alike *a)
{
	for (size_t i = 0; a && i < BUCKETS; i++)
		free(a->v[i].v);
	free(a);
}

static bool next_word(struct span *rest, struct span *word)
{
	size_t n = 0;

	while (rest->n && rest->p[0] == ' ')
		*rest = span_sub(*rest, 1, rest->n);
	while (n < rest->n && rest->p[n] != ' ')
		n++;
	*word = span_sub(*rest, 0, n);
	*rest = span_sub(*rest, n, rest->n);
	return n > 0;
}

static size_t count_words(struct span text)
{
	struct span word;
	size_t n = 0;

	while (next_word(&text, &word))
		n++;
	return n;
}

/* Two classes of errors are not one, nor are two places that raise the same. */
static bool tells_apart(struct span word, size_t at)
{
	return at == 0 || span_starts(word, "[") || span_ends(word, "Error") ||
	    span_is(word, "not") || span_is(word, "no");
}

static bool alike(const char *a, const char *b, size_t words)
{
	struct span s = span_of(a), t = span_of(b), x, y;
	size_t differ = 0;

	for (size_t i = 0; next_word(&s, &x) && next_word(&t, &y); i++) {
		if (span_eq(x, y))
			continue;
		if (tells_apart(x, i) || tells_apart(y, i) ||
		    ++differ > words / DIFFER)
			return false;
	}
	return true;
}

int alike_find(struct alike *a, const char *text, void *what, void **found)
{
	struct span s = span_of(text), rest = s, first;
	size_t words = count_words(s);
	struct bucket *b;

	*found = NULL;
	if (words < DIFFER || words > WORDS_MOST || !next_word(&rest, &first))
		return 0;
	b = &a->v[(hash_of(first.p, first.n).low + words) & (BUCKETS - 1)];
	for (size_t i = 0; i < b->n; i++)
		if (count_words(span_of(b->v[i].text)) == words &&
		    alike(b->v[i].text, text, words)) {
			*found = b->v[i].what;
			return 0;
		}
	if (b->n == LEADERS)
		return 0;
	if (array_grow(&b->v, b->n, &b->cap, sizeof *b->v))
		return -1;
	b->v[b->n++] = (struct leader){ text, what };
	return 0;
}
