/*
 * Expressions to which all digits are alike.
 */
#ifndef RULES_DIGITS_H
#define RULES_DIGITS_H

#include <stdbool.h>

/* Whether an expression, in PCRE2's syntax, finds the same at the same places
 * in two texts that differ in digits only, one for one: it names none, but all
 * ten. Where it cannot tell, it says no. */
bool digits_alike(const char *expression);

#endif
