/* Ranks print in turns, so the one after the last is looked at first. */
#include "diagnose/signals/metrics_ranks.h"

#include "base/array.h"
#include "diagnose/signals/metrics.h"

#include <math.h>
#include <stdlib.h>

#define MOST 2048 /* of one log */

bool metrics_ranks_wanted(const struct taxonomy *tax, size_t metric)
{
	for (size_t i = 0; i < tax->n_trends; i++)
		if (tax->trends[i].test == TREND_SLOW_RANKS &&
		    tax->trends[i].on == metric)
			return true;
	return false;
}

static struct metric_rank *find(struct metrics *m, int rank, size_t metric)
{
	for (size_t i = 0; i < m->n_ranks; i++) {
		size_t at = (m->last_rank + 1 + i) % m->n_ranks;

		if (m->ranks[at]->rank == rank &&
		    m->ranks[at]->metric == metric) {
			m->last_rank = at;
			return m->ranks[at];
		}
	}
	return NULL;
}

static struct metric_rank *add(struct metrics *m, int rank, size_t metric)
{
	struct metric_rank *r;

	if (m->n_ranks == MOST)
		return NULL;
	r = calloc(1, sizeof *r);
	if (!r ||
	    array_grow(&m->ranks, m->n_ranks, &m->cap_ranks, sizeof(void *))) {
		free(r);
		m->failed = true;
		return NULL;
	}
	r->rank = rank;
	r->metric = metric;
	m->last_rank = m->n_ranks;
	m->ranks[m->n_ranks++] = r;
	return r;
}

void metrics_ranks_add(
    struct metrics *m, int rank, struct span node, size_t metric, double value)
{
	struct metric_rank *r;

	if (!isfinite(value) || value <= 0)
		return;
	r = find(m, rank, metric);
	if (!r)
		r = add(m, rank, metric);
	if (!r)
		return;
	r->v[r->n++ % METRICS_RECENT] = (float)value;
	if (node.n && !r->node) {
		r->node = span_dup(node);
		m->failed |= !r->node;
	}
}

void metrics_ranks_free(struct metrics *m)
{
	for (size_t i = 0; i < m->n_ranks; i++) {
		free(m->ranks[i]->node);
		free(m->ranks[i]);
	}
	free(m->ranks);
}

static int by_size(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

double metrics_ranks_median(const struct metric_rank *r)
{
	size_t n = r->n < METRICS_RECENT ? (size_t)r->n : METRICS_RECENT;
	float v[METRICS_RECENT];

	if (!n)
		return 0;
	memcpy(v, r->v, n * sizeof *v);
	qsort(v, n, sizeof *v, by_size);
	return (double)v[n / 2];
}
