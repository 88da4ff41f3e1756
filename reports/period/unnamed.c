/* The groups of failures that no rule names. */
#include "reports/period/unnamed.h"

#include "reports/period/figure.h"
#include "reports/period/report_private.h"

#include <stdlib.h>

/* What has no time is counted at none, and was seen all the same. */
static struct group_item item_of(const struct item *it)
{
	return (struct group_item){ it->en,
		it->when != ENVELOPE_NO_TIME ? it->when : it->en->seen, it->job,
		it->now };
}

int unnamed_find(struct report_builder *b)
{
	struct group_item *v = malloc((b->n_failures + 1) * sizeof *v);
	size_t n = 0;
	int rc = -1;

	for (size_t i = 0; v && i < b->n_failures; i++) {
		const struct item *it = b->failures[i];

		if (it->en->template_id && it->en->template_text &&
		    !it->en->judged)
			v[n++] = item_of(it);
	}
	if (v)
		rc = groups_make(
		    &b->r->unnamed, b->arena, v, n, b->r->options.said);
	free(v);
	return rc;
}

bool unnamed_shown(const struct failure_group *g)
{
	return g->now.attempts && !g->ignored;
}

uint64_t unnamed_count(const struct report *r)
{
	uint64_t n = 0;

	for (size_t i = 0; i < r->unnamed.n; i++)
		n += unnamed_shown(&r->unnamed.v[i]);
	return n;
}

const char *unnamed_growth(
    char out[FIGURE], const struct report *r, const struct failure_group *g)
{
	return r->has_before ? figure_change(out, (double)g->now.attempts,
				   (double)g->before.attempts)
			     : "";
}

void unnamed_sheet(struct sheet *s, const struct report *r, size_t top)
{
	static const struct column columns[] = { { "GROUP", COLUMN_WORD },
		{ "JOBS", COLUMN_NUMBER }, { "USERS", COLUMN_NUMBER },
		{ "GPU-HOURS", COLUMN_NUMBER }, { "GROWTH", COLUMN_WORD },
		{ "LAST", COLUMN_WORD }, { "FAILURE", COLUMN_TEXT } };
	char text[FIGURE];
	size_t shown = 0;

	sheet_table(s, columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < r->unnamed.n && shown < top; i++) {
		const struct failure_group *g = &r->unnamed.v[i];

		if (!unnamed_shown(g))
			continue;
		shown++;
		sheet_cell(s, "%.*s", UNNAMED_ID, g->id);
		sheet_text(s, figure_count(text, g->now.jobs));
		sheet_text(s, figure_count(text, g->users));
		sheet_text(s, figure_hours(text, g->now.gpu_seconds));
		sheet_text(s, unnamed_growth(text, r, g));
		sheet_text(s, figure_moment(text, report_local(r, g->last)));
		if (g->name)
			sheet_cell(s, "%s: %s", g->name, g->template);
		else
			sheet_text(s, g->template);
	}
	sheet_table_end(s);
}

uint64_t unnamed_section(struct sheet *s, const struct report *r, size_t top)
{
	uint64_t n = unnamed_count(r);

	if (n) {
		sheet_heading(s, UNNAMED_TITLE);
		unnamed_sheet(s, r, top);
	}
	return n;
}
