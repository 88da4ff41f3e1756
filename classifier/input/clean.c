/*
 * Most text has no escape at all, so it is looked over in chunks that the
 * compiler turns into vector compares; only a chunk that holds one of the
 * three bytes is walked. What goes straight into a block is copied in the same
 * pass that looks at it, by AVX2 where the processor has it: each byte of a
 * log is touched once here, and most of the time of a scan was once spent
 * touching it.
 */
#include "input/clean.h"

#include "base/buf.h"
#include "base/cpu.h"
#include "base/text.h"
#include "base/wide.h"
#include "input/jsonline.h"

#include <string.h>

#define ESC '\033'
#define BEL '\007'
#define STRING_MAX 4096
#define CHUNK sizeof(wide)

static bool special(unsigned char c)
{
	return c == '\0' || c == '\b' || c == ESC;
}

/* Which of CHUNK bytes are special. */
static wide which_special(wide v)
{
	return wide_is(v, '\0') | wide_is(v, '\b') | wide_is(v, ESC);
}

/* Bytes before the first special one. */
static size_t plain_length(const char *s, size_t n)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t i = 0;

	while (i < n) {
		size_t end = n;

		if (n - i >= CHUNK) {
			if (!wide_any(which_special(wide_load(s + i)))) {
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

/* The usual escape, ESC [ and what sets a colour, when all of it is in s: its
 * length; else 0. */
static size_t short_csi(struct span s)
{
	size_t n = s.n < 32 ? s.n : 32;

	if (n < 3 || s.p[1] != '[')
		return 0;
	for (size_t i = 2; i < n; i++)
		if (s.p[i] >= 0x40 && s.p[i] <= 0x7e)
			return i + 1;
		else if (s.p[i] < 0x20 || s.p[i] > 0x3f)
			return 0;
	return 0;
}

size_t clean_skip(struct clean *c, struct span s)
{
	size_t i = 0, n;

	for (; i < s.n; i++) {
		unsigned char b = (unsigned char)s.p[i];

		if (c->state != CLEAN_TEXT && step(c, b))
			continue;
		if (b == ESC) {
			n = short_csi(span_sub(s, i, s.n));
			if (n) {
				c->escapes++;
				i += n - 1;
				continue;
			}
			begin(c);
		} else if (b == '\0') {
			c->nul_bytes++;
		} else if (b == '\b') {
			c->escapes++;
		} else {
			break;
		}
	}
	return i;
}

bool clean_next(struct clean *c, struct span *rest, struct span *text)
{
	size_t skip = clean_skip(c, *rest), n;

	*rest = span_sub(*rest, skip, rest->n);
	n = plain_length(rest->p, rest->n);
	*text = span_sub(*rest, 0, n);
	*rest = span_sub(*rest, n, rest->n);
	return n != 0;
}

/* ---- copying ---- */

/* What is copied from where. */
struct copying {
	const struct jsonkeys *keys;
	struct span s;
	char *out;
	uint64_t *newlines; /* counted so far */
};

/* Whether s[i], which goes to out[i], is one to stop at: no text, or the '{'
 * of a line that may be a record. Neither '{' and a blank or a quote mark, as
 * Python prints a dictionary, nor measurements in JSON are one. */
static bool stops(const struct copying *c, size_t i)
{
	struct span s = c->s;
	char before = c->out[(ptrdiff_t)i - 1];

	if (s.p[i] != '{')
		return special((unsigned char)s.p[i]);
	if (before != '\n' && before != '\r')
		return false;
	if (i + 1 < s.n && s.p[i + 1] == '"')
		return !jsonline_is_none(c->keys, span_sub(s, i, s.n));
	return i + 1 == s.n || (unsigned char)s.p[i + 1] < ' ';
}

#define NO_STOP 64

/* The first byte from s[i] on that is one to stop at, of those that have a bit
 * in maybe; or NO_STOP. Inline: for the processor of its caller. */
static inline unsigned first_stop(
    const struct copying *c, size_t i, uint64_t maybe)
{
	for (; maybe; maybe &= maybe - 1) {
		unsigned k = (unsigned)__builtin_ctzll(maybe);

		if (stops(c, i + k))
			return k;
	}
	return NO_STOP;
}

static inline unsigned count_bits(uint64_t bits)
{
	return (unsigned)__builtin_popcountll(bits);
}

/* How many of the bits are before the k-th. */
static inline unsigned bits_before(uint64_t bits, unsigned k)
{
	return count_bits(bits & ((UINT64_C(1) << k) - 1));
}

#if CPU_AVX2
/* Which of 32 bytes stops may hold for. A byte's low half picks the special
 * byte that it may be. */
__attribute__((target("avx2,popcnt"))) static unsigned maybe_stops(__m256i v)
{
	const __m256i by_half = _mm256_setr_epi8('\0', -1, -1, -1, -1, -1, -1,
	    -1, '\b', -1, -1, ESC, -1, -1, -1, -1, '\0', -1, -1, -1, -1, -1, -1,
	    -1, '\b', -1, -1, ESC, -1, -1, -1, -1);
	__m256i known = _mm256_shuffle_epi8(by_half, v);

	return (unsigned)_mm256_movemask_epi8(
	    _mm256_or_si256(_mm256_cmpeq_epi8(v, known),
		_mm256_cmpeq_epi8(v, _mm256_set1_epi8('{'))));
}

/* 64 bytes: what to stop at perhaps, and line ends, as bits. */
struct bits {
	uint64_t seen, lines;
};

/* Copies from i on, up to where seen has a bit or less than 64 bytes are left.
 * Returns that place. */
__attribute__((target("avx2,popcnt"))) static inline size_t copy_64s(
    const struct copying *c, size_t i, struct bits *bits)
{
	const __m256i nl = _mm256_set1_epi8('\n');
	const struct span s = c->s;
	uint64_t newlines = 0;

	bits->seen = 0;
	for (; i + 64 <= s.n; i += 64) {
		const __m256i *from = (const __m256i *)(const void *)(s.p + i);
		__m256i *to = (__m256i *)(void *)(c->out + i);
		__m256i a = _mm256_loadu_si256(from);
		__m256i b = _mm256_loadu_si256(from + 1);

		bits->seen = maybe_stops(a) | (uint64_t)maybe_stops(b) << 32;
		bits->lines =
		    (unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, nl)) |
		    (uint64_t)(unsigned)_mm256_movemask_epi8(
			_mm256_cmpeq_epi8(b, nl))
			<< 32;
		_mm256_storeu_si256(to, a);
		_mm256_storeu_si256(to + 1, b);
		if (bits->seen)
			break;
		newlines += count_bits(bits->lines);
	}
	*c->newlines += newlines;
	return i;
}

/* Goes up to *at: true when that is one to stop at, false when less than 64
 * bytes are left. */
__attribute__((target("avx2,popcnt"))) static bool copy_avx2(
    const struct copying *c, size_t *at)
{
	struct bits bits;
	size_t i = copy_64s(c, 0, &bits);

	for (; bits.seen; i = copy_64s(c, i + 64, &bits)) {
		unsigned k = first_stop(c, i, bits.seen);

		*at = i + k;
		if (k != NO_STOP) {
			*c->newlines += bits_before(bits.lines, k);
			return true;
		}
		*c->newlines += count_bits(bits.lines);
	}
	*at = i;
	return false;
}
#endif

/* Chunks from i on that hold none to stop at. Returns the place behind them. */
static size_t copy_chunks(const struct copying *c, size_t i)
{
	const struct span s = c->s;
	char *const out = c->out;
	size_t most = i + 255 * CHUNK; /* what a byte can count */
	wide lines = { 0 };

	for (; i + CHUNK <= s.n && i < most; i += CHUNK) {
		wide v = wide_load(s.p + i);

		if (wide_any(which_special(v) | wide_is(v, '{')))
			break;
		memcpy(out + i, &v, sizeof v);
		lines -= wide_is(v, '\n');
	}
	*c->newlines += wide_sum(lines);
	return i;
}

/* Likewise, CHUNK bytes at a time. */
static bool copy_portable(const struct copying *c, size_t *at)
{
	const struct span s = c->s;
	char *const out = c->out;
	size_t i = copy_chunks(c, 0);
	unsigned k = NO_STOP;

	for (; i + CHUNK <= s.n; i = copy_chunks(c, i + CHUNK)) {
		wide v = wide_load(s.p + i);
		unsigned lines = wide_bits(wide_is(v, '\n'));
		unsigned seen = wide_bits(which_special(v) | wide_is(v, '{'));

		memcpy(out + i, &v, sizeof v);
		k = first_stop(c, i, seen);
		if (k != NO_STOP) {
			*c->newlines += bits_before(lines, k);
			i += k;
			break;
		}
		*c->newlines += count_bits(lines);
	}
	*at = i;
	return k != NO_STOP;
}

static bool copy_most(const struct copying *c, size_t *at)
{
#if CPU_AVX2
	if (cpu_avx2())
		return copy_avx2(c, at);
#endif
	return copy_portable(c, at);
}

size_t clean_copy(
    const struct jsonkeys *keys, struct span s, char *out, uint64_t *newlines)
{
	const struct copying c = { keys, s, out, newlines };
	size_t i = 0;

	if (copy_most(&c, &i))
		return i;
	for (; i < s.n && !stops(&c, i); i++) {
		out[i] = s.p[i];
		*newlines += s.p[i] == '\n';
	}
	return i;
}

bool clean_is(struct span s)
{
	return !s.n ||
	    (!memchr(s.p, ESC, s.n) && !memchr(s.p, '\0', s.n) &&
		!memchr(s.p, '\b', s.n));
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
	if (!head.n || !memchr(head.p, '\0', head.n))
		return UTF16_NO;
	if (alternates(head, 1))
		return UTF16_LITTLE;
	if (alternates(head, 0))
		return UTF16_BIG;
	return UTF16_NO;
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
		return text_code_point(point, out);
	}
	if (u->high)
		n = text_code_point(0xfffd, out);
	u->high = 0;
	if (unit >= 0xd800 && unit <= 0xdbff) {
		u->high = unit;
		return n;
	}
	if (unit >= 0xdc00 && unit <= 0xdfff)
		unit = 0xfffd;
	return n + text_code_point(unit, out + n);
}

size_t clean_utf16_end(struct clean_unit *u, char out[6])
{
	size_t n = 0;

	if (u->high)
		n = text_code_point(0xfffd, out);
	if (u->has_half)
		n += text_code_point(0xfffd, out + n);
	u->high = 0;
	u->has_half = false;
	return n;
}
