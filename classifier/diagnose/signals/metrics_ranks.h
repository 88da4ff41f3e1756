/* How long the steps of each rank took, the last ones. */
#ifndef DIAGNOSE_METRICS_RANKS_H
#define DIAGNOSE_METRICS_RANKS_H

#include "base/text.h"
#include "rules/taxonomy.h"

struct metrics;

#define METRICS_RECENT 128

/* What one rank prints of one metric. */
struct metric_rank {
	int rank;
	size_t metric; /* in the taxonomy */
	char *node;    /* owned: where it says that it runs; or NULL */
	uint64_t n;    /* values that came: the last ones are kept */
	float v[METRICS_RECENT];
};

/* Whether a trend rule compares ranks by a metric. */
bool metrics_ranks_wanted(const struct taxonomy *tax, size_t metric);
/* One more value. A lack of memory is kept in m. */
void metrics_ranks_add(
    struct metrics *m, int rank, struct span node, size_t metric, double value);
void metrics_ranks_free(struct metrics *m);
/* The median of what is kept. */
double metrics_ranks_median(const struct metric_rank *r);

#endif
