/*
 * The words of a message tell one failure from another as long as there are
 * some: "KeyError: 'lr'" has none, and is as many failures as there are places
 * that raise it. To such a template belongs the innermost frame.
 */
#include "reports/groups/headline.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/template.h"
#include "diagnose/diagnosis.h"

#include <stdlib.h>

#define WORDS_ENOUGH 3
#define LETTERS_OF_WORD 2

/* The line that tells of the failure, and the frames it was raised in. */
static struct span failing_line(const struct diagnosis *d, const char **frames)
{
	const struct proof *p = d->evidence.n ? &d->evidence.v[0] : NULL;

	if (p && p->event) {
		*frames = p->event->raisers;
		if (p->event->exception)
			return span_of(p->event->exception);
	}
	if (p)
		return proof_text(p);
	for (size_t i = 0; i < d->n_logs; i++)
		if (d->logs[i]->last_words)
			return span_of(d->logs[i]->last_words);
	return span_of(NULL);
}

/* The line with words in it that s begins with, and the next one, where it only
 * announces that. */
static int mask_lines(struct buf *b, struct span s)
{
	struct span line;
	bool words = false, more = true;
	int rc = 0;

	while (!rc && more && span_line(&s, &line)) {
		line = span_trim(line);
		if (!line.n)
			continue;
		if (b->len)
			rc = buf_addc(b, ' ');
		more = !b->len && span_ends(line, ":");
		rc = rc || template_mask(b, line, &words);
		more |= !words && b->len < HEADLINE_TEXT / 2;
	}
	return rc;
}

/* Words that no placeholder stands for, behind the class of an exception. */
static unsigned count_words(struct span s)
{
	size_t class = span_find(s, ": ");
	unsigned words = 0, letters = 0;
	bool masked = false;

	if (!memchr(s.p, ' ', class < s.n ? class : s.n))
		s = span_sub(s, class < s.n ? class + 2 : s.n, s.n);
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		    (unsigned char)c >= 0x80) {
			letters += !masked;
			words += letters == LETTERS_OF_WORD;
			continue;
		}
		letters = 0;
		masked = c == '<' || (masked && c != '>');
	}
	return words;
}

static void cut(struct buf *b)
{
	if (b->len <= HEADLINE_TEXT)
		return;
	b->len = HEADLINE_TEXT;
	while (b->len && ((unsigned char)b->p[b->len] & 0xc0) == 0x80)
		b->len--;
	b->p[b->len] = '\0';
}

/* " [module.py:forward]" */
static int add_frame(struct buf *b, const char *frames)
{
	struct span f = span_of(frames);
	bool words;

	f = span_sub(f, 0, span_find(f, " < "));
	return buf_adds(b, " [") || template_mask(b, f, &words) ||
	    buf_addc(b, ']');
}

int headline_of(const struct diagnosis *d, struct headline *h)
{
	struct buf b = BUF_INIT(BUF_MAX);
	char hex[HASH_HEX];
	struct span line;
	int rc;

	*h = (struct headline){ .text = NULL };
	if (d->failed != 1 || (d->rule && !diagnosis_open_rule(d->rule)) ||
	    (!d->rule && d->category))
		return 0;
	line = failing_line(d, &h->frames);
	rc = mask_lines(&b, line);
	if (!rc && b.len) {
		cut(&b);
		if (h->frames &&
		    count_words((struct span){ b.p, b.len }) < WORDS_ENOUGH)
			rc = add_frame(&b, h->frames);
	}
	if (!rc && b.len) {
		hash_hex(hash_of(b.p, b.len), hex);
		memcpy(h->id, hex, HEADLINE_ID - 1);
		h->text = buf_take(&b);
		return 0;
	}
	buf_release(&b);
	return rc ? -1 : 0;
}

void headline_release(struct headline *h)
{
	free(h->text);
	*h = (struct headline){ .text = NULL };
}
