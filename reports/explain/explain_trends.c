/*
 * Warnings about the curves of a training, each curve once below them. All of
 * it is taken from the diagnosis' JSON, as the other reports take it.
 */
#include "base/json.h"
#include "base/number.h"
#include "reports/explain/explain_parts.h"
#include "reports/explain/plot.h"
#include "reports/output/record_trends.h"
#include "reports/period/report_sheet.h"

#include <stdlib.h>
#include <string.h>

#define GUTTER 12 /* columns of the scale */

static int64_t number(const struct json *o, const char *key)
{
	int64_t v = -1;

	return json_int(json_get(o, key), &v) ? v : -1;
}

static void write_warning(struct page *p, const struct json *w)
{
	struct span path = json_get_text(w, "path");
	const struct json *advice = json_get(w, "advice");
	char *name = span_dup(path);

	page_add(p, CARE);
	page_log(p, json_get_text(w, "title"));
	page_add(p, "." PLAIN " ");
	page_log(p, json_get_text(w, "text"));
	if (name && number(w, "line") > 0) {
		page_add(p, " " FAINT "(");
		page_place(p, name, (uint64_t)number(w, "line"));
		page_add(p, ")" PLAIN);
	}
	p->failed |= name == NULL;
	free(name);
	if (json_count(advice)) {
		page_add(p, " ");
		page_log(p, json_text(json_at(advice, 0)));
	}
	page_item(p, 0);
}

/* ---- plots ---- */

/* The values that are there, and the steps of the first and the last. */
static size_t read_curve(const struct json *m, double v[RECORD_POINTS],
    int64_t *first, int64_t *last)
{
	const struct json *values = json_get(m, "values");
	const struct json *steps = json_get(m, "steps");
	size_t n = 0;

	*first = *last = -1;
	for (size_t i = 0; i < json_count(values) && n < RECORD_POINTS; i++) {
		struct span s = json_text(json_at(values, i));

		if (s.n == 0 || number_read(s, &v[n]) != s.n)
			continue;
		if (!json_int(json_at(steps, i), last))
			*last = -1;
		if (n++ == 0)
			*first = *last;
	}
	return n;
}

static void write_rows(struct page *p, const struct plot *plot)
{
	struct plot_scale s = plot_scale(plot);
	char gutter[64];

	for (size_t row = 0; row < PLOT_ROWS; row++) {
		char label[24] = "";

		if (row == 0)
			snprintf(label, sizeof label, "%.4g", s.high);
		if (row == PLOT_ROWS - 1)
			snprintf(label, sizeof label, "%.4g", s.low);
		snprintf(gutter, sizeof gutter, "%*s |", GUTTER - 2, label);
		p->failed |= plot_row(plot, row, &p->line) != 0;
		page_code(p, gutter, 1);
	}
}

/* "step 10 to 400: first 2.31, last 0.41, from 0.38 to 2.4" */
static void write_legend(
    struct page *p, const struct json *m, int64_t first, int64_t last)
{
	char n[FIGURE];

	if (first >= 0 && last > first) {
		page_add(p, "step %s to ", figure_count(n, (uint64_t)first));
		page_add(p, "%s: ", figure_count(n, (uint64_t)last));
	}
	page_add(p, "first ");
	page_log(p, json_get_text(m, "first"));
	page_add(p, ", last ");
	page_log(p, json_get_text(m, "last"));
	page_add(p, ", least ");
	page_log(p, json_get_text(m, "min"));
	page_add(p, ", most ");
	page_log(p, json_get_text(m, "max"));
	page_code(p, " ", 2);
}

static void write_plot(struct page *p, const struct json *m)
{
	double v[RECORD_POINTS];
	int64_t first, last;
	struct plot plot = { .v = v, .ascii = p->style->ascii };
	char n[FIGURE];

	plot.n = read_curve(m, v, &first, &last);
	plot.columns = p->width - GUTTER - 4;
	if (plot.n < 2)
		return;
	if (!p->style->markdown)
		page_paragraph(p); /* a blank line */
	page_code_begin(p);
	page_log(p, json_get_text(m, "title"));
	page_add(p, " (");
	page_log(p, json_get_text(m, "name"));
	page_add(p, "), %s reports%s",
	    figure_count(n, (uint64_t)number(m, "points")),
	    plot_scale(&plot).logarithm ? ", logarithmic" : "");
	page_code(p, " ", 1);
	write_rows(p, &plot);
	write_legend(p, m, first, last);
	page_code_end(p);
}

/* Whether a warning is about a metric. */
static bool shown(const struct json *warnings, const struct json *metric)
{
	struct span id = json_get_text(metric, "metric");

	for (size_t i = 0; i < json_count(warnings); i++) {
		struct span on = json_get_text(json_at(warnings, i), "metric");

		if (span_eq(on, id))
			return true;
	}
	return false;
}

void explain_trends(struct page *p, const struct json *record)
{
	const struct json *warnings = json_get(record, "trends");
	const struct json *metrics = json_get(record, "metrics");

	if (json_count(warnings) == 0)
		return;
	page_heading(p, "Trends (warnings, no part of the verdict)");
	for (size_t i = 0; i < json_count(warnings); i++)
		write_warning(p, json_at(warnings, i));
	for (size_t i = 0; i < json_count(metrics); i++)
		if (shown(warnings, json_at(metrics, i)))
			write_plot(p, json_at(metrics, i));
}
