/*
 * Spans, and the two ways out of the program for log bytes: repaired UTF-8
 * for machines, visible text for eyes.
 */
#include "base/text.h"

#include "base/buf.h"
#include "base/cpu.h"
#include "base/err.h"
#include "base/wide.h"

#include <stdlib.h>
#include <string.h>

struct span span_sub(struct span s, size_t from, size_t to)
{
	if (to > s.n)
		to = s.n;
	if (from > to)
		from = to;
	return (struct span){ s.p ? s.p + from : NULL, to - from };
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct span span_trim(struct span s)
{
	while (s.n && is_blank(s.p[0])) {
		s.p++;
		s.n--;
	}
	while (s.n && is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

size_t span_find(struct span a, const char *needle)
{
	size_t n = strlen(needle);
	const char *p = a.p, *end;

	if (n == 0)
		return 0;
	if (n > a.n)
		return SIZE_MAX;
	end = p + a.n;
	while ((size_t)(end - p) >= n) {
		p = memchr(p, needle[0], (size_t)(end - p) - n + 1);
		if (!p)
			break;
		/* the last byte nearly always decides */
		if (p[n - 1] == needle[n - 1] && memcmp(p, needle, n) == 0)
			return (size_t)(p - a.p);
		p++;
	}
	return SIZE_MAX;
}

bool span_line(struct span *rest, struct span *line)
{
	const char *nl;

	if (rest->n == 0)
		return false;
	nl = memchr(rest->p, '\n', rest->n);
	line->p = rest->p;
	line->n = nl ? (size_t)(nl - rest->p) : rest->n;
	rest->p += line->n + (nl != NULL);
	rest->n -= line->n + (nl != NULL);
	return true;
}

#if CPU_AVX2
/* Of as many bytes as are taken off s: all but a few. Each byte of sum counts
 * up to 255 times; they are added up before it may be more. */
__attribute__((target("avx2"))) static uint64_t newlines_avx2(struct span *s)
{
	const __m256i nl = _mm256_set1_epi8('\n');
	__m256i all = _mm256_setzero_si256();

	while (s->n >= 32) {
		size_t n = s->n / 32 < 255 ? s->n / 32 : 255;
		__m256i sum = _mm256_setzero_si256();

		for (size_t i = 0; i < n; i++, s->p += 32)
			sum = _mm256_sub_epi8(sum,
			    _mm256_cmpeq_epi8(
				_mm256_loadu_si256(
				    (const __m256i *)(const void *)s->p),
				nl));
		s->n -= n * 32;
		all = _mm256_add_epi64(
		    all, _mm256_sad_epu8(sum, _mm256_setzero_si256()));
	}
	return (uint64_t)_mm256_extract_epi64(all, 0) +
	    (uint64_t)_mm256_extract_epi64(all, 1) +
	    (uint64_t)_mm256_extract_epi64(all, 2) +
	    (uint64_t)_mm256_extract_epi64(all, 3);
}
#endif

uint64_t span_newlines(struct span s)
{
	uint64_t all = 0;

#if CPU_AVX2
	if (cpu_avx2())
		all = newlines_avx2(&s);
#endif
	while (s.n >= sizeof(wide)) {
		size_t n = s.n / sizeof(wide) < 255 ? s.n / sizeof(wide) : 255;
		wide sum = { 0 };

		s.n -= n * sizeof(wide);
		for (; n; n--, s.p += sizeof(wide))
			sum -= wide_is(wide_load(s.p), '\n');
		all += wide_sum(sum);
	}
	while (s.n--)
		all += *s.p++ == '\n';
	return all;
}

size_t span_line_start(struct span s, size_t least, size_t pos)
{
	for (; pos >= least + sizeof(wide); pos -= sizeof(wide)) {
		wide v = wide_load(s.p + pos - sizeof(wide));

		if (wide_any(wide_is(v, '\n') | wide_is(v, '\r')))
			break;
	}
	while (pos > least && s.p[pos - 1] != '\n' && s.p[pos - 1] != '\r')
		pos--;
	return pos;
}

int64_t span_number(struct span s)
{
	int64_t v = 0;

	if (s.n == 0)
		return -1;
	for (size_t i = 0; i < s.n; i++) {
		int d = s.p[i] - '0';

		if (d < 0 || d > 9 || v > (INT64_MAX - d) / 10)
			return -1;
		v = v * 10 + d;
	}
	return v;
}

char *span_dup(struct span s)
{
	char *p = malloc(s.n + 1);

	if (!p) {
		err_nomem(NULL);
		return NULL;
	}
	if (s.n)
		memcpy(p, s.p, s.n);
	p[s.n] = '\0';
	return p;
}

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

bool text_is_utf8(struct span s)
{
	return first_bad(s, 0) == s.n;
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
