/*
 * The report as one HTML file: a page with places marked @@NAME@@, which are
 * filled in turn. Nothing is fetched, and the page's security policy runs no
 * script but ours.
 */
#include "base/err.h"
#include "base/when.h"
#include "reports/period/html.h"
#include "reports/period/unnamed.h"

#include <string.h>

#ifndef JOBTRIAGE_VERSION
#define JOBTRIAGE_VERSION "unknown"
#endif

extern const char report_html_page[], report_html_style[], report_html_script[],
    report_html_chart[];

/* ---- the sections, in their order ---- */

static bool any_day(const struct report *r)
{
	return r->breakdowns[BY_DAY].n > 0;
}

static bool any_recent(const struct report *r)
{
	return r->n_recent > 0;
}

static bool any_failed(const struct report *r)
{
	return r->breakdowns[BY_CATEGORY].n > 0;
}

static bool any_people(const struct report *r)
{
	return r->breakdowns[BY_USER].n || r->breakdowns[BY_GROUP].n;
}

static bool any_goodput(const struct report *r)
{
	return r->goodput != NULL;
}

static const struct section {
	const char *id, *nav, *title, *lead; /* lead: or NULL */
	bool (*any)(const struct report *r); /* NULL: always there */
	void (*put)(struct html *h);
} sections[] = {
	{ "recent", "Week", "Beside the last week and month", NULL, any_recent,
	    html_recent },
	{ "trend", "Trend", "Trend", NULL, any_day, html_trend },
	{ "categories", "Categories", "Categories",
	    "Failed attempts by cause, beside the GPU-hours that they "
	    "consumed. A name shows its jobs.",
	    any_failed, html_categories },
	{ "stages", "Stages", "Stages and verdicts", NULL, any_failed,
	    html_stages },
	{ "avoidable", "Avoidable", "Avoidable",
	    "GPU-hours of attempts whose job had failed the same way before, "
	    "with the verdict to stop.",
	    NULL, html_avoidable },
	{ "goodput", "Goodput", "Goodput",
	    "What the GPU time went into. Goodput: training that was kept, of "
	    "the time given. ETTR, as Meta defines it: productive time, of "
	    "that queued or running.",
	    any_goodput, html_goodput },
	{ "incidents", "Incidents", "Incidents", NULL, NULL, html_incidents },
	{ "failures", "Failures", "Failures",
	    "One row a kind of failure: what its messages have in common, "
	    "<*> where they differ, its latest job and that job's log.",
	    any_failed, html_failures },
	{ "nodes", "Nodes", "Nodes", NULL, NULL, html_nodes },
	{ "people", "People", "Users and groups", NULL, any_people,
	    html_people },
	{ "fresh", "New", "New and returned failures", NULL, NULL, html_fresh },
	{ "unknown", "Unknown", UNNAMED_TITLE, NULL, NULL, html_unknown },
	{ "rules", "Rules", "Rules", NULL, NULL, html_rules },
	{ "more", "More", "Other breakdowns", NULL, any_failed, html_more },
	{ "notes", "Notes", "Notes", NULL, NULL, html_notes },
};

#define N_SECTIONS (sizeof sections / sizeof sections[0])

static void put_nav(struct html *h)
{
	html_raw(h, "<ul>\n<li><a href=\"#jobs\">Jobs</a></li>\n");
	for (size_t i = 0; i < N_SECTIONS; i++) {
		const struct section *s = &sections[i];

		if (!s->any || s->any(h->r))
			fprintf(h->f, "<li><a href=\"#%s\">%s</a></li>\n",
			    s->id, s->nav);
	}
	html_raw(h, "</ul>\n");
}

static void put_body(struct html *h)
{
	html_headline(h);
	html_first_look(h);
	for (size_t i = 0; i < N_SECTIONS; i++) {
		const struct section *s = &sections[i];

		if (s->any && !s->any(h->r))
			continue;
		fprintf(h->f,
		    "<section id=\"%s\" aria-labelledby=\"%s-h\">\n"
		    "<h2 id=\"%s-h\">%s</h2>\n",
		    s->id, s->id, s->id, s->title);
		if (s->lead)
			html_wrap(h, "<p class=\"hint\">", s->lead, "</p>\n");
		s->put(h);
		html_raw(h, "</section>\n");
	}
}

/* ---- the rest of the page ---- */

static void put_title(struct html *h)
{
	html_text(h,
	    h->style->title && *h->style->title ? h->style->title
						: "Job failures");
}

static bool is_midnight(struct html *h, int64_t t)
{
	return report_local(h->r, t) % INT64_C(86400000000) == 0;
}

/* A whole day is told as that day; the end of a period is not in it. */
static void put_period(struct html *h)
{
	const struct report_options *o = &h->r->options;
	bool since = o->since != ENVELOPE_NO_TIME;
	bool until = o->until != ENVELOPE_NO_TIME;
	int64_t from = since ? o->since : h->r->first;
	int64_t to = until ? o->until : h->r->last;
	char a[32], b[32];

	if (from == ENVELOPE_NO_TIME || to == ENVELOPE_NO_TIME) {
		html_raw(h, "no time is known");
		return;
	}
	if (since && until && is_midnight(h, from) && is_midnight(h, to)) {
		when_format(report_local(h->r, from), a);
		when_format(report_local(h->r, to - 1), b);
		fprintf(h->f, "<strong>%.10s</strong>", a);
		if (strncmp(a, b, 10) != 0)
			fprintf(h->f, " to <strong>%.10s</strong>", b);
	} else {
		html_time(h, from);
		html_raw(h, " to ");
		html_time(h, to);
	}
}

static void put_header(struct html *h)
{
	const struct report_options *o = &h->r->options;

	html_raw(h, "<div><h1>");
	put_title(h);
	html_raw(h, "</h1>\n<p>");
	put_period(h);
	html_wrap(h, ", times in ", o->zone ? o->zone : "UTC", "</p></div>\n");
}

static void put_footer(struct html *h)
{
	const struct report *r = h->r;

	html_raw(h, "<p>jobtriage " JOBTRIAGE_VERSION);
	if (r->options.now != ENVELOPE_NO_TIME) {
		html_raw(h, ", written ");
		html_time(h, r->options.now);
	}
	html_wrap(h, ", rules <code>", r->tax ? r->tax->hash : "?",
	    "</code>. This file is complete in itself: it loads nothing.</p>");
}

static void put_nonce(struct html *h)
{
	html_raw(h, h->nonce);
}

static void put_style(struct html *h)
{
	html_raw(h, report_html_style);
}

static void put_chart(struct html *h)
{
	html_raw(h, report_html_chart);
}

static void put_script(struct html *h)
{
	html_raw(h, report_html_script);
}

static const struct place {
	const char *name;
	void (*put)(struct html *h);
} places[] = {
	{ "NONCE", put_nonce },
	{ "TITLE", put_title },
	{ "STYLE", put_style },
	{ "HEADER", put_header },
	{ "NAV", put_nav },
	{ "BODY", put_body },
	{ "JOBS", html_costliest },
	{ "FOOTER", put_footer },
	{ "CHART", put_chart },
	{ "SCRIPT", put_script },
};

static int fill(struct html *h, struct span name, struct err *e)
{
	if (span_is(name, "DATA"))
		return html_data(h, e);
	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
		if (!span_is(name, places[i].name))
			continue;
		places[i].put(h);
		return h->failed ? err_nomem(e) : 0;
	}
	return err_set(
	    e, "report/html/page.html: no place @@%.*s@@", (int)name.n, name.p);
}

static int html_write(const struct report *r, const struct report_style *s,
    FILE *f, struct err *e)
{
	struct span rest = span_of(report_html_page);
	char nonce[HASH_HEX];
	struct html h = { f, r, s, nonce, s->top ? s->top : 20,
		BUF_INIT(BUF_MAX), false };
	int rc = 0;

	html_data_hash(r, nonce);
	while (!rc) {
		size_t at = span_find(rest, "@@"), end;

		if (at == SIZE_MAX)
			break;
		fwrite(rest.p, 1, at, f);
		rest = span_sub(rest, at + 2, rest.n);
		end = span_find(rest, "@@");
		rc = fill(&h, span_sub(rest, 0, end), e);
		rest =
		    span_sub(rest, end == SIZE_MAX ? rest.n : end + 2, rest.n);
	}
	if (!rc)
		fwrite(rest.p, 1, rest.n, f);
	buf_release(&h.visible);
	return rc;
}

const struct report_format report_html = { "html",
	"one HTML file with charts and a table of every job", false, true,
	html_write };
