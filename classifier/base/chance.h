/*
 * What chance alone makes of counts. Exact, by adding up probabilities: no
 * approximation by a normal distribution, and no libm.
 */
#ifndef BASE_CHANCE_H
#define BASE_CHANCE_H

#include <stddef.h>
#include <stdint.h>

/* The chance of k or more where mean is expected (Poisson). */
double chance_poisson(uint64_t k, double mean);

/*
 * The means with which k or fewer, and k or more, have that chance each: the
 * exact confidence interval of a Poisson mean of which k was seen, at 1 - 2
 * chance (F. Garwood, Fiducial limits for the Poisson distribution, Biometrika
 * 28, 1936; the same as chi-square quantiles of 2k and 2k + 2 degrees of
 * freedom, halved). *low is 0 for k 0.
 */
void chance_poisson_bounds(
    uint64_t k, double chance, double *low, double *high);

/* n tries, each of which succeeds with a chance of p. */
struct chance_tries {
	uint64_t n;
	double p;
};

/*
 * The chance of k successes or more in all of them: the sum of independent
 * binomials, exactly (Poisson's binomial distribution). room: k + 1 numbers to
 * work in.
 */
double chance_tries(
    uint64_t k, const struct chance_tries *v, size_t n, double *room);

/*
 * Of n tests whose chances stand in p in rising order, with fewer tests of p 1
 * than `all` left out at its end: make each the least share of false ones at
 * which it would be called true (Y. Benjamini and Y. Hochberg, Controlling the
 * false discovery rate, J. R. Stat. Soc. B 57, 1995).
 */
void chance_false_share(double *p, size_t n, size_t all);

#endif
