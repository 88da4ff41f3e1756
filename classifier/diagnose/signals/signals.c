#include "diagnose/signals/signals.h"

#include <string.h>

static unsigned char fold(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
}

/* The text from p on is the word, which is in lower case unless case counts.
 */
static bool word_at(const char *p, const char *word, size_t n, bool exact)
{
	if (exact)
		return memcmp(p, word, n) == 0;
	for (size_t i = 0; i < n; i++)
		if (fold(p[i]) != (unsigned char)word[i])
			return false;
	return true;
}

/* The first c in [p, end), or end. */
static const char *next(const char *p, const char *end, int c)
{
	const char *at = memchr(p, c, (size_t)(end - p));

	return at ? at : end;
}

/* Where the word stands in s, at its start, or at its end, or is all of it; or
 * NULL. */
static const char *stands_in(
    struct span s, const char *word, size_t n, bool exact)
{
	int upper =
	    !exact && *word >= 'a' && *word <= 'z' ? *word - 0x20 : *word;
	const char *end, *small, *large;

	if (n > s.n)
		return NULL;
	end = s.p + s.n - n + 1;
	small = next(s.p, end, *word);
	large = next(s.p, end, upper);
	for (;;) {
		const char *at = small < large ? small : large;

		if (at == end || word_at(at, word, n, exact))
			return at == end ? NULL : at;
		if (at == small)
			small = next(at + 1, end, *word);
		if (at == large)
			large = next(at + 1, end, upper);
	}
}

static const char *starts(struct span s, const char *word, size_t n, bool exact)
{
	return n <= s.n && word_at(s.p, word, n, exact) ? s.p : NULL;
}

static const char *ends(struct span s, const char *word, size_t n, bool exact)
{
	return n <= s.n ? starts(span_sub(s, s.n - n, s.n), word, n, exact)
			: NULL;
}

static const char *is(struct span s, const char *word, size_t n, bool exact)
{
	return n == s.n ? starts(s, word, n, exact) : NULL;
}

/* Whether a word of the list is where it should; it goes to *found. An empty
 * list asks nothing. */
static bool one_of(const struct strings *words, struct span s, bool exact,
    const char *(*where)(struct span s, const char *word, size_t n, bool exact),
    struct span *found)
{
	for (size_t i = 0; i < words->n; i++) {
		size_t n = strlen(words->v[i]);
		const char *at = where(s, words->v[i], n, exact);

		if (at) {
			*found = (struct span){ at, n };
			return true;
		}
	}
	return !words->n;
}

static bool words_tell(
    const struct signal *s, struct span text, struct span *found)
{
	bool exact = signal_kind_info(s->kind)->exact;

	return one_of(&s->starts, text, exact, starts, found) &&
	    one_of(&s->ends, text, exact, ends, found) &&
	    one_of(&s->is, text, exact, is, found) &&
	    one_of(&s->any, text, exact, stands_in, found);
}

bool signals_tell(const struct taxonomy *tax, size_t i, struct matcher *m,
    struct span text, struct pattern_match *out)
{
	const struct signal *s = &tax->signals[i];
	struct span found = { NULL, 0 };
	const struct pattern *p;

	if (s->pattern) {
		p = taxonomy_signal_pattern(tax, i);
		if (!p || pattern_find(p, m, text, out) != 1)
			return false;
	} else {
		if (!words_tell(s, text, &found))
			return false;
		if (out)
			*out = (struct pattern_match){ .group = { found },
				.n = 1 };
	}
	if (!s->unless)
		return true;
	p = taxonomy_signal_unless(tax, i);
	return p && pattern_find(p, m, text, NULL) == 0;
}

const struct signal *signals_find(const struct taxonomy *tax,
    enum signal_kind kind, struct matcher *m, struct span text)
{
	for (size_t i = tax->signal_from[kind]; i < tax->signal_from[kind + 1];
	     i++)
		if (signals_tell(tax, i, m, text, NULL))
			return &tax->signals[i];
	return NULL;
}
