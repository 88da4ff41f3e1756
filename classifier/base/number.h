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

/* As floor, without libm, which takes longer to load than a short run lasts. */
double number_floor(double v);
/* The natural logarithm, by libm, which is loaded for it; v where there is
 * none. */
double number_log(double v);

#endif
