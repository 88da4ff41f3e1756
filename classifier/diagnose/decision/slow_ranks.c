/*
 * Of each rank the median of its last steps; of all ranks the median of these,
 * and their usual distance from it (the median of distances). A rank is slow if
 * it is off by the rule's factor and by so many such distances, so that neither
 * one bad step nor ranks that all differ make one.
 */
#include "diagnose/decision/slow_ranks.h"

#include "diagnose/diagnosis.h"
#include "diagnose/signals/metrics_ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LEAST_RANKS 4
#define SIGMA 1.4826 /* of a normal distribution, by its median distance */

struct pace {
	const struct findings *log;
	const struct metric_rank *rank;
	double median;
};

static int by_rank(const void *a, const void *b)
{
	const struct pace *x = a, *y = b;

	if (x->rank->rank != y->rank->rank)
		return x->rank->rank < y->rank->rank ? -1 : 1;
	/* of two logs of one rank that with more steps */
	return (y->rank->n > x->rank->n) - (y->rank->n < x->rank->n);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, size_t n)
{
	qsort(v, n, sizeof *v, by_value);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* The ranks with enough steps, each once. */
static size_t gather(
    const struct diagnosis *d, const struct trend *rule, struct pace *v)
{
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < d->n_logs; i++) {
		const struct metrics *m = d->logs[i]->metrics;

		for (size_t k = 0; m && k < m->n_ranks; k++)
			if (m->ranks[k]->metric == rule->on &&
			    (double)m->ranks[k]->n >= rule->v[TREND_POINTS])
				v[n++] = (struct pace){ d->logs[i], m->ranks[k],
					metrics_ranks_median(m->ranks[k]) };
	}
	if (n)
		qsort(v, n, sizeof *v, by_rank);
	for (size_t i = 0; i < n; i++)
		if (!kept || v[i].rank->rank != v[kept - 1].rank->rank)
			v[kept++] = v[i];
	return kept;
}

/* How many times slower than usual, over 1 whatever the metric counts. */
static double slower(const struct trend *rule, double v, double usual)
{
	return rule->v[TREND_FACTOR] > 1 ? v / usual : usual / v;
}

static void warn(struct trend_warning *w, const struct taxonomy *tax,
    const struct trend *rule, const struct pace *p, double usual, size_t n)
{
	*w = (struct trend_warning){ .rule = rule,
		.from = usual,
		.to = p->median,
		.points = p->rank->n,
		.at = { { -1, -1 }, 0 },
		.rank = p->rank,
		.log = p->log };
	snprintf(w->text, sizeof w->text,
	    "The %s of rank %d is %.4g, where the median of %zu ranks is %.4g: "
	    "%.2f times slower.",
	    tax->metrics[rule->on].title, p->rank->rank, p->median, n, usual,
	    slower(rule, p->median, usual));
}

int slow_ranks_find(const struct diagnosis *d, const struct taxonomy *tax,
    const struct trend *rule, struct trend_warning out[SLOW_RANKS_MOST])
{
	double factor = rule->v[TREND_FACTOR], usual, spread, *v;
	struct pace *all;
	size_t n = 0;
	int found = 0;

	for (size_t i = 0; i < d->n_logs; i++)
		n += d->logs[i]->metrics ? d->logs[i]->metrics->n_ranks : 0;
	if (n < LEAST_RANKS)
		return 0;
	all = calloc(n, sizeof *all);
	v = calloc(n, sizeof *v);
	if (!all || !v) {
		found = -1;
		goto out;
	}
	n = gather(d, rule, all);
	if (n < LEAST_RANKS)
		goto out;
	for (size_t i = 0; i < n; i++)
		v[i] = all[i].median;
	usual = median(v, n);
	for (size_t i = 0; i < n; i++)
		v[i] = fabs(all[i].median - usual);
	spread = SIGMA * median(v, n) * rule->v[TREND_RISE];
	if (factor < 1)
		factor = 1 / factor;
	for (size_t i = 0; i < n && found < SLOW_RANKS_MOST; i++)
		if (slower(rule, all[i].median, usual) >= factor &&
		    fabs(all[i].median - usual) > spread)
			warn(&out[found++], tax, rule, &all[i], usual, n);
out:
	free(all);
	free(v);
	return found;
}
