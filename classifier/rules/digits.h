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

/* Put text to `to`, with '0' for each digit. *digits: whether it has any.
 * Returns a hash of what was put. */
uint64_t digits_drop(struct span text, char *to, bool *digits);
/* Bytes for n of them, since eight are put at once. */
#define DIGITS_ROOM(n) ((n) + 8)

#endif
