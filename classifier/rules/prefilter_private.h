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
#define PREFILTER_LISTS 16384
#define PREFILTER_PAIRS 1024

#define PREFILTER_STEP 4   /* from one place that is looked at to the next */
#define PREFILTER_SEEN 8   /* bytes of the text that are looked at there */
#define PREFILTER_MIDDLE 2 /* where in them the four are that are hashed, */
#define PREFILTER_BEHIND 6 /* and the two behind these */
#define PREFILTER_LEAST 5  /* bytes of a literal that needs no second pass */

/* A literal, its letters in lower case in text; the sets it belongs to are
 * ids[id..id_end). */
struct prefilter_literal {
	uint32_t at, len, id, id_end;
};

/* Where to compare a literal: when the bytes at a place, under the mask, are
 * these, it may begin off bytes before the place (-1: one behind it). */
struct prefilter_entry {
	uint64_t seen, mask;
	uint32_t literal;
	int32_t off;
};

/* List i is v[start[i]] up to v[start[i + 1]]. */
struct prefilter_lists {
	uint32_t start[PREFILTER_LISTS + 1];
	const struct prefilter_entry *v;
};

struct prefilter {
	/* by slot of four bytes: what stands around them, a bit for each sign
	 * of the two before them, and above 16 for the two behind */
	const uint32_t *table;
	/* the same in fewer bytes: a bit for what prefilter_rough has of the
	 * byte behind them */
	const unsigned char *rough;
	const uint64_t *pairs; /* bits: pairs of short literals */
	const struct prefilter_lists *fours, *twos;
	/* those of what was added to a borrowed filter; or NULL */
	const struct prefilter_lists *more_fours, *more_twos;
	const struct prefilter_literal *literals;
	const unsigned char *text;
	const uint32_t *ids;
	const unsigned char *covers; /* by set: 1 the filter reports it */
	uint32_t n_sets, n_literals, n_text, n_ids;
	uint32_t pair_step; /* 0: there are no short literals */
	void *owned;        /* all of the above, when it was built here */
};

static inline unsigned char prefilter_fold(unsigned char c)
{
	return c >= 'A' && c <= 'Z' ? (unsigned char)(c + 32) : c;
}

/* Bytes without their case. Their order does not matter: literals and texts
 * are read on the same machine. */
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

static inline uint64_t prefilter_eight(const void *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof v);
	return v | 0x2020202020202020u;
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

/* Which of 16 bits stands for two bytes. */
static inline uint32_t prefilter_sign(const void *two)
{
	uint32_t v = prefilter_two(two) & 0x1f1fu;

	v ^= v >> 7;
	return (v ^ v >> 4) & 15;
}

static inline unsigned prefilter_rough(const void *p)
{
	return ((const unsigned char *)p)[PREFILTER_BEHIND] & 7u;
}

/* Entries of a slot are together, with those of a few others. */
static inline uint32_t prefilter_list(uint32_t slot)
{
	return slot / (PREFILTER_TABLE / PREFILTER_LISTS);
}

#endif
