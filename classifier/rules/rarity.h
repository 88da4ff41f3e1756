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

struct rarity {
	bool ready;            /* false: rarity_init has still to be called */
	uint64_t pairs[64];    /* bits, by hash: common pairs of bytes */
	uint64_t common[1024]; /* bits, by hash: four bytes seen in any log */
};

/* Widths of what the prefilter hashes of one literal: two times four bytes
 * starting at an even and an odd place, or once four. */
#define RARITY_FOUR 4
#define RARITY_LONG 9
#define RARITY_SHORT 5

/* Enough bits that nothing rarer need be looked for. */
#define RARITY_ENOUGH 36

void rarity_init(struct rarity *r);

/* Offset of the rarest window of a literal of 2 bytes or more, whose width is
 * RARITY_LONG, else RARITY_SHORT, else what there is but 3 at most. *bits:
 * about how many bits of surprise it holds, higher is rarer. Case does not
 * count. */
size_t rarity_window(
    const struct rarity *r, const char *s, size_t n, int *bits);

#endif
