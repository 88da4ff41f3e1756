/* jobtriage scan: diagnose every job under the paths. */
#include "base/err.h"
#include "base/json.h"
#include "cli/keep.h"
#include "cli/progress.h"
#include "cli/sandbox.h"
#include "cli/session.h"
#include "diagnose/evidence/scan.h"
#include "reports/output/output.h"
#include "reports/output/record.h"

#include <errno.h>
#include <string.h>

struct scan_run {
	const struct settings *s;
	const struct output *format;
	struct writer writer;
	struct progress_bar *bar;
	struct keep *keep; /* or NULL */
	struct buf text;   /* scratch */
	struct err e;
	bool failed;  /* the output could not be made */
	bool fail_on; /* a condition holds */
};

/* Whether a --fail-on word fits a diagnosis. */
static bool fits(const char *word, const struct json *d)
{
	const struct json *failed = json_get(d, "failed");
	bool verdict = span_is(json_get_text(d, "verdict"), word);

	if (!json_true_value(failed))
		return verdict && json_is(failed, JSON_IS_NULL);
	return verdict || strcmp(word, "failed") == 0 ||
	    span_is(json_get_text(d, "category"), word) ||
	    span_is(json_get_text(d, "dimension"), word);
}

/* Whether --fail-on knows the word at all. */
static bool known(const char *word, const struct taxonomy *tax)
{
	if (strcmp(word, "failed") == 0 || strcmp(word, "unknown") == 0 ||
	    (verdict_from_name(word) >= 0 && strcmp(word, "none") != 0) ||
	    taxonomy_category(tax, word))
		return true;
	for (size_t i = 0; i < tax->n_categories; i++)
		if (strcmp(word, tax->categories[i].dimension) == 0)
			return true;
	return false;
}

/* A diagnosis, read now or recalled, as the text of its JSON object. */
static int on_record(void *ctx, struct span record)
{
	struct scan_run *r = ctx;
	struct json *d;

	progress_clear(r->bar);
	if (r->s->fail_on.n) {
		d = json_parse(record, JSON_PARSE, &r->e);
		for (size_t i = 0; i < r->s->fail_on.n; i++)
			r->fail_on |= fits(r->s->fail_on.v[i], d);
		r->failed = d == NULL;
		json_free(d);
	}
	if (r->failed || output_job(r->format, &r->writer, record, &r->e)) {
		r->failed = true;
		return -1;
	}
	if (ferror(r->writer.f)) {
		r->failed = true;
		return err_set(&r->e, "%s: %s",
		    r->s->output ? r->s->output : "standard output",
		    errno ? strerror(errno) : "could not be written");
	}
	return 0;
}

static int on_job(void *ctx, const struct diagnosis *d)
{
	struct scan_run *r = ctx;
	struct span text;
	int rc;

	buf_clear(&r->text);
	rc = record_text(d, r->writer.tax, &r->text, &r->e);
	text = (struct span){ r->text.p, r->text.len };
	if (!rc && r->keep)
		rc = keep_add(r->keep, d, text, &r->e);
	if (rc) {
		r->failed = true;
		return -1;
	}
	return on_record(r, text);
}

static int on_recalled(void *ctx, const void *answer)
{
	struct scan_run *r = ctx;

	return keep_tell(answer, on_record, r);
}

static int on_read(void *ctx, struct hash_value stamp)
{
	struct scan_run *r = ctx;

	r->failed |= keep_reading(r->keep, stamp, &r->e) != 0;
	return r->failed ? -1 : 0;
}

static void on_note(
    void *ctx, const char *path, enum input_note kind, const char *text)
{
	struct scan_run *r = ctx;

	progress_clear(r->bar);
	session_note(r->s, path, kind, text);
}

static enum exit_status run(struct scan_run *r, struct session *x)
{
	const struct settings *s = r->s;
	const struct triage_sink sink = { r, on_job, on_note, on_recalled,
		on_read };
	struct triage_counters counters = { 0 };
	struct outfile out;
	int rc;

	if (outfile_open(&out, s->output, &r->e)) {
		complain("%s", r->e.text);
		outfile_abandon(&out);
		return STATUS_INTERNAL;
	}
	r->writer.f = out.f;
	r->writer.tax = x->taxonomy;
	r->writer.colour = colour_on(s, out.f);
	r->writer.width = terminal_width(out.f);
	if (s->progress)
		r->bar =
		    progress_start(&counters, s->arguments.v, s->arguments.n);
	rc = output_begin(r->format, &r->writer, &r->e) ||
	    triage_run(&x->options, s->arguments.v, s->arguments.n, &sink,
		&counters, &r->e) ||
	    r->failed;
	progress_stop(r->bar);
	r->writer.logs = counters.logs;
	r->writer.bytes = counters.log_bytes;
	r->writer.unread = session_unread(&counters);
	r->writer.recalled = keep_recalled(r->keep);
	if (keep_close(r->keep, rc ? NULL : &r->e))
		rc = -1;
	r->keep = NULL;
	if (!rc)
		rc = output_end(r->format, &r->writer, &r->e);
	if (rc)
		outfile_abandon(&out);
	else
		rc = outfile_close(&out, &r->e);
	totals_release(&r->writer.totals);
	buf_release(&r->writer.line);
	buf_release(&r->text);
	if (rc) {
		complain("%s", r->e.text);
		return STATUS_INTERNAL;
	}
	if (r->fail_on)
		return STATUS_FAIL_ON;
	return session_unread(&counters) || x->lost_records ? STATUS_DEGRADED
							    : STATUS_OK;
}

enum exit_status cmd_scan(const struct settings *s)
{
	struct scan_run r = { .s = s, .text = BUF_INIT(BUF_MAX) };
	struct session x = { 0 };
	enum exit_status status = STATUS_USAGE;

	r.format = output_find(s->format);
	if (!r.format) {
		complain("--format %s: expected %s", s->format, output_names());
		return STATUS_USAGE;
	}
	if (s->arguments.n == 0 && s->records.n == 0) {
		complain("scan: no path given; see jobtriage scan --help");
		return STATUS_USAGE;
	}
	if (session_own_terminal(s, stdout, &r.e) ||
	    session_open(&x, s, &r.e)) {
		complain("%s", r.e.text);
		goto out;
	}
	if (s->trends)
		engine_trends(x.engine);
	for (size_t i = 0; i < s->fail_on.n; i++) {
		if (known(s->fail_on.v[i], x.taxonomy))
			continue;
		complain("--fail-on %s: no such verdict, category or "
			 "dimension",
		    s->fail_on.v[i]);
		goto out;
	}
	if (s->store) {
		r.keep = keep_open(s, &x, &r.e);
		if (!r.keep) {
			complain("%s", r.e.text);
			status = STATUS_INTERNAL;
			goto out;
		}
	}
	if (sandbox_enter(s, &r.e)) {
		complain("%s", r.e.text);
		keep_close(r.keep, NULL);
		status = STATUS_INTERNAL;
		goto out;
	}
	status = run(&r, &x);
out:
	session_release(&x);
	return status;
}
