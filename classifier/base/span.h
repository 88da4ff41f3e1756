/*
 * Log bytes are spans, not strings: they are not NUL-terminated and may hold
 * any byte.
 */
#ifndef BASE_SPAN_H
#define BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct span {
	const char *p; /* borrowed */
	size_t n;
};

/* Inline are those that are called for each word of a line with a constant. */

static inline struct span span_of(const char *s) /* NULL: the empty span */
{
	return (struct span){ s, s ? strlen(s) : 0 };
}

static inline bool span_eq(struct span a, struct span b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool span_is(struct span a, const char *s)
{
	return span_eq(a, span_of(s));
}

static inline bool span_starts(struct span a, const char *s)
{
	/* the first byte nearly always decides */
	if (!*s || a.n == 0 || a.p[0] != *s)
		return !*s;
	return a.n >= strlen(s) && memcmp(a.p, s, strlen(s)) == 0;
}

static inline bool span_ends(struct span a, const char *s)
{
	size_t n = strlen(s);

	return n == 0 ||
	    (a.n >= n && a.p[a.n - 1] == s[n - 1] &&
		memcmp(a.p + a.n - n, s, n) == 0);
}

/* Ends that lie outside s are moved to its own. */
static inline struct span span_sub(struct span s, size_t from, size_t to)
{
	if (to > s.n)
		to = s.n;
	if (from > to)
		from = to;
	/* nothing is added to NULL */
	return (struct span){ from ? s.p + from : s.p, to - from };
}

struct span span_trim(struct span s); /* blanks at both ends */
/* Offset of the first needle, or SIZE_MAX. */
size_t span_find(struct span a, const char *needle);
/* Cut the first line off *rest (without its '\n'); false when *rest is empty.
 */
bool span_line(struct span *rest, struct span *line);
/* Where the line that holds the byte before pos begins, after a '\n' or '\r',
 * but not before least. */
size_t span_line_start(struct span s, size_t least, size_t pos);
/* How many '\n' there are. */
uint64_t span_newlines(struct span s);
/* Of a machine's name what stands before its domain; an address is all of it.
 */
struct span span_host(struct span name);
/* Decimal digits only, all of them; -1 when empty, other or over INT64_MAX. */
int64_t span_number(struct span s);
/* A malloced, NUL-terminated copy; NULL when out of memory. */
char *span_dup(struct span s);

#endif
