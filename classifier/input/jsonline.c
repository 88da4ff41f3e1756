/*
 * A key can only begin after a quote mark, and its first four bytes (a short
 * one's closing quote mark is the fourth) tell it from nearly all others. So
 * 32 bytes are looked over at once for the few that matter, and the four bytes
 * after each quote mark are compared with all keys at once.
 */
#include "input/jsonline.h"

#include "base/cpu.h"

#include <string.h>

#define ESC '\033'
#define HEAD 4

const char *const jsonline_keys[] = { "log", "message", "msg", "event", "text",
	"body", "MESSAGE", NULL };

/* How each of them begins, with room for eight. */
static const char heads[] = "log\""
			    "mess"
			    "msg\""
			    "even"
			    "text"
			    "body"
			    "MESS"
			    "MESS";

static bool head_at(const char *p)
{
	for (size_t i = 0; i < sizeof heads - 1; i += HEAD)
		if (memcmp(p, heads + i, HEAD) == 0)
			return true;
	return false;
}

/* Bytes to look at; all others are plain wherever they stand. */
static const bool marked[256] = { true, true, true, true, true, true, true,
	true, ['\b'] = true, ['\n'] = true, ['\r'] = true, [ESC] = true,
	['"'] = true, ['\\'] = true };

static size_t plain_from(struct span s, size_t i)
{
	for (;; i++) {
		while (i < s.n && !marked[(unsigned char)s.p[i]])
			i++;
		if (i == s.n)
			return i;
		if (s.p[i] == '"' && !(s.n - i > HEAD && head_at(s.p + i + 1)))
			continue;
		if (s.p[i] == '\\' && !(s.n - i > 1 && s.p[i + 1] == 'u'))
			continue;
		return i;
	}
}

#if CPU_AVX2
/* Goes as far as 32 bytes at once go, and four bytes past each. */
__attribute__((target("avx2"))) static size_t plain_avx2(struct span s)
{
	const __m256i keys =
	    _mm256_loadu_si256((const __m256i *)(const void *)heads);
	const __m256i eight = _mm256_set1_epi8('\b');
	const __m256i esc = _mm256_set1_epi8(ESC);
	const __m256i nl = _mm256_set1_epi8('\n');
	const __m256i cr = _mm256_set1_epi8('\r');
	const __m256i back = _mm256_set1_epi8('\\');
	const __m256i quote = _mm256_set1_epi8('"');
	size_t i = 0;

	for (; i + 32 + HEAD <= s.n; i += 32) {
		__m256i v = _mm256_loadu_si256(
		    (const __m256i *)(const void *)(s.p + i));
		__m256i odd = _mm256_or_si256(
		    _mm256_or_si256(
			_mm256_cmpeq_epi8(_mm256_min_epu8(v, eight), v),
			_mm256_cmpeq_epi8(v, esc)),
		    _mm256_or_si256(
			_mm256_cmpeq_epi8(v, nl), _mm256_cmpeq_epi8(v, cr)));
		unsigned seen = (unsigned)_mm256_movemask_epi8(
		    _mm256_or_si256(odd, _mm256_cmpeq_epi8(v, back)));
		unsigned quotes =
		    (unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, quote));
		const char *p = s.p + i;

		while (seen && p[(unsigned)__builtin_ctz(seen)] == '\\' &&
		    p[(unsigned)__builtin_ctz(seen) + 1] != 'u')
			seen &= seen - 1;
		for (quotes &= (seen ^ (seen - 1)); quotes;
		     quotes &= quotes - 1) {
			unsigned k = (unsigned)__builtin_ctz(quotes);
			int four;

			memcpy(&four, p + k + 1, sizeof four);
			if (_mm256_movemask_epi8(_mm256_cmpeq_epi32(
				_mm256_set1_epi32(four), keys)))
				return i + k;
		}
		if (seen)
			return i + (unsigned)__builtin_ctz(seen);
	}
	return i;
}
#endif

size_t jsonline_plain(struct span s)
{
	size_t i = 0;

#if CPU_AVX2
	if (cpu_avx2())
		i = plain_avx2(s);
#endif
	/* stands still at what stopped the fast way */
	return plain_from(s, i);
}

bool jsonline_may_be_record(struct span s)
{
	return span_starts(s, "{\"") && jsonline_plain(s) < s.n;
}

bool jsonline_is_none(struct span s)
{
	size_t n = span_starts(s, "{\"") ? jsonline_plain(s) : s.n;

	return n < s.n && (s.p[n] == '\n' || s.p[n] == '\r');
}
