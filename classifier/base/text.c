/*
 * The two ways out of the program for log bytes: repaired UTF-8
 * for machines, visible text for eyes.
 */
#include "base/text.h"

#include "base/buf.h"
#include "base/cpu.h"
#include "base/err.h"
#include "base/wide.h"

#include <stdlib.h>
#include <string.h>

/* Decode one code point; 0 bytes consumed means a bad byte. Overlong forms,
 * surrogates and values over U+10FFFF are bad. */
static size_t decode(const unsigned char *p, size_t n, uint32_t *cp)
{
	uint32_t c = p[0];
	uint32_t least;
	size_t len;

	if (c < 0x80) {
		*cp = c;
		return 1;
	}
	if (c >= 0xc2 && c <= 0xdf) {
		len = 2;
		least = 0x80;
		c &= 0x1f;
	} else if (c >= 0xe0 && c <= 0xef) {
		len = 3;
		least = 0x800;
		c &= 0x0f;
	} else if (c >= 0xf0 && c <= 0xf4) {
		len = 4;
		least = 0x10000;
		c &= 0x07;
	} else {
		return 0;
	}
	if (n < len)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*cp = c;
	return len;
}

size_t text_code_point(uint32_t c, char out[4])
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

/* Where the first bad byte is, from i on; s.n when there is none. */
static size_t first_bad(struct span s, size_t i)
{
	const unsigned char *p = (const unsigned char *)s.p;
	uint64_t eight;
	uint32_t cp;

	while (i < s.n) {
		size_t len = 1;

		/* most text is ASCII */
		while (s.n - i >= sizeof eight) {
			memcpy(&eight, p + i, sizeof eight);
			if (eight & UINT64_MAX / 255 << 7)
				break;
			i += sizeof eight;
		}
		if (i < s.n && p[i] >= 0x80)
			len = decode(p + i, s.n - i, &cp);
		if (len == 0)
			return i;
		i += len;
	}
	return s.n;
}

static bool is_ascii(struct span s)
{
	wide all = { 0 };
	size_t i = 0;

	if (s.n < sizeof all)
		return false;
	for (; i + sizeof all <= s.n; i += sizeof all)
		all |= wide_load(s.p + i);
	all |= wide_load(s.p + s.n - sizeof all);
	return !wide_any(all & 0x80);
}

bool text_is_utf8(struct span s)
{
	return is_ascii(s) || first_bad(s, 0) == s.n;
}

size_t text_bad_bytes(struct span s)
{
	size_t n = 0;

	for (size_t i = 0; (i = first_bad(s, i)) < s.n; i++)
		n++;
	return n;
}

int text_utf8(struct buf *out, struct span s)
{
	size_t start = 0, bad;

	while ((bad = first_bad(s, start)) < s.n) {
		if (buf_add(out, s.p + start, bad - start) ||
		    buf_adds(out, "\xef\xbf\xbd"))
			return -1;
		start = bad + 1;
	}
	return s.n > start ? buf_add(out, s.p + start, s.n - start) : 0;
}

/* Code points that change how the rest of a line is shown, or hide in it. */
static bool invisible(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0) ||
	    (cp >= 0x200b && cp <= 0x200f) || (cp >= 0x2028 && cp <= 0x202e) ||
	    (cp >= 0x2060 && cp <= 0x206f) || cp == 0xfeff || cp == 0xad ||
	    cp == 0x61c || (cp >= 0xe0000 && cp <= 0xe007f);
}

int text_visible(struct buf *out, struct span s)
{
	const unsigned char *p = (const unsigned char *)s.p;
	int rc = 0;

	for (size_t i = 0; i < s.n && !rc;) {
		uint32_t cp = 0;
		size_t len = decode(p + i, s.n - i, &cp);

		if (len == 0) {
			rc = buf_addf(out, "\\x%02x", p[i]);
			i++;
		} else if (cp == '\t') {
			rc = buf_addc(out, ' ');
			i++;
		} else if (cp == '\n' || cp == '\r') {
			rc = buf_adds(out, cp == '\n' ? "\\n" : "\\r");
			i++;
		} else if (invisible(cp)) {
			rc = cp < 0x100 ? buf_addf(out, "\\x%02x", cp)
					: buf_addf(out, "\\u%04x", cp);
			i += len;
		} else {
			rc = buf_add(out, s.p + i, len);
			i += len;
		}
	}
	return rc;
}

/* The next byte from i on that is no ASCII, or DEL. */
static size_t next_other(struct span s, size_t i)
{
	while (i < s.n && (unsigned char)s.p[i] < 0x7f)
		i++;
	return i;
}

int text_json(struct buf *out, struct span s)
{
	size_t start = 0, i = next_other(s, 0);
	int rc = 0;

	while (i < s.n && !rc) {
		uint32_t cp = 0;
		size_t len =
		    decode((const unsigned char *)s.p + i, s.n - i, &cp);

		if (len == 0)
			len = 1;
		if (invisible(cp) && cp >= 0x7f) {
			rc = buf_add(out, s.p + start, i - start);
			if (cp >= 0x10000)
				rc = rc ||
				    buf_addf(
					out, "\\u%04X", 0xd7c0 + (cp >> 10));
			rc = rc ||
			    buf_addf(out, "\\u%04X",
				cp < 0x10000 ? cp : 0xdc00 + (cp & 0x3ff));
			start = i + len;
		}
		i = next_other(s, i + len);
	}
	return rc || buf_add(out, s.p + start, s.n - start) ? -1 : 0;
}

static size_t columns_of(uint32_t cp)
{
	if ((cp >= 0x300 && cp <= 0x36f) || (cp >= 0xfe00 && cp <= 0xfe0f))
		return 0;
	if ((cp >= 0x1100 && cp <= 0x115f) || (cp >= 0x2e80 && cp <= 0xa4cf) ||
	    (cp >= 0xac00 && cp <= 0xd7a3) || (cp >= 0xf900 && cp <= 0xfaff) ||
	    (cp >= 0xfe30 && cp <= 0xfe6f) || (cp >= 0xff00 && cp <= 0xff60) ||
	    (cp >= 0x1f300 && cp <= 0x1faff) ||
	    (cp >= 0x20000 && cp <= 0x3fffd))
		return 2;
	return 1;
}

struct span text_fit(struct span s, size_t columns)
{
	const unsigned char *p = (const unsigned char *)s.p;
	size_t i = 0, used = 0;

	while (i < s.n) {
		uint32_t cp = 0;
		size_t len = decode(p + i, s.n - i, &cp);

		used += len ? columns_of(cp) : 1;
		if (used > columns)
			break;
		i += len ? len : 1;
	}
	return span_sub(s, 0, i);
}

size_t text_width(struct span s)
{
	const unsigned char *p = (const unsigned char *)s.p;
	size_t used = 0;

	for (size_t i = 0; i < s.n;) {
		uint32_t cp = 0;
		size_t len = decode(p + i, s.n - i, &cp);

		used += len ? columns_of(cp) : 1;
		i += len ? len : 1;
	}
	return used;
}

struct span text_tail(struct span s, size_t columns)
{
	size_t width = text_width(s);
	size_t drop = width > columns ? text_fit(s, width - columns).n : 0;

	/* where a wide character stands on the border */
	while (drop < s.n && text_width(span_sub(s, drop, s.n)) > columns)
		drop += text_fit(span_sub(s, drop, s.n), 2).n;
	return span_sub(s, drop, s.n);
}
