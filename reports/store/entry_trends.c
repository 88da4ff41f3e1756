/* Runs without a warning keep nothing: a report may hold 100,000 of them. */
#include "reports/store/entry_private.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/number.h"
#include "diagnose/decision/trends.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *text_of(
    const struct json *o, const char *key, struct arena *p)
{
	struct span s = json_get_text(o, key);

	return s.p ? entry_cut(p, s) : NULL;
}

static int read_warnings(
    struct entry *en, const struct json *list, struct arena *p, struct err *e)
{
	size_t n = json_count(list);

	if (n > ENTRY_TRENDS)
		n = ENTRY_TRENDS;
	en->trends = arena_memory(p, n * sizeof *en->trends);
	if (!en->trends)
		return err_nomem(e);
	for (size_t i = 0; i < n; i++) {
		const struct json *o = json_at(list, i);
		struct entry_trend *t = &en->trends[i];

		t->rule = text_of(o, "rule", p);
		t->title = text_of(o, "title", p);
		t->text = text_of(o, "text", p);
		t->metric = text_of(o, "metric", p);
		if (!t->rule || !t->title || !t->text || !t->metric)
			return err_set(e, "trends[%zu]: expected a warning", i);
	}
	en->n_trends = n;
	return 0;
}

/* Append a value: four digits, with a blank between. */
static int add_point(struct buf *b, struct span value)
{
	double v;

	if (!value.n || number_read(value, &v) != value.n)
		return 0;
	return buf_addf(b, b->len ? " %.4g" : "%.4g", v);
}

/* Take the values that b holds. -1: out of memory. */
static int end_points(struct buf *b, int rc, struct arena *p, const char **out)
{
	if (!rc && b->len)
		*out = arena_string(p, (struct span){ b->p, b->len });
	rc |= b->len && !*out;
	buf_release(b);
	return rc ? -1 : 0;
}

static int read_points(
    const struct json *values, struct arena *p, const char **out)
{
	struct buf b = BUF_INIT(BUF_MAX);
	int rc = 0;

	for (size_t i = 0; i < json_count(values) && i < TRENDS_POINTS; i++)
		rc |= add_point(&b, json_text(json_at(values, i)));
	return end_points(&b, rc, p, out);
}

/* As the JSON has them: with six digits. */
static int fill_points(
    const struct metric_series *s, struct arena *p, const char **out)
{
	struct buf b = BUF_INIT(BUF_MAX);
	struct trend_curve c;
	char text[32];
	int rc = 0;

	trends_curve(s, &c);
	for (size_t i = 0; i < c.n; i++) {
		snprintf(text, sizeof text, "%.6g", c.values[i]);
		if (isfinite(c.values[i]))
			rc |= add_point(&b, span_of(text));
	}
	return end_points(&b, rc, p, out);
}

static bool warned_of(const struct entry *en, struct span metric)
{
	for (size_t i = 0; i < en->n_trends; i++)
		if (span_is(metric, en->trends[i].metric))
			return true;
	return false;
}

static int read_curves(
    struct entry *en, const struct json *list, struct arena *p, struct err *e)
{
	en->curves = arena_memory(p, ENTRY_CURVES * sizeof *en->curves);
	if (!en->curves)
		return err_nomem(e);
	for (size_t i = 0; i < json_count(list) && en->n_curves < ENTRY_CURVES;
	     i++) {
		const struct json *o = json_at(list, i);
		struct entry_curve *c = &en->curves[en->n_curves];

		if (!warned_of(en, json_get_text(o, "metric")))
			continue;
		c->title = text_of(o, "title", p);
		if (read_points(json_get(o, "values"), p, &c->points))
			return err_nomem(e);
		en->n_curves += c->title && c->points;
	}
	return 0;
}

int entry_trends_read(
    struct entry *en, const struct json *record, struct arena *p, struct err *e)
{
	const struct json *list = json_get(record, "trends");

	if (list && !json_is(list, JSON_IS_ARRAY) &&
	    !json_is(list, JSON_IS_NULL))
		return err_set(e, "trends: expected an array");
	if (json_count(list) == 0)
		return 0;
	if (read_warnings(en, list, p, e))
		return -1;
	return read_curves(en, json_get(record, "metrics"), p, e);
}

static int fill_warnings(struct entry *en, const struct trends *all,
    const struct taxonomy *tax, struct arena *p)
{
	size_t n = all->n < ENTRY_TRENDS ? all->n : ENTRY_TRENDS;

	en->trends = arena_memory(p, n * sizeof *en->trends);
	for (size_t i = 0; en->trends && i < n; i++) {
		const struct trend_warning *w = &all->v[i];
		const struct metric *on = &tax->metrics[w->rule->on];
		struct entry_trend *t = &en->trends[i];

		t->rule = entry_cut(p, span_of(w->rule->id));
		t->title = entry_cut(p, span_of(w->rule->title));
		t->text = entry_cut(p, span_of(w->text));
		t->metric = entry_cut(p, span_of(on->id));
		if (!t->rule || !t->title || !t->text || !t->metric)
			return -1;
	}
	en->n_trends = n;
	return en->trends ? 0 : -1;
}

int entry_trends_fill(struct entry *en, const struct diagnosis *d,
    const struct taxonomy *tax, struct arena *p)
{
	const struct trends *t = &d->facts.trends;

	if (t->n == 0)
		return 0;
	en->curves = arena_memory(p, ENTRY_CURVES * sizeof *en->curves);
	if (!en->curves || fill_warnings(en, t, tax, p))
		return -1;
	for (size_t i = 0; i < tax->n_metrics && en->n_curves < ENTRY_CURVES;
	     i++) {
		struct entry_curve *c = &en->curves[en->n_curves];

		if (!trends_wanted(t, tax, i) ||
		    !warned_of(en, span_of(tax->metrics[i].id)))
			continue;
		c->title = entry_cut(p, span_of(tax->metrics[i].title));
		if (!c->title ||
		    fill_points(trends_series(t->log, i), p, &c->points))
			return -1;
		en->n_curves += c->points != NULL;
	}
	return 0;
}
