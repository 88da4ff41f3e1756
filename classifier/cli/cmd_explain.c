/*
 * jobtriage explain: one dead job, for a person. The screen is rendered into
 * memory first, since its length decides whether a pager is needed.
 */
#define _DEFAULT_SOURCE /* struct winsize */
#include "base/buf.h"
#include "base/err.h"
#include "base/jsontext.h"
#include "cli/explain_job.h"
#include "cli/explain_lines.h"
#include "cli/explain_named.h"
#include "cli/pager.h"
#include "cli/sandbox.h"
#include "diagnose/evidence/scan.h"
#include "live/live.h"
#include "reports/output/diagnosis_json.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_MARKDOWN };

static int find_format(const char *name, struct err *e)
{
	static const char *const names[] = { "text", "json", "markdown" };

	for (int i = 0; i < 3; i++)
		if (strcmp(name, names[i]) == 0)
			return i;
	return err_set(e, "--format %s: expected text, json or markdown", name);
}

/* ---- the terminal ---- */

/* Terminals that are known to show OSC 8 links, by what they put into the
 * environment. */
static bool links_on(const struct settings *s)
{
	static const char *const programs[] = { "iTerm.app", "WezTerm",
		"vscode", "ghostty", NULL };
	const char *program = getenv("TERM_PROGRAM");
	const char *vte = getenv("VTE_VERSION");

	if (s->output || isatty(STDOUT_FILENO) != 1 ||
	    !screen_colour(s, stdout))
		return false;
	if (getenv("KITTY_WINDOW_ID") || getenv("WT_SESSION") ||
	    (vte && span_number(span_of(vte)) >= 5000))
		return true;
	for (size_t i = 0; program && programs[i]; i++)
		if (strcmp(program, programs[i]) == 0)
			return true;
	return false;
}

/* Rows of the terminal that standard output is, or 0. */
static unsigned terminal_height(void)
{
	struct winsize size;

	if (isatty(STDOUT_FILENO) != 1)
		return 0;
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row
	    ? size.ws_row
	    : 24;
}

static size_t rows_of(const struct buf *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->len; i++)
		n += b->p[i] == '\n';
	return n;
}

/* The pager's command, or NULL: the text goes elsewhere. */
static const char *pager_command(const struct settings *s)
{
	const char *pager = getenv("PAGER");

	if (!s->pager || s->output || terminal_height() == 0 ||
	    (pager && (!*pager || strcmp(pager, "cat") == 0)))
		return NULL;
	return pager ? pager : "less -R";
}

/* Whether the text needs a pager, and may have one. */
static bool paged(const struct settings *s, const struct buf *text)
{
	return pager_command(s) && rows_of(text) >= terminal_height();
}

static int put_out(const struct settings *s, struct pager *pager,
    const struct buf *text, struct err *e)
{
	struct outfile o;

	if (paged(s, text) && pager_show(pager, text))
		return 0;
	if (outfile_open(&o, s->output, e))
		return -1;
	if (text->len)
		fwrite(text->p, 1, text->len, o.f);
	return outfile_close(&o, e);
}

/* ---- rendering ---- */

static int render_json(const struct explain *x, struct buf *out, struct err *e)
{
	struct jsontext t = { out, false };

	jsontext_open(&t, NULL, '{');
	diagnosis_json_put(&t, x->d, x->tax);
	explain_judged_json(&t, x->judged);
	jsontext_close(&t, '}');
	return t.failed || buf_addc(out, '\n') ? err_nomem(e) : 0;
}

typedef int write_fn(const void *what, FILE *f, struct err *e);

/* What write writes, in out. */
static int render(
    write_fn *write, const void *what, struct buf *out, struct err *e)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	int rc = f ? write(what, f, e) : err_nomem(e);

	/* its last step makes room, and may lose all without an error */
	if (f && (fclose(f) || !text) && !rc)
		rc = err_nomem(e);
	if (!rc && n && buf_add(out, text, n))
		rc = err_nomem(e);
	free(text);
	return rc;
}

static int write_screen(const void *what, FILE *f, struct err *e)
{
	return explain_write(what, f, e);
}

static struct explain_style style_for(
    const struct settings *s, enum format format)
{
	return (struct explain_style){
		.width = s->output ? 0 : screen_width(stdout),
		.colour = s->output ? s->colour == ON_ALWAYS
				    : screen_colour(s, stdout),
		.ascii = format == FORMAT_TEXT && !s->output && screen_ascii(),
		.links = links_on(s),
		.markdown = format == FORMAT_MARKDOWN,
	};
}

static int tell(const struct settings *s, struct explain *x, enum format format,
    struct pager *pager, struct err *e)
{
	struct buf out = BUF_INIT(BUF_MAX);
	int rc;

	x->style = style_for(s, format);
	x->why = s->why;
	if (format == FORMAT_JSON)
		rc = render_json(x, &out, e);
	else
		rc = render(write_screen, x, &out, e);
	/* not every pager passes links on */
	if (!rc && x->style.links && paged(s, &out)) {
		x->style.links = false;
		buf_clear(&out);
		rc = render(write_screen, x, &out, e);
	}
	if (!rc)
		rc = put_out(s, pager, &out, e);
	buf_release(&out);
	return rc;
}

/* ---- a log that is being written ---- */

struct follower {
	const struct settings *s;
	bool terminal; /* standard error is one that can take a line back */
};

/* The line of the status goes before anything else is told. */
static void clear_status(const struct follower *f)
{
	if (f->terminal)
		fputs("\r\033[K", stderr);
}

/* "2 h 5 min" */
static int add_time(struct buf *out, double seconds)
{
	long s = seconds > 0 ? (long)seconds : 0;

	if (s >= 3600)
		return buf_addf(out, "%ld h %ld min", s / 3600, s / 60 % 60);
	if (s >= 60)
		return buf_addf(out, "%ld min", s / 60);
	return buf_addf(out, "%ld s", s);
}

static int add_status(struct buf *out, const struct live_status *st)
{
	static const char *const words[] = { [LIVE_RUNS] = "running",
		[LIVE_FAILED] = "failed",
		[LIVE_ENDED_WELL] = "ended well" };
	int rc = buf_adds(out, words[st->state]);

	if (!rc && st->last.epoch >= 0)
		rc = buf_addf(out, ", epoch %lld", (long long)st->last.epoch);
	if (!rc && st->last.step >= 0)
		rc = buf_addf(out, ", step %lld", (long long)st->last.step);
	if (!rc && st->state == LIVE_RUNS && st->left >= 0)
		rc = buf_adds(out, ", its bar says ") ||
		    add_time(out, (double)st->left) || buf_adds(out, " left");
	rc = rc || buf_adds(out, "; last output ") ||
	    add_time(out, st->silent) || buf_adds(out, " ago");
	if (!rc && st->state != LIVE_RUNS)
		rc = buf_adds(out, ", final in ") || add_time(out, st->final);
	return rc;
}

static void on_status(void *ctx, const struct live_status *st)
{
	const struct follower *f = ctx;
	struct buf line = BUF_INIT(BUF_MAX);
	struct span fit;

	if (!add_status(&line, st)) {
		fit = text_fit((struct span){ line.p, line.len },
		    screen_width(stderr) - 1);
		clear_status(f);
		fwrite(fit.p, 1, fit.n, stderr);
		fflush(stderr);
	}
	buf_release(&line);
}

static void on_event(void *ctx, const struct live_event *ev)
{
	clear_status(ctx);
	screen_complain("%s: %s", ev->on, ev->text);
}

static void on_note(void *ctx, const char *text)
{
	const struct follower *f = ctx;

	clear_status(f);
	if (!f->s->quiet)
		screen_complain("%s", text);
}

static enum exit_status follow(const struct settings *s, struct session *x,
    enum format format, struct err *e)
{
	const struct live_options o = {
		.triage = &x->options,
		.on = s->on.v,
		.n_on = s->on.n,
		.exec = s->exec,
		.grace = s->grace,
		.settle = s->settle,
	};
	struct follower teller = { s, !s->quiet && screen_moves(stderr) };
	const struct live_sink sink = { &teller, on_event, on_note,
		teller.terminal ? on_status : NULL };
	struct live_answer a = { 0 };
	struct pager pager = { 0, -1 };
	struct explain screen = { .tax = x->taxonomy };
	enum exit_status status = STATUS_OK;

	if (live_check(&o, e))
		return screen_failed(e, STATUS_USAGE);
	if (live_follow(&o, s->arguments.v[0], &sink, &a, e))
		status = STATUS_DEGRADED;
	clear_status(&teller);
	if (!status && a.diagnosed) {
		screen.d = &a.d;
		if (tell(s, &screen, format, &pager, e))
			status = STATUS_INTERNAL;
	}
	if (status)
		screen_complain("%s", e->text);
	answer_release(&a);
	return status;
}

/* ---- the command ---- */

struct diff {
	const struct settings *s;
	const struct explain *x;
	bool *degraded;
};

static int write_diff(const void *what, FILE *f, struct err *e)
{
	const struct diff *d = what;

	return explain_lines_diff(d->s, d->x, d->degraded, f, e);
}

static int tell_diff(struct explain_job *j, struct explain *x,
    enum format format, struct pager *pager, struct err *e)
{
	const struct settings *s = j->s;
	const struct diff d = { s, x, &j->degraded };
	struct buf out = BUF_INIT(BUF_MAX);
	int rc;

	x->style = style_for(s, format);
	rc = render(write_diff, &d, &out, e);
	if (!rc)
		rc = put_out(s, pager, &out, e);
	buf_release(&out);
	return rc;
}

/* Several jobs: a line for each, and how to choose one. */
static enum exit_status list_jobs(struct explain_job *j, enum format format)
{
	enum exit_status status = cmd_scan_list(
	    j->s, &j->x, format == FORMAT_JSON ? "jsonl" : "text");
	/* a shell would take the mark of an archive's member for its own */
	bool member = j->newest && strchr(j->newest, '!');

	if (!j->s->quiet && status != STATUS_INTERNAL)
		screen_complain("explain: these are %zu jobs: name one, as in "
				"`jobtriage explain %s%s%s`, or take the one "
				"written last by --last",
		    j->n_jobs, member ? "'" : "", j->newest, member ? "'" : "");
	return status;
}

/* The one job whose logs were found. */
static enum exit_status tell_job(struct explain_job *j, struct explain *x,
    enum format format, struct pager *pager, struct err *e)
{
	if (explain_job_read(j, e))
		return STATUS_INTERNAL;
	x->past = j->past;
	x->n_past = j->n_past;
	x->judged = &j->judged;
	if (j->s->diff ? tell_diff(j, x, format, pager, e)
		       : tell(j->s, x, format, pager, e))
		return STATUS_INTERNAL;
	return j->degraded || j->x.lost_records ? STATUS_DEGRADED : STATUS_OK;
}

static enum exit_status explain(
    const struct settings *s, struct explain_named *named, enum format format)
{
	struct explain_job j = { .s = s };
	struct explain screen = { 0 };
	struct pager pager = { 0, -1 };
	struct err e = { 0 };
	enum exit_status status = STATUS_OK;

	if (session_open(&j.x, s, &e)) {
		session_release(&j.x);
		return screen_failed(&e, STATUS_USAGE);
	}
	j.s = explain_named(named, s, &e);
	if (!j.s) {
		session_release(&j.x);
		return screen_failed(&e, STATUS_DEGRADED);
	}
	s = j.s;
	engine_excerpts(j.x.engine);
	engine_trends(j.x.engine);
	if (s->follow) {
		status = follow(s, &j.x, format, &e);
		session_release(&j.x);
		return status;
	}
	screen.tax = j.x.taxonomy;
	screen.redact = j.x.redactor;
	screen.d = &j.d;
	if (pager_command(s))
		pager_prepare(&pager, pager_command(s));
	if (sandbox_enter(s, SANDBOX_THREADS | SANDBOX_CHILD, &e) ||
	    explain_job_find(&j, &e))
		status = STATUS_INTERNAL;
	else if (j.n_jobs > 1 && !s->diff)
		status = list_jobs(&j, format);
	else
		status = tell_job(&j, &screen, format, &pager, &e);
	if (status == STATUS_INTERNAL && *e.text)
		screen_complain("%s", e.text);
	pager_drop(&pager);
	explain_job_release(&j);
	session_release(&j.x);
	return status;
}

static int check_usage(const struct settings *s, int *format, struct err *e)
{
	*format = find_format(s->format, e);
	if (*format < 0)
		return -1;
	if (s->arguments.n == 0)
		return err_set(e,
		    "explain: a log is expected, or - for "
		    "standard input");
	if (s->follow && s->sandbox == SANDBOX_REQUIRE)
		return err_set(e,
		    "explain --follow --sandbox=require: it may have to run "
		    "commands, and has no sandbox");
	if (s->follow && (s->arguments.n != 1 || s->diff || s->last))
		return err_set(e, "explain --follow: one log is expected");
	if (s->diff && *format == FORMAT_JSON)
		return err_set(e,
		    "explain --diff: expected --format text or "
		    "markdown");
	for (size_t i = 0; s->diff && i < s->arguments.n; i++)
		if (strcmp(s->arguments.v[i], "-") == 0 ||
		    strcmp(s->diff, "-") == 0)
			return err_set(e,
			    "explain --diff: standard input "
			    "cannot be read twice");
	return 0;
}

enum exit_status cmd_explain(const struct settings *s)
{
	struct explain_named named = { .paths = { NULL, 0 } };
	enum exit_status status;
	struct err e = { 0 };
	int format;

	if (check_usage(s, &format, &e) || session_own_terminal(s, stdout, &e))
		return screen_failed(&e, STATUS_USAGE);
	status = explain(s, &named, (enum format)format);
	explain_named_release(&named);
	return status;
}
