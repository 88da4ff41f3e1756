/*
 * Losses and norms are no integers, and a contract of numbers that each reader
 * rounds in its own way is none: they are texts of at most six digits.
 */
#include "reports/output/record_trends.h"

#include "base/jsontext.h"
#include "diagnose/decision/trends.h"

#include <math.h>
#include <stdio.h>

static void put_value(struct jsontext *o, const char *key, double v)
{
	char text[32];

	snprintf(text, sizeof text, "%.6g", v);
	jsontext_string(o, key, isfinite(v) ? text : NULL);
}

static void put_place(struct jsontext *o, const struct metric_place *p)
{
	jsontext_count(
	    o, "epoch", p->at.epoch >= 0 ? (int64_t)p->at.epoch : -1);
	jsontext_count(o, "step", p->at.step);
	jsontext_count(o, "line", p->line ? (int64_t)p->line : -1);
}

static void put_strings(
    struct jsontext *o, const char *key, const struct strings *s)
{
	jsontext_open(o, key, '[');
	for (size_t i = 0; i < s->n; i++)
		jsontext_string(o, NULL, s->v[i]);
	jsontext_close(o, ']');
}

static void put_warning(struct jsontext *o, const struct trends *t,
    const struct trend_warning *w, const struct taxonomy *tax)
{
	jsontext_open(o, NULL, '{');
	jsontext_string(o, "rule", w->rule->id);
	jsontext_string(o, "title", w->rule->title);
	jsontext_string(o, "metric", tax->metrics[w->rule->on].id);
	jsontext_string(o, "text", w->text);
	put_value(o, "from", w->from);
	put_value(o, "to", w->to);
	jsontext_string(o, "path", t->log->path);
	put_place(o, &w->at);
	jsontext_count(o, "points", (int64_t)w->points);
	put_strings(o, "advice", &w->rule->advice);
	put_strings(o, "references", &w->rule->references);
	jsontext_close(o, '}');
}

/* ---- curves ---- */

/* A curve in at most RECORD_POINTS points: the means of its buckets. */
static void put_points(struct jsontext *o, const struct metric_series *s)
{
	size_t most = s->n < RECORD_POINTS ? s->n : RECORD_POINTS;

	jsontext_open(o, "steps", '[');
	for (size_t i = 0; i < most; i++)
		jsontext_count(o, NULL, s->v[i * s->n / most].begin.at.step);
	jsontext_close(o, ']');
	jsontext_open(o, "values", '[');
	for (size_t i = 0; i < most; i++) {
		size_t from = i * s->n / most, to = (i + 1) * s->n / most;
		double sum = 0, n = 0;

		for (size_t k = from; k < to; k++) {
			sum += s->v[k].sum;
			n += s->v[k].n;
		}
		put_value(o, NULL, sum / n);
	}
	jsontext_close(o, ']');
}

static void put_curve(struct jsontext *o, const struct metric_series *s,
    const struct taxonomy *tax)
{
	const struct metric_bucket *low = s->v, *high = s->v;

	for (size_t i = 1; i < s->n; i++) {
		low = s->v[i].min < low->min ? &s->v[i] : low;
		high = s->v[i].max > high->max ? &s->v[i] : high;
	}
	jsontext_open(o, NULL, '{');
	jsontext_string(o, "metric", tax->metrics[s->metric].id);
	jsontext_string(o, "title", tax->metrics[s->metric].title);
	jsontext_string(o, "name", s->name);
	jsontext_count(o, "points", (int64_t)s->points);
	jsontext_count(o, "not_finite", (int64_t)s->bad_points);
	put_value(o, "first", s->v[0].first);
	put_value(o, "last", s->v[s->n - 1].last);
	put_value(o, "min", low->min);
	put_value(o, "max", high->max);
	put_points(o, s);
	jsontext_close(o, '}');
}

/* What a plot is wanted of: what is warned of, and the loss, by which most of
 * it is seen: the first metric that is no position, and its validation. */
static bool wanted(
    const struct trends *t, const struct taxonomy *tax, size_t metric)
{
	size_t loss = 0;

	while (loss < tax->n_metrics &&
	    (tax->metrics[loss].kind == METRIC_STEP ||
		tax->metrics[loss].kind == METRIC_EPOCH))
		loss++;
	for (size_t i = 0; i < t->n; i++) {
		const struct trend *r = t->v[i].rule;

		if (t->v[i].series &&
		    (r->on == metric || (r->beside && r->beside_on == metric)))
			return true;
	}
	return metric == loss ||
	    (loss < tax->n_metrics && tax->metrics[loss].validation &&
		tax->metrics[loss].validation_metric == metric);
}

void record_trends(
    struct jsontext *o, const struct diagnosis *d, const struct taxonomy *tax)
{
	struct trends t;

	if (!trends_asked(d))
		return;
	o->failed |= trends_find(d, tax, &t) != 0;
	jsontext_open(o, "trends", '[');
	for (size_t i = 0; i < t.n; i++)
		put_warning(o, &t, &t.v[i], tax);
	jsontext_close(o, ']');
	jsontext_open(o, "metrics", '[');
	for (size_t i = 0; i < tax->n_metrics; i++) {
		const struct metric_series *s = trends_series(t.log, i);

		if (s && s->n > 1 && wanted(&t, tax, i))
			put_curve(o, s, tax);
	}
	jsontext_close(o, ']');
	trends_release(&t);
}

const char *record_nan_metric(
    const struct diagnosis *d, const struct taxonomy *tax)
{
	struct trend_nan nan = trends_nan(trends_log(d));

	return nan.series ? tax->metrics[nan.series->metric].id : NULL;
}
