/*
 * The failures, one row a kind: all of them, those that are new or came back,
 * and those that no rule explains.
 */
#include "reports/period/figure.h"
#include "reports/period/html.h"
#include "reports/period/unnamed.h"

static void put_badge(struct html *h, const struct failure *f)
{
	if (f->fresh)
		html_raw(h, " <span class=\"badge new\">new</span>");
	else if (f->silent)
		fprintf(h->f,
		    " <span class=\"badge back\">back after %lld days</span>",
		    (long long)f->silent / INT64_C(86400000000));
}

/* "job 1234 · logs/slurm-1234.out:17" */
static void put_where(struct html *h, const struct entry *en)
{
	const char *cluster = report_cluster(h->r, en);
	const char *log = entry_log(en);

	html_raw(h, "<span class=\"where\">job ");
	if (cluster)
		html_wrap(h, "", cluster, "/");
	html_jobs_link(h, "job", en->job, en->job);
	if (log) {
		html_raw(h, " · ");
		html_log(h, log, entry_line(en));
	}
	html_raw(h, "</span>");
}

static void put_failure(struct html *h, const struct failure *f)
{
	html_raw(h, "<tr><th scope=\"row\" class=\"what\">");
	html_jobs_link(h, "fingerprint", f->fingerprint, html_title(f->sample));
	put_badge(h, f);
	html_wrap(h, "<span class=\"sample\">", f->message, "</span>");
	put_where(h, f->sample);
	html_raw(h, "</th>");
	html_times_cell(h, f->first, f->last);
	html_count_cell(h, f->sums.jobs);
	html_count_cell(h, f->users);
	html_hours_cell(h, f->sums.failed_gpu_seconds, &f->sums);
	html_hours_cell(h, f->sums.lost, &f->sums);
	html_raw(h, "</tr>\n");
}

static const char *const heads[] = { "Failure", "First and last seen", "#Jobs",
	"#Users", "#GPU-hours", "#Lost", NULL };

/* Rows from..to of those that are wanted. */
static void put_rows(struct html *h, bool (*wanted)(const struct failure *f),
    size_t from, size_t to)
{
	size_t at = 0;

	for (size_t i = 0; i < h->r->n_failures && at < to; i++) {
		const struct failure *f = &h->r->failures[i];

		if (wanted && !wanted(f))
			continue;
		if (at++ >= from)
			put_failure(h, f);
	}
}

/* The first ones, and the rest where it can be opened. */
static void put_failures(struct html *h, const char *caption,
    bool (*wanted)(const struct failure *f), size_t n)
{
	size_t most = n < h->top ? n : h->top;

	html_table(h, caption, heads);
	put_rows(h, wanted, 0, most);
	html_table_end(h, 0, "");
	if (most == n)
		return;
	html_raw(h, "<details><summary>");
	html_counted(h, n - most, "more kind");
	html_raw(h, "</summary>\n");
	html_table(h, "", heads);
	put_rows(h, wanted, most, n);
	html_table_end(h, 0, "");
	html_raw(h, "</details>\n");
}

void html_failures(struct html *h)
{
	if (h->r->n_failures)
		put_failures(
		    h, "Most GPU-hours lost first", NULL, h->r->n_failures);
	else
		html_raw(h, "<p>None whose kind is known.</p>\n");
}

static bool new_or_back(const struct failure *f)
{
	return f->fresh || f->silent;
}

void html_fresh(struct html *h)
{
	const struct report *r = h->r;
	size_t n = 0;

	for (size_t i = 0; i < r->n_failures; i++)
		n += new_or_back(&r->failures[i]);
	html_wrap(h, "<p class=\"hint\">New: ",
	    !r->compared     ? "nothing is known of the time before this "
			       "period, so nothing is new"
		: r->history ? "not in the store before this period"
			     : "not in the period before; without a store "
			       "nothing older is known",
	    ". ");
	fprintf(h->f, "Back: seen again after %lld days or more.</p>\n",
	    (long long)r->options.silence / 86400);
	if (n)
		put_failures(h, "Most GPU-hours lost first", new_or_back, n);
	else
		html_raw(h, "<p>None.</p>\n");
}

/* ---- a day beside its week and month ---- */

static void put_per_day(struct html *h, double value, const char *format)
{
	html_raw(h, "<td class=\"num muted\">");
	fprintf(h->f, format, value);
	html_raw(h, "</td>");
}

static void put_recent(struct html *h, const struct recent *v)
{
	double days = figure_days(h->r, v);

	if (v->days == 1)
		html_raw(h, "<tr><th scope=\"row\">this day</th>");
	else
		fprintf(
		    h->f, "<tr><th scope=\"row\">last %u days</th>", v->days);
	html_count_cell(h, v->failed);
	put_per_day(h, (double)v->failed / days, "%.0f");
	html_count_cell(h, v->jobs);
	html_hours_cell(h, v->lost, NULL);
	put_per_day(h, (double)v->lost / 3600 / days, "%.1f");
	html_raw(h, "<td class=\"what\">");
	for (size_t k = 0; k < v->n_categories; k++) {
		const struct recent_category *c = &v->categories[k];

		html_raw(h, k ? ", " : "");
		html_jobs_link(h, "category", c->category, c->label);
		html_raw(h, "&nbsp;");
		html_count(h, c->failed);
	}
	html_raw(h, "</td></tr>\n");
}

void html_recent(struct html *h)
{
	static const char *const columns[] = { "", "#Failed attempts",
		"#… a day", "#Jobs", "#GPU-hours lost", "#… a day",
		"Most frequent", NULL };
	const struct recent *last = &h->r->recent[RECENT - 1];

	html_table(
	    h, "Up to the end of this report, as the store has them", columns);
	for (size_t i = 0; i < h->r->n_recent; i++)
		put_recent(h, &h->r->recent[i]);
	html_table_end(h, 0, "");
	if (last->begins > last->since) {
		html_raw(h, "<p class=\"hint\">The store begins on ");
		html_time(h, last->begins);
		html_raw(h, ".</p>\n");
	}
}

/* ---- unknown ---- */

static void put_unknown(struct html *h, const struct news *v)
{
	const struct entry *en = v->sample;

	html_raw(h, "<tr><th scope=\"row\" class=\"what\">");
	if (v->fingerprint)
		html_jobs_link(
		    h, "fingerprint", v->fingerprint, html_title(en));
	else
		html_jobs_link(h, "job", en->job, html_title(en));
	html_sample(h, en);
	put_where(h, en);
	html_raw(h, "</th><td>");
	html_time(h, v->first);
	html_raw(h, "</td>");
	html_count_cell(h, v->attempts);
	html_count_cell(h, v->jobs);
	html_count_cell(h, v->users);
	html_hours_cell(h, v->failed_gpu_seconds, NULL);
	html_raw(h, "</tr>\n");
}

void html_unknown(struct html *h)
{
	static const char *const columns[] = { "What", "First", "#Attempts",
		"#Jobs", "#Users", "#GPU-hours", NULL };
	size_t n = h->r->n_unknown;

	if (unnamed_count(h->r)) {
		html_unnamed(h);
		return;
	}
	if (!n) {
		html_raw(h, "<p>None: a rule explains every failure.</p>\n");
		return;
	}
	html_raw(h,
	    "<p class=\"hint\">Failures that no rule explains; each "
	    "is a rule to write.</p>\n");
	html_table(h, "Most GPU-hours first", columns);
	for (size_t i = 0; i < n && i < h->top; i++)
		put_unknown(h, &h->r->unknown[i]);
	html_table_end(h, n > h->top ? n - h->top : 0, "kind");
}
