/*
 * A curve has a bounded number of buckets: when they are full, each two
 * neighbours become one, which then stands for twice as many points. Nothing
 * of a peak is lost, since a bucket keeps its extremes and where they were.
 */
#include "diagnose/signals/metrics_curve.h"
#include "diagnose/signals/metrics_ranks.h"

#include "base/number.h"
#include "base/when.h"
#include "input/envelope.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WARM 10 /* points that are not in the histogram: compiling, caches */
#define SLOTS_EACH 4 /* for each doubling */
#define SLOT_ONE 128 /* the slot of 1 */

/* ---- histograms ---- */

static size_t slot_of(double v)
{
	int e;
	double f, slot;

	if (v <= 0)
		return 0;
	f = frexp(v, &e);
	slot = SLOT_ONE + (e - 1) * SLOTS_EACH +
	    number_floor((f * 2 - 1) * SLOTS_EACH);
	if (slot < 0)
		return 0;
	return slot < METRICS_SLOTS ? (size_t)slot : METRICS_SLOTS - 1;
}

double metrics_slot_value(size_t slot)
{
	int i = (int)slot - SLOT_ONE;
	int e = (int)number_floor((double)i / SLOTS_EACH);

	return ldexp(1 + (i - e * SLOTS_EACH + 0.5) / SLOTS_EACH, e);
}

/* ---- curves ---- */

static void series_free(struct metric_series *s)
{
	if (!s)
		return;
	free(s->name);
	free(s->v);
	free(s->slots);
	free(s);
}

void metrics_clear(struct metrics *m)
{
	for (size_t i = 0; i < m->n; i++)
		series_free(m->v[i]);
	*m = (struct metrics){ .ranks = m->ranks,
		.n_ranks = m->n_ranks,
		.cap_ranks = m->cap_ranks,
		.last_rank = m->last_rank,
		.pace = { .first = ENVELOPE_NO_TIME,
		    .last = ENVELOPE_NO_TIME,
		    .before_gap = ENVELOPE_NO_TIME } };
}

void metrics_free(struct metrics *m)
{
	if (!m)
		return;
	metrics_clear(m);
	metrics_ranks_free(m);
	free(m);
}

size_t metrics_size(const struct metrics *m)
{
	size_t n = sizeof *m + m->n_ranks * sizeof **m->ranks;

	for (size_t i = 0; i < m->n; i++)
		n += sizeof **m->v + m->v[i]->cap * sizeof *m->v[i]->v +
		    METRICS_SLOTS * sizeof *m->v[i]->slots + 64;
	return n;
}

static struct metric_series *series_of(
    struct metrics *m, size_t metric, uint64_t key, const char *name)
{
	struct metric_series *s;

	for (size_t i = 0; i < m->n; i++)
		if (m->v[i]->key == key)
			return m->v[i];
	if (m->n == METRICS_SERIES)
		return NULL;
	s = calloc(1, sizeof *s);
	if (!s) {
		m->failed = true;
		return NULL;
	}
	s->metric = metric;
	s->key = key;
	s->per = 1;
	s->now = (struct metric_at){ -1, -1 };
	s->name = span_dup(span_of(name));
	s->slots = calloc(METRICS_SLOTS, sizeof *s->slots);
	if (!s->name || !s->slots) {
		m->failed = true;
		series_free(s);
		return NULL;
	}
	return m->v[m->n++] = s;
}

static void join(struct metric_bucket *a, const struct metric_bucket *b)
{
	a->last = b->last;
	a->sum += b->sum;
	a->n += b->n;
	a->segment = b->segment;
	if (b->min < a->min) {
		a->min = b->min;
		a->lowest = b->lowest;
	}
	if (b->max > a->max) {
		a->max = b->max;
		a->highest = b->highest;
	}
}

static void halve(struct metric_series *s)
{
	size_t n = 0;

	for (size_t i = 0; s->v && i < s->n; i += 2, n++) {
		s->v[n] = s->v[i];
		if (i + 1 < s->n)
			join(&s->v[n], &s->v[i + 1]);
	}
	s->n = n;
	s->per *= 2;
}

static bool room(struct metric_series *s)
{
	size_t cap = s->cap ? 2 * s->cap : 16;
	struct metric_bucket *v;

	if (s->v && s->n < s->cap)
		return true;
	if (s->v && s->n == METRICS_BUCKETS) {
		halve(s);
		return true;
	}
	v = realloc(s->v, cap * sizeof *v);
	if (!v)
		return false;
	s->v = v;
	s->cap = cap;
	return true;
}

static void add_finite(
    struct metrics *m, struct metric_series *s, const struct metrics_point *p)
{
	const struct metric_bucket one = { p->value, p->value, p->value,
		p->value, p->value, p->here, p->here, p->here, 1, p->segment };
	struct metric_bucket *last = s->n ? &s->v[s->n - 1] : NULL;

	if (++s->points > WARM)
		s->slots[slot_of(p->value)]++;
	if (last && last->n < s->per && last->segment == p->segment) {
		join(last, &one);
		return;
	}
	if (room(s))
		s->v[s->n++] = one;
	else
		m->failed = true;
}

static void add_bad(struct metric_series *s, const struct metrics_point *p)
{
	if (s->bad_points++ == 0) {
		s->bad_first = p->here;
		s->nan_first = isnan(p->value);
	}
	if (s->bad_run++ == 0) {
		s->bad_since = p->here;
		s->nan_since = isnan(p->value);
	}
}

void metrics_add(struct metrics *m, const struct metrics_point *p,
    size_t metric, uint64_t key, const char *name)
{
	struct metric_series *s = series_of(m, metric, key, name);
	struct metric_at at = p->here.at;

	if (!s)
		return;
	/* the same step again: a bar drawn anew, or another process */
	if (p->placed && s->last_line && s->now.step == at.step &&
	    s->now.epoch >= at.epoch && s->now.epoch <= at.epoch)
		return;
	s->now = at;
	s->last_line = p->here.line;
	if (isfinite(p->value)) {
		s->bad_run = 0;
		s->bad_since = (struct metric_place){ { -1, -1 }, 0 };
		add_finite(m, s, p);
	} else {
		add_bad(s, p);
	}
}

void metrics_time(
    struct metric_pace *pace, int64_t time, const struct metric_place *here)
{
	pace->at_last = *here;
	if (time == ENVELOPE_NO_TIME)
		return;
	if (pace->first == ENVELOPE_NO_TIME)
		pace->first = time;
	if (pace->last != ENVELOPE_NO_TIME && time > pace->last &&
	    when_has_year(time) == when_has_year(pace->last)) {
		int64_t gap = time - pace->last;

		pace->n++;
		pace->slots[slot_of((double)gap / 1e6)]++;
		if (gap > pace->gap) {
			pace->gap = gap;
			pace->before_gap = pace->last;
			pace->at_gap = *here;
		}
	}
	pace->last = time;
}
