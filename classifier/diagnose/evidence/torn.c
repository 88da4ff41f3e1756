/*
 * Python writes the class of an exception, ": " and its message in three
 * pieces, so those of several processes stand beside each other: first the
 * classes, then the rest, or the colons first. Or the class stands before a
 * frame of another one's, and the message on the next line.
 */
#include "diagnose/evidence/torn.h"

#include "diagnose/evidence/shape.h"

#include <string.h>

#define WRITERS 64 /* at once */

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '_' || c == '.';
}

/* s without the colons and blanks at its ends. */
static struct span strip(struct span s)
{
	while (s.n && (s.p[0] == ':' || s.p[0] == ' '))
		s = span_sub(s, 1, s.n);
	while (s.n && (s.p[s.n - 1] == ':' || s.p[s.n - 1] == ' '))
		s.n--;
	return s;
}

/* How often s begins with its first n bytes. */
static size_t times(struct span s, size_t n)
{
	size_t k = 1;

	while ((k + 1) * n <= s.n && memcmp(s.p, s.p + k * n, n) == 0)
		k++;
	return k;
}

/* The length of the class that s begins with at least twice, or 0; *n: how
 * often. */
static size_t twice(struct span s, size_t *n)
{
	size_t word = 0;
	struct span type;

	while (word < s.n && word < 400 && is_word(s.p[word]))
		word++;
	for (size_t i = 5; i * 2 <= word; i++) {
		if (s.p[i - 1] != 'r' && s.p[i - 1] != 'n' && s.p[i - 1] != 't')
			continue;
		*n = times(span_sub(s, 0, word), i);
		if (*n > 1 &&
		    shape_exception(span_sub(s, 0, i), &type) == SHAPE_SURE)
			return i;
	}
	return 0;
}

/* The piece that a whole text is made of, n times or less often. */
static struct span piece_of(struct span s, size_t n)
{
	for (size_t k = n < WRITERS ? n : WRITERS; k > 1 && s.n; k--)
		if (s.n % k == 0 && times(s, s.n / k) == k)
			return strip(span_sub(s, 0, s.n / k));
	return s;
}

/* The length of the class that stands before a frame, or 0. */
static size_t before_frame(struct span s)
{
	size_t at = span_find(s, " File \"");
	struct shape_frame frame;
	struct span class, type;

	if (at == SIZE_MAX || at > 400 ||
	    !shape_frame(span_sub(s, at, s.n), &frame) || !frame.function.n)
		return 0;
	class = strip(span_sub(s, 0, at));
	return shape_exception(class, &type) == SHAPE_SURE && type.n == class.n
	    ? class.n
	    : 0;
}

bool torn_exception(struct span s, char out[TORN_MAX], size_t *n)
{
	struct span t = strip(span_trim(s)), rest;
	size_t writers = 0, class = twice(t, &writers);

	if (!class) {
		class = before_frame(s);
		memcpy(out, s.p, class);
		out[class] = ':';
		*n = class + 1;
		return class > 0;
	}
	rest = piece_of(strip(span_sub(t, class * writers, t.n)), writers * 2);
	if (class + 2 + rest.n > TORN_MAX)
		rest.n = TORN_MAX - class - 2;
	memcpy(out, t.p, class);
	out[class] = ':';
	out[class + 1] = ' ';
	memcpy(out + class + 2, rest.p, rest.n);
	*n = class + (rest.n ? 2 + rest.n : 0);
	return true;
}

bool torn_has_lines(struct span s)
{
	return span_find(s, "\\n") != SIZE_MAX;
}

bool torn_line(struct span *rest, char out[TORN_MAX], size_t *n)
{
	size_t i = 0;

	*n = 0;
	if (rest->n == 0)
		return false;
	for (; i < rest->n; i++) {
		char c = rest->p[i];

		if (c == '\\' && i + 1 < rest->n) {
			c = rest->p[++i];
			if (c == 'n')
				break;
			if (c != '"' && c != '\'' && c != '\\') {
				c = rest->p[--i];
			}
		}
		if (*n < TORN_MAX)
			out[(*n)++] = c;
	}
	*rest = span_sub(*rest, i < rest->n ? i + 1 : rest->n, rest->n);
	return true;
}

struct span torn_after_bar(struct span s)
{
	size_t at = span_find(s, "%|"), end = s.n;

	if (at == SIZE_MAX)
		return s;
	while (end > at && s.p[end - 1] != ']')
		end--;
	return end > at ? span_trim(span_sub(s, end, s.n)) : s;
}
