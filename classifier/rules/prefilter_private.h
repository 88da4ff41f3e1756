/*
 * What prefilter_make.c builds and prefilter.c searches with: flat arrays that
 * hold no pointers, so that they may as well be constants of the program.
 */
#ifndef RULES_PREFILTER_PRIVATE_H
#define RULES_PREFILTER_PRIVATE_H

#include "rules/prefilter.h"

#include <string.h>

#define PREFILTER_BITS 16
#define PREFILTER_TABLE (1u << PREFILTER_BITS)
#define PREFILTER_HEADS 8192
#define PREFILTER_PAIRS 1024
#define PREFILTER_KNOWN 17 /* bits of the hash in known */
#define PREFILTER_NONE UINT32_MAX

#define PREFILTER_FOUR 4  /* bytes hashed at a time, and how far apart */
#define PREFILTER_LEAST 5 /* bytes of a literal that needs no second pass */

/* A literal, its letters in lower case in text; the sets it belongs to are
 * ids[id..id_end). */
struct prefilter_literal {
	uint32_t at, len, id, id_end;
};

/* Where to compare a literal: key is of what stands off bytes behind its start
 * (-1: one before it). */
struct prefilter_entry {
	uint32_t key, next, literal;
	int32_t off;
};

struct prefilter_chains {
	uint32_t head[PREFILTER_HEADS];
	const struct prefilter_entry *v; /* next: index of the next one */
	uint32_t n;
};

struct prefilter {
	const uint32_t *table; /* a bit for each way a window goes on */
	const uint64_t *known; /* bits: keys that some window has */
	const uint64_t *pairs; /* bits: pairs of short literals */
	const struct prefilter_chains *fours, *twos;
	const struct prefilter_literal *literals;
	const unsigned char *text;
	const uint32_t *ids;
	const unsigned char *covers; /* by set: 1 the filter reports it */
	uint32_t n_sets;
	uint32_t pair_step; /* 0: there are no short literals */
	void *owned;        /* all of the above, when it was built here */
};

static inline unsigned char prefilter_fold(unsigned char c)
{
	return c >= 'A' && c <= 'Z' ? (unsigned char)(c + 32) : c;
}

/* Four bytes without their case. The byte order does not matter: literals and
 * texts are read on the same machine. */
static inline uint32_t prefilter_four(const void *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof v);
	return v | 0x20202020u;
}

static inline uint32_t prefilter_two(const void *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof v);
	return v | 0x2020u;
}

/* The same four bytes without the first n: how a window is known by that
 * begins before its literal. */
static inline uint32_t prefilter_without(uint32_t four, size_t n)
{
	unsigned char p[PREFILTER_FOUR];

	memcpy(p, &four, sizeof p);
	memset(p, 0, n);
	memcpy(&four, p, sizeof p);
	return four;
}

/* Five bits of each byte tell letters from each other, and leave few slots for
 * a byte that may be any. */
#define PREFILTER_MASK 0x1f1f1f1fu
#define PREFILTER_HASH 0x9e3779b1u
static inline uint32_t prefilter_slot(uint32_t four)
{
	return (four & PREFILTER_MASK) * PREFILTER_HASH >>
	    (32 - PREFILTER_BITS);
}

/* Which bit of a slot stands for the two bytes behind a window. */
#define PREFILTER_SIGN 0x85ebca6bu
static inline uint32_t prefilter_sign(uint32_t two)
{
	return (two & 0x1f1fu) * PREFILTER_SIGN >> 27;
}

/* What entries are known by: a window, and the two bytes behind it, or 0 when
 * these may be any. */
static inline uint32_t prefilter_key(uint32_t four, uint32_t two)
{
	uint32_t v = four * PREFILTER_HASH ^ two * PREFILTER_SIGN;

	return v ^ v >> 15;
}

static inline uint32_t prefilter_head(uint32_t key)
{
	return (key * 0xc2b2ae35u >> 16) % PREFILTER_HEADS;
}

/* Most keys have no window, which one bit tells. */
static inline uint32_t prefilter_known(uint32_t key)
{
	return key * 0x27d4eb2fu >> (32 - PREFILTER_KNOWN);
}

#endif
