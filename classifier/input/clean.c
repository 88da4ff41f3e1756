/*
 * Most text has no escape at all, so it is looked over in chunks that the
 * compiler turns into vector compares; only a chunk that holds one of the
 * three bytes is walked.
 */
#include "input/clean.h"

#include "base/buf.h"

#include <string.h>

#define ESC '\033'
#define BEL '\007'
#define STRING_MAX 4096
#define CHUNK 64

static bool special(unsigned char c)
{
	return c == '\0' || c == '\b' || c == ESC;
}

/* Whether any of CHUNK bytes is special. Written for vectorizers: no early
 * exit, a constant count, bytes only. */
static bool chunk_special(const unsigned char *p)
{
	unsigned char any = 0;

	for (int i = 0; i < CHUNK; i++)
		any |= (unsigned char)((p[i] == 0) | (p[i] == '\b') |
		    (p[i] == ESC));
	return any != 0;
}

/* Bytes before the first special one. */
static size_t plain_length(const char *s, size_t n)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t i = 0;

	while (i < n) {
		size_t end = n;

		if (n - i >= CHUNK) {
			if (!chunk_special(p + i)) {
				i += CHUNK;
				continue;
			}
			end = i + CHUNK;
		}
		for (; i < end; i++)
			if (special(p[i]))
				return i;
	}
	return n;
}

static void begin(struct clean *c)
{
	c->state = CLEAN_ESC;
	c->length = 1;
	c->escapes++;
}

/* The byte after ESC says what kind of escape it is. */
static enum clean_state after_esc(unsigned char b)
{
	if (b == '[')
		return CLEAN_CSI;
	if (b == ']' || b == 'P' || b == '^' || b == '_' || b == 'X')
		return CLEAN_STRING;
	return b >= 0x20 && b <= 0x2f ? CLEAN_SHORT : CLEAN_TEXT;
}

/* One byte of an escape; false when it is not part of it. */
static bool step(struct clean *c, unsigned char b)
{
	if (b == '\n' || b == '\r' || c->length++ >= STRING_MAX) {
		c->state = CLEAN_TEXT;
		return false;
	}
	if (b == ESC && c->state != CLEAN_STRING) {
		begin(c);
		return true;
	}
	switch (c->state) {
	case CLEAN_ESC:
		c->state = after_esc(b);
		return b >= 0x20 && b <= 0x7e;
	case CLEAN_SHORT:
		if (b < 0x20 || b > 0x2f)
			c->state = CLEAN_TEXT;
		return b >= 0x20 && b <= 0x7e;
	case CLEAN_CSI:
		if (b < 0x20 || b > 0x3f)
			c->state = CLEAN_TEXT;
		return b >= 0x20 && b <= 0x7e;
	case CLEAN_STRING:
		if (b == BEL)
			c->state = CLEAN_TEXT;
		else if (b == ESC)
			c->state = CLEAN_STRING_ESC;
		return true;
	case CLEAN_STRING_ESC:
		/* ESC \ ends the string, any other ESC begins anew. */
		if (b == '\\') {
			c->state = CLEAN_TEXT;
			return true;
		}
		begin(c);
		return step(c, b);
	case CLEAN_TEXT:
	default:
		return false;
	}
}

bool clean_next(struct clean *c, struct span *rest, struct span *text)
{
	while (rest->n) {
		unsigned char b = (unsigned char)rest->p[0];
		size_t n;

		if (c->state != CLEAN_TEXT && step(c, b)) {
			rest->p++;
			rest->n--;
			continue;
		}
		if (special(b)) {
			if (b == ESC)
				begin(c);
			else if (b == '\0')
				c->nul_bytes++;
			else
				c->escapes++;
			rest->p++;
			rest->n--;
			continue;
		}
		n = plain_length(rest->p, rest->n);
		*text = (struct span){ rest->p, n };
		rest->p += n;
		rest->n -= n;
		return true;
	}
	return false;
}

int clean_add(struct clean *c, struct buf *out, struct span s)
{
	struct span text;

	while (clean_next(c, &s, &text))
		if (buf_add(out, text.p, text.n))
			return -1;
	return 0;
}

/* Whether at least 90 % of the bytes from first on, every other one, are NUL
 * and most of those between are ASCII text. */
static bool alternates(struct span s, size_t first)
{
	size_t nul = 0, all = 0, ascii = 0, other = 0;

	for (size_t i = 0; i < s.n; i++) {
		unsigned char b = (unsigned char)s.p[i];

		if (i % 2 == first) {
			all++;
			nul += b == 0;
		} else {
			other++;
			ascii += (b >= 0x20 && b < 0x7f) || b == '\n' ||
			    b == '\r' || b == '\t';
		}
	}
	return all >= 2 && nul * 10 >= all * 9 && ascii * 10 >= other * 7;
}

enum utf16 clean_utf16(struct span head, size_t *mark)
{
	*mark = 0;
	if (span_starts(head, "\xef\xbb\xbf")) {
		*mark = 3;
		return UTF16_NO;
	}
	if (span_starts(head, "\xff\xfe")) {
		*mark = 2;
		return UTF16_LITTLE;
	}
	if (span_starts(head, "\xfe\xff")) {
		*mark = 2;
		return UTF16_BIG;
	}
	if (alternates(head, 1))
		return UTF16_LITTLE;
	if (alternates(head, 0))
		return UTF16_BIG;
	return UTF16_NO;
}

static size_t put_utf8(uint32_t c, char *out)
{
	if (c < 0x80) {
		out[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (char)(0xc0 | c >> 6);
		out[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (char)(0xe0 | c >> 12);
		out[1] = (char)(0x80 | (c >> 6 & 0x3f));
		out[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | c >> 18);
	out[1] = (char)(0x80 | (c >> 12 & 0x3f));
	out[2] = (char)(0x80 | (c >> 6 & 0x3f));
	out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

size_t clean_utf16_byte(struct clean_unit *u, unsigned char c, char out[6])
{
	uint16_t unit;
	size_t n = 0;

	if (!u->has_half) {
		u->half = c;
		u->has_half = true;
		return 0;
	}
	u->has_half = false;
	unit = (uint16_t)(u->big ? u->half << 8 | c : c << 8 | u->half);
	if (unit >= 0xdc00 && unit <= 0xdfff && u->high) {
		uint32_t point = 0x10000u +
		    ((uint32_t)(u->high - 0xd800) << 10) +
		    (uint32_t)(unit - 0xdc00);

		u->high = 0;
		return put_utf8(point, out);
	}
	if (u->high)
		n = put_utf8(0xfffd, out);
	u->high = 0;
	if (unit >= 0xd800 && unit <= 0xdbff) {
		u->high = unit;
		return n;
	}
	if (unit >= 0xdc00 && unit <= 0xdfff)
		unit = 0xfffd;
	return n + put_utf8(unit, out + n);
}

size_t clean_utf16_end(struct clean_unit *u, char out[6])
{
	size_t n = 0;

	if (u->high)
		n = put_utf8(0xfffd, out);
	if (u->has_half)
		n += put_utf8(0xfffd, out + n);
	u->high = 0;
	u->has_half = false;
	return n;
}
