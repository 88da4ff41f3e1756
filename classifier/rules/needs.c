/* The words of an expression are one text, each in lower case with its length
 * before it. */
#include "rules/needs.h"

#include "base/buf.h"
#include "rules/literals.h"
#include "rules/litset.h"
#include "rules/taxonomy_private.h"

#include <stdlib.h>

#define SEARCHED 1024 /* bytes of a text: more take longer than to compile */

/* A text for l; "" when nothing is known. NULL: out of memory. */
static char *words_of(const struct literals *l)
{
	struct buf b = BUF_INIT(BUF_MAX);
	int rc = buf_adds(&b, "");

	for (size_t i = 0; i < l->n && !rc; i++) {
		rc = buf_addc(&b, (char)l->len[i]);
		for (size_t k = 0; k < l->len[i] && !rc; k++)
			rc = buf_addc(&b,
			    (char)litset_fold((unsigned char)l->text[i][k]));
	}
	if (!rc && strlen(b.p) != b.len)
		buf_clear(&b); /* one holds a NUL */
	if (!rc)
		return b.p;
	buf_release(&b);
	return NULL;
}

static int add_words(struct strings *to, const struct literals *l)
{
	char *words = words_of(l);

	to->v[to->n] = words;
	to->n += words != NULL;
	return words ? 0 : -1;
}

int needs_set(struct rule *r)
{
	char *unless = r->unless.n ? taxonomy_unless_text(r) : NULL;
	struct literals l;
	int rc = r->unless.n && !unless ? -1 : 0;

	r->needs.v = calloc(r->pattern.n + 1, sizeof *r->needs.v);
	if (!r->needs.v)
		rc = -1;
	for (size_t i = 0; i < r->pattern.n && !rc; i++) {
		rc = literals_beside(
		    &l, r->pattern.v[i], r->where == WHERE_EXCEPTION);
		if (rc)
			break;
		rc = add_words(&r->needs, &l);
		literals_release(&l);
	}
	if (unless && !rc && !(rc = literals_from_pattern(&l, unless))) {
		rc = add_words(&r->needs, &l);
		literals_release(&l);
	}
	free(unless);
	return rc;
}

/* The bit of three bytes. */
static unsigned bit_of(const char *p)
{
	uint32_t v = (uint32_t)litset_fold((unsigned char)p[0]) << 16 |
	    (uint32_t)litset_fold((unsigned char)p[1]) << 8 |
	    litset_fold((unsigned char)p[2]);

	return v * 0x9e3779b1u >> (32 - NEEDS_BITS);
}

void needs_look(struct needs_seen *seen, struct span text)
{
	*seen = (struct needs_seen){ .text = text };
	for (size_t i = 0; i + 3 <= text.n; i++) {
		unsigned bit = bit_of(text.p + i);

		seen->threes[bit / 64] |= (uint64_t)1 << bit % 64;
	}
}

/* Whether a word, which is in lower case, stands in text. */
static bool holds(struct span text, const char *word, size_t n)
{
	for (size_t i = 0, k; i + n <= text.n; i++) {
		for (k = 0; k < n; k++)
			if (litset_fold((unsigned char)text.p[i + k]) !=
			    (unsigned char)word[k])
				break;
		if (k == n)
			return true;
	}
	return false;
}

/* Mostly some part of a word that is not there was not seen. */
static bool found(const struct needs_seen *seen, const char *word, size_t n)
{
	for (size_t i = 0; i + 3 <= n; i++) {
		unsigned bit = bit_of(word + i);

		if (!(seen->threes[bit / 64] >> bit % 64 & 1))
			return false;
	}
	return seen->text.n > SEARCHED || holds(seen->text, word, n);
}

bool needs_met(const struct rule *r, size_t i, const struct needs_seen *seen)
{
	const char *word = i < r->needs.n ? r->needs.v[i] : "";

	if (!*word)
		return true;
	for (; *word; word += 1 + (unsigned char)*word)
		if (found(seen, word + 1, (unsigned char)*word))
			return true;
	return false;
}
