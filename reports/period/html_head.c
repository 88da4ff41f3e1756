/*
 * What a person sees first: six figures beside those of the period before, and
 * a short list of what deserves a look, each line with its place in the page.
 */
#include "reports/period/html.h"

#include <math.h>

/* ---- the figures ---- */

struct card {
	const char *what;
	/* Which figure: a function, since some are of the report. */
	int64_t (*value)(const struct report *r, const struct sums *s);
	void (*more)(struct html *h); /* a line below, or NULL */
	bool hours;
	bool before; /* whether the period before has it as well */
	int good;    /* 1: more is better; -1: worse; 0: neither */
};

static int64_t card_failed(const struct report *r, const struct sums *s)
{
	(void)r;
	return (int64_t)s->failed;
}

static int64_t card_consumed(const struct report *r, const struct sums *s)
{
	(void)r;
	return s->gpu_seconds;
}

static int64_t card_lost(const struct report *r, const struct sums *s)
{
	(void)r;
	return s->lost;
}

static int64_t card_avoidable(const struct report *r, const struct sums *s)
{
	(void)r;
	return s->avoidable;
}

static int64_t card_for_good(const struct report *r, const struct sums *s)
{
	(void)s;
	return (int64_t)r->jobs_failed;
}

static int64_t card_recovered(const struct report *r, const struct sums *s)
{
	(void)s;
	return (int64_t)r->jobs_recovered;
}

static void more_failed(struct html *h)
{
	const struct sums *now = &h->r->now;

	html_share(h, (double)now->failed, (double)now->attempts);
	html_raw(h, " of ");
	html_counted(h, now->attempts, "attempt");
}

static void more_consumed(struct html *h)
{
	html_share(h, (double)h->r->now.failed_gpu_seconds,
	    (double)h->r->now.gpu_seconds);
	html_raw(h, " by failed attempts");
}

static void more_lost(struct html *h)
{
	html_share(h, (double)h->r->now.lost, (double)h->r->now.gpu_seconds);
	html_raw(h, " of those consumed");
}

static void more_avoidable(struct html *h)
{
	(void)h;
	html_raw(h, "retries after a verdict to stop");
}

static void more_for_good(struct html *h)
{
	html_raw(h, "of ");
	html_counted(h, h->r->now.jobs, "job");
}

static void more_recovered(struct html *h)
{
	html_raw(h, "a later attempt went well");
}

static const struct card cards[] = {
	{ "Failed attempts", card_failed, more_failed, false, true, -1 },
	{ "GPU-hours consumed", card_consumed, more_consumed, true, true, 0 },
	{ "GPU-hours lost", card_lost, more_lost, true, true, -1 },
	{ "GPU-hours avoidable", card_avoidable, more_avoidable, true, true,
	    -1 },
	{ "Jobs failed for good", card_for_good, more_for_good, false, false,
	    -1 },
	{ "Jobs recovered by retry", card_recovered, more_recovered, false,
	    false, 1 },
};

static void put_figure(
    struct html *h, const struct card *c, int64_t v, const struct sums *s)
{
	if (c->hours)
		html_hours(h, v, s);
	else
		html_count(h, (uint64_t)v);
}

static void put_change(struct html *h, const struct card *c)
{
	int64_t now = c->value(h->r, &h->r->now);
	int64_t before = c->value(h->r, &h->r->before);
	const char *feel = now == before            ? ""
	    : (now > before ? 1 : -1) * c->good > 0 ? "better"
	    : c->good                               ? "worse"
						    : "";

	html_wrap(h, "<span class=\"change\"><span class=\"", feel, "\">");
	if (before > 0)
		fprintf(h->f, "%s&nbsp;%.1f&nbsp;%%",
		    now > before       ? "▲&nbsp;+"
			: now < before ? "▼&nbsp;−"
				       : "=",
		    100 * fabs((double)(now - before)) / (double)before);
	else
		html_raw(h, now ? "▲ new" : "=");
	html_raw(h, "</span> before: ");
	put_figure(h, c, before, &h->r->before);
	html_raw(h, "</span>");
}

void html_headline(struct html *h)
{
	html_raw(h,
	    "<section aria-labelledby=\"head-h\">\n"
	    "<h2 id=\"head-h\">Headline</h2>\n<ul class=\"cards\">\n");
	for (size_t i = 0; i < sizeof cards / sizeof cards[0]; i++) {
		const struct card *c = &cards[i];

		html_wrap(h, "<li><span class=\"what\">", c->what,
		    "</span><span class=\"big\">");
		put_figure(h, c, c->value(h->r, &h->r->now), &h->r->now);
		html_raw(h, "</span><span class=\"more\">");
		c->more(h);
		html_raw(h, "</span>");
		if (h->r->has_before && c->before)
			put_change(h, c);
		html_raw(h, "</li>\n");
	}
	html_raw(h, "</ul>\n</section>\n");
}

/* ---- what to look at first ---- */

static uint64_t any_incident(const struct report *r)
{
	return r->n_incidents;
}

static uint64_t any_suspect(const struct report *r)
{
	uint64_t n = 0;

	while (n < r->n_nodes && r->nodes[n].suspect)
		n++;
	return n;
}

static uint64_t any_avoidable(const struct report *r)
{
	return r->now.avoidable >= 3600;
}

static uint64_t any_fresh(const struct report *r)
{
	return r->n_fresh;
}

static uint64_t any_unknown(const struct report *r)
{
	uint64_t n = 0;

	for (size_t i = 0; i < r->n_unknown; i++)
		n += r->unknown[i].attempts;
	return n;
}

/* ---- and what it costs, in GPU-seconds ---- */

static int64_t cost_incident(const struct report *r)
{
	int64_t sum = 0;

	for (size_t i = 0; i < r->n_incidents; i++)
		sum += r->incidents[i].sums.failed_gpu_seconds;
	return sum;
}

/* Of the incidents that are nodes. */
static int64_t cost_suspect(const struct report *r)
{
	int64_t sum = 0;

	for (size_t i = 0; i < r->n_incidents; i++)
		if (r->incidents[i].scope == INCIDENT_NODE)
			sum += r->incidents[i].sums.failed_gpu_seconds;
	return sum;
}

static int64_t cost_avoidable(const struct report *r)
{
	return r->now.avoidable;
}

static int64_t cost_of_news(const struct news *v, size_t n)
{
	int64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i].failed_gpu_seconds;
	return sum;
}

static int64_t cost_fresh(const struct report *r)
{
	return cost_of_news(r->fresh, r->n_fresh);
}

static int64_t cost_unknown(const struct report *r)
{
	return cost_of_news(r->unknown, r->n_unknown);
}

static void look_incident(struct html *h)
{
	const struct incident *i = h->r->incidents;

	html_raw(h, "<a href=\"#incidents\">");
	html_counted(h, h->r->n_incidents, "incident");
	html_raw(h, "</a>; the costliest: ");
	html_jobs_link(h, "fingerprint", i->fingerprint,
	    i->sample->category_name ? i->sample->category_name
				     : i->sample->category);
	html_raw(h, ", ");
	html_counted(h, i->jobs, "job");
	if (i->users) {
		html_raw(h, " of ");
		html_counted(h, i->users, "user");
	}
	html_raw(h, ", ");
	html_hours(h, i->sums.failed_gpu_seconds, &i->sums);
	html_raw(h, " GPU-hours, ");
	html_time(h, i->first);
	html_raw(h, " to ");
	html_time(h, i->last);
}

static void look_nodes(struct html *h)
{
	uint64_t n = any_suspect(h->r);

	html_raw(h, "<a href=\"#nodes\">");
	html_counted(h, n, "suspect node");
	html_raw(h, "</a>: ");
	for (uint64_t i = 0; i < n && i < 5; i++) {
		if (i)
			html_raw(h, ", ");
		html_jobs_link(
		    h, "node", h->r->nodes[i].node, h->r->nodes[i].node);
	}
	if (n > 5)
		html_raw(h, " …");
}

static void look_avoidable(struct html *h)
{
	const struct sums *s = &h->r->now;

	html_raw(h, "<a href=\"#avoidable\">");
	html_hours(h, s->avoidable, s);
	html_raw(h,
	    " GPU-hours</a> went into retries of failures that a "
	    "retry cannot cure");
}

static void look_fresh(struct html *h)
{
	html_raw(h, "<a href=\"#fresh\">");
	html_counted(h, h->r->n_fresh, "kind");
	html_raw(h, "</a> of failure that ");
	html_raw(h, h->r->n_fresh == 1 ? "was" : "were");
	html_raw(h, " not seen before");
}

static void look_unknown(struct html *h)
{
	uint64_t n = any_unknown(h->r);

	html_raw(h, "<a href=\"#unknown\">");
	html_counted(h, n, "failure");
	html_raw(h, "</a> that no rule explains (");
	html_share(h, (double)n, (double)h->r->now.failed);
	html_raw(h, ")");
}

static const struct look {
	uint64_t (*any)(const struct report *r); /* 0: nothing to say */
	int64_t (*cost)(const struct report *r);
	void (*say)(struct html *h);
} looks[] = {
	{ any_incident, cost_incident, look_incident },
	{ any_suspect, cost_suspect, look_nodes },
	{ any_avoidable, cost_avoidable, look_avoidable },
	{ any_fresh, cost_fresh, look_fresh },
	{ any_unknown, cost_unknown, look_unknown },
};

#define LOOKS (sizeof looks / sizeof looks[0])

/* The costliest first; the order of the table where they are equal. */
static void order_looks(const struct report *r, const struct look *v[LOOKS])
{
	for (size_t i = 0; i < LOOKS; i++) {
		size_t at = i;

		while (at && v[at - 1]->cost(r) < looks[i].cost(r)) {
			v[at] = v[at - 1];
			at--;
		}
		v[at] = &looks[i];
	}
}

void html_first_look(struct html *h)
{
	const struct look *v[LOOKS] = { NULL };
	bool calm = true, empty = h->r->now.attempts == 0;

	order_looks(h->r, v);
	for (size_t i = 0; i < LOOKS; i++)
		calm = calm && !looks[i].any(h->r);
	html_raw(h,
	    calm && !empty ? "<section class=\"first-look calm\""
			   : "<section class=\"first-look\"");
	html_raw(h,
	    " aria-labelledby=\"look-h\">\n"
	    "<h2 id=\"look-h\">Look at this first</h2>\n");
	html_raw(h,
	    calm && empty ? "<p>There are no attempts in this period: were "
			    "its logs and records read?</p>\n"
		: calm    ? "<p>Nothing stands out: no incident, no suspect "
			    "node, no new or unknown failure.</p>\n"
			  : "<ol>\n");
	for (size_t i = 0; i < LOOKS; i++) {
		if (!v[i]->any(h->r))
			continue;
		html_raw(h, "<li>");
		v[i]->say(h);
		html_raw(h, "</li>\n");
	}
	html_raw(h, calm ? "</section>\n" : "</ol>\n</section>\n");
}
