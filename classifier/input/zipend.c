/*
 * Twice the room is kept, so that small pieces are moved seldom. The end is
 * searched backwards, since a comment may hold anything.
 */
#include "input/zipend.h"

#include <stdlib.h>
#include <string.h>

#define END 22 /* bytes of the record that ends a zip */
#define LARGE_LOCATOR 20
#define LARGE_END 56

int zipend_add(struct zipend *z, const char *p, size_t n)
{
	if (!z->p)
		z->p = malloc(2 * ZIPEND_BYTES);
	if (!z->p)
		return -1;
	if (n > ZIPEND_BYTES) {
		p += n - ZIPEND_BYTES;
		n = ZIPEND_BYTES;
	}
	if (z->n + n > 2 * ZIPEND_BYTES) {
		memmove(z->p, z->p + z->n - ZIPEND_BYTES, ZIPEND_BYTES);
		z->n = ZIPEND_BYTES;
	}
	memcpy(z->p + z->n, p, n);
	z->n += n;
	return 0;
}

void zipend_release(struct zipend *z)
{
	free(z->p);
	*z = (struct zipend){ NULL, 0 };
}

static uint64_t number(const char *p, int n)
{
	uint64_t v = 0;

	while (n-- > 0)
		v = v << 8 | (unsigned char)p[n];
	return v;
}

/* Of a large zip the record that holds the number stands before this one. */
static int64_t large_members(const struct zipend *z, size_t at)
{
	const char *p = z->p + at;

	if (at < LARGE_LOCATOR + LARGE_END ||
	    memcmp(p - LARGE_LOCATOR, "PK\6\7", 4) != 0 ||
	    memcmp(p - LARGE_LOCATOR - LARGE_END, "PK\6\6", 4) != 0)
		return 0xffff;
	return (
	    int64_t)(number(p - LARGE_LOCATOR - LARGE_END + 32, 8) & INT64_MAX);
}

int64_t zipend_members(const struct zipend *z)
{
	uint64_t n;

	for (size_t at = z->n; at-- > 0;) {
		if (z->n - at < END || memcmp(z->p + at, "PK\5\6", 4) != 0)
			continue;
		n = number(z->p + at + 10, 2);
		/* before the end of an empty zip there is nothing */
		if (!n && at)
			return 1;
		return n < 0xffff ? (int64_t)n : large_members(z, at);
	}
	return -1;
}
