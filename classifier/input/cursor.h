/*
 * A reader of one line, which never looks past its end. Inline, since each line
 * is tried with most of the recognisers.
 */
#ifndef INPUT_CURSOR_H
#define INPUT_CURSOR_H

#include "base/span.h"

struct cursor {
	const char *p;
	size_t n, i;
};

static inline struct cursor cursor_of(struct span s)
{
	return (struct cursor){ s.p, s.n, 0 };
}

/* '\0' at the end */
static inline char cursor_peek(const struct cursor *c)
{
	return c->i < c->n ? c->p[c->i] : '\0';
}

static inline bool cursor_end(const struct cursor *c)
{
	return c->i >= c->n;
}

static inline bool cursor_eat(struct cursor *c, const char *literal)
{
	size_t n = strlen(literal);

	if (c->n - c->i < n || memcmp(c->p + c->i, literal, n) != 0)
		return false;
	c->i += n;
	return true;
}

/* A blank or the end, after what ends a word. */
static inline bool cursor_word_end(struct cursor *c)
{
	return cursor_end(c) || cursor_eat(c, " ");
}

/* A blank, if there is one. */
static inline void cursor_one_blank(struct cursor *c)
{
	if (cursor_peek(c) == ' ')
		c->i++;
}

/* How many blanks were there. */
static inline size_t cursor_blanks(struct cursor *c)
{
	size_t from = c->i;

	while (c->i < c->n && c->p[c->i] == ' ')
		c->i++;
	return c->i - from;
}

/* The longest run of bytes that is accepts. */
static inline struct span cursor_run(struct cursor *c, bool (*is)(char))
{
	struct span s = { c->p + c->i, 0 };

	while (c->i < c->n && is(c->p[c->i])) {
		c->i++;
		s.n++;
	}
	return s;
}

/* The decimal number of 1 to 9 digits there, or -1 (nothing eaten then). */
int cursor_number(struct cursor *c);
/* Up to the byte stop, which is eaten; false when it is not within max. */
bool cursor_until(struct cursor *c, char stop, size_t max, struct span *out);
struct span cursor_rest(const struct cursor *c);

#endif
