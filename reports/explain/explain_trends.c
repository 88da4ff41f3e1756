/* Warnings about the curves of a training, each curve once below them. */
#include "diagnose/decision/trends.h"
#include "reports/explain/explain_parts.h"
#include "reports/explain/plot.h"
#include "reports/period/figure.h"
#include "reports/period/sheet.h"

#include <math.h>
#include <stdio.h>

#define GUTTER 12 /* columns of the scale */

static void write_warning(
    struct page *p, const struct findings *log, const struct trend_warning *w)
{
	page_add(p, CARE);
	page_string(p, w->rule->title);
	page_add(p, "." PLAIN " ");
	page_string(p, w->text);
	if (trends_node(w)) {
		page_add(p, " It runs on ");
		page_string(p, trends_node(w));
		page_add(p, ".");
	}
	if (w->at.line) {
		page_add(p, " " FAINT "(");
		page_place(p, log->path, w->at.line);
		page_add(p, ")" PLAIN);
	}
	if (w->rule->advice.n) {
		page_add(p, " ");
		page_string(p, w->rule->advice.v[0]);
	}
	page_item(p, 0);
}

/* ---- plots ---- */

/* The values that are there, and the steps of the first and the last. */
static size_t read_curve(struct trend_curve *c, int64_t *first, int64_t *last)
{
	size_t n = 0;

	*first = *last = -1;
	for (size_t i = 0; i < c->n; i++) {
		if (!isfinite(c->values[i]))
			continue;
		*last = c->steps[i];
		c->values[n] = c->values[i];
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

static void add_value(struct page *p, const char *label, double v)
{
	page_add(p, isfinite(v) ? "%s%.6g" : "%s", label, v);
}

/* "step 10 to 400: first 2.31, last 0.41, least 0.38, most 2.4" */
static void write_legend(
    struct page *p, const struct metric_series *s, int64_t first, int64_t last)
{
	struct metric_bucket whole = trends_whole(s);
	char n[FIGURE];

	if (first >= 0 && last > first) {
		page_add(p, "step %s to ", figure_count(n, (uint64_t)first));
		page_add(p, "%s: ", figure_count(n, (uint64_t)last));
	}
	add_value(p, "first ", whole.first);
	add_value(p, ", last ", whole.last);
	add_value(p, ", least ", whole.min);
	add_value(p, ", most ", whole.max);
	page_code(p, " ", 2);
}

static void write_plot(
    struct page *p, const struct metric_series *s, const char *title)
{
	struct trend_curve c;
	struct plot plot = { .v = c.values, .ascii = p->style->ascii };
	int64_t first, last;
	char n[FIGURE];

	trends_curve(s, &c);
	plot.n = read_curve(&c, &first, &last);
	plot.columns = p->width - GUTTER - 4;
	if (plot.n < 2)
		return;
	if (!p->style->markdown)
		page_paragraph(p); /* a blank line */
	page_code_begin(p);
	page_string(p, title);
	page_add(p, " (");
	page_string(p, s->name);
	page_add(p, "), %s reports%s", figure_count(n, s->points),
	    plot_scale(&plot).logarithm ? ", logarithmic" : "");
	page_code(p, " ", 1);
	write_rows(p, &plot);
	write_legend(p, s, first, last);
	page_code_end(p);
}

void explain_trends(struct page *p, const struct explain *x)
{
	const struct trends *t = &x->d->facts.trends;

	if (t->n == 0)
		return;
	page_heading(p, "Trends (warnings, no part of the verdict)");
	for (size_t i = 0; i < t->n; i++)
		write_warning(p, t->log, &t->v[i]);
	for (size_t i = 0; i < x->tax->n_metrics; i++)
		if (trends_warned(t, i) && trends_wanted(t, x->tax, i))
			write_plot(p, trends_series(t->log, i),
			    x->tax->metrics[i].title);
}
