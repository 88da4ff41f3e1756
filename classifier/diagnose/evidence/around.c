#include "diagnose/evidence/around.h"

#include <string.h>

bool around_end(char c)
{
	return c == '\n' || c == '\r';
}

size_t around_newline(struct span text, size_t pos)
{
	const char *end = memchr(text.p + pos, '\n', text.n - pos);

	return end ? (size_t)(end - text.p) : text.n;
}

void around_near(
    struct span text, size_t pos, size_t *nl, size_t *from, size_t *to)
{
	const char *end;

	*from = span_line_start(text, *from, pos);
	if (*nl < pos)
		*nl = around_newline(text, pos);
	end = memchr(text.p + pos, '\r', *nl - pos);
	*to = end ? (size_t)(end - text.p) : *nl;
}

void around_line(
    struct span text, size_t least, size_t pos, size_t *from, size_t *to)
{
	size_t nl = around_newline(text, pos);

	*from = least;
	around_near(text, pos, &nl, from, to);
}
