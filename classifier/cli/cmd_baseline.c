/* jobtriage baseline learn PATH...|show|forget: what good runs print. */
#include "base/array.h"
#include "base/err.h"
#include "base/jsontext.h"
#include "base/when.h"
#include "cli/learning.h"
#include "cli/sandbox.h"
#include "cli/store_action.h"
#include "reports/period/figure.h"
#include "reports/period/sheet.h"

#include <stdlib.h>
#include <string.h>

/* ---- learn ---- */

struct learn_run {
	const struct settings *s;
	struct learning *learning;
	uint64_t jobs, good;
	struct err *e;
	bool failed;
};

static int on_job(void *ctx, const struct diagnosis *d)
{
	struct learn_run *r = ctx;

	r->jobs++;
	r->good += d->failed == 0;
	r->failed |= learning_add(r->learning, d, r->e) != 0;
	return r->failed ? -1 : 0;
}

static void on_note(
    void *ctx, const char *path, enum input_note kind, const char *text)
{
	const struct learn_run *r = ctx;

	session_note(r->s, path, kind, text);
}

static void tell_learned(
    const struct learn_run *r, const struct learning_done *n, FILE *f)
{
	const unsigned long long runs = n->runs, lines = n->lines,
				 good = r->good, jobs = r->jobs;

	fprintf(f,
	    screen_json(r->s)
		? "{\"jobs\": %llu, \"good\": %llu, \"learned\": %llu, "
		  "\"templates\": %llu}\n"
		: "%llu jobs, %llu of them good; learned from %llu, "
		  "%llu templates\n",
	    jobs, good, runs, lines);
}

static enum exit_status learn_all(
    struct learn_run *r, struct session *x, struct store *st, FILE *f)
{
	const struct triage_sink sink = {
		.ctx = r, .job = on_job, .note = on_note
	};
	struct triage_counters counters = { 0 };
	struct learning_done done;

	if (triage_run(&x->options, r->s->arguments.v, r->s->arguments.n, &sink,
		&counters, r->e) ||
	    r->failed || learning_run(r->learning, st, &done, r->e))
		return screen_failed(r->e, STATUS_INTERNAL);
	tell_learned(r, &done, f);
	return session_unread(&counters) || x->lost_records ? STATUS_DEGRADED
							    : STATUS_OK;
}

static enum exit_status do_learn(
    const struct settings *s, struct store *st, FILE *f, struct err *e)
{
	struct baseline known = { .v = NULL };
	struct learn_run r = { .s = s, .e = e };
	struct session x = { 0 };
	enum exit_status status = STATUS_USAGE;

	if (session_open(&x, s, e))
		goto bad;
	status = STATUS_INTERNAL;
	if (baseline_read(&known, st, e))
		goto bad;
	r.learning = learning_new(s, &x, &known, true, e);
	if (!r.learning ||
	    sandbox_enter(s, SANDBOX_THREADS | SANDBOX_STORE_OPEN, e))
		goto bad;
	status = learn_all(&r, &x, st, f);
	goto out;
bad:
	status = screen_failed(e, status);
out:
	learning_free(r.learning);
	baseline_release(&known);
	session_release(&x);
	return status;
}

/* ---- show ---- */

static bool is_or_any(const char *s, const char *given)
{
	return !given || strcmp(s, given) == 0;
}

static bool meant(const struct settings *s, const struct baseline_run *r)
{
	return is_or_any(r->whose.name, s->job) &&
	    is_or_any(r->whose.cluster, s->of_cluster) &&
	    is_or_any(r->whose.owner, s->of_user);
}

static bool same(const struct baseline_run *a, const struct baseline_run *b)
{
	return strcmp(a->whose.name, b->whose.name) == 0 &&
	    strcmp(a->whose.owner, b->whose.owner) == 0 &&
	    strcmp(a->whose.cluster, b->whose.cluster) == 0;
}

/* The templates of the runs of one name. */
struct printed {
	struct span text;
	uint64_t runs;
};

struct printed_list {
	struct printed *v;
	size_t n, cap;
};

static int by_text(const void *x, const void *y)
{
	const struct printed *a = x, *b = y;
	size_t n = a->text.n < b->text.n ? a->text.n : b->text.n;
	int c = memcmp(a->text.p, b->text.p, n);

	return c ? c : (a->text.n > b->text.n) - (a->text.n < b->text.n);
}

/* What most runs print first. */
static int by_runs(const void *x, const void *y)
{
	const struct printed *a = x, *b = y;

	if (a->runs != b->runs)
		return a->runs > b->runs ? -1 : 1;
	return by_text(x, y);
}

/* -1: out of memory. */
static int list_printed(
    struct printed_list *l, const struct baseline_run *v, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		struct span rest = span_of(v[i].templates), line;

		while (span_line(&rest, &line)) {
			if (array_grow(&l->v, l->n, &l->cap, sizeof *l->v))
				return -1;
			l->v[l->n++] = (struct printed){ line, 1 };
		}
	}
	if (!l->n)
		return 0;
	qsort(l->v, l->n, sizeof *l->v, by_text);
	for (size_t i = 1; i < l->n; i++)
		if (span_eq(l->v[i].text, l->v[kept].text))
			l->v[kept].runs++;
		else
			l->v[++kept] = l->v[i];
	l->n = kept + 1;
	qsort(l->v, l->n, sizeof *l->v, by_runs);
	return 0;
}

/* When the newest of them was learned. */
static int64_t newest(const struct baseline_run *v, size_t n)
{
	int64_t at = v[0].at;

	for (size_t i = 1; i < n; i++)
		at = v[i].at > at ? v[i].at : at;
	return at;
}

static const char *or_null(const char *s)
{
	return *s ? s : NULL;
}

static void put_json(struct jsontext *t, const struct baseline_run *v, size_t n,
    const struct printed_list *l, bool lines)
{
	char at[32];

	when_format(newest(v, n), at);
	jsontext_open(t, NULL, '{');
	jsontext_string(t, "cluster", or_null(v->whose.cluster));
	jsontext_string(t, "user", or_null(v->whose.owner));
	jsontext_string(t, "name", v->whose.name);
	jsontext_int(t, "runs", (int64_t)n);
	jsontext_int(t, "templates", (int64_t)l->n);
	jsontext_string(t, "learned", at);
	if (lines) {
		jsontext_open(t, "lines", '[');
		for (size_t i = 0; i < l->n; i++) {
			jsontext_open(t, NULL, '{');
			jsontext_span(t, "text", l->v[i].text);
			jsontext_int(t, "runs", (int64_t)l->v[i].runs);
			jsontext_close(t, '}');
		}
		jsontext_close(t, ']');
	}
	jsontext_close(t, '}');
}

static void put_row(struct sheet *sheet, const struct baseline_run *v, size_t n,
    const struct printed_list *l)
{
	char text[FIGURE];

	sheet_text(sheet, v->whose.owner);
	sheet_cell(sheet, "%zu", n);
	sheet_cell(sheet, "%zu", l->n);
	sheet_text(sheet, figure_time(text, newest(v, n)));
	sheet_text(sheet, v->whose.name);
}

static void put_lines(struct sheet *sheet, const struct printed_list *l)
{
	struct buf text = BUF_INIT(BUF_MAX);

	for (size_t i = 0; i < l->n; i++) {
		buf_clear(&text);
		if (buf_add(&text, l->v[i].text.p, l->v[i].text.n))
			sheet->failed = true;
		sheet_cell(sheet, "%llu", (unsigned long long)l->v[i].runs);
		sheet_text(sheet, text.p);
	}
	buf_release(&text);
}

/* What is shown, as JSON or as one of two tables. */
struct show {
	struct jsontext *json; /* or NULL */
	struct sheet *names;   /* or NULL */
	struct sheet *lines;   /* or NULL */
};

static int show_each(const struct settings *s, const struct baseline *b,
    const struct show *to, struct err *e)
{
	struct printed_list l;
	size_t end;
	int rc = 0;

	for (size_t i = 0; i < b->n && !rc; i = end) {
		end = i + 1;
		while (end < b->n && same(&b->v[end], &b->v[i]))
			end++;
		if (!meant(s, &b->v[i]))
			continue;
		l = (struct printed_list){ NULL, 0, 0 };
		rc = list_printed(&l, &b->v[i], end - i) ? err_nomem(e) : 0;
		if (!rc && to->json)
			put_json(to->json, &b->v[i], end - i, &l, s->job);
		if (!rc && to->names)
			put_row(to->names, &b->v[i], end - i, &l);
		if (!rc && to->lines)
			put_lines(to->lines, &l);
		free(l.v);
	}
	return rc;
}

static int show_json(
    const struct settings *s, const struct baseline *b, FILE *f, struct err *e)
{
	struct buf out = BUF_INIT(BUF_MAX);
	struct jsontext t = { &out, false };
	const struct show to = { .json = &t };
	int rc;

	jsontext_open(&t, NULL, '{');
	jsontext_open(&t, "baselines", '[');
	rc = show_each(s, b, &to, e);
	jsontext_close(&t, ']');
	jsontext_close(&t, '}');
	if (!rc && (t.failed || buf_addc(&out, '\n')))
		rc = err_nomem(e);
	if (!rc)
		fwrite(out.p, 1, out.len, f);
	buf_release(&out);
	return rc;
}

static int show_text(
    const struct settings *s, const struct baseline *b, FILE *f, struct err *e)
{
	static const struct column names[] = { { "USER", COLUMN_WORD },
		{ "RUNS", COLUMN_NUMBER }, { "TEMPLATES", COLUMN_NUMBER },
		{ "LEARNED", COLUMN_WORD }, { "JOB", COLUMN_NAME } };
	static const struct column lines[] = { { "RUNS", COLUMN_NUMBER },
		{ "TEMPLATE", COLUMN_TEXT } };
	const struct report_style style = { .colour = screen_colour(s, f),
		.width = screen_width(f) };
	struct sheet sheet = { .f = f };
	const struct show to = { .names = s->job ? NULL : &sheet,
		.lines = s->job ? &sheet : NULL };
	int rc;

	sheet_begin(&sheet, f, false, &style);
	if (s->job)
		sheet_table(&sheet, lines, sizeof lines / sizeof *lines);
	else
		sheet_table(&sheet, names, sizeof names / sizeof *names);
	rc = show_each(s, b, &to, e);
	sheet_table_end(&sheet);
	if (sheet_end(&sheet) && !rc)
		rc = err_nomem(e);
	return rc;
}

static enum exit_status do_show(
    const struct settings *s, struct store *st, FILE *f, struct err *e)
{
	struct baseline b = { .texts = true };
	int rc = baseline_read(&b, st, e);

	if (!rc)
		rc = screen_json(s) ? show_json(s, &b, f, e)
				    : show_text(s, &b, f, e);
	baseline_release(&b);
	return rc ? screen_failed(e, STATUS_INTERNAL) : STATUS_OK;
}

/* ---- forget ---- */

static enum exit_status do_forget(
    const struct settings *s, struct store *st, FILE *f, struct err *e)
{
	struct baseline b = { .v = NULL };
	unsigned long long n = 0;
	int rc = baseline_read(&b, st, e);

	for (size_t i = 0; i < b.n && !rc; i++) {
		if (!meant(s, &b.v[i]))
			continue;
		rc = baseline_remove(st, &b.v[i], e);
		n++;
	}
	baseline_release(&b);
	if (rc)
		return screen_failed(e, STATUS_INTERNAL);
	fprintf(f,
	    screen_json(s) ? "{\"forgotten\": %llu}\n" : "%llu forgotten\n", n);
	return STATUS_OK;
}

/* ---- the command ---- */

static const struct row {
	const char *name;
	enum store_mode mode;
	size_t least, most; /* arguments */
	store_action *run;
} actions[] = {
	{ "learn", STORE_WRITE, 2, (size_t)-1, do_learn },
	{ "show", STORE_READ, 1, 1, do_show },
	{ "forget", STORE_CHANGE, 1, 1, do_forget },
};

enum exit_status cmd_baseline(const struct settings *s)
{
	const char *word = s->arguments.n ? s->arguments.v[0] : "";
	struct settings of = *s; /* without the word */
	struct err e = { 0 };

	if (screen_text_or_json(s, &e))
		return screen_failed(&e, STATUS_USAGE);
	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
		if (strcmp(word, actions[i].name) != 0 ||
		    s->arguments.n > actions[i].most)
			continue;
		if (!s->store) {
			screen_complain(
			    "baseline %s: --store URL is missing", word);
			return STATUS_USAGE;
		}
		if (s->arguments.n < actions[i].least) {
			screen_complain("baseline %s: no path given", word);
			return STATUS_USAGE;
		}
		of.arguments.v++;
		of.arguments.n--;
		of.cluster = s->of_cluster;
		return store_action_run(&of, actions[i].mode, actions[i].run);
	}
	screen_complain("baseline: expected learn PATH..., show or forget");
	return STATUS_USAGE;
}
