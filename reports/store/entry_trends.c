/* Runs without a warning keep nothing: a report may hold 100,000 of them. */
#include "reports/store/entry_trends.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/number.h"
#include "diagnose/decision/trends.h"

#include <string.h>

#define TRENDS 8
#define CURVES 4

static const char *text_of(
    const struct json *o, const char *key, struct arena *p)
{
	struct span s = json_get_text(o, key);

	return s.p ? arena_string(p, span_sub(s, 0, 400)) : NULL;
}

static int read_warnings(
    struct entry *en, const struct json *list, struct arena *p, struct err *e)
{
	size_t n = json_count(list);

	if (n > TRENDS)
		n = TRENDS;
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

/* The values, four digits each, with a blank between. */
static int read_points(
    const struct json *values, struct arena *p, const char **out)
{
	struct buf b = BUF_INIT(BUF_MAX);
	int rc = 0;

	for (size_t i = 0; i < json_count(values) && i < TRENDS_POINTS; i++) {
		struct span s = json_text(json_at(values, i));
		double v;

		if (s.n && number_read(s, &v) == s.n)
			rc |= buf_addf(&b, b.len ? " %.4g" : "%.4g", v);
	}
	if (!rc && b.len)
		*out = arena_string(p, (struct span){ b.p, b.len });
	buf_release(&b);
	return rc;
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
	en->curves = arena_memory(p, CURVES * sizeof *en->curves);
	if (!en->curves)
		return err_nomem(e);
	for (size_t i = 0; i < json_count(list) && en->n_curves < CURVES; i++) {
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
