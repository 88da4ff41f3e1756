#include "diagnose/signals/signals.h"

#include "input/prefixes.h"

#include <string.h>

static unsigned char fold(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
}

/* The word at p, of which so much is text; a word is in lower case unless case
 * counts. How long it is, or 0. */
static size_t word_at(const char *p, size_t n, const char *word, bool exact)
{
	size_t i = 0;

	for (; word[i]; i++)
		if (i == n ||
		    (exact ? (unsigned char)p[i] : fold(p[i])) !=
			(unsigned char)word[i])
			return 0;
	return i;
}

/* The first c in [p, end), or end. */
static const char *next(const char *p, const char *end, int c)
{
	const char *at = memchr(p, c, (size_t)(end - p));

	return at ? at : end;
}

static const struct span nowhere = { NULL, 0 };

/* Where the word stands in s, in either case. */
static struct span stands_folded(struct span s, const char *word)
{
	int upper = *word >= 'a' && *word <= 'z' ? *word - 0x20 : *word;
	const char *end, *small, *large;

	if (!s.n)
		return nowhere;
	end = s.p + s.n;
	small = next(s.p, end, *word);
	large = upper == *word ? end : next(s.p, end, upper);
	for (;;) {
		const char *at = small < large ? small : large;
		size_t n = at == end
		    ? 0
		    : word_at(at, (size_t)(end - at), word, false);

		if (at == end || n)
			return at == end ? nowhere : (struct span){ at, n };
		if (at == small)
			small = next(at + 1, end, *word);
		else
			large = next(at + 1, end, upper);
	}
}

/* Where it stands as it is written. Texts are paths: short, and memmem would
 * take longer to begin than this does in all. */
static struct span stands_exact(struct span s, const char *word)
{
	size_t n = strlen(word), at = 0;

	while (n && at + n <= s.n) {
		const char *p = memchr(s.p + at, *word, s.n - n - at + 1);

		if (!p)
			break;
		if (p[n - 1] == word[n - 1] && !memcmp(p, word, n))
			return (struct span){ p, n };
		at = (size_t)(p - s.p) + 1;
	}
	return nowhere;
}

/* Where the word stands in s, at its start, or at its end, or is all of it. */
static struct span stands_in(struct span s, const char *word, bool exact)
{
	return exact ? stands_exact(s, word) : stands_folded(s, word);
}

static struct span starts(struct span s, const char *word, bool exact)
{
	size_t n;

	/* long lists: most words differ in the first byte, in any case */
	if (!s.n || (*s.p ^ *word) & 0xdf)
		return nowhere;
	n = word_at(s.p, s.n, word, exact);
	return n ? span_sub(s, 0, n) : nowhere;
}

static struct span ends(struct span s, const char *word, bool exact)
{
	size_t n = strlen(word);

	return n <= s.n ? starts(span_sub(s, s.n - n, s.n), word, exact)
			: nowhere;
}

static struct span is(struct span s, const char *word, bool exact)
{
	return s.n && word_at(s.p, s.n, word, exact) == s.n ? s : nowhere;
}

/* Whether a word of the list is where it should; it goes to *found. An empty
 * list asks nothing. */
static bool one_of(const struct strings *words, struct span s, bool exact,
    struct span (*where)(struct span s, const char *word, bool exact),
    struct span *found)
{
	for (size_t i = 0; i < words->n; i++) {
		struct span at = where(s, words->v[i], exact);

		if (at.p) {
			*found = at;
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

bool signals_may(
    const struct taxonomy *tax, size_t i, const struct signal_hits *hits)
{
	return !hits || hits->stamp[i] == hits->now ||
	    hits->any >> taxonomy_signal_at(tax, i)->kind & 1 ||
	    !signal_hit(taxonomy_signal_at(tax, i));
}

bool signals_tell(const struct taxonomy *tax, size_t i, struct matcher *m,
    struct span text, struct pattern_match *out)
{
	const struct signal *s = taxonomy_signal_at(tax, i);
	struct span found = { NULL, 0 };
	const struct pattern *p;

	if (s->kind == SIGNAL_PREFIX)
		return prefixes_tell(tax->prefixes, i, text);
	if (!words_tell(s, text, &found))
		return false;
	if (s->pattern) {
		p = taxonomy_signal_pattern(tax, i);
		if (pattern_find(p, m, text, out) != 1)
			return false;
	} else if (out) {
		*out = (struct pattern_match){ .group = { found }, .n = 1 };
	}
	if (!s->unless)
		return true;
	p = taxonomy_signal_unless(tax, i);
	return pattern_find(p, m, text, NULL) == 0;
}

bool signals_word(struct span text, const char *word)
{
	return stands_in(text, word, false).p;
}

const struct signal *signals_find(const struct taxonomy *tax,
    enum signal_kind kind, struct matcher *m, struct span text,
    const struct signal_hits *hits)
{
	for (size_t i = tax->signal_from[kind]; i < tax->signal_from[kind + 1];
	     i++)
		if (signals_may(tax, i, hits) &&
		    signals_tell(tax, i, m, text, NULL))
			return taxonomy_signal_at(tax, i);
	return NULL;
}
