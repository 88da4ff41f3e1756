/*
 * The lists: incidents, suspect nodes, the health of the rules, and what a
 * reader must know of the figures.
 */
#include "reports/period/figure.h"
#include "reports/period/html.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void html_sample(struct html *h, const struct entry *en)
{
	const char *text = en ? report_said(en) : NULL;

	if (text)
		html_wrap(h, "<span class=\"sample\">",
		    text + strspn(text, " \t"), "</span>");
}

const char *html_title(const struct entry *en)
{
	return en->category_name ? en->category_name : en->category;
}

void html_table(struct html *h, const char *caption, const char *const *heads)
{
	html_wrap(h, "<div class=\"scroll\"><table class=\"list\">\n<caption>",
	    caption, "</caption>\n<thead><tr>");
	for (; *heads; heads++) {
		bool figure = **heads == '#';

		html_raw(h, "<th scope=\"col\"");
		html_wrap(h, figure ? " class=\"num\">" : ">", *heads + figure,
		    "</th>");
	}
	html_raw(h, "</tr></thead>\n<tbody>\n");
}

void html_table_end(struct html *h, size_t left, const char *one)
{
	html_raw(h, "</tbody></table></div>\n");
	if (!left)
		return;
	html_raw(h, "<p class=\"hint\">And ");
	html_counted(h, left, one);
	html_raw(h, " more.</p>\n");
}

void html_times_cell(struct html *h, int64_t first, int64_t last)
{
	html_raw(h, "<td class=\"nowrap\">");
	html_time(h, first);
	html_raw(h, "<br>");
	html_time(h, last);
	html_raw(h, "</td>");
}

void html_count_cell(struct html *h, uint64_t n)
{
	html_raw(h, "<td class=\"num\">");
	html_count(h, n);
	html_raw(h, "</td>");
}

void html_hours_cell(struct html *h, int64_t v, const struct sums *s)
{
	html_raw(h, "<td class=\"num\">");
	html_hours(h, v, s);
	html_raw(h, "</td>");
}

/* ---- incidents ---- */

/* The seconds in which the job table tells times. */
static long long table_time(struct html *h, int64_t micros)
{
	return (long long)(report_local(h->r, micros) / 1000000);
}

/* Its jobs: of one kind of failure, else of the node or category of them all.
 */
static void put_incident_jobs(struct html *h, const struct incident *i)
{
	const char *by = "fingerprint", *value = i->fingerprint;

	if (i->kinds) {
		by = i->scope == INCIDENT_NODE ? "node" : "category";
		value =
		    i->scope == INCIDENT_NODE ? i->node : i->sample->category;
	}
	html_wrap(h, "<a href=\"#jobs?", by, "=");
	html_fragment(h, value);
	if (i->first != ENVELOPE_NO_TIME && i->last != ENVELOPE_NO_TIME)
		fprintf(h->f, "&amp;from=%lld&amp;to=%lld",
		    table_time(h, i->first), table_time(h, i->last));
	html_wrap(h, "\">", html_title(i->sample), "</a>");
}

static void put_incident(struct html *h, const struct incident *i)
{
	const char *scope = report_scope_name(i->scope);

	html_wrap(h, "<tr><td><span class=\"badge ", scope, "\">");
	html_text(h, scope);
	html_raw(h, "</span></td><th scope=\"row\" class=\"what\">");
	put_incident_jobs(h, i);
	if (i->user) {
		html_raw(h, " · user ");
		html_jobs_link(h, "user", i->user, i->user);
	}
	if (i->node) {
		html_raw(h, " · node ");
		html_jobs_link(h, "node", i->node, i->node);
	}
	html_sample(h, i->sample);
	html_raw(h, "</th>");
	html_times_cell(h, i->first, i->last);
	html_count_cell(h, i->jobs);
	html_count_cell(h, i->users);
	html_count_cell(h, i->nodes);
	html_hours_cell(h, i->sums.failed_gpu_seconds, &i->sums);
	html_raw(h, "</tr>\n");
}

void html_incidents(struct html *h)
{
	static const char *const heads[] = { "Scope", "What", "First and last",
		"#Jobs", "#Users", "#Nodes", "#GPU-hours", NULL };
	size_t n = h->r->n_incidents;

	if (!n) {
		html_raw(h, "<p>None.</p>\n");
		return;
	}
	html_table(h,
	    "One cause: jobs of several users within hours, of one node, or "
	    "of one user for days; most GPU-hours first",
	    heads);
	for (size_t i = 0; i < n && i < h->top; i++)
		put_incident(h, &h->r->incidents[i]);
	html_table_end(h, n > h->top ? n - h->top : 0, "incident");
}

/* ---- nodes ---- */

static void put_ratio(struct html *h, const struct node_row *n)
{
	html_raw(h, "<td class=\"num\">");
	if (n->ratio <= 0)
		html_raw(h, "–");
	else if (isinf(n->ratio))
		html_raw(h, "only here");
	else
		fprintf(h->f, n->ratio < 100 ? "%.1f&nbsp;×" : "%.0f&nbsp;×",
		    n->ratio);
	html_raw(h, "</td>");
}

static void put_rate(struct html *h, uint64_t first, uint64_t ran)
{
	html_raw(h, "<td class=\"num\">");
	html_count(h, first);
	html_raw(h, " of ");
	if (ran)
		html_count(h, ran);
	else
		html_raw(h, "?");
	html_raw(h, "</td>");
}

/* What the ratio is made of. */
static void put_kind(struct html *h, uint64_t jobs, uint64_t ran, double ratio)
{
	if (ratio > 0)
		put_rate(h, jobs, ran);
	else
		html_raw(h, "<td class=\"num\">–</td>");
}

static void put_node(struct html *h, const struct node_row *n)
{
	html_raw(h, "<tr><th scope=\"row\">");
	html_jobs_link(h, "node", n->node, n->node);
	if (n->suspect)
		html_raw(h, " <span class=\"badge suspect\">suspect</span>");
	html_raw(h, "</th>");
	put_rate(h, n->first, n->ran);
	put_kind(h, n->kind, n->ran, n->ratio);
	put_kind(h, n->kind_elsewhere, n->ran_elsewhere, n->ratio);
	put_ratio(h, n);
	html_raw(h, "<td class=\"what\">");
	if (n->category)
		html_text(h, n->sample ? html_title(n->sample) : n->category);
	html_sample(h, n->sample);
	html_raw(h, "</td></tr>\n");
}

#define NODES_LEAST 5

void html_nodes(struct html *h)
{
	static const char *const heads[] = { "Node", "#Failed first here",
		"#Of that kind", "#Elsewhere", "#Rate", "Kind", NULL };
	size_t n = h->r->n_nodes, put = 0;

	if (!n) {
		html_raw(h, "<p>No failure names a node.</p>\n");
		return;
	}
	if (!h->r->nodes[0].suspect)
		html_raw(h, "<p>No node is suspect.</p>\n");
	html_table(h,
	    "Where attempts die first, of those that ran there; jobs of the "
	    "kind of failure that tells most, here and on all other nodes. "
	    "Rate: such jobs per attempt, here without the first, to elsewhere",
	    heads);
	/* a few more show what is usual here */
	while (put < n && put < h->top &&
	    (h->r->nodes[put].suspect || put < NODES_LEAST))
		put_node(h, &h->r->nodes[put++]);
	html_table_end(h, n - put, "node");
}

/* ---- rules ---- */

static void put_rule(struct html *h, const struct rule_row *row)
{
	html_raw(h, "<tr><th scope=\"row\">");
	html_jobs_link(h, "rule", row->id, row->id);
	if (row->rule)
		html_wrap(h, "<br><span class=\"muted\">", row->rule->title,
		    "</span>");
	html_raw(h, "</th>");
	html_count_cell(h, row->won);
	html_count_cell(h, row->seen);
	html_count_cell(h, row->on_good);
	html_raw(h, "</tr>\n");
}

static void put_rules(struct html *h, const char *title, bool good_only)
{
	static const char *const heads[] = { "Rule", "#Explained failures",
		"#Gave evidence", "#On attempts that ended well", NULL };
	size_t n = 0;

	for (size_t i = 0; i < h->r->n_rules; i++)
		n += !good_only || h->r->rules[i].on_good;
	if (!n)
		return;
	html_wrap(h, "<details><summary>", title, " (");
	html_count(h, n);
	html_raw(h, ")</summary>\n");
	html_table(h, "", heads);
	for (size_t i = 0; i < h->r->n_rules; i++) {
		if (!good_only || h->r->rules[i].on_good)
			put_rule(h, &h->r->rules[i]);
	}
	html_table_end(h, 0, "");
	html_raw(h, "</details>\n");
}

static void put_mend(struct html *h)
{
	static const char *const heads[] = { "Rule", "#GPU-hours", "#Answered",
		"#Wrong, as persons say", "#Right, as persons say", "#Stops",
		"#refuted", "#Retries", "#helped", NULL };
	char text[FIGURE];

	if (!h->r->n_mend)
		return;
	html_raw(h,
	    "<h3>Rules to mend</h3>\n<p class=\"hint\">A stop is "
	    "refuted when the next attempt got further, which it may "
	    "have done because somebody mended the job; retries count "
	    "where none ever helped.</p>\n");
	html_table(h, "", heads);
	for (size_t i = 0; i < h->r->n_mend; i++) {
		const struct rule_row *v = h->r->mend[i];

		html_raw(h, "<tr><th scope=\"row\">");
		html_jobs_link(h, "rule", v->id, v->id);
		html_wrap(h, "</th><td class=\"num\">",
		    figure_hours(text, v->cost), "</td>");
		html_count_cell(h, v->answered);
		html_count_cell(h, v->wrong);
		html_count_cell(h, v->right);
		html_count_cell(h, v->stops);
		html_count_cell(h, v->refuted);
		html_count_cell(h, v->retries);
		html_count_cell(h, v->helped);
		html_raw(h, "</tr>\n");
	}
	html_table_end(h, 0, "");
}

void html_rules(struct html *h)
{
	const struct report *r = h->r;

	html_raw(h, "<p>");
	html_counted(h, r->n_rules, "rule");
	html_raw(h, " gave evidence, ");
	html_count(h, r->n_never);
	html_raw(h, " never did.</p>\n");
	put_mend(h);
	put_rules(h, "Gave evidence on attempts that ended well", true);
	put_rules(h, "All rules that gave evidence", false);
	if (!r->n_never)
		return;
	html_raw(h, "<details><summary>Never gave evidence (");
	html_count(h, r->n_never);
	html_raw(h, ")</summary>\n<ul class=\"names\">\n");
	for (size_t i = 0; i < r->n_never; i++)
		html_wrap(h, "<li><code>", r->never[i], "</code></li>\n");
	html_raw(h, "</ul></details>\n");
}

/* ---- notes ---- */

void html_notes(struct html *h)
{
	const struct report *r = h->r;
	char used[FIGURE], lost[FIGURE];
	struct figure_note notes[FIGURE_NOTES];

	figure_notes(r, notes);
	html_raw(h, "<ul>\n");
	for (size_t i = 0; i < FIGURE_NOTES; i++) {
		if (!notes[i].n)
			continue;
		html_raw(h, "<li>");
		html_counted(h, notes[i].n, "attempt");
		html_wrap(h, " ", notes[i].what, "</li>\n");
	}
	if (r->refused) {
		html_raw(h, "<li>");
		html_counted(h, r->refused, "line");
		html_raw(h,
		    " of the input could not be read as a diagnosis"
		    "</li>\n");
	}
	html_raw(h,
	    "<li>Lost: GPU-hours since the last checkpoint that the "
	    "log proves, of failed attempts; all of them when there "
	    "is none.</li>\n");
	if (r->now.failed_cpu_seconds)
		fprintf(h->f,
		    "<li>Failed attempts without GPUs used %s CPU-hours, of "
		    "which %s are lost.</li>\n",
		    figure_hours(used, r->now.failed_cpu_seconds),
		    figure_hours(lost, r->now.cpu_lost));
	html_raw(h, "</ul>\n");
}

/* ---- the job table for paper, and for those without the script ---- */

#define COSTLIEST 50

static int by_lost(const void *a, const void *b)
{
	const struct entry *x = *(const struct entry *const *)a;
	const struct entry *y = *(const struct entry *const *)b;
	int order;

	if (x->lost != y->lost)
		return x->lost < y->lost ? 1 : -1;
	order = strcmp(x->job, y->job);
	return order ? order
		     : (x->attempt > y->attempt) - (x->attempt < y->attempt);
}

static void put_costly(struct html *h, const struct entry *en)
{
	const char *cluster = report_cluster(h->r, en);

	html_raw(h, "<tr><th scope=\"row\">");
	if (cluster)
		html_wrap(h, "", cluster, "/");
	html_wrap(h, "", en->job, "</th><td>");
	html_text(h, en->user);
	html_wrap(h, "</td><td class=\"what\">", html_title(en), "");
	html_sample(h, en);
	html_wrap(h, "</td><td><span class=\"badge ",
	    taxonomy_verdict_name(en->verdict), "\">");
	html_wrap(h, "", taxonomy_verdict_name(en->verdict), "</span></td>");
	html_hours_cell(h, en->gpu_seconds, NULL);
	html_hours_cell(h, en->lost, NULL);
	html_raw(h, "<td>");
	html_time(h, entry_when(en));
	html_raw(h, "</td></tr>\n");
}

void html_costliest(struct html *h)
{
	static const char *const heads[] = { "Job", "User", "Category",
		"Verdict", "#GPU-hours", "#Lost", "Ended", NULL };
	const struct report *r = h->r;
	const struct entry **v = malloc((r->n_entries + 1) * sizeof *v);
	size_t n = 0;

	if (!v) {
		h->failed = true;
		return;
	}
	for (size_t i = 0; i < r->n_entries; i++) {
		if (r->entries[i]->failed == 1)
			v[n++] = r->entries[i];
	}
	qsort(v, n, sizeof *v, by_lost);
	html_table(h,
	    "The failed attempts that lost most; on a screen with JavaScript "
	    "every attempt can be searched here",
	    heads);
	for (size_t i = 0; i < n && i < COSTLIEST; i++)
		put_costly(h, v[i]);
	html_table_end(h, n > COSTLIEST ? n - COSTLIEST : 0, "failed attempt");
	free(v);
}
