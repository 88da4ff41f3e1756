/*
 * An estimate of how rare a text is in job logs, so that the prefilter looks
 * for the part of a literal, and the literals of a pattern, that other lines
 * do not hold. Wrong estimates cost time, never answers.
 */
#ifndef RULES_RARITY_H
#define RULES_RARITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct litset;

struct rarity {
	bool ready;  /* false: rarity_init has still to be called */
	bool raised; /* of the texts of exceptions; set after it, as is: */
	const struct litset *known; /* one of which each text holds; or NULL */
	uint64_t pairs[64];         /* bits, by hash: common pairs of bytes */
	uint64_t common[1024]; /* bits, by hash: four bytes seen in any log */
};

#define RARITY_FOUR 4  /* bytes looked for at a time */
#define RARITY_LONG 9  /* a window of a long literal, */
#define RARITY_SHORT 5 /* of a shorter one, less need a pass of their own */

/* Enough bits that nothing rarer need be looked for. */
#define RARITY_ENOUGH 36

void rarity_init(struct rarity *r);

/* Offset of the rarest window of a literal of 2 bytes or more, whose width is
 * RARITY_LONG, else RARITY_SHORT, else what there is but 3 at most. *bits:
 * about how many bits of surprise it holds, higher is rarer. Case does not
 * count. */
size_t rarity_window(
    const struct rarity *r, const char *s, size_t n, int *bits);

/*
 * What was counted in logs: `make rarity` makes the table with rarity_make.c.
 * A letter for each slot, from 'a': four bytes that fewer than one of
 * 2^RARITY_MOST places hold; each further letter doubles that.
 */
#define RARITY_BITS 15
#define RARITY_ROW 64
#define RARITY_ROWS ((1 << RARITY_BITS) / RARITY_ROW)
#define RARITY_MOST 22
#define RARITY_LEVELS 16
extern const char rarity_table[RARITY_ROWS][RARITY_ROW + 1];

static inline uint32_t rarity_slot(const void *four)
{
	const unsigned char *p = (const unsigned char *)four;
	uint32_t v = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	    (uint32_t)p[2] << 8 | p[3];

	return (v | 0x20202020u) * 0x9e3779b1u >> (32 - RARITY_BITS);
}

/* Bits of surprise in four bytes: of 2^bits places of a log, one holds them.
 */
int rarity_four(const void *four);

#endif
