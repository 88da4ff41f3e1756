/*
 * 16 bytes at a time, by the compiler's vectors: what every processor of a
 * kind has for that. Inline and on values, so that they stay in registers.
 */
#ifndef BASE_WIDE_H
#define BASE_WIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

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

static inline uint64_t wide_sum(wide v)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < sizeof v; i++)
		sum += v[i];
	return sum;
}

#endif
