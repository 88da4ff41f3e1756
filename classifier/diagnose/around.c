#include "diagnose/around.h"

#include <stdint.h>
#include <string.h>

#define EACH_BYTE (UINT64_MAX / 255)

bool around_end(char c)
{
	return c == '\n' || c == '\r';
}

size_t around_newline(struct span text, size_t pos)
{
	const char *end = memchr(text.p + pos, '\n', text.n - pos);

	return end ? (size_t)(end - text.p) : text.n;
}

/* Not 0: one of eight bytes is c. */
static uint64_t any_is(uint64_t eight, char c)
{
	uint64_t x = eight ^ EACH_BYTE * (unsigned char)c;

	return (x - EACH_BYTE) & ~x & EACH_BYTE << 7;
}

size_t around_start(struct span text, size_t least, size_t pos)
{
	uint64_t eight;

	for (; pos >= least + sizeof eight; pos -= sizeof eight) {
		memcpy(&eight, text.p + pos - sizeof eight, sizeof eight);
		if (any_is(eight, '\n') | any_is(eight, '\r'))
			break;
	}
	while (pos > least && !around_end(text.p[pos - 1]))
		pos--;
	return pos;
}

void around_near(
    struct span text, size_t pos, size_t *nl, size_t *from, size_t *to)
{
	const char *end;

	*from = around_start(text, *from, pos);
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
