/*
 * Two lines are put together where the last word of the one and the first of
 * the other both look random: what is no token then reads on from no token, and
 * a name or a path is no reason to hide the line below it.
 */
#include "rules/redact_view.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define WORD_LEAST 5     /* bytes of half a token, with letters and digits */
#define LETTERS_LEAST 12 /* of one without digits */

/* How many bytes at p are a letter that takes no room: zero-width space and
 * joiners, marks of direction, word joiner, soft hyphen, byte order mark. */
static size_t unseen(struct span s)
{
	const unsigned char *p = (const unsigned char *)s.p;

	if (s.n >= 2 && p[0] == 0xc2 && p[1] == 0xad)
		return 2;
	if (s.n < 3)
		return 0;
	if (p[0] == 0xe2 && p[1] == 0x80)
		return (p[2] >= 0x8b && p[2] <= 0x8f) ||
			(p[2] >= 0xaa && p[2] <= 0xae)
		    ? 3
		    : 0;
	if (p[0] == 0xe2 && p[1] == 0x81)
		return p[2] >= 0xa0 && p[2] <= 0xaf ? 3 : 0;
	return p[0] == 0xef && p[1] == 0xbb && p[2] == 0xbf ? 3 : 0;
}

/* How many bytes at p are a line of a box: U+2500 to U+257F. */
static size_t box(const char *p, size_t n)
{
	const unsigned char *u = (const unsigned char *)p;

	return n >= 3 && u[0] == 0xe2 && (u[1] == 0x94 || u[1] == 0x95) ? 3 : 0;
}

static bool token_byte(char c)
{
	return (c >= '0' && c <= '9') ||
	    ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
	    (c && strchr("_+/=-.", c));
}

/* Half of a token: no word, no number. */
static bool random_word(const char *p, size_t n)
{
	bool digit = false, lower = false, upper = false;

	for (size_t i = 0; i < n; i++) {
		digit |= p[i] >= '0' && p[i] <= '9';
		lower |= p[i] >= 'a' && p[i] <= 'z';
		upper |= p[i] >= 'A' && p[i] <= 'Z';
	}
	return digit ? (lower || upper) && n >= WORD_LEAST
		     : lower && upper && n >= LETTERS_LEAST;
}

/* The length of the view without blanks, frame and '\' at its end. */
static size_t without_end(const struct redact_view *v)
{
	size_t n = v->n;

	while (n) {
		char c = v->p[n - 1];

		if (n >= 3 && box(v->p + n - 3, 3))
			n -= 3;
		else if (c == ' ' || c == '\t' || c == '|' || c == '\\')
			n--;
		else
			break;
	}
	return n;
}

/* The offset of the first word of the line at from, behind blanks, a frame and
 * the sign of a diff. */
static size_t first_word(struct span s, size_t from)
{
	size_t i = from;

	if (i < s.n && (s.p[i] == '+' || s.p[i] == '-' || s.p[i] == '>'))
		i++;
	while (i < s.n) {
		size_t n = box(s.p + i, s.n - i);

		if (!n && s.p[i] != ' ' && s.p[i] != '\t' && s.p[i] != '|')
			break;
		i += n ? n : 1;
	}
	return i;
}

/* Whether the line that begins at *i goes on with the view's last word; then *i
 * is where that goes on. */
static bool goes_on(struct redact_view *v, struct span s, size_t *i)
{
	size_t end = without_end(v), from = end, at = first_word(s, *i),
	       to = at;

	while (from && token_byte(v->p[from - 1]))
		from--;
	while (to < s.n && token_byte(s.p[to]))
		to++;
	if (!random_word(v->p + from, end - from) ||
	    !random_word(s.p + at, to - at) ||
	    (to < s.n && strchr(":(", s.p[to])))
		return false;
	v->n = end;
	*i = at;
	return true;
}

static bool make_room(struct redact_view *v, size_t n)
{
	char *p;
	size_t *at;

	if (n <= v->cap)
		return true;
	p = realloc(v->p, n);
	if (p)
		v->p = p;
	at = realloc(v->at, n * sizeof *at);
	if (at)
		v->at = at;
	if (!p || !at)
		return false;
	v->cap = n;
	return true;
}

int redact_view_make(struct redact_view *v, struct span text)
{
	bool other = false;

	if (!text.n ||
	    (!memchr(text.p, '\n', text.n) && !memchr(text.p, 0xe2, text.n) &&
		!memchr(text.p, 0xc2, text.n) && !memchr(text.p, 0xef, text.n)))
		return 0;
	if (!make_room(v, text.n))
		return -1;
	v->n = 0;
	for (size_t i = 0; i < text.n;) {
		size_t skip = unseen(span_sub(text, i, text.n)), next = i + 1;

		if (skip || (text.p[i] == '\n' && goes_on(v, text, &next))) {
			i = skip ? i + skip : next;
			other = true;
			continue;
		}
		v->p[v->n] = text.p[i];
		v->at[v->n++] = i++;
	}
	return other;
}

void redact_view_release(struct redact_view *v)
{
	free(v->p);
	free(v->at);
	*v = (struct redact_view){ NULL, NULL, 0, 0 };
}
