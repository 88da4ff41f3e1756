#include "input/cursor.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

int cursor_number(struct cursor *c)
{
	size_t i = c->i;
	int v = 0;

	while (i < c->n && is_digit(c->p[i]) && i - c->i < 9)
		v = v * 10 + (c->p[i++] - '0');
	if (i == c->i || (i < c->n && is_digit(c->p[i])))
		return -1;
	c->i = i;
	return v;
}

bool cursor_until(struct cursor *c, char stop, size_t max, struct span *out)
{
	size_t left = c->n - c->i;
	const char *end;

	if (left == 0)
		return false;
	end = memchr(c->p + c->i, stop, left < max ? left : max);
	if (!end)
		return false;
	*out = (struct span){ c->p + c->i, (size_t)(end - c->p) - c->i };
	c->i += out->n + 1;
	return true;
}

struct span cursor_rest(const struct cursor *c)
{
	return (struct span){ c->p + c->i, c->n - c->i };
}
