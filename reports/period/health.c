#include "reports/period/health.h"

#include "base/err.h"
#include "base/json.h"
#include "reports/output/object.h"
#include "reports/period/figure.h"
#include "reports/period/sheet.h"

#include <stdlib.h>
#include <string.h>

static int by_cost(const void *a, const void *b)
{
	const struct rule_row *x = *(const struct rule_row *const *)a;
	const struct rule_row *y = *(const struct rule_row *const *)b;

	if (x->cost != y->cost)
		return x->cost < y->cost ? 1 : -1;
	if (x->wrong + x->refuted != y->wrong + y->refuted)
		return x->wrong + x->refuted < y->wrong + y->refuted ? 1 : -1;
	if (x->answered != y->answered)
		return x->answered < y->answered ? 1 : -1;
	return strcmp(x->id, y->id);
}

/* Owned by the caller; NULL: out of memory. */
static const struct rule_row **ordered(const struct report *r)
{
	const struct rule_row **v = calloc(r->n_rules + 1, sizeof(*v));

	for (size_t i = 0; v && i < r->n_rules; i++)
		v[i] = &r->rules[i];
	if (v && r->n_rules)
		qsort(v, r->n_rules, sizeof(*v), by_cost);
	return v;
}

static void write_row(struct sheet *s, const struct rule_row *v)
{
	char one[FIGURE], two[FIGURE];

	sheet_text(s, v->id);
	sheet_text(s, figure_count(one, v->seen));
	sheet_text(s, figure_count(one, v->answered));
	sheet_text(s, figure_count(one, v->on_good));
	sheet_text(s, figure_count(one, v->right));
	sheet_text(s, figure_count(one, v->wrong));
	sheet_cell(s, "%s of %s", figure_count(one, v->refuted),
	    figure_count(two, v->stops));
	sheet_cell(s, "%s of %s", figure_count(one, v->helped),
	    figure_count(two, v->retries));
	sheet_text(s, figure_hours(one, v->cost));
}

static void write_months(
    struct sheet *s, const struct report *r, const char *id)
{
	static const struct column columns[] = { { "MONTH", COLUMN_WORD },
		{ "ANSWERED", COLUMN_NUMBER }, { "RIGHT", COLUMN_NUMBER },
		{ "WRONG", COLUMN_NUMBER }, { "PRECISION", COLUMN_NUMBER } };
	size_t n;
	const struct rule_month *m = report_rule_months(r, id, &n);
	char text[FIGURE];

	if (!n)
		return;
	sheet_heading(s, "By month");
	sheet_table(s, columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < n; i++) {
		sheet_text(s, figure_month(text, m[i].month));
		sheet_text(s, figure_count(text, m[i].answered));
		sheet_text(s, figure_count(text, m[i].right));
		sheet_text(s, figure_count(text, m[i].wrong));
		sheet_text(s,
		    figure_share(text, (double)m[i].right,
			(double)(m[i].right + m[i].wrong)));
	}
	sheet_table_end(s);
}

int health_text(const struct report *r, const char *id,
    const struct report_style *style, FILE *f, struct err *e)
{
	static const struct column columns[] = { { "RULE", COLUMN_WORD },
		{ "SEEN", COLUMN_NUMBER }, { "ANSWERED", COLUMN_NUMBER },
		{ "IN GOOD RUNS", COLUMN_NUMBER }, { "RIGHT", COLUMN_NUMBER },
		{ "WRONG", COLUMN_NUMBER }, { "STOP REFUTED", COLUMN_NUMBER },
		{ "RETRY HELPED", COLUMN_NUMBER },
		{ "GPU-HOURS", COLUMN_NUMBER } };
	const struct rule_row **v = ordered(r);
	struct sheet s;

	if (!v)
		return err_nomem(e);
	sheet_begin(&s, f, false, style);
	sheet_heading(&s, "Health");
	sheet_table(&s, columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < r->n_rules; i++)
		if (!id || strcmp(v[i]->id, id) == 0)
			write_row(&s, v[i]);
	sheet_table_end(&s);
	if (id)
		write_months(&s, r, id);
	free(v);
	return sheet_end(&s) ? err_nomem(e) : 0;
}

int health_json(const struct report *r, FILE *f, struct err *e)
{
	struct object a = object_new_array();
	const struct rule_row **v = ordered(r);

	for (size_t i = 0; v && i < r->n_rules; i++)
		object_add(&a, report_rule_json(r, v[i]));
	a.failed |= !v;
	free(v);
	return object_print(&a, f, e);
}
