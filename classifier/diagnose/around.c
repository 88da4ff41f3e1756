#include "diagnose/around.h"

#include <string.h>

uint64_t around_count(const char *p, size_t n)
{
	const char *end = p + n;
	uint64_t lines = 0;

	while (p < end && (p = memchr(p, '\n', (size_t)(end - p)))) {
		lines++;
		p++;
	}
	return lines;
}

bool around_end(char c)
{
	return c == '\n' || c == '\r';
}

/* The line around pos, not before least. */
void around_line(
    struct span text, size_t least, size_t pos, size_t *from, size_t *to)
{
	const char *nl, *cr;
	size_t i = pos;

	while (i > least && !around_end(text.p[i - 1]))
		i--;
	*from = i;
	nl = memchr(text.p + pos, '\n', text.n - pos);
	*to = nl ? (size_t)(nl - text.p) : text.n;
	cr = memchr(text.p + pos, '\r', *to - pos);
	if (cr)
		*to = (size_t)(cr - text.p);
}
