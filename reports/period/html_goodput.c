/* What became of the GPU time: one table of parts, one of jobs and users. */
#include "reports/period/goodput.h"
#include "reports/period/html.h"
#include "reports/period/mttf.h"

#include <math.h>

static void share_cell(struct html *h, int64_t hundredths)
{
	html_raw(h, "<td class=\"num\">");
	html_share(h, hundredths < 0 ? 0 : (double)hundredths,
	    hundredths < 0 ? 0 : 10000);
	html_raw(h, "</td>");
}

static void put_parts(struct html *h, const struct report_goodput *g)
{
	static const char *const heads[] = { "GPU time went into", "#GPU-hours",
		"Share", "Most of it", "#GPU-hours", NULL };
	int parts[GOODPUT_PARTS];
	size_t n = goodput_losses(&g->all, parts);
	double most = n ? (double)g->all.spent[parts[0]] : 0;

	html_table(h, "What was no training that was kept", heads);
	for (size_t i = 0; i < n; i++) {
		const struct goodput_row *row = g->most[parts[i]];
		int64_t spent = g->all.spent[parts[i]];

		html_wrap(h, "<tr><th scope=\"row\">",
		    goodput_part_words(parts[i]), "</th>");
		html_hours_cell(h, spent, NULL);
		html_raw(h, "<td>");
		if (parts[i] == GOODPUT_QUEUED)
			html_raw(h, "before it was given");
		else
			html_part(h, "hours", (double)spent,
			    (double)g->all.given, most);
		html_raw(h, "</td><td>");
		html_jobs_link(h, "job", row->key, row->key);
		html_raw(h, "</td>");
		html_hours_cell(h, row->sums.spent[parts[i]], NULL);
		html_raw(h, "</tr>\n");
	}
	html_table_end(h, 0, "part");
}

static void put_rows(
    struct html *h, const struct report_goodput *g, enum goodput_by by)
{
	static const char *const first[] = { "Job", "User", "Cluster" };
	static const int parts[] = { PHASE_INITIALIZING, PHASE_RECOMPUTING,
		GOODPUT_LOST, PHASE_HANGING };
	const char *heads[] = { first[by], "#GPU-hours", "#Goodput", "#ETTR",
		"#Initializing", "#Recomputed", "#Lost", "#Hung", NULL };
	size_t n = g->n[by] < h->top ? g->n[by] : h->top;

	if (!n)
		return;
	html_table(h, goodput_by_name(by), heads);
	for (size_t i = 0; i < n; i++) {
		const struct goodput_row *row = &g->rows[by][i];

		html_raw(h, "<tr><th scope=\"row\">");
		html_jobs_link(h, goodput_by_name(by), row->key, row->key);
		html_raw(h, "</th>");
		html_hours_cell(h, row->sums.given, NULL);
		share_cell(h, goodput_share(&row->sums));
		share_cell(h, goodput_ettr(&row->sums));
		for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
			html_hours_cell(h, row->sums.spent[parts[k]], NULL);
		html_raw(h, "</tr>\n");
	}
	html_table_end(h, g->n[by] - n, goodput_by_name(by));
}

static void put_hours(struct html *h, double seconds)
{
	if (seconds >= HUGE_VAL)
		html_raw(h, "–");
	else
		fprintf(h->f, "%.1f", seconds / 3600);
}

static void put_sizes(struct html *h)
{
	static const char *const heads[] = { "#GPUs, up to", "#Attempts",
		"#Failures", "#MTTF, hours", "#90 %, from", "#to", "#Model",
		NULL };
	struct mttf m;

	mttf_find(&m, h->r);
	if (!m.n)
		return;
	html_table(
	    h, "MTTF by job size: failures of the infrastructure", heads);
	for (size_t i = 0; i < m.n; i++) {
		const struct mttf_size *v = &m.v[i];
		const double times[] = { v->observed, v->low, v->high,
			v->modelled };

		html_raw(h, "<tr>");
		html_count_cell(h, (uint64_t)v->gpus);
		html_count_cell(h, v->attempts);
		html_count_cell(h, v->failures);
		for (size_t k = 0; k < sizeof times / sizeof *times; k++) {
			html_raw(h, "<td class=\"num\">");
			put_hours(h, times[k]);
			html_raw(h, "</td>");
		}
		html_raw(h, "</tr>\n");
	}
	html_table_end(h, 0, "size");
}

void html_goodput(struct html *h)
{
	const struct report_goodput *g = h->r->goodput;

	html_raw(h, "<p>Goodput <strong>");
	html_share(
	    h, (double)g->all.spent[PHASE_TRAINING], (double)g->all.given);
	html_raw(h, "</strong>, ETTR <strong>");
	html_share(h, (double)goodput_ettr(&g->all), 10000);
	html_raw(h, "</strong>, of ");
	html_counted(h, g->all.attempts, "attempt");
	html_raw(h, " whose logs tell it; of ");
	html_counted(h, g->unmeasured, "attempt");
	html_raw(h, " nothing is known.</p>\n");
	put_parts(h, g);
	for (int by = 0; by < GOODPUT_BY_COUNT; by++)
		put_rows(h, g, (enum goodput_by)by);
	put_sizes(h);
}
