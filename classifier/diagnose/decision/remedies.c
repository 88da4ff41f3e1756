#include "diagnose/decision/remedies.h"

#include <string.h>

static bool letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

/* Whether a word of the text begins with this one, which is in lower case. */
static bool has(struct span text, const char *word, size_t n)
{
	for (size_t at = 0; at + n <= text.n; at++) {
		size_t i = 1;

		/* hardly any place passes the first */
		if (n && lower(text.p[at]) != *word)
			continue;
		if (at && letter(text.p[at]) && letter(text.p[at - 1]))
			continue;
		while (i < n && lower(text.p[at + i]) == word[i])
			i++;
		if (i >= n)
			return true;
	}
	return false;
}

static bool told(const struct diagnosis *d, const char *word, size_t n)
{
	static const char verdict[] = "verdict=";
	const char *name = taxonomy_verdict_name(d->verdict);
	size_t prefix = sizeof verdict - 1;
	const char *id = d->rule ? strchr(d->rule->id, '.') : NULL;

	if (n > prefix && memcmp(word, verdict, prefix) == 0)
		return strlen(name) == n - prefix &&
		    memcmp(name, word + prefix, n - prefix) == 0;
	/* the name of its category tells nothing more */
	if (id && has(span_of(id), word, n))
		return true;
	for (size_t i = 0; i < d->evidence.n; i++) {
		const struct evidence *ev = d->evidence.v[i].evidence;

		if (ev && has((struct span){ ev->text, ev->text_len }, word, n))
			return true;
	}
	return false;
}

static bool fits(const struct diagnosis *d, const char *when)
{
	if (!*when)
		return true;
	for (;;) {
		size_t n = strcspn(when, "|");

		if (told(d, when, n))
			return true;
		if (!when[n])
			return false;
		when += n + 1;
	}
}

size_t remedies_of(const struct diagnosis *d, const char *v[REMEDIES_MAX])
{
	const struct category *c = d->category;
	size_t n = 0;

	if (d->facts.done)
		return 0;
	for (size_t i = 0; d->rule && i < d->rule->remedies.n; i++)
		if (n < REMEDIES_MAX)
			v[n++] = d->rule->remedies.v[i];
	for (size_t i = 0; c && i < c->remedies.n; i++)
		if (n < REMEDIES_MAX && fits(d, c->when.v[i]))
			v[n++] = c->remedies.v[i];
	return n;
}
