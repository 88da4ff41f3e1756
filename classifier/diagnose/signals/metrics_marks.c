/*
 * Where a word begins, its first three bytes are looked up in a table of all
 * that names begin with. Before that, where the processor looks at 32 bytes at
 * a time, most words are found to be none by halves of their bytes: names fall
 * into eight groups, and each half of each byte says of which.
 */
#include "diagnose/signals/metrics_marks.h"

#include "base/cpu.h"
#include "diagnose/signals/metrics_names.h"

#include <stdlib.h>
#include <string.h>

#define GROUPS 8
#define SEEN METRIC_MARKS_SEEN

/* ---- making ---- */

/* The bytes that may stand at a place of a name, or behind it. */
static size_t bytes_at(const char *name, size_t n, size_t at, char out[256])
{
	size_t k = 0;

	if (at < n && name[at] == ' ')
		return strlen(memcpy(out, METRIC_JOINS, sizeof METRIC_JOINS));
	if (at < n) {
		out[0] = name[at];
		out[1] = (char)(name[at] - 'a' + 'A');
		return name[at] >= 'a' && name[at] <= 'z' ? 2 : 1;
	}
	for (unsigned c = 0; c < 256; c++)
		if (at > n || !metric_word(name[n - 1]) ||
		    !metric_word((char)c))
			out[k++] = (char)c;
	return k;
}

/* All that a name may begin with. */
static void add_name(struct metric_marker *m, const char *name, unsigned group)
{
	uint32_t classes[SEEN] = { 0 };
	size_t n = strlen(name);
	char may[256];

	for (size_t at = 0; at < SEEN; at++) {
		for (size_t k = bytes_at(name, n, at, may); k-- > 0;) {
			unsigned char c = (unsigned char)may[k];

			m->low[at][c & 15] |= (unsigned char)(1u << group);
			m->high[at][c >> 4] |= (unsigned char)(1u << group);
			classes[at] |= UINT32_C(1) << metric_words[c];
		}
	}
	/* one row of the table is 32 bits */
	for (unsigned row = 0; row < 32 * 32; row++)
		if (classes[0] >> (row >> 5) & classes[1] >> (row & 31) & 1)
			m->begins[row] |= classes[2];
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int metric_marker_make(
    struct metric_marker *m, const char *const *names, size_t n)
{
	/* neighbours in this order share their first letters */
	const char **sorted = malloc((n + 1) * sizeof *sorted);

	if (!sorted)
		return -1;
	memset(m, 0, sizeof *m);
	memcpy(sorted, names, n * sizeof *sorted);
	qsort(sorted, n, sizeof *sorted, by_text);
	for (size_t i = 0; i < n; i++)
		add_name(m, sorted[i], (unsigned)(i * GROUPS / n));
	free(sorted);
	return 0;
}

/* ---- looking ---- */

/* Of those of s[0..63] that are set in w, where a name may begin. */
static uint64_t names_of(
    const struct metric_marker *m, const char *s, uint64_t w)
{
	uint64_t names = 0;

	for (; w; w &= w - 1) {
		int i = __builtin_ctzll(w);
		const unsigned char *p = (const unsigned char *)s + i;
		uint32_t row =
		    m->begins[metric_words[p[0]] << 5 | metric_words[p[1]]];

		names |= (uint64_t)(row >> metric_words[p[2]] & 1) << i;
	}
	return names;
}

/* s[0..64 * n), behind which SEEN - 1 bytes can be read, to rows of marks from
 * `at` on. before: 1 if a word stands before s, then behind it. */
static void look_plain(struct metric_marks *marks, size_t at,
    const struct metric_marker *m, const char *s, size_t n, uint64_t *before)
{
	for (; n; n--, at++, s += 64) {
		uint64_t words = 0, slashes = 0, returns = 0, newlines = 0;

		for (unsigned i = 0; i < 64; i++) {
			words |= (uint64_t)metric_word(s[i]) << i;
			slashes |= (uint64_t)(s[i] == '/') << i;
			newlines |= (uint64_t)(s[i] == '\n') << i;
			returns |= (uint64_t)(s[i] == '\r') << i;
		}
		marks->names[at] =
		    names_of(m, s, words & ~(words << 1 | *before));
		*before = words >> 63;
		marks->stops[at] = marks->names[at] | slashes;
		marks->ends[at] = newlines | returns;
		marks->newlines[at] = newlines;
	}
}

#if CPU_AVX2
#define AVX2 __attribute__((target("avx2")))

AVX2 static inline __m256i load(const char *p)
{
	return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

/* The same 16 bytes twice. */
AVX2 static inline __m256i twice(const unsigned char *p)
{
	return _mm256_broadcastsi128_si256(
	    _mm_loadu_si128((const __m128i *)(const void *)p));
}

AVX2 static inline uint32_t bits(__m256i v)
{
	return (uint32_t)_mm256_movemask_epi8(v);
}

AVX2 static inline __m256i is(__m256i v, char c)
{
	return _mm256_cmpeq_epi8(v, _mm256_set1_epi8(c));
}

/* c from `from` to `to`, both below 128. */
AVX2 static inline __m256i within(__m256i v, char from, char to)
{
	return _mm256_and_si256(
	    _mm256_cmpgt_epi8(v, _mm256_set1_epi8(from - 1)),
	    _mm256_cmpgt_epi8(_mm256_set1_epi8(to + 1), v));
}

AVX2 static inline uint32_t words_of(__m256i v)
{
	__m256i small = _mm256_or_si256(v, _mm256_set1_epi8(0x20));

	return bits(_mm256_or_si256(
	    _mm256_or_si256(within(small, 'a', 'z'), within(v, '0', '9')),
	    is(v, '_')));
}

/* The groups of 32 bytes, each of which stands at a place of a name. */
AVX2 static inline __m256i groups_of(__m256i low, __m256i high, __m256i v)
{
	const __m256i half = _mm256_set1_epi8(15);
	__m256i upper = _mm256_and_si256(_mm256_srli_epi16(v, 4), half);

	return _mm256_and_si256(
	    _mm256_shuffle_epi8(low, _mm256_and_si256(v, half)),
	    _mm256_shuffle_epi8(high, upper));
}

AVX2 static void look_avx2(struct metric_marks *marks, size_t at,
    const struct metric_marker *m, const char *s, size_t n, uint64_t *before)
{
	const __m256i low0 = twice(m->low[0]), high0 = twice(m->high[0]);
	const __m256i low1 = twice(m->low[1]), high1 = twice(m->high[1]);
	const __m256i low2 = twice(m->low[2]), high2 = twice(m->high[2]);

	for (; n; n--, at++, s += 64) {
		uint64_t none = 0, words = 0, slashes = 0, ends = 0, lines = 0;

		for (unsigned i = 0; i < 64; i += 32) {
			__m256i v = load(s + i), nl = is(v, '\n');
			__m256i g = groups_of(low0, high0, v);

			g = _mm256_and_si256(
			    g, groups_of(low1, high1, load(s + i + 1)));
			g = _mm256_and_si256(
			    g, groups_of(low2, high2, load(s + i + 2)));
			none |= (uint64_t)bits(is(g, 0)) << i;
			words |= (uint64_t)words_of(v) << i;
			slashes |= (uint64_t)bits(is(v, '/')) << i;
			lines |= (uint64_t)bits(nl) << i;
			ends |= (uint64_t)bits(_mm256_or_si256(nl, is(v, '\r')))
			    << i;
		}
		marks->names[at] =
		    names_of(m, s, words & ~(words << 1 | *before | none));
		*before = words >> 63;
		marks->stops[at] = marks->names[at] | slashes;
		marks->ends[at] = ends;
		marks->newlines[at] = lines;
	}
}
#endif

void metric_marks_set(
    struct metric_marks *marks, const struct metric_marker *m, struct span s)
{
	void (*look)(struct metric_marks *, size_t,
	    const struct metric_marker *, const char *, size_t, uint64_t *) =
	    look_plain;
	char rest[64 + SEEN] = { 0 };
	uint64_t before = 0;
	size_t n;

#if CPU_AVX2
	if (cpu_avx2())
		look = look_avx2;
#endif
	marks->n = s.n < METRIC_MARKS_BYTES ? s.n : METRIC_MARKS_BYTES;
	n = marks->n / 64;
	/* the last bytes cannot be looked behind */
	if (n && s.n < n * 64 + SEEN - 1)
		n--;
	look(marks, 0, m, s.p, n, &before);
	for (; n * 64 < marks->n; n++) {
		size_t left = s.n - n * 64;

		memset(rest, 0, sizeof rest);
		memcpy(rest, s.p + n * 64,
		    left < sizeof rest ? left : sizeof rest);
		look(marks, n, m, rest, 1, &before);
	}
}

/* The bits of a word from `from` on and below `to`, both of the whole row. */
static uint64_t part(const uint64_t *row, size_t word, size_t from, size_t to)
{
	uint64_t w = row[word];

	if (word == from / 64)
		w &= ~UINT64_C(0) << from % 64;
	if (word == to / 64)
		w &= ~(~UINT64_C(0) << to % 64);
	return w;
}

size_t metric_marks_behind(const uint64_t *row, size_t from, size_t to)
{
	for (size_t i = (to + 63) / 64; i-- > from / 64;) {
		uint64_t w = part(row, i, from, to);

		if (w)
			return i * 64 + 64 - (size_t)__builtin_clzll(w);
	}
	return from;
}

size_t metric_marks_count(const uint64_t *row, size_t from, size_t to)
{
	size_t n = 0;

	for (size_t i = from / 64; i * 64 < to; i++)
		n += (size_t)__builtin_popcountll(part(row, i, from, to));
	return n;
}
