/*
 * 16 bytes at a time, by the compiler's vectors: what every processor of a
 * kind has for that. Inline and on values, so that they stay in registers.
 */
#ifndef BASE_WIDE_H
#define BASE_WIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

typedef unsigned char wide __attribute__((vector_size(16)));

static inline wide wide_load(const char *p)
{
	wide v;

	memcpy(&v, p, sizeof v);
	return v;
}

/* 255 where a byte of v is c, else 0. */
static inline wide wide_is(wide v, char c)
{
	return (wide)(v == (unsigned char)c);
}

/* Whether any byte is not 0. */
static inline bool wide_any(wide v)
{
	uint64_t half[2];

	memcpy(half, &v, sizeof half);
	return (half[0] | half[1]) != 0;
}

/* A bit for each byte of v, which are 0 or 255; the first is the lowest. */
static inline unsigned wide_bits_by_words(wide v)
{
	unsigned bits = 0;

	for (size_t i = sizeof v; i; i -= 8) {
		uint64_t half = 0;

		/* the first byte lowest, as some processors have it anyway */
		for (size_t k = 0; k < 8; k++)
			half |= (uint64_t)(v[i - 8 + k] & 1) << 8 * k;
		/* byte k of half comes to bit 56 + k */
		bits = bits << 8 | (unsigned)(half * 0x0102040810204080 >> 56);
	}
	return bits;
}

static inline unsigned wide_bits(wide v)
{
#ifdef __SSE2__
	__m128i all;

	memcpy(&all, &v, sizeof all);
	return (unsigned)_mm_movemask_epi8(all);
#else
	return wide_bits_by_words(v);
#endif
}

static inline uint64_t wide_sum(wide v)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < sizeof v; i++)
		sum += v[i];
	return sum;
}

#endif
