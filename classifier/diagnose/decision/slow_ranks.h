/*
 * Ranks whose steps take longer than those of the others: a GPU that is
 * throttled, a node with a slow disk. A warning, as all trends are.
 */
#ifndef DIAGNOSE_SLOW_RANKS_H
#define DIAGNOSE_SLOW_RANKS_H

#include "diagnose/decision/trends.h"

#define SLOW_RANKS_MOST 8 /* that one rule tells of */

/* The slowest by a rule of that test, at most so many; how many there are. -1:
 * out of memory. */
int slow_ranks_find(const struct diagnosis *d, const struct taxonomy *tax,
    const struct trend *rule, struct trend_warning out[SLOW_RANKS_MOST]);

#endif
