/* The two forms of a replay: for a person and for a script. */
#include "reports/gate/replay.h"

#include "base/err.h"
#include "base/json.h"
#include "diagnose/findings.h"
#include "diagnose/decision/usage.h"
#include "reports/output/object.h"
#include "reports/period/figure.h"
#include "reports/period/sheet.h"

#include <stdlib.h>
#include <string.h>

/* The figures of a sum, once for every form. */
static const struct figure {
	const char *key;
	size_t at;
} figures[] = {
	{ "attempts", offsetof(struct replay_sums, attempts) },
	{ "judged", offsetof(struct replay_sums, judged) },
	{ "right_stops", offsetof(struct replay_sums, right_stops) },
	{ "wrong_stops", offsetof(struct replay_sums, wrong_stops) },
	{ "right_retries", offsetof(struct replay_sums, right_retries) },
	{ "wrong_retries", offsetof(struct replay_sums, wrong_retries) },
	{ "otherwise_stops", offsetof(struct replay_sums, otherwise_stops) },
	{ "otherwise_retries",
	    offsetof(struct replay_sums, otherwise_retries) },
	{ "undecided", offsetof(struct replay_sums, undecided) },
	{ "unknown", offsetof(struct replay_sums, untold) },
	{ "right_stops_recovered_later", offsetof(struct replay_sums, later) },
	{ "unmeasured", offsetof(struct replay_sums, unmeasured) },
	{ "gpu_seconds_saved", offsetof(struct replay_sums, saved) },
	{ "gpu_seconds_lost", offsetof(struct replay_sums, lost) },
	{ "gpu_seconds_burnt", offsetof(struct replay_sums, burnt) },
};

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

/* ---- text ---- */

static void write_row(
    struct sheet *s, const char *name, const struct replay_sums *n)
{
	const uint64_t cells[] = { n->right_stops, n->wrong_stops,
		n->right_retries, n->wrong_retries,
		n->otherwise_stops + n->otherwise_retries,
		n->undecided + n->untold };
	char text[FIGURE];

	sheet_text(s, name);
	for (size_t i = 0; i < COUNT_OF(cells); i++)
		sheet_text(s, figure_count(text, cells[i]));
}

static void write_verdicts(struct sheet *s, const struct replay_result *r)
{
	static const struct column columns[] = { { "", COLUMN_WORD },
		{ "STOP OK", COLUMN_NUMBER }, { "STOP WRONG", COLUMN_NUMBER },
		{ "RETRY OK", COLUMN_NUMBER }, { "RETRY WRONG", COLUMN_NUMBER },
		{ "OTHER", COLUMN_NUMBER }, { "OPEN", COLUMN_NUMBER } };

	sheet_heading(s, "Verdicts, and what then happened");
	sheet_line(s,
	    "ok: a stop before the same failure, a retry before an attempt "
	    "that got");
	sheet_line(s,
	    "further; other: before another failure; open: undecided, or not "
	    "known");
	sheet_table(s, columns, COUNT_OF(columns));
	for (size_t i = 0; i < r->n_categories; i++)
		write_row(s, r->categories[i].id, &r->categories[i].sums);
	write_row(s, "all", &r->all);
	if (r->answers)
		write_row(s, "answers given", &r->given);
	sheet_table_end(s);
}

static void write_hours_row(
    struct sheet *s, const char *name, const struct replay_sums *n)
{
	char text[FIGURE];

	sheet_text(s, name);
	sheet_text(s, figure_hours(text, n->saved));
	sheet_text(s, figure_hours(text, n->lost));
	sheet_text(s, figure_hours(text, n->burnt));
	sheet_text(s, figure_count(text, n->unmeasured));
}

static void write_hours(struct sheet *s, const struct replay_result *r)
{
	static const struct column columns[] = { { "", COLUMN_WORD },
		{ "SAVED", COLUMN_NUMBER }, { "LOST", COLUMN_NUMBER },
		{ "BURNT", COLUMN_NUMBER }, { "UNMEASURED", COLUMN_NUMBER } };

	sheet_heading(s, "GPU-hours");
	sheet_line(s,
	    "saved: attempts that right stops spare; lost: attempts that wrong "
	    "stops forbid;");
	sheet_line(s, "burnt: attempts that wrong retries allow");
	sheet_table(s, columns, COUNT_OF(columns));
	for (size_t i = 0; i < r->n_categories; i++)
		write_hours_row(s, r->categories[i].id, &r->categories[i].sums);
	write_hours_row(s, "all", &r->all);
	if (r->answers)
		write_hours_row(s, "answers given", &r->given);
	sheet_table_end(s);
}

static void write_wrong(
    struct sheet *s, const char *heading, const struct replay_wrongs *w)
{
	char text[FIGURE];

	if (!w->n)
		return;
	sheet_heading(s, heading);
	for (size_t i = 0; i < w->n; i++) {
		const struct replay_wrong *v = &w->v[i];

		sheet_line(s, "job %s, attempt %lld: %s; %s%s, %s%s", v->job,
		    (long long)v->attempt, v->category,
		    v->judged ? "wrong, says " : "then it ",
		    v->judged ? v->by ? v->by : "a person"
			      : replay_outcome_name(v->outcome),
		    v->gpu_seconds < 0 ? "GPU time unknown"
				       : figure_hours(text, v->gpu_seconds),
		    v->gpu_seconds < 0 ? "" : " GPU-hours");
		sheet_line(s, "    %s", v->reason);
	}
}

int replay_text(const struct replay_result *r, const struct report_style *style,
    FILE *f, struct err *e)
{
	char one[FIGURE], two[FIGURE];
	struct sheet s;

	sheet_begin(&s, f, false, style);
	sheet_title(&s, "What the gate would have said");
	sheet_line(&s,
	    "%s failed attempt%s of %s job%s that another attempt followed%s",
	    figure_count(one, r->all.attempts), figure_plural(r->all.attempts),
	    figure_count(two, r->jobs), figure_plural(r->jobs),
	    r->all.judged ? ", or of which a person said something" : "");
	if (r->all.judged)
		sheet_line(&s,
		    "%s attempt%s held against what a person said of it",
		    figure_count(one, r->all.judged),
		    figure_plural(r->all.judged));
	if (r->unclear)
		sheet_line(&s,
		    "%s attempt%s left out: the job's id is of several users",
		    figure_count(one, r->unclear), figure_plural(r->unclear));
	if (r->answers)
		sheet_line(&s,
		    "%s answer%s given by the gate, %s with a later attempt",
		    figure_count(one, r->answers), figure_plural(r->answers),
		    figure_count(two, r->given.attempts));
	if (r->all.attempts) {
		write_verdicts(&s, r);
		if (r->all.later)
			sheet_line(&s,
			    "%s of the right stops: a later attempt got "
			    "further after all",
			    figure_count(one, r->all.later));
		write_hours(&s, r);
		write_wrong(&s, "Wrong stops", &r->wrong);
		write_wrong(
		    &s, "Wrong stops the gate has given", &r->given_wrong);
	}
	return sheet_end(&s) ? err_nomem(e) : 0;
}

/* ---- JSON ---- */

static struct json *sums_json(const struct replay_sums *n)
{
	struct object o = object_new();

	for (size_t i = 0; i < COUNT_OF(figures); i++) {
		int64_t v;

		memcpy(&v, (const char *)n + figures[i].at, sizeof v);
		object_int(&o, figures[i].key, v);
	}
	return object_done(&o);
}

static struct json *categories_json(const struct replay_result *r)
{
	struct object o = object_new();

	for (size_t i = 0; i < r->n_categories; i++)
		object_put(
		    &o, r->categories[i].id, sums_json(&r->categories[i].sums));
	return object_done(&o);
}

static struct json *wrong_json(const struct replay_wrong *w)
{
	struct object o = object_new();

	object_string(&o, "job", w->job);
	object_string(&o, "user", w->user);
	object_int(&o, "attempt", w->attempt);
	object_string(&o, "category", w->category);
	object_string(&o, "rule", w->rule);
	object_string(&o, "reason", w->reason);
	object_string(&o, "then", replay_outcome_name(w->outcome));
	object_bool(&o, "judged", w->judged);
	object_string(&o, "by", w->by);
	object_count(&o, "gpu_seconds", w->gpu_seconds);
	return object_done(&o);
}

static struct json *wrongs_json(const struct replay_wrongs *w)
{
	struct object a = object_new_array();

	for (size_t i = 0; i < w->n; i++)
		object_add(&a, wrong_json(&w->v[i]));
	return object_done(&a);
}

static struct json *answers_json(const struct replay_result *r)
{
	struct object o = object_new();

	object_total(&o, "answers", r->answers);
	object_put(&o, "sums", sums_json(&r->given));
	object_put(&o, "wrong_stops", wrongs_json(&r->given_wrong));
	return object_done(&o);
}

int replay_json(const struct replay_result *r, FILE *f, struct err *e)
{
	struct object o = object_new();

	object_string(&o, "schema", "jobtriage.replay/1");
	object_time(&o, "since", r->since);
	object_time(&o, "until", r->until);
	object_total(&o, "jobs", r->jobs);
	object_total(&o, "unclear", r->unclear);
	object_put(&o, "sums", sums_json(&r->all));
	object_put(&o, "categories", categories_json(r));
	object_put(&o, "wrong_stops", wrongs_json(&r->wrong));
	object_put(&o, "given", r->answers ? answers_json(r) : json_new_null());
	return object_print(&o, f, e);
}
