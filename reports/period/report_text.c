/*
 * The report as people read it, in a terminal or as Markdown: the figures that
 * matter, then a table for each question. The rankings by count and by GPU-
 * hours differ, so both stand side by side.
 */
#include "base/err.h"
#include "reports/period/goodput_write.h"
#include "reports/period/figure.h"
#include "reports/period/sheet.h"
#include "reports/period/study_write.h"
#include "reports/period/unnamed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOP 10 /* rows of a list, unless told otherwise */
#define BAR 20 /* columns of the longest bar */

struct page {
	struct sheet s;
	const struct report *r;
	size_t top;
	bool bars; /* a terminal */
};

#define TABLE(s, columns) \
	sheet_table(s, columns, sizeof(columns) / sizeof *(columns))

/* ---- the head ---- */

static void write_period(struct page *p)
{
	const struct report_options *o = &p->r->options;
	char from[FIGURE], to[FIGURE];
	int64_t since = o->since != ENVELOPE_NO_TIME ? o->since : p->r->first;
	int64_t until = o->until != ENVELOPE_NO_TIME ? o->until : p->r->last;

	if (since == ENVELOPE_NO_TIME || until == ENVELOPE_NO_TIME)
		return;
	sheet_line(&p->s, "%s to %s, times in %s",
	    figure_time(from, report_local(p->r, since)),
	    figure_time(to, report_local(p->r, until)),
	    o->zone ? o->zone : "UTC");
}

/* " [+12 %]" */
static const char *change(
    char out[2 * FIGURE], const struct page *p, double now, double before)
{
	char text[FIGURE];
	const char *c = figure_change(text, now, before);

	out[0] = '\0';
	if (p->r->has_before && c[0])
		snprintf(out, 2 * FIGURE, " [%s]", c);
	return out;
}

static void write_headline(struct page *p)
{
	const struct report *r = p->r;
	const struct sums *n = &r->now, *b = &r->before;
	char one[FIGURE], two[FIGURE], three[FIGURE], four[FIGURE];
	char share[FIGURE], c[4][2 * FIGURE];

	sheet_line(&p->s,
	    "%s attempt%s of %s job%s: %s failed (%s)%s, %s ended well",
	    figure_count(one, n->attempts), figure_plural(n->attempts),
	    figure_count(two, n->jobs), figure_plural(n->jobs),
	    figure_count(three, n->failed),
	    figure_share(share, (double)n->failed, (double)n->attempts),
	    change(c[0], p, (double)n->failed, (double)b->failed),
	    figure_count(four, r->ended_well));
	sheet_line(&p->s, "Jobs: %s failed for good, %s recovered by a retry",
	    figure_count(one, r->jobs_failed),
	    figure_count(two, r->jobs_recovered));
	sheet_line(&p->s, "GPU-hours: %s used%s, %s by failed attempts%s",
	    figure_used(one, n, n->gpu_seconds),
	    change(c[0], p, (double)n->gpu_seconds, (double)b->gpu_seconds),
	    figure_used(two, n, n->failed_gpu_seconds),
	    change(c[1], p, (double)n->failed_gpu_seconds,
		(double)b->failed_gpu_seconds));
	sheet_line(&p->s,
	    "GPU-hours of failed attempts: %s lost since a checkpoint%s, "
	    "%s avoidable%s",
	    figure_used(one, n, n->lost),
	    change(c[2], p, (double)n->lost, (double)b->lost),
	    figure_used(two, n, n->avoidable),
	    change(c[3], p, (double)n->avoidable, (double)b->avoidable));
	if (n->failed_cpu_seconds)
		sheet_line(&p->s,
		    "CPU-hours of failed attempts without GPUs: %s%s, %s lost "
		    "since a checkpoint%s",
		    figure_hours(one, n->failed_cpu_seconds),
		    change(c[0], p, (double)n->failed_cpu_seconds,
			(double)b->failed_cpu_seconds),
		    figure_hours(two, n->cpu_lost),
		    change(c[1], p, (double)n->cpu_lost, (double)b->cpu_lost));
	if (r->has_before)
		sheet_line(
		    &p->s, "[ ]: against the equally long period before");
}

/* ---- days ---- */

/* part of whole in eighths of a block character. */
static void bar(char *out, double part, double whole)
{
	size_t eighths = whole > 0 ? (size_t)(part / whole * BAR * 8 + 0.5) : 0;

	for (; eighths >= 8; eighths -= 8) {
		memcpy(out, "\xe2\x96\x88", 3);
		out += 3;
	}
	if (eighths) {
		/* U+258F is one eighth, U+2589 seven */
		memcpy(out, "\xe2\x96", 2);
		out[2] = (char)(0x90 - (int)eighths);
		out += 3;
	}
	*out = '\0';
}

static void write_days(struct page *p)
{
	static const struct column columns[] = { { "DAY", COLUMN_WORD },
		{ "ATTEMPTS", COLUMN_NUMBER }, { "FAILED", COLUMN_NUMBER },
		{ "GPU-HOURS FAILED", COLUMN_NUMBER },
		{ "FAILED", COLUMN_WORD } };
	const struct breakdown *days = &p->r->breakdowns[BY_DAY];
	char text[FIGURE], blocks[BAR * 3 + 4];
	uint64_t most = 0;

	if (days->n < 2)
		return;
	for (size_t i = 0; i < days->n; i++)
		if (days->v[i].now.failed > most)
			most = days->v[i].now.failed;
	sheet_heading(&p->s, days->title);
	sheet_table(&p->s, columns, p->bars ? 5 : 4);
	for (size_t i = 0; i < days->n; i++) {
		const struct sums *n = &days->v[i].now;

		sheet_text(&p->s, days->v[i].label);
		sheet_text(&p->s, figure_count(text, n->attempts));
		sheet_text(&p->s, figure_count(text, n->failed));
		sheet_text(&p->s, figure_used(text, n, n->failed_gpu_seconds));
		bar(blocks, (double)n->failed, (double)most);
		if (p->bars)
			sheet_text(&p->s, blocks);
	}
	sheet_table_end(&p->s);
	if (p->r->undated)
		sheet_line(&p->s,
		    "Undated, on none of these days: %s attempt%s",
		    figure_count(text, p->r->undated),
		    figure_plural(p->r->undated));
}

/* ---- a day beside its week and month ---- */

static void write_recent(struct page *p)
{
	static const struct column columns[] = { { "LAST", COLUMN_WORD },
		{ "FAILED", COLUMN_NUMBER }, { "A DAY", COLUMN_NUMBER },
		{ "JOBS", COLUMN_NUMBER }, { "LOST", COLUMN_NUMBER },
		{ "A DAY", COLUMN_NUMBER }, { "MOSTLY", COLUMN_TEXT } };
	const struct report *r = p->r;
	char text[FIGURE], mostly[400];

	if (r->n_recent == 0)
		return;
	sheet_heading(&p->s, "Beside the last days");
	TABLE(&p->s, columns);
	for (size_t i = 0; i < r->n_recent; i++) {
		const struct recent *v = &r->recent[i];
		double days = figure_days(r, v);
		size_t n = 0;

		sheet_cell(&p->s, "%u day%s", v->days, figure_plural(v->days));
		sheet_text(&p->s, figure_count(text, v->failed));
		sheet_cell(&p->s, "%.0f", (double)v->failed / days);
		sheet_text(&p->s, figure_count(text, v->jobs));
		sheet_text(&p->s, figure_hours(text, v->lost));
		sheet_cell(&p->s, "%.1f", (double)v->lost / 3600 / days);
		mostly[0] = '\0';
		for (size_t k = 0; k < v->n_categories && k < 3; k++)
			n += (size_t)snprintf(mostly + n, sizeof mostly - n,
			    "%s%.100s %s", k ? ", " : "",
			    v->categories[k].label,
			    figure_count(text, v->categories[k].failed));
		sheet_text(&p->s, mostly);
	}
	sheet_table_end(&p->s);
	if (r->recent[RECENT - 1].begins > r->recent[RECENT - 1].since)
		sheet_line(&p->s, "The store begins on %s",
		    figure_time(
			text, report_local(r, r->recent[RECENT - 1].begins)));
}

/* ---- groups ---- */

/* What of b comes after its first n groups, in one; false: nothing. */
static bool others(const struct breakdown *b, size_t n, struct group *out)
{
	static const struct group none;

	*out = none;
	for (size_t i = n; i < b->n; i++) {
		const struct sums *from[] = { &b->v[i].now, &b->v[i].before };
		struct sums *to[] = { &out->now, &out->before };

		for (int k = 0; k < 2; k++) {
			to[k]->attempts += from[k]->attempts;
			to[k]->failed += from[k]->failed;
			to[k]->unmeasured += from[k]->unmeasured;
			to[k]->estimated += from[k]->estimated;
			to[k]->gpu_seconds += from[k]->gpu_seconds;
			to[k]->failed_gpu_seconds +=
			    from[k]->failed_gpu_seconds;
			to[k]->lost += from[k]->lost;
			to[k]->avoidable += from[k]->avoidable;
		}
	}
	return out->now.attempts > 0;
}

typedef void group_row(
    struct page *p, const struct group *g, const char *label);

static void write_groups(struct page *p, enum breakdown_id id,
    const struct column *columns, size_t n, group_row *row)
{
	const struct breakdown *b = &p->r->breakdowns[id];
	struct group rest;
	size_t k = 0;

	if (b->n == 0 || b->v[0].now.attempts == 0)
		return;
	sheet_heading(&p->s, b->title);
	sheet_table(&p->s, columns, n);
	for (; k < b->n && k < p->top && b->v[k].now.attempts; k++)
		row(p, &b->v[k], b->v[k].label);
	if (others(b, k, &rest))
		row(p, &rest, "others");
	sheet_table_end(&p->s);
}

static void failed_row(struct page *p, const struct group *g, const char *label)
{
	const struct sums *n = &g->now;
	char text[FIGURE];

	sheet_text(&p->s, label);
	sheet_text(&p->s, figure_count(text, n->failed));
	sheet_text(&p->s,
	    figure_share(text, (double)n->failed, (double)p->r->now.failed));
	sheet_text(&p->s, figure_used(text, n, n->failed_gpu_seconds));
	sheet_text(&p->s,
	    figure_share(text, (double)n->failed_gpu_seconds,
		(double)p->r->now.failed_gpu_seconds));
	sheet_text(&p->s, figure_used(text, n, n->lost));
	if (p->r->has_before)
		sheet_text(&p->s, figure_count(text, g->before.failed));
}

static void write_failed(struct page *p, enum breakdown_id id)
{
	static const struct column columns[] = { { "", COLUMN_NAME },
		{ "FAILED", COLUMN_NUMBER }, { "SHARE", COLUMN_NUMBER },
		{ "GPU-HOURS", COLUMN_NUMBER }, { "SHARE", COLUMN_NUMBER },
		{ "LOST", COLUMN_NUMBER }, { "BEFORE", COLUMN_NUMBER } };

	write_groups(p, id, columns, p->r->has_before ? 7 : 6, failed_row);
}

static void who_row(struct page *p, const struct group *g, const char *label)
{
	const struct sums *n = &g->now;
	char text[FIGURE];

	sheet_text(&p->s, label);
	sheet_text(&p->s, figure_count(text, n->attempts));
	sheet_text(&p->s, figure_count(text, n->failed));
	sheet_text(
	    &p->s, figure_share(text, (double)n->failed, (double)n->attempts));
	sheet_text(&p->s, figure_used(text, n, n->gpu_seconds));
	sheet_text(&p->s, figure_used(text, n, n->failed_gpu_seconds));
	sheet_text(&p->s, figure_used(text, n, n->avoidable));
}

/* Nothing, when all that is known is that it is not known. */
static void write_who(struct page *p, enum breakdown_id id)
{
	static const struct column columns[] = { { "", COLUMN_NAME },
		{ "ATTEMPTS", COLUMN_NUMBER }, { "FAILED", COLUMN_NUMBER },
		{ "RATE", COLUMN_NUMBER }, { "GPU-HOURS", COLUMN_NUMBER },
		{ "OF FAILED", COLUMN_NUMBER },
		{ "AVOIDABLE", COLUMN_NUMBER } };
	const struct breakdown *b = &p->r->breakdowns[id];

	if (b->n == 0 || (b->n == 1 && b->v[0].key[0] == '\0'))
		return;
	write_groups(p, id, columns, sizeof columns / sizeof *columns, who_row);
}

/* ---- lists ---- */

/* The line that shows what an entry is about. */
static const char *sample_text(const struct entry *en)
{
	const char *said = report_said(en);

	return said ? said : en->reason ? en->reason : "";
}

static void write_more(struct page *p, size_t n)
{
	char text[FIGURE];

	if (n > p->top)
		sheet_line(
		    &p->s, "and %s more", figure_count(text, n - p->top));
}

struct saving {
	const struct entry *en;
	int64_t seconds;
};

static int by_seconds(const void *a, const void *b)
{
	const struct saving *x = a, *y = b;

	if (x->seconds != y->seconds)
		return x->seconds < y->seconds ? 1 : -1;
	return x < y ? -1 : x > y;
}

static void put_job(struct page *p, const struct entry *en)
{
	const char *cluster = report_cluster(p->r, en);

	sheet_cell(&p->s, "%s%s%s", cluster ? cluster : "", cluster ? "/" : "",
	    en->job);
}

static void write_avoidable(struct page *p)
{
	static const struct column columns[] = { { "JOB", COLUMN_NAME },
		{ "ATTEMPT", COLUMN_NUMBER }, { "USER", COLUMN_NAME },
		{ "GPU-HOURS", COLUMN_NUMBER }, { "CATEGORY", COLUMN_NAME },
		{ "FAILURE", COLUMN_TEXT } };
	const struct report *r = p->r;
	struct saving *v = malloc((r->n_entries + 1) * sizeof *v);
	char text[FIGURE];
	size_t n = 0;

	if (!v) {
		p->s.failed = true;
		return;
	}
	for (size_t i = 0; i < r->n_entries; i++)
		if (r->avoidable[i])
			v[n++] =
			    (struct saving){ r->entries[i], r->avoidable[i] };
	if (n) {
		qsort(v, n, sizeof *v, by_seconds);
		sheet_heading(&p->s,
		    "Avoidable: run again after the same failure was a stop");
		TABLE(&p->s, columns);
		for (size_t i = 0; i < n && i < p->top; i++) {
			const struct entry *en = v[i].en;

			put_job(p, en);
			sheet_cell(&p->s, "%lld", (long long)en->attempt);
			sheet_text(&p->s, en->user);
			sheet_cell(&p->s, "%s%s", en->estimated ? "~" : "",
			    figure_hours(text, v[i].seconds));
			sheet_text(&p->s, en->category);
			sheet_text(&p->s, sample_text(en));
		}
		sheet_table_end(&p->s);
		write_more(p, n);
	}
	free(v);
}

static void write_incidents(struct page *p)
{
	static const struct column columns[] = { { "SCOPE", COLUMN_NAME },
		{ "FIRST", COLUMN_WORD }, { "FOR", COLUMN_NUMBER },
		{ "JOBS", COLUMN_NUMBER }, { "USERS", COLUMN_NUMBER },
		{ "GPU-HOURS", COLUMN_NUMBER }, { "FAILURE", COLUMN_TEXT } };
	const struct report *r = p->r;
	char text[FIGURE];

	if (r->n_incidents == 0)
		return;
	sheet_heading(&p->s, "Incidents: one cause in many jobs");
	TABLE(&p->s, columns);
	for (size_t i = 0; i < r->n_incidents && i < p->top; i++) {
		const struct incident *inc = &r->incidents[i];
		const char *who = inc->scope == INCIDENT_NODE ? inc->node
		    : inc->scope == INCIDENT_USER             ? inc->user
							      : NULL;

		sheet_cell(&p->s, "%s%s%s", report_scope_name(inc->scope),
		    who ? " " : "", who ? who : "");
		sheet_text(
		    &p->s, figure_moment(text, report_local(p->r, inc->first)));
		sheet_text(&p->s, figure_length(text, inc->last - inc->first));
		sheet_text(&p->s, figure_count(text, inc->jobs));
		sheet_text(&p->s, figure_count(text, inc->users));
		sheet_text(&p->s,
		    figure_used(
			text, &inc->sums, inc->sums.failed_gpu_seconds));
		sheet_cell(&p->s, "%s: %s", inc->sample->category,
		    sample_text(inc->sample));
	}
	sheet_table_end(&p->s);
	write_more(p, r->n_incidents);
}

static void write_nodes(struct page *p)
{
	static const struct column columns[] = { { "NODE", COLUMN_NAME },
		{ "", COLUMN_WORD }, { "RAN", COLUMN_NUMBER },
		{ "DIED FIRST", COLUMN_NUMBER },
		{ "SAME ELSEWHERE", COLUMN_NUMBER }, { "RATIO", COLUMN_NUMBER },
		{ "MOSTLY", COLUMN_NAME } };
	const struct report *r = p->r;
	char text[FIGURE];

	if (r->n_nodes == 0)
		return;
	sheet_heading(&p->s, "Nodes on which jobs die first");
	TABLE(&p->s, columns);
	for (size_t i = 0; i < r->n_nodes && i < p->top; i++) {
		const struct node_row *n = &r->nodes[i];

		sheet_text(&p->s, n->node);
		sheet_text(&p->s, n->suspect ? "suspect" : "");
		sheet_text(
		    &p->s, n->ran ? figure_count(text, n->ran) : "unknown");
		sheet_text(&p->s, figure_count(text, n->first));
		sheet_text(&p->s, figure_count(text, n->elsewhere));
		if (n->ratio > 0 && n->ratio < HUGE_VAL)
			sheet_cell(
			    &p->s, n->ratio < 100 ? "%.1f" : "%.0f", n->ratio);
		else
			sheet_text(&p->s, n->ratio > 0 ? "only here" : "-");
		sheet_text(&p->s, n->category);
	}
	sheet_table_end(&p->s);
	write_more(p, r->n_nodes);
}

#define WIDE 120 /* columns that have room for the log's name */

static void write_failures(struct page *p)
{
	static const struct column columns[] = { { "", COLUMN_WORD },
		{ "FIRST", COLUMN_WORD }, { "LAST", COLUMN_WORD },
		{ "JOBS", COLUMN_NUMBER }, { "USERS", COLUMN_NUMBER },
		{ "LOST", COLUMN_NUMBER }, { "JOB", COLUMN_NAME },
		{ "FAILURE", COLUMN_TEXT }, { "LOG", COLUMN_NAME } };
	bool wide = p->s.markdown || p->s.width >= WIDE;
	const struct report *r = p->r;
	char text[FIGURE];

	if (r->n_failures == 0)
		return;
	sheet_heading(&p->s, "Failures: one row a kind, most lost first");
	sheet_table(&p->s, columns, wide ? 9 : 8);
	for (size_t i = 0; i < r->n_failures && i < p->top; i++) {
		const struct failure *f = &r->failures[i];
		int64_t until = report_local(r, r->options.until);

		sheet_text(&p->s, f->fresh ? "new" : f->silent ? "back" : "");
		sheet_text(
		    &p->s, figure_day(text, report_local(r, f->first), until));
		sheet_text(
		    &p->s, figure_day(text, report_local(r, f->last), until));
		sheet_text(&p->s, figure_count(text, f->sums.jobs));
		sheet_text(&p->s, figure_count(text, f->users));
		sheet_text(&p->s, figure_used(text, &f->sums, f->sums.lost));
		put_job(p, f->sample);
		/* the message tells more where there is room for one only */
		sheet_cell(&p->s, "%s%s%s", wide ? f->sample->category : "",
		    wide ? ": " : "", f->message);
		if (wide)
			sheet_text(&p->s, entry_log(f->sample));
	}
	sheet_table_end(&p->s);
	write_more(p, r->n_failures);
	if (r->n_back)
		sheet_line(&p->s, "back: seen again after %lld days or more",
		    (long long)r->options.silence / 86400);
}

static void write_news(
    struct page *p, const char *title, const struct news *v, size_t n)
{
	static const struct column columns[] = { { "FIRST", COLUMN_WORD },
		{ "JOBS", COLUMN_NUMBER }, { "USERS", COLUMN_NUMBER },
		{ "GPU-HOURS", COLUMN_NUMBER }, { "JOB", COLUMN_NAME },
		{ "FAILURE", COLUMN_TEXT } };
	char text[FIGURE];

	if (n == 0)
		return;
	sheet_heading(&p->s, title);
	TABLE(&p->s, columns);
	for (size_t i = 0; i < n && i < p->top; i++) {
		const struct entry *en = v[i].sample;

		sheet_text(
		    &p->s, figure_moment(text, report_local(p->r, v[i].first)));
		sheet_text(&p->s, figure_count(text, v[i].jobs));
		sheet_text(&p->s, figure_count(text, v[i].users));
		sheet_text(&p->s, figure_hours(text, v[i].failed_gpu_seconds));
		put_job(p, en);
		sheet_text(&p->s, sample_text(en));
	}
	sheet_table_end(&p->s);
	write_more(p, n);
}

/* What speaks against a rule. */
static void write_mend(struct page *p)
{
	static const struct column columns[] = { { "RULE", COLUMN_WORD },
		{ "GPU-HOURS", COLUMN_NUMBER }, { "ANSWERED", COLUMN_NUMBER },
		{ "WRONG", COLUMN_NUMBER }, { "RIGHT", COLUMN_NUMBER },
		{ "STOP REFUTED", COLUMN_NUMBER },
		{ "RETRY HELPED", COLUMN_NUMBER } };
	const struct report *r = p->r;
	char one[FIGURE], two[FIGURE];
	size_t n = r->n_mend < p->top ? r->n_mend : p->top;

	if (!r->n_mend)
		return;
	sheet_heading(&p->s, "Rules to mend");
	sheet_line(&p->s,
	    "wrong, right: as persons say; a stop is refuted when the next "
	    "attempt got");
	sheet_line(&p->s,
	    "further (unless somebody mended the job); retries that never "
	    "helped count");
	TABLE(&p->s, columns);
	for (size_t i = 0; i < n; i++) {
		const struct rule_row *v = r->mend[i];

		sheet_text(&p->s, v->id);
		sheet_text(&p->s, figure_hours(one, v->cost));
		sheet_text(&p->s, figure_count(one, v->answered));
		sheet_text(&p->s, figure_count(one, v->wrong));
		sheet_text(&p->s, figure_count(one, v->right));
		sheet_cell(&p->s, "%s of %s", figure_count(one, v->refuted),
		    figure_count(two, v->stops));
		sheet_cell(&p->s, "%s of %s", figure_count(one, v->helped),
		    figure_count(two, v->retries));
	}
	sheet_table_end(&p->s);
	write_more(p, r->n_mend);
}

static void write_rules(struct page *p)
{
	static const struct column columns[] = { { "RULE", COLUMN_NAME },
		{ "EXPLAINED", COLUMN_NUMBER }, { "SEEN", COLUMN_NUMBER },
		{ "IN GOOD RUNS", COLUMN_NUMBER } };
	const struct report *r = p->r;
	char one[FIGURE], two[FIGURE];
	uint64_t won = 0, good = 0;
	size_t shown = 0;

	for (size_t i = 0; i < r->n_rules; i++) {
		won += r->rules[i].won > 0;
		good += r->rules[i].on_good > 0;
	}
	sheet_heading(&p->s, "Rules");
	sheet_line(&p->s,
	    "%s explained a failure, %s gave nothing in this period",
	    figure_count(one, won), figure_count(two, r->n_never));
	if (good == 0)
		return;
	sheet_line(&p->s,
	    "%s spoke up in runs that ended well:", figure_count(one, good));
	if (p->s.markdown)
		fputc('\n', p->s.f);
	TABLE(&p->s, columns);
	for (size_t i = 0; i < r->n_rules && shown < p->top; i++) {
		const struct rule_row *row = &r->rules[i];

		if (row->on_good == 0)
			continue;
		sheet_text(&p->s, row->id);
		sheet_text(&p->s, figure_count(one, row->won));
		sheet_text(&p->s, figure_count(one, row->seen));
		sheet_text(&p->s, figure_count(one, row->on_good));
		shown++;
	}
	sheet_table_end(&p->s);
	write_more(p, good);
}

/* ---- how trainings went ---- */

#define TREND_ROWS 64 /* rules that are told of */

struct trend_row {
	const struct entry_trend *sample;
	uint64_t attempts, failed;
};

static size_t trend_row(
    struct trend_row *rows, size_t *n, const struct entry_trend *t)
{
	size_t i = 0;

	while (i < *n && strcmp(rows[i].sample->rule, t->rule) != 0)
		i++;
	if (i == *n && *n < TREND_ROWS)
		rows[(*n)++] = (struct trend_row){ .sample = t };
	return i;
}

static int most_first(const void *a, const void *b)
{
	const struct trend_row *x = a, *y = b;

	if (x->attempts != y->attempts)
		return x->attempts > y->attempts ? -1 : 1;
	return strcmp(x->sample->rule, y->sample->rule);
}

/* Where a scan was asked for trends, and had any to warn of. */
static void write_trends(struct page *p)
{
	static const struct column columns[] = { { "RULE", COLUMN_NAME },
		{ "ATTEMPTS", COLUMN_NUMBER }, { "FAILED", COLUMN_NUMBER },
		{ "WARNING", COLUMN_TEXT } };
	struct trend_row rows[TREND_ROWS];
	char one[FIGURE], two[FIGURE];
	size_t n = 0;

	for (size_t i = 0; i < p->r->n_entries; i++) {
		const struct entry *en = p->r->entries[i];

		for (size_t k = 0; k < en->n_trends; k++) {
			size_t at = trend_row(rows, &n, &en->trends[k]);

			if (at == TREND_ROWS)
				continue;
			rows[at].attempts++;
			rows[at].failed += en->failed == 1;
		}
	}
	if (n == 0)
		return;
	qsort(rows, n, sizeof *rows, most_first);
	sheet_heading(&p->s, "Trends (warnings)");
	TABLE(&p->s, columns);
	for (size_t i = 0; i < n; i++) {
		sheet_text(&p->s, rows[i].sample->rule);
		sheet_text(&p->s, figure_count(one, rows[i].attempts));
		sheet_text(&p->s, figure_count(two, rows[i].failed));
		sheet_text(&p->s, rows[i].sample->title);
	}
	sheet_table_end(&p->s);
}

/* ---- the foot ---- */

static void write_notes(struct page *p)
{
	const struct report *r = p->r;
	struct figure_note notes[FIGURE_NOTES];
	bool any = r->refused > 0;
	char text[FIGURE];

	figure_notes(r, notes);
	for (size_t i = 0; i < FIGURE_NOTES; i++)
		any |= notes[i].n > 0;
	if (!any)
		return;
	sheet_heading(&p->s, "Notes");
	for (size_t i = 0; i < FIGURE_NOTES; i++)
		if (notes[i].n)
			sheet_line(&p->s, "%s attempt%s %s",
			    figure_count(text, notes[i].n),
			    figure_plural(notes[i].n), notes[i].what);
	if (r->refused)
		sheet_line(&p->s, "%s line%s of the input cannot be used",
		    figure_count(text, r->refused), figure_plural(r->refused));
}

static void write_all(struct page *p)
{
	const struct report *r = p->r;

	write_headline(p);
	write_recent(p);
	write_days(p);
	write_failed(p, BY_CATEGORY);
	write_failed(p, BY_STAGE);
	write_failed(p, BY_VERDICT);
	write_avoidable(p);
	goodput_sheet(&p->s, p->r, p->top);
	write_incidents(p);
	write_nodes(p);
	write_who(p, BY_USER);
	write_who(p, BY_GROUP);
	write_who(p, BY_PARTITION);
	write_who(p, BY_CLUSTER);
	write_who(p, BY_IMAGE);
	write_failures(p);
	write_news(p,
	    r->history ? "New: failures never seen before"
		       : "New: failures not seen in the period before",
	    r->fresh, r->n_fresh);
	/* those that no rule explains are among them */
	write_more(p, unnamed_section(&p->s, r, p->top));
	if (!unnamed_count(r))
		write_news(p, "Unknown: failures no rule explains", r->unknown,
		    r->n_unknown);
	write_rules(p);
	write_mend(p);
	write_trends(p);
	write_notes(p);
}

static int write_page(const struct report *r, const struct report_style *style,
    FILE *f, bool markdown, struct err *e)
{
	struct page p = { .r = r, .top = style->top ? style->top : TOP };
	int rc = 0;

	sheet_begin(&p.s, f, markdown, style);
	p.bars = !markdown && style->width > 0;
	sheet_title(&p.s, style->title ? style->title : "Failed jobs");
	write_period(&p);
	if (style->study)
		rc = study_sheet(r, style->study, &p.s, e);
	else
		write_all(&p);
	if (sheet_end(&p.s) && !rc)
		rc = err_nomem(e);
	return rc;
}

static int write_text(const struct report *r, const struct report_style *style,
    FILE *f, struct err *e)
{
	return write_page(r, style, f, false, e);
}

static int write_markdown(const struct report *r,
    const struct report_style *style, FILE *f, struct err *e)
{
	return write_page(r, style, f, true, e);
}

const struct report_format report_text = { "text", "for a terminal", true,
	false, write_text };
const struct report_format report_markdown = { "markdown",
	"GitHub's Markdown, for a mail or an issue", true, false,
	write_markdown };
