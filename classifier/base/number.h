/* Numbers as programs print them. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include "base/text.h"

/*
 * The number at the start of s: a sign, digits (with commas between thousands),
 * a fraction, an exponent; nan, inf or infinity in any case. The bytes that it
 * takes, or 0: there is none. The decimal point is '.' in any locale; the
 * value is right to about 15 digits.
 */
size_t number_read(struct span s, double *out);

/* As floor and log of libm, which takes longer to load than a short run uses
 * it: the whole number below v; the natural logarithm of v > 0. */
double number_floor(double v);
double number_log(double v);

#endif
