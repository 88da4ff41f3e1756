#include "base/chance.h"

#define SMALL 1e-17 /* of a sum, that adds nothing to it */

/* Terms are relative to the one of k, so that none of the sums overflows
 * unless the other one is nothing beside it. */
double chance_poisson(uint64_t k, double mean)
{
	double above = 0, below = 0, term = 1;

	if (k == 0)
		return 1;
	if (mean <= 0)
		return 0;
	for (uint64_t i = k; term > above * SMALL; i++) {
		above += term;
		term *= mean / ((double)i + 1);
		if (above > 1e300)
			return 1;
	}
	term = 1;
	for (uint64_t i = k; i > 0; i--) {
		term *= (double)i / mean;
		below += term;
		if (below > 1e300)
			return 0;
		if ((double)i < mean && term < below * SMALL)
			break;
	}
	return above / (above + below);
}

/* The mean that makes k or more as likely as that. */
static double mean_of(uint64_t k, double chance)
{
	double from = 0, to = 2 * (double)k + 50;

	while (chance_poisson(k, to) < chance)
		to *= 2;
	for (int i = 0; i < 100; i++) {
		double mid = (from + to) / 2;

		if (chance_poisson(k, mid) < chance)
			from = mid;
		else
			to = mid;
	}
	return (from + to) / 2;
}

void chance_poisson_bounds(uint64_t k, double chance, double *low, double *high)
{
	*low = k ? mean_of(k, chance) : 0;
	*high = mean_of(k + 1, 1 - chance);
}

double chance_tries(
    uint64_t k, const struct chance_tries *v, size_t n, double *room)
{
	if (k == 0)
		return 1;
	/* room[j]: that j have come so far; room[k]: k or more */
	for (uint64_t j = 0; j <= k; j++)
		room[j] = j == 0;
	for (size_t i = 0; i < n; i++) {
		double p = v[i].p < 1 ? v[i].p : 1;

		for (uint64_t t = 0; t < v[i].n; t++) {
			room[k] += room[k - 1] * p;
			for (uint64_t j = k - 1; j > 0; j--)
				room[j] = room[j] * (1 - p) + room[j - 1] * p;
			room[0] *= 1 - p;
		}
	}
	return room[k] < 1 ? room[k] : 1;
}

void chance_false_share(double *p, size_t n, size_t all)
{
	double least = 1;

	for (size_t i = n; i > 0; i--) {
		double q = p[i - 1] * (double)all / (double)i;

		if (q < least)
			least = q;
		p[i - 1] = least;
	}
}
