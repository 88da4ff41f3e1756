/*
 * jobtriage run: a command, its output passed through, diagnosed as it runs.
 *
 * Whatever goes wrong here, the command's output and its status come first:
 * a diagnosis, a store or a file that fails is told of on standard error.
 */
#include "base/buf.h"
#include "base/err.h"
#include "cli/gate_map.h"
#include "cli/gate_store.h"
#include "diagnose/evidence/scan.h"
#include "live/live.h"
#include "reports/explain/explain.h"
#include "reports/output/diagnosis_json.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STATUS_OURS 125 /* as env and timeout have it */
#define TERMINATION_MAX 4096
#define KEEP_STATUS (-1)

struct run {
	const struct settings *s;
	bool json;
	int map[GATE_WORDS]; /* or KEEP_STATUS */
	struct session x;
	struct live_options o;
	struct live_answer a;
	struct buf record; /* the diagnosis as JSON, when that is asked for */
};

/* ---- settings ---- */

/* As gate reads it, but a verdict that is not named keeps the command's
 * status, where no preset names them all. */
static int read_map(struct run *r, struct err *e)
{
	const char *text = r->s->exit_map;
	struct buf other = BUF_INIT(BUF_MAX);
	int map[GATE_WORDS], rc = 0;

	for (int i = 0; i < GATE_WORDS; i++)
		r->map[i] = KEEP_STATUS;
	if (!text)
		return 0;
	if (gate_map_read(text, r->map, e))
		return -1;
	if (text[strcspn(text, "=,")] != '=')
		return 0;
	/* what differs with what stands below was not named */
	for (int i = 0; i < 2 && !rc; i++) {
		buf_clear(&other);
		rc = buf_addf(&other, "%s,%s", i ? "metaflow" : "slurm", text)
		    ? err_nomem(e)
		    : gate_map_read(other.p, map, e);
		for (int k = 0; k < GATE_WORDS && !rc; k++)
			if (map[k] != r->map[k])
				r->map[k] = KEEP_STATUS;
	}
	buf_release(&other);
	return rc;
}

static int read_settings(struct run *r, struct err *e)
{
	const struct settings *s = r->s;

	if (s->arguments.n == 0)
		return err_set(e,
		    "no command given, as in: jobtriage run -- python "
		    "train.py");
	r->json =
	    strcmp(s->format, "json") == 0 || strcmp(s->format, "jsonl") == 0;
	if (!r->json && strcmp(s->format, "text") != 0)
		return err_set(
		    e, "--format %s: expected text, json or jsonl", s->format);
	if (s->job && !*s->job)
		return err_set(e, "--job: an id is expected");
	if (s->exec && !s->on.n)
		return err_set(e, "--exec: without --on nothing fires it");
	return read_map(r, e);
}

/* The command's name stands for the job when none is given. */
static const char *job_name(const struct settings *s)
{
	const char *slash = strrchr(s->arguments.v[0], '/');

	if (s->job)
		return s->job;
	return slash && slash[1] ? slash + 1 : s->arguments.v[0];
}

/* ---- while it runs ---- */

static void on_event(void *ctx, const struct live_event *ev)
{
	(void)ctx;
	screen_complain("run: %s: %s%s", ev->on, ev->text,
	    ev->stop ? "; stopping the command" : "");
}

static void on_note(void *ctx, const char *text)
{
	struct run *r = ctx;

	if (!r->s->quiet || !r->a.started)
		screen_complain("run: %s", text);
}

/* ---- what is told at the end ---- */

static int add_line(struct buf *out, const char *name, struct span text)
{
	return buf_addf(out, "  %-9s ", name) || text_visible(out, text) ||
	    buf_addc(out, '\n');
}

/* The cause in a few lines. */
static int summary(const struct diagnosis *d, struct buf *out)
{
	const struct proof *p = d->evidence.n ? &d->evidence.v[0] : NULL;
	struct buf place = BUF_INIT(BUF_MAX);
	int rc = text_visible(out, span_of(d->reason)) || buf_addc(out, '\n') ||
	    add_line(out, "category", span_of(diagnosis_category(d))) ||
	    add_line(
		out, "verdict", span_of(taxonomy_verdict_name(d->verdict)));

	if (!rc && p && p->evidence)
		rc = buf_addf(&place, "%s:%llu: %.*s", p->log->path,
			 (unsigned long long)p->evidence->line,
			 (int)p->evidence->text_len, p->evidence->text) ||
		    add_line(out, "proof", (struct span){ place.p, place.len });
	for (size_t i = 0; !rc && i < d->n_notes; i++)
		rc = add_line(out, "note", span_of(d->notes[i]));
	buf_release(&place);
	return rc ? -1 : 0;
}

static void tell(const struct err *e)
{
	screen_complain("run: %s", e->text);
}

/* The JSON text, or the screen that explain shows, as it suits the stream on.
 */
static int write_report(const struct run *r, FILE *f, FILE *on, struct err *e)
{
	const struct explain x = {
		.d = &r->a.d,
		.tax = r->x.taxonomy,
		.unlogged = r->s->log == NULL,
		.style = { .width = screen_width(on),
		    .ascii = screen_ascii(),
		    .colour = screen_colour(r->s, on) },
	};

	if (!r->json)
		return explain_write(&x, f, e);
	fwrite(r->record.p, 1, r->record.len, f);
	fputc('\n', f);
	return 0;
}

/* In one write, and whole or not at all: other ranks may write to the same
 * terminal. */
static int show_report(const struct run *r, struct err *e)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	int rc = f ? write_report(r, f, stderr, e) : err_nomem(e);

	if (f && fclose(f) && !rc)
		rc = err_nomem(e);
	if (!rc)
		fwrite(text, 1, n, stderr);
	free(text);
	return rc;
}

static void write_output(const struct run *r)
{
	struct outfile out;
	struct err e;

	if (outfile_open(&out, r->s->output, &e) ||
	    write_report(r, out.f, out.f, &e)) {
		outfile_abandon(&out);
		tell(&e);
	} else if (outfile_close(&out, &e)) {
		tell(&e);
	}
}

/* Kubernetes mounts the file: it cannot be renamed over. */
static void write_termination_log(const struct run *r)
{
	const char *name = r->s->termination_log;
	struct buf text = BUF_INIT(BUF_MAX);
	int fd;

	if (summary(&r->a.d, &text))
		buf_clear(&text);
	if (text.len > TERMINATION_MAX) {
		text.len = TERMINATION_MAX;
		while (text.len && (text.p[text.len] & 0xc0) == 0x80)
			text.len--;
	}
	fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 ||
	    (text.len && write(fd, text.p, text.len) != (ssize_t)text.len))
		screen_complain("run: %s: %s", name, strerror(errno));
	if (fd >= 0)
		close(fd);
	buf_release(&text);
}

static int make_record(struct run *r, struct err *e)
{
	buf_clear(&r->record);
	return diagnosis_json_text(&r->a.d, r->x.taxonomy, &r->record, e);
}

/* Judge by earlier attempts, and keep this one. */
static int use_store(struct run *r, struct err *e)
{
	struct diagnosis *d = &r->a.d;
	struct gate_store *store = gate_store_open(r->s);
	struct gate_given given = { 0 };
	int rc = gate_store_hold(store, d, r->x.taxonomy, e);

	if (!rc && r->s->job)
		rc = gate_store_judge(store, d, r->x.taxonomy, e);
	if (!rc && store) {
		given.verdict = given.word = taxonomy_verdict_name(d->verdict);
		given.reason = d->reason;
		gate_store_save(store, d, &given);
	}
	gate_store_close(store);
	return rc ? -1 : 0;
}

static void conclude(struct run *r)
{
	/* what nobody reads any more fails nobody */
	bool failed = r->a.status && r->a.status != 128 + SIGPIPE;
	struct err e;

	if ((r->s->store && use_store(r, &e)) ||
	    (r->json && make_record(r, &e))) {
		tell(&e);
		return;
	}
	if (r->s->output)
		write_output(r);
	if (failed && r->s->termination_log)
		write_termination_log(r);
	/* JSON that goes to a file leaves the screen to be shown */
	r->json &= r->s->output == NULL;
	if ((failed && !r->a.interrupted) || r->json)
		if (show_report(r, &e))
			tell(&e);
}

static int exit_status(const struct run *r)
{
	int word = r->a.diagnosed ? (int)r->a.d.verdict : GATE_ERROR;

	if (r->a.status == 0 || !r->a.started || word == VERDICT_NONE ||
	    r->map[word] == KEEP_STATUS)
		return r->a.status;
	return r->map[word];
}

/* A closed descriptor must not become a pipe's end. */
static void guard_descriptors(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)open("/dev/null", fd ? O_RDONLY : O_WRONLY);
}

static int copy_command(
    const struct settings *s, struct list *argv, struct err *e)
{
	for (size_t i = 0; i < s->arguments.n; i++)
		if (options_list_add(argv, s->arguments.v[i]))
			return err_nomem(e);
	return options_list_add(argv, NULL) ? err_nomem(e) : 0;
}

enum exit_status cmd_run(const struct settings *s)
{
	struct run r = { .s = s, .record = BUF_INIT(BUF_MAX) };
	const struct live_sink sink = { &r, on_event, on_note, NULL };
	struct list argv = { 0 };
	int status = STATUS_OURS;
	struct err e;

	guard_descriptors();
	if (read_settings(&r, &e) || session_own_terminal(s, stderr, &e) ||
	    session_open(&r.x, s, &e)) {
		tell(&e);
		goto out;
	}
	engine_excerpts(r.x.engine);
	engine_trends(r.x.engine);
	r.o = (struct live_options){ .triage = &r.x.options,
		.on = s->on.v,
		.n_on = s->on.n,
		.exec = s->exec,
		.grace = s->grace,
		.log = s->log,
		.job = job_name(s),
		.attempt = (int)s->attempt };
	if (copy_command(s, &argv, &e) || live_check(&r.o, &e)) {
		tell(&e);
		goto out;
	}
	if (live_run(&r.o, (char *const *)(uintptr_t)argv.v, &sink, &r.a, &e))
		tell(&e);
	if (r.a.diagnosed)
		conclude(&r);
	status = exit_status(&r);
out:
	answer_release(&r.a);
	session_release(&r.x);
	buf_release(&r.record);
	free(argv.v);
	/* a shell ends its script only when this, too, ends by the signal */
	if (r.a.interrupted && status == 128 + SIGINT) {
		signal(SIGINT, SIG_DFL);
		raise(SIGINT);
	}
	return (enum exit_status)status;
}
