#include "diagnose/signals/signals.h"

#include <string.h>

static unsigned char fold(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
}

/* The text from p on is the word, which is in lower case. */
static bool word_at(const char *p, const char *word, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (fold(p[i]) != (unsigned char)word[i])
			return false;
	return true;
}

static bool stands_in(struct span s, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= s.n; i++)
		if (fold(s.p[i]) == (unsigned char)*word &&
		    word_at(s.p + i, word, n))
			return true;
	return false;
}

static bool starts(struct span s, const char *word)
{
	size_t n = strlen(word);

	return n <= s.n && word_at(s.p, word, n);
}

static bool ends(struct span s, const char *word)
{
	size_t n = strlen(word);

	return n <= s.n && word_at(s.p + s.n - n, word, n);
}

/* Whether a word of the list is where it should; an empty one asks nothing. */
static bool one_of(const struct strings *words, struct span s,
    bool (*where)(struct span s, const char *word))
{
	for (size_t i = 0; i < words->n; i++)
		if (where(s, words->v[i]))
			return true;
	return !words->n;
}

bool signals_tell(const struct taxonomy *tax, size_t i, struct matcher *m,
    struct span text, struct pattern_match *out)
{
	const struct signal *s = &tax->signals[i];
	const struct pattern *p;

	if (s->pattern) {
		p = taxonomy_signal_pattern(tax, i);
		if (!p || pattern_find(p, m, text, out) != 1)
			return false;
	} else if (!one_of(&s->starts, text, starts) ||
	    !one_of(&s->ends, text, ends) ||
	    !one_of(&s->any, text, stands_in)) {
		return false;
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
