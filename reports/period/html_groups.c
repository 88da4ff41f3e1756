/*
 * The breakdowns: one table each, the larger ones drawn as charts as well.
 * Which columns a table has follows from what it counts.
 */
#include "base/buf.h"
#include "base/when.h"
#include "reports/period/html.h"

#include <stdlib.h>
#include <string.h>

enum columns {
	OF_ATTEMPTS = 1, /* it counts every attempt, not the failed ones */
	OF_BEFORE = 2,
	OF_AVOIDABLE = 4,
	OF_RANKS = 8 /* place by count beside place by GPU-hours */
};

struct table {
	const struct breakdown *b;
	const char *caption;
	const char *field; /* of the job table, or NULL: no links */
	unsigned columns;
	size_t rows; /* at most; 0: all of them */
};

static void sums_add(struct sums *to, const struct sums *s)
{
	to->attempts += s->attempts;
	to->jobs += s->jobs;
	to->failed += s->failed;
	to->unmeasured += s->unmeasured;
	to->estimated += s->estimated;
	to->gpu_seconds += s->gpu_seconds;
	to->failed_gpu_seconds += s->failed_gpu_seconds;
	to->lost += s->lost;
	to->avoidable += s->avoidable;
}

/* What the rows of a table are shares of, and how long their bars are. */
struct whole {
	struct sums now, most;
};

static struct group total_of(const struct group *v, size_t n)
{
	struct group t = { "", "", { 0 }, { 0 } };

	for (size_t i = 0; i < n; i++) {
		sums_add(&t.now, &v[i].now);
		sums_add(&t.before, &v[i].before);
	}
	return t;
}

static struct whole whole_of(const struct breakdown *b)
{
	struct whole w = { total_of(b->v, b->n).now, { 0 } };

	for (size_t i = 0; i < b->n; i++) {
		const struct sums *s = &b->v[i].now;

		if (s->failed > w.most.failed)
			w.most.failed = s->failed;
		if (s->failed_gpu_seconds > w.most.failed_gpu_seconds)
			w.most.failed_gpu_seconds = s->failed_gpu_seconds;
	}
	return w;
}

/* Its place by GPU-hours, from 1. */
static size_t place_by_hours(const struct breakdown *b, size_t at)
{
	size_t place = 1;

	for (size_t i = 0; i < b->n; i++) {
		int64_t other = b->v[i].now.failed_gpu_seconds;
		int64_t own = b->v[at].now.failed_gpu_seconds;

		if (other > own || (other == own && i < at))
			place++;
	}
	return place;
}

static void cell(struct html *h, const char *what)
{
	html_wrap(h, "<th scope=\"col\" class=\"num\">", what, "</th>");
}

static void put_head(struct html *h, const struct table *t)
{
	html_wrap(h, "<div class=\"scroll\"><table>\n<caption>", t->caption,
	    "</caption>\n<thead><tr><th scope=\"col\">");
	html_text(h, t->b->title);
	html_raw(h, "</th>");
	if (t->columns & OF_ATTEMPTS)
		cell(h, "Attempts");
	cell(h, "Failed");
	cell(h, t->columns & OF_ATTEMPTS ? "Rate" : "Share");
	if (t->columns & OF_BEFORE)
		cell(h, "Before");
	if (t->columns & OF_ATTEMPTS)
		cell(h, "GPU-hours");
	cell(h, t->columns & OF_ATTEMPTS ? "… of failed" : "GPU-hours");
	if (!(t->columns & OF_ATTEMPTS))
		cell(h, "Share");
	if (t->columns & OF_RANKS)
		cell(h, "Place: count → hours");
	cell(h, "Lost");
	if (t->columns & OF_AVOIDABLE)
		cell(h, "Avoidable");
	html_raw(h, "</tr></thead>\n<tbody>\n");
}

static void put_places(struct html *h, const struct table *t, size_t at)
{
	size_t count = at + 1, hours = place_by_hours(t->b, at);
	bool far = hours + 2 <= count || count + 2 <= hours;

	fprintf(h->f, "<td class=\"num rank\">%zu → <span class=\"%s\">%zu%s",
	    count,
	    far && hours < count ? "up"
		: far            ? "down"
				 : "",
	    hours,
	    far && hours < count ? "&nbsp;▲"
		: far            ? "&nbsp;▼"
				 : "");
	html_raw(h, "</span></td>");
}

static void put_hours(
    struct html *h, const char *name, int64_t v, const struct sums *s)
{
	html_raw(h, "<td class=\"num\"");
	if (name)
		fprintf(h->f, " data-%s=\"%.3f\"", name, (double)v / 3600);
	html_raw(h, ">");
	html_hours(h, v, s);
	html_raw(h, "</td>");
}

/* The cells of one row, after its name. */
static void put_cells(struct html *h, const struct table *t,
    const struct group *g, const struct whole *w, size_t at)
{
	const struct sums *s = &g->now;
	bool attempts = t->columns & OF_ATTEMPTS;

	if (attempts) {
		html_raw(h, "<td class=\"num\">");
		html_count(h, s->attempts);
		html_raw(h, "</td>");
	}
	fprintf(h->f, "<td class=\"num\" data-failed=\"%llu\">",
	    (unsigned long long)s->failed);
	html_count(h, s->failed);
	html_raw(h, "</td><td class=\"num\">");
	if (attempts)
		html_share(h, (double)s->failed, (double)s->attempts);
	else
		html_part(h, "count", (double)s->failed, (double)w->now.failed,
		    (double)w->most.failed);
	html_raw(h, "</td>");
	if (t->columns & OF_BEFORE) {
		html_raw(h, "<td class=\"num\">");
		html_count(h, g->before.failed);
		html_raw(h, "</td>");
	}
	if (attempts)
		put_hours(h, NULL, s->gpu_seconds, s);
	put_hours(h, "hours", s->failed_gpu_seconds, s);
	if (!attempts) {
		html_raw(h, "<td class=\"num\">");
		html_part(h, "hours", (double)s->failed_gpu_seconds,
		    (double)w->now.failed_gpu_seconds,
		    (double)w->most.failed_gpu_seconds);
		html_raw(h, "</td>");
	}
	if (t->columns & OF_RANKS) {
		if (at < t->b->n)
			put_places(h, t, at);
		else
			html_raw(h, "<td></td>");
	}
	put_hours(h, "lost", s->lost, s);
	if (t->columns & OF_AVOIDABLE)
		put_hours(h, NULL, s->avoidable, s);
}

/* The attempts that ended on a day; the chart's bars take the link from here.
 */
static void put_day(struct html *h, const struct group *g)
{
	struct buf time = BUF_INIT(BUF_MAX);
	int64_t from;

	if (buf_addf(&time, "%s 00:00:00", g->key) == 0 &&
	    when_parse(span_of(time.p), &from)) {
		from /= 1000000;
		fprintf(h->f, "<a href=\"#jobs?from=%lld&amp;to=%lld",
		    (long long)from, (long long)from + 86399);
		html_wrap(h, "\">", g->label, "</a>");
	} else {
		html_text(h, g->label);
	}
	buf_release(&time);
}

static void put_table(struct html *h, const struct table *t)
{
	const struct breakdown *b = t->b;
	struct whole w = whole_of(b);
	struct group others;
	size_t n = t->rows && b->n > t->rows + 1 ? t->rows : b->n;

	put_head(h, t);
	for (size_t i = 0; i < n; i++) {
		const struct group *g = &b->v[i];

		html_raw(h, "<tr><th scope=\"row\">");
		if (b == &h->r->breakdowns[BY_DAY])
			put_day(h, g);
		else if (t->field && *g->key)
			html_jobs_link(h, t->field, g->key, g->label);
		else
			html_text(h, g->label);
		html_raw(h, "</th>");
		put_cells(h, t, g, &w, i);
		html_raw(h, "</tr>\n");
	}
	if (n < b->n) {
		others = total_of(b->v + n, b->n - n);
		html_raw(h, "<tr><th scope=\"row\" class=\"muted\">");
		html_counted(h, b->n - n, "other");
		html_raw(h, "</th>");
		put_cells(h, t, &others, &w, b->n);
		html_raw(h, "</tr>\n");
	}
	html_raw(h, "</tbody></table></div>\n");
}

/* ---- sections ---- */

/* A place for a chart of the table with the id; the gist is for those who do
 * not see it. */
static void chart(
    struct html *h, const char *kind, const char *title, const char *gist)
{
	fprintf(h->f, "<figure><figcaption>");
	html_text(h, title);
	fprintf(h->f,
	    "</figcaption><div class=\"canvas%s\"><canvas data-chart=\"%s\" "
	    "role=\"img\" aria-label=\"",
	    strcmp(kind, "categories") == 0 ? " tall" : "", kind);
	html_text(h, title);
	html_wrap(h, ": ", gist, "\"></canvas></div></figure>\n");
}

void html_trend(struct html *h)
{
	const struct breakdown *b = &h->r->breakdowns[BY_DAY];
	const struct table t = { b, "Per day, the figures of the charts", NULL,
		OF_ATTEMPTS | OF_AVOIDABLE, 0 };
	size_t worst = 0, dearest = 0;
	char gist[160];

	for (size_t i = 1; i < b->n; i++) {
		if (b->v[i].now.failed > b->v[worst].now.failed)
			worst = i;
		if (b->v[i].now.lost > b->v[dearest].now.lost)
			dearest = i;
	}
	if (b->n > 1) {
		html_raw(h, "<div class=\"two charts script-only\">\n");
		snprintf(gist, sizeof gist,
		    "%zu days, most on %s with %llu failed attempts", b->n,
		    b->v[worst].label,
		    (unsigned long long)b->v[worst].now.failed);
		chart(h, "day-failed", "Failed attempts per day", gist);
		snprintf(gist, sizeof gist,
		    "%zu days, most on %s with %lld GPU-hours", b->n,
		    b->v[dearest].label,
		    (long long)b->v[dearest].now.lost / 3600);
		chart(h, "day-lost", "GPU-hours lost per day", gist);
		html_raw(h,
		    "</div>\n<details><summary>Figures per day"
		    "</summary>\n");
	}
	html_raw(h, "<div data-table=\"day\">\n");
	put_table(h, &t);
	html_raw(h, b->n > 1 ? "</div></details>\n" : "</div>\n");
}

/* The one with the most GPU-hours, which is seldom the most frequent one. */
static const struct group *dearest_of(const struct breakdown *b)
{
	const struct group *most = b->v;

	for (size_t i = 1; i < b->n; i++) {
		if (b->v[i].now.failed_gpu_seconds >
		    most->now.failed_gpu_seconds)
			most = &b->v[i];
	}
	return most;
}

void html_categories(struct html *h)
{
	const struct breakdown *b = &h->r->breakdowns[BY_CATEGORY];
	const struct table t = { b,
		"What fails often is not what costs most: places by count and "
		"by GPU-hours",
		"category",
		(h->r->has_before ? OF_BEFORE : 0U) | OF_AVOIDABLE | OF_RANKS,
		0 };
	char gist[400];

	snprintf(gist, sizeof gist,
	    "most frequent is %.120s, most GPU-hours go to %.120s",
	    b->v[0].label, dearest_of(b)->label);
	if (b->n > 1)
		chart(h, "categories",
		    "Share of failed attempts beside share of their GPU-hours",
		    gist);
	html_raw(h, "<div data-table=\"category\">\n");
	put_table(h, &t);
	html_raw(h, "</div>\n");
}

/* ---- small tables ---- */

static const struct small {
	enum breakdown_id by;
	const char *caption, *field;
} halves[] = {
	{ BY_STAGE, "In what the job was busy when it failed", "stage" },
	{ BY_VERDICT, "What to do about it", "verdict" },
},
  rest[] = {
	  { BY_DIMENSION, "Failed attempts", NULL },
	  { BY_FAMILY, "Failed attempts", NULL },
	  { BY_CONFIDENCE, "How sure the answers are", "confidence" },
	  { BY_RULE, "Failed attempts by the rule that explains them",
	      "rule" },
	  { BY_STATE, "By the scheduler's state", "state" },
	  { BY_PARTITION, "By partition", "partition" },
	  { BY_CLUSTER, "By cluster", NULL },
	  { BY_IMAGE, "By container image", "image" },
	  { BY_NODE, "Attempts that ran on a node; failed: first there",
	      "node" },
  };

static void put_small(struct html *h, const struct small *s, unsigned columns)
{
	const struct breakdown *b = &h->r->breakdowns[s->by];
	const struct table t = { b, s->caption, s->field,
		columns | (s->by >= BY_STATE ? OF_ATTEMPTS : 0U), h->top };

	if (b->n)
		put_table(h, &t);
}

void html_stages(struct html *h)
{
	html_raw(h, "<div class=\"two\">\n");
	for (size_t i = 0; i < sizeof halves / sizeof halves[0]; i++) {
		html_raw(h, "<div><h3>");
		html_text(h, h->r->breakdowns[halves[i].by].title);
		html_raw(h, "</h3>\n");
		put_small(h, &halves[i], 0);
		html_raw(h, "</div>\n");
	}
	html_raw(h, "</div>\n");
}

static int by_avoidable(const void *a, const void *b)
{
	int64_t x = ((const struct group *)a)->now.avoidable;
	int64_t y = ((const struct group *)b)->now.avoidable;

	return (x < y) - (x > y);
}

/* Who retries in vain: the same groups, in another order. */
static void avoidable_of(
    struct html *h, enum breakdown_id by, const char *field)
{
	const struct breakdown *b = &h->r->breakdowns[by];
	struct group *v = malloc((b->n ? b->n : 1) * sizeof *v);

	if (!v) {
		h->failed = true;
		return;
	}
	if (b->n)
		memcpy(v, b->v, b->n * sizeof *v);
	qsort(v, b->n, sizeof *v, by_avoidable);
	html_wrap(h,
	    "<div class=\"scroll\"><table>\n<thead><tr>"
	    "<th scope=\"col\">",
	    b->title,
	    "</th><th scope=\"col\" class=\"num\">Avoidable GPU-hours</th>"
	    "<th scope=\"col\" class=\"num\">Share</th></tr></thead>"
	    "\n<tbody>\n");
	for (size_t i = 0; i < b->n && i <= h->top / 2 && v[i].now.avoidable;
	     i++) {
		html_raw(h, "<tr><th scope=\"row\">");
		if (*v[i].key)
			html_jobs_link(h, field, v[i].key, v[i].label);
		else
			html_text(h, v[i].label);
		html_raw(h, "</th><td class=\"num\">");
		html_hours(h, v[i].now.avoidable, &v[i].now);
		html_raw(h, "</td><td class=\"num\">");
		html_part(h, "hours", (double)v[i].now.avoidable,
		    (double)h->r->now.avoidable, (double)v[0].now.avoidable);
		html_raw(h, "</td></tr>\n");
	}
	html_raw(h, "</tbody></table></div>\n");
	free(v);
}

void html_avoidable(struct html *h)
{
	if (h->r->now.avoidable > 0) {
		html_raw(h, "<div class=\"two\">\n");
		avoidable_of(h, BY_CATEGORY, "category");
		avoidable_of(h, BY_USER, "user");
		html_raw(h, "</div>\n");
	} else {
		html_raw(h, "<p>None.</p>\n");
	}
}

void html_people(struct html *h)
{
	static const struct small two[] = {
		{ BY_USER, "Most failed attempts first", "user" },
		{ BY_GROUP, "Most failed attempts first", "group" },
	};

	for (size_t i = 0; i < 2; i++)
		put_small(h, &two[i], OF_AVOIDABLE);
}

void html_more(struct html *h)
{
	for (size_t i = 0; i < sizeof rest / sizeof rest[0]; i++) {
		const struct breakdown *b = &h->r->breakdowns[rest[i].by];

		/* most sites have one cluster, and no name for it */
		if (!b->n ||
		    (rest[i].by == BY_CLUSTER && b->n == 1 && !*b->v->key))
			continue;
		html_raw(h, "<details><summary>");
		html_text(h, h->r->breakdowns[rest[i].by].title);
		html_raw(h, "</summary>\n");
		put_small(h, &rest[i], 0);
		html_raw(h, "</details>\n");
	}
}
