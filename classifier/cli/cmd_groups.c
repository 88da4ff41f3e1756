/*
 * jobtriage groups [list]|show ID|name ID NAME|merge ID INTO|ignore ID|
 * unignore ID: failures that no rule names, by what they print.
 */
#include "base/err.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/period.h"
#include "cli/store_report.h"
#include "reports/groups/decision.h"
#include "reports/groups/group_json.h"
#include "reports/output/object.h"
#include "reports/period/unnamed.h"
#include "reports/store/store.h"

#include <stdlib.h>
#include <string.h>

struct groups_run {
	const struct settings *s;
	struct store_report x;
	const struct failure_group *group,
	    *into; /* of the arguments, or NULL */
};

typedef int action(struct groups_run *r, FILE *f, struct err *e);

/* ---- telling ---- */

static int print_json(const struct groups_run *r,
    const struct failure_group *only, FILE *f, struct err *e)
{
	const struct groups *all = &r->x.report->unnamed;
	struct object o = object_new(), a = object_new_array();

	for (size_t i = 0; i < all->n; i++)
		if (all->v[i].now.attempts && (!only || only == &all->v[i]))
			object_add(&a,
			    group_json(&all->v[i], r->x.report->has_before));
	object_put(&o, "groups", object_done(&a));
	return object_print(&o, f, e);
}

static int do_list(struct groups_run *r, FILE *f, struct err *e)
{
	const struct report *report = r->x.report;
	struct report_style style = { .width = screen_width(f),
		.colour = screen_colour(r->s, f) };
	uint64_t shown = unnamed_count(report), there = 0;
	size_t top = r->s->top;
	struct sheet s;

	if (screen_json(r->s))
		return print_json(r, NULL, f, e);
	for (size_t i = 0; i < report->unnamed.n; i++)
		there += report->unnamed.v[i].now.attempts > 0;
	if (!there) {
		fputs("no failure without a name\n", f);
		return 0;
	}
	sheet_begin(&s, f, false, &style);
	unnamed_sheet(&s, report, top);
	if (sheet_end(&s))
		return err_nomem(e);
	if (shown > top)
		fprintf(f, "%llu more\n", (unsigned long long)(shown - top));
	if (there > shown)
		fprintf(
		    f, "%llu ignored\n", (unsigned long long)(there - shown));
	return 0;
}

/* "LABEL  text", made fit for a terminal. */
static int put_line(FILE *f, const char *label, const char *text)
{
	struct buf b = BUF_INIT(BUF_MAX);
	int rc = text_visible(&b, span_of(text));

	if (!rc)
		fprintf(f, "%-10s %s\n", label, b.p ? b.p : "");
	buf_release(&b);
	return rc;
}

static int put_sample(FILE *f, const struct entry *en)
{
	const struct entry_proof *p = en->n_evidence ? en->evidence : NULL;
	const char *log = entry_log(en);
	int64_t line = entry_line(en);
	struct buf b = BUF_INIT(BUF_MAX);
	int rc =
	    buf_addf(&b, "%s, attempt %lld", en->job, (long long)en->attempt);

	rc |= en->user ? buf_addf(&b, ", %s", en->user) : 0;
	rc |= log ? buf_addf(&b, ", %s", log) : 0;
	rc |= line > 0 ? buf_addf(&b, ":%lld", (long long)line) : 0;
	rc |= buf_addc(&b, '\0') || put_line(f, "job", b.p);
	if (!rc && p && p->text)
		rc = put_line(f, "", p->text);
	buf_release(&b);
	return rc;
}

static int do_show(struct groups_run *r, FILE *f, struct err *e)
{
	const struct failure_group *g = r->group;
	char text[2][FIGURE];
	int rc;

	if (screen_json(r->s))
		return print_json(r, g, f, e);
	fprintf(
	    f, "%-10s %s%s\n", "group", g->id, g->ignored ? ", ignored" : "");
	rc = g->name ? put_line(f, "name", g->name) : 0;
	rc |= put_line(f, "template", g->template);
	rc |= g->frames ? put_line(f, "raised in", g->frames) : 0;
	fprintf(f,
	    "%-10s %llu attempts of %llu jobs, %llu users, %s GPU-hours\n",
	    "failed", (unsigned long long)g->now.attempts,
	    (unsigned long long)g->now.jobs, (unsigned long long)g->users,
	    figure_hours(text[0], g->now.gpu_seconds));
	if (r->x.report->has_before)
		fprintf(f, "%-10s %llu attempts of %llu jobs, %s GPU-hours\n",
		    "before", (unsigned long long)g->before.attempts,
		    (unsigned long long)g->before.jobs,
		    figure_hours(text[0], g->before.gpu_seconds));
	fprintf(f, "%-10s %s to %s\n", "seen",
	    figure_time(text[0], report_local(r->x.report, g->first)),
	    figure_time(text[1], report_local(r->x.report, g->last)));
	for (size_t i = 0; i < g->n_others; i++)
		fprintf(f, "%-10s %s\n", i ? "" : "also", g->others[i]);
	for (size_t i = 0; i < g->n_samples; i++)
		rc |= put_sample(f, g->samples[i]);
	return rc ? err_nomem(e) : 0;
}

/* ---- saying ---- */

/* What was said of a template so far, to be changed. */
static struct decision of_id(const struct groups_run *r, const char *id)
{
	const struct decision *was = decisions_find(r->x.said, id);
	struct decision d = was ? *was : (struct decision){ .id = id };

	d.by = getenv("USER");
	d.at = period_now();
	return d;
}

/* That all templates of a group are one with the id. */
static int merge_into(struct groups_run *r, const struct failure_group *g,
    const char *id, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i <= g->n_others && !rc; i++) {
		struct decision d =
		    of_id(r, i < g->n_others ? g->others[i] : g->id);

		if (!strcmp(d.id, id) || (d.into && !strcmp(d.into, id)))
			continue;
		d.into = id;
		rc = decision_put(r->x.store, &d, e);
	}
	return rc;
}

static int do_name(struct groups_run *r, FILE *f, struct err *e)
{
	struct decision d = of_id(r, r->group->id);
	const char *name = r->s->arguments.v[2];

	if (strlen(name) > DECISION_NAME || !text_is_utf8(span_of(name)) ||
	    name[strcspn(name, "\n\r\t")])
		return err_set(e, "a name is a line of at most %d bytes",
		    (int)DECISION_NAME);
	d.name = *name ? name : NULL;
	d.into = NULL;
	if (decision_put(r->x.store, &d, e) || merge_into(r, r->group, d.id, e))
		return -1;
	fprintf(f, "%s %s\n", d.id, *name ? "has a name" : "has no name");
	return 0;
}

static int do_merge(struct groups_run *r, FILE *f, struct err *e)
{
	struct decision d = of_id(r, r->into->id);

	if (r->group == r->into)
		return err_set(e, "that is one group already");
	d.into = NULL;
	if (decision_put(r->x.store, &d, e) ||
	    merge_into(r, r->into, d.id, e) || merge_into(r, r->group, d.id, e))
		return -1;
	fprintf(f, "%s is a part of %s\n", r->group->id, d.id);
	return 0;
}

/* All templates of it: a template that was alone once may have been ignored. */
static int set_ignored(struct groups_run *r, bool ignored, struct err *e)
{
	const struct failure_group *g = r->group;
	int rc = merge_into(r, g, g->id, e);

	for (size_t i = 0; i <= g->n_others && !rc; i++) {
		bool root = i == g->n_others;
		struct decision d = of_id(r, root ? g->id : g->others[i]);

		if (d.ignored == ignored || (ignored && !root))
			continue;
		d.ignored = ignored;
		d.into = root ? NULL : g->id;
		rc = decision_put(r->x.store, &d, e);
	}
	return rc;
}

static int do_ignore(struct groups_run *r, FILE *f, struct err *e)
{
	if (set_ignored(r, true, e))
		return -1;
	fprintf(f, "%s is ignored\n", r->group->id);
	return 0;
}

static int do_unignore(struct groups_run *r, FILE *f, struct err *e)
{
	if (set_ignored(r, false, e))
		return -1;
	fprintf(f, "%s is not ignored\n", r->group->id);
	return 0;
}

/* ---- the command ---- */

static const struct row {
	const char *name;
	size_t ids, n; /* arguments that are groups; of all of them */
	bool writes;
	action *run;
} actions[] = {
	{ "list", 0, 1, false, do_list },
	{ "show", 1, 2, false, do_show },
	{ "name", 1, 3, true, do_name },
	{ "merge", 2, 3, true, do_merge },
	{ "ignore", 1, 2, true, do_ignore },
	{ "unignore", 1, 2, true, do_unignore },
};

/* The group an argument names; NULL, and it is told. */
static const struct failure_group *find(struct groups_run *r, size_t argument)
{
	const char *id = r->s->arguments.v[argument];
	const struct failure_group *g;
	bool several;

	g = groups_find(&r->x.report->unnamed, id, &several);
	if (!g)
		screen_complain(several
			? "groups: several groups begin with %s"
			: "groups: there is no group %s; see jobtriage groups",
		    id);
	return g;
}

static enum exit_status perform(struct groups_run *r, const struct row *a)
{
	struct outfile out;
	struct err e = { 0 };

	if (store_report_read(&r->x, &e))
		return screen_failed(&e, STATUS_INTERNAL);
	if ((a->ids > 0 && !(r->group = find(r, 1))) ||
	    (a->ids > 1 && !(r->into = find(r, 2))))
		return STATUS_USAGE;
	if (outfile_open(&out, r->s->output, &e))
		return screen_failed(&e, STATUS_INTERNAL);
	if (a->run(r, out.f, &e)) {
		outfile_abandon(&out);
		return screen_failed(
		    &e, a->writes ? STATUS_USAGE : STATUS_INTERNAL);
	}
	return outfile_close(&out, &e) ? screen_failed(&e, STATUS_INTERNAL)
				       : STATUS_OK;
}

enum exit_status cmd_groups(const struct settings *s)
{
	const char *word = s->arguments.n ? s->arguments.v[0] : "list";
	struct groups_run r = { .s = s };
	size_t n = s->arguments.n ? s->arguments.n : 1;
	enum exit_status status;
	struct err e;

	if (screen_text_or_json(s, &e))
		return screen_failed(&e, STATUS_USAGE);
	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
		const struct row *a = &actions[i];

		if (strcmp(word, a->name) != 0 || n != a->n)
			continue;
		status = store_report_open(
		    &r.x, s, a->writes ? STORE_CHANGE : STORE_READ);
		if (status == STATUS_OK)
			status = perform(&r, a);
		return store_report_close(&r.x, status);
	}
	screen_complain("groups: expected list, show ID, name ID NAME, merge "
			"ID INTO, ignore ID or unignore ID");
	return STATUS_USAGE;
}
