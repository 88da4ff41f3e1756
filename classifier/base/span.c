#include "base/span.h"

#include "base/cpu.h"
#include "base/wide.h"

#include <stdlib.h>

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

struct span span_host(struct span name)
{
	const char *dot = name.n ? memchr(name.p, '.', name.n) : NULL;
	size_t i = 0;

	while (i < name.n &&
	    ((name.p[i] >= '0' && name.p[i] <= '9') || name.p[i] == '.'))
		i++;
	return dot && dot > name.p && i < name.n
	    ? (struct span){ name.p, (size_t)(dot - name.p) }
	    : name;
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

	if (!p)
		return NULL;
	if (s.n)
		memcpy(p, s.p, s.n);
	p[s.n] = '\0';
	return p;
}
