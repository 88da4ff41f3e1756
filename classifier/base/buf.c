#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buf_release(struct buf *b)
{
	free(b->p);
	b->p = NULL;
	b->len = b->cap = 0;
}

int buf_reserve(struct buf *b, size_t n)
{
	size_t want, cap;
	char *p;

	if (n > b->max || b->len > b->max - n)
		return -1;
	want = b->len + n;
	if (b->p && want <= b->cap)
		return 0;
	cap = b->cap < 64 ? 64 : b->cap;
	while (cap < want)
		cap += cap / 2;
	if (cap > b->max)
		cap = b->max;
	p = realloc(b->p, cap + 1);
	if (!p)
		return -1;
	if (!b->p)
		p[0] = '\0';
	b->p = p;
	b->cap = cap;
	return 0;
}

int buf_add(struct buf *b, const void *p, size_t n)
{
	/* most of what is added is short, and there is room */
	if ((!b->p || n > b->cap - b->len) && buf_reserve(b, n))
		return -1;
	if (n)
		memcpy(b->p + b->len, p, n);
	b->len += n;
	b->p[b->len] = '\0';
	return 0;
}

int buf_addc(struct buf *b, char c)
{
	return buf_add(b, &c, 1);
}

int buf_adds(struct buf *b, const char *s)
{
	return buf_add(b, s, strlen(s));
}

int buf_addf(struct buf *b, const char *fmt, ...)
{
	size_t room = b->p ? b->cap - b->len + 1 : 0;
	va_list ap, again;
	int n, rc = -1;

	va_start(ap, fmt);
	va_copy(again, ap);
	/* twice only when it does not fit into what there is */
	n = vsnprintf(b->p ? b->p + b->len : NULL, room, fmt, ap);
	if (n >= 0 && !buf_reserve(b, (size_t)n)) {
		if ((size_t)n >= room)
			vsnprintf(b->p + b->len, (size_t)n + 1, fmt, again);
		b->len += (size_t)n;
		rc = 0;
	} else if (b->p) {
		b->p[b->len] = '\0';
	}
	va_end(again);
	va_end(ap);
	return rc;
}

void buf_clear(struct buf *b)
{
	b->len = 0;
	if (b->p)
		b->p[0] = '\0';
}

char *buf_take(struct buf *b)
{
	char *p;

	if (!b->p && buf_reserve(b, 0))
		return NULL;
	p = b->p;
	b->p = NULL;
	b->len = b->cap = 0;
	return p;
}
