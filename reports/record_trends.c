/*
 * Losses and norms are no integers, and a contract of numbers that each reader
 * rounds in its own way is none: they are texts of at most six digits.
 */
#include "reports/record_trends.h"

#include "diagnose/trends.h"

#include <math.h>
#include <stdio.h>

static void put_value(struct object *o, const char *key, double v)
{
	char text[32];

	snprintf(text, sizeof text, "%.6g", v);
	object_string(o, key, isfinite(v) ? text : NULL);
}

static void put_place(struct object *o, const struct metric_place *p)
{
	object_count(o, "epoch", p->at.epoch >= 0 ? (int64_t)p->at.epoch : -1);
	object_count(o, "step", p->at.step);
	object_count(o, "line", p->line ? (int64_t)p->line : -1);
}

static struct json *strings_json(const struct strings *s)
{
	struct object a = object_new_array();

	for (size_t i = 0; i < s->n; i++)
		object_add(&a, json_new_string(s->v[i]));
	return object_done(&a);
}

static struct json *warning_json(const struct trends *t,
    const struct trend_warning *w, const struct taxonomy *tax)
{
	struct object o = object_new();

	object_string(&o, "rule", w->rule->id);
	object_string(&o, "title", w->rule->title);
	object_string(&o, "metric", tax->metrics[w->rule->on].id);
	object_string(&o, "text", w->text);
	put_value(&o, "from", w->from);
	put_value(&o, "to", w->to);
	object_string(&o, "path", t->log->path);
	put_place(&o, &w->at);
	object_count(&o, "points", (int64_t)w->points);
	object_put(&o, "advice", strings_json(&w->rule->advice));
	object_put(&o, "references", strings_json(&w->rule->references));
	return object_done(&o);
}

/* ---- curves ---- */

/* A curve in at most RECORD_POINTS points: the means of its buckets. */
static void put_points(struct object *o, const struct metric_series *s)
{
	struct object steps = object_new_array(), values = object_new_array();
	size_t most = s->n < RECORD_POINTS ? s->n : RECORD_POINTS;
	char text[32];

	for (size_t i = 0; i < most; i++) {
		size_t from = i * s->n / most, to = (i + 1) * s->n / most;
		int64_t step = s->v[from].begin.at.step;
		double sum = 0, n = 0;

		for (size_t k = from; k < to; k++) {
			sum += s->v[k].sum;
			n += s->v[k].n;
		}
		snprintf(text, sizeof text, "%.6g", sum / n);
		object_add(
		    &steps, step < 0 ? json_new_null() : json_new_int(step));
		object_add(
		    &values, json_new_string(isfinite(sum) ? text : NULL));
	}
	object_put(o, "steps", object_done(&steps));
	object_put(o, "values", object_done(&values));
}

static struct json *curve_json(
    const struct metric_series *s, const struct taxonomy *tax)
{
	const struct metric_bucket *low = s->v, *high = s->v;
	struct object o = object_new();

	for (size_t i = 1; i < s->n; i++) {
		low = s->v[i].min < low->min ? &s->v[i] : low;
		high = s->v[i].max > high->max ? &s->v[i] : high;
	}
	object_string(&o, "metric", tax->metrics[s->metric].id);
	object_string(&o, "title", tax->metrics[s->metric].title);
	object_string(&o, "name", s->name);
	object_count(&o, "points", (int64_t)s->points);
	object_count(&o, "not_finite", (int64_t)s->bad_points);
	put_value(&o, "first", s->v[0].first);
	put_value(&o, "last", s->v[s->n - 1].last);
	put_value(&o, "min", low->min);
	put_value(&o, "max", high->max);
	put_points(&o, s);
	return object_done(&o);
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
    struct object *o, const struct diagnosis *d, const struct taxonomy *tax)
{
	struct object trends, curves;
	struct trends t;

	if (!trends_asked(d))
		return;
	o->failed |= trends_find(d, tax, &t) != 0;
	trends = object_new_array();
	curves = object_new_array();
	for (size_t i = 0; i < t.n; i++)
		object_add(&trends, warning_json(&t, &t.v[i], tax));
	for (size_t i = 0; i < tax->n_metrics; i++) {
		const struct metric_series *s = trends_series(t.log, i);

		if (s && s->n > 1 && wanted(&t, tax, i))
			object_add(&curves, curve_json(s, tax));
	}
	object_put(o, "trends", object_done(&trends));
	object_put(o, "metrics", object_done(&curves));
	trends_release(&t);
}

const char *record_nan_metric(
    const struct diagnosis *d, const struct taxonomy *tax)
{
	struct trend_nan nan = trends_nan(trends_log(d));

	return nan.series ? tax->metrics[nan.series->metric].id : NULL;
}
