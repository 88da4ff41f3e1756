/*
 * What a filter would find in a text if its digits were others: the places
 * where only these keep a literal from standing, or let it stand.
 */
#ifndef RULES_PREFILTER_DIGITS_H
#define RULES_PREFILTER_DIGITS_H

#include "rules/digits.h"
#include "rules/prefilter.h"

struct prefilter_digits;

/* From its first digit on a literal stands at a place of a text if the text has
 * its digits there; the rest is so in all texts that differ in digits only. */
struct prefilter_told {
	uint16_t at;
	uint8_t n;
	bool stands;                  /* it does */
	const unsigned char *literal; /* n bytes, borrowed from the filter */
};

/* Whether it stands there, or not, in another such text, too. */
static inline bool prefilter_told_is(
    const struct prefilter_told *t, struct span text)
{
	size_t i = 0;

	while (i < t->n &&
	    (!digits_is(t->literal[i]) ||
		t->literal[i] == (unsigned char)text.p[t->at + i]))
		i++;
	return (i == t->n) == t->stands;
}

/* pf is borrowed. NULL: out of memory. */
struct prefilter_digits *prefilter_digits_new(const struct prefilter *pf);
void prefilter_digits_free(struct prefilter_digits *d);
/* Put all such places of a text, which is under 2^16 bytes, behind the first n
 * of v, which has room for max. How many there are then; or max + 1: more, or
 * one that there is no room for. Texts that differ in digits only and agree
 * in which of them stand have the same hits. */
size_t prefilter_digits_tell(const struct prefilter_digits *d, struct span text,
    struct prefilter_told *v, size_t n, size_t max);

#endif
