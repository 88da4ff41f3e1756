/*
 * Losses and norms are no integers, and a contract of numbers that each reader
 * rounds in its own way is none: they are texts of at most six digits.
 */
#include "reports/output/diagnosis_json_trends.h"

#include "base/jsontext.h"
#include "diagnose/signals/metrics_ranks.h"
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
	jsontext_string(o, "path", w->log ? w->log->path : t->log->path);
	put_place(o, &w->at);
	jsontext_count(o, "points", (int64_t)w->points);
	jsontext_count(o, "rank", w->rank ? w->rank->rank : -1);
	jsontext_string(o, "node", trends_node(w));
	put_strings(o, "advice", &w->rule->advice);
	put_strings(o, "references", &w->rule->references);
	jsontext_close(o, '}');
}

/* ---- curves ---- */

static void put_points(struct jsontext *o, const struct metric_series *s)
{
	struct trend_curve c;

	trends_curve(s, &c);
	jsontext_open(o, "steps", '[');
	for (size_t i = 0; i < c.n; i++)
		jsontext_count(o, NULL, c.steps[i]);
	jsontext_close(o, ']');
	jsontext_open(o, "values", '[');
	for (size_t i = 0; i < c.n; i++)
		put_value(o, NULL, c.values[i]);
	jsontext_close(o, ']');
}

static void put_curve(struct jsontext *o, const struct metric_series *s,
    const struct taxonomy *tax)
{
	struct metric_bucket whole = trends_whole(s);

	jsontext_open(o, NULL, '{');
	jsontext_string(o, "metric", tax->metrics[s->metric].id);
	jsontext_string(o, "title", tax->metrics[s->metric].title);
	jsontext_string(o, "name", s->name);
	jsontext_count(o, "points", (int64_t)s->points);
	jsontext_count(o, "not_finite", (int64_t)s->bad_points);
	put_value(o, "first", whole.first);
	put_value(o, "last", whole.last);
	put_value(o, "min", whole.min);
	put_value(o, "max", whole.max);
	put_points(o, s);
	jsontext_close(o, '}');
}

void diagnosis_json_trends(
    struct jsontext *o, const struct diagnosis *d, const struct taxonomy *tax)
{
	const struct trends *t = &d->facts.trends;

	if (!t->asked)
		return;
	jsontext_open(o, "trends", '[');
	for (size_t i = 0; i < t->n; i++)
		put_warning(o, t, &t->v[i], tax);
	jsontext_close(o, ']');
	jsontext_open(o, "metrics", '[');
	for (size_t i = 0; i < tax->n_metrics; i++)
		if (trends_wanted(t, tax, i))
			put_curve(o, trends_series(t->log, i), tax);
	jsontext_close(o, ']');
}
