/* The groups of failures that no rule names. */
#include "reports/period/html.h"
#include "reports/period/unnamed.h"

static void put_group(struct html *h, const struct failure_group *g)
{
	const struct entry *en = g->samples[0];
	char text[FIGURE];

	html_raw(h, "<tr><th scope=\"row\" class=\"what\">");
	html_jobs_link(h, "job", en->job, g->name ? g->name : g->template);
	html_wrap(h, "<br><span class=\"muted\">", g->id, "</span>");
	html_sample(h, en);
	html_raw(h, "</th><td>");
	html_time(h, g->last);
	html_raw(h, "</td>");
	html_count_cell(h, g->now.jobs);
	html_count_cell(h, g->users);
	html_hours_cell(h, g->now.gpu_seconds, NULL);
	html_wrap(h, "<td>", unnamed_growth(text, h->r, g), "</td>");
	html_raw(h, "</tr>\n");
}

void html_unnamed(struct html *h)
{
	static const char *const heads[] = { "What", "Last", "#Jobs", "#Users",
		"#GPU-hours", "Growth", NULL };
	const struct groups *all = &h->r->unnamed;
	size_t n = unnamed_count(h->r), put = 0;

	html_raw(h,
	    "<p class=\"hint\">Failures that no rule explains, or that one "
	    "knows by the class of an error only, by what they print. "
	    "<code>jobtriage groups</code> names, merges and ignores "
	    "them.</p>\n");
	html_table(h, "Most GPU-hours first", heads);
	for (size_t i = 0; i < all->n && put < h->top; i++)
		if (unnamed_shown(&all->v[i])) {
			put_group(h, &all->v[i]);
			put++;
		}
	html_table_end(h, n - put, "group");
}
