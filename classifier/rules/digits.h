/*
 * Texts that differ in digits only, and expressions to which these are alike.
 */
#ifndef RULES_DIGITS_H
#define RULES_DIGITS_H

#include "base/span.h"

#include <stdbool.h>
#include <stdint.h>

static inline bool digits_is(int c)
{
	return c >= '0' && c <= '9';
}

/* Whether an expression, in PCRE2's syntax, finds the same at the same places
 * in two texts that differ in digits only, one for one: it names none, but all
 * ten. Where it cannot tell, it says no. */
bool digits_alike(const char *expression);

/* Signs, in lower case. */
struct digits_set {
	uint64_t bits[2];
};
/* What an expression says around a row of digits that it names: which signs
 * stand before it, the next one first; whether before these a word begins or
 * ends; where that is known, which one stands behind it, and how long it is, or
 * 0; and letters that must stand in the text, in any case (borrowed from the
 * expression). With nothing it may be any in a text. */
#define DIGITS_BEFORE 3
struct digits_row {
	struct digits_set before[DIGITS_BEFORE], behind;
	struct span word;
	unsigned char n, length;
	bool edge;
	enum digits_end {
		DIGITS_OPEN,
		DIGITS_CLOSED, /* it is known; the others while it is read: */
		DIGITS_NEXT,
		DIGITS_LAST
	} end;
};
/* Put that of all digits that it names to v, which has room for max. How many
 * there are; max + 1: more, or it cannot tell. What it finds in a text depends
 * only on those rows of digits that are one of these. */
size_t digits_named(const char *expression, struct digits_row *v, size_t max);
/* Whether the row at [at, end) is. */
bool digits_are(
    struct span text, size_t at, size_t end, const struct digits_row *row);

/* Put text to `to`, with '0' for each digit. *digits: whether it has any.
 * Returns a hash of what was put. */
uint64_t digits_drop(struct span text, char *to, bool *digits);
/* Bytes for n of them, since eight are put at once. */
#define DIGITS_ROOM(n) ((n) + 8)

#endif
