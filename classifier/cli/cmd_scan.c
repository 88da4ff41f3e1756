/* jobtriage scan: diagnose every job under the paths. */
#include "base/err.h"
#include "base/json.h"
#include "cli/scan_store.h"
#include "cli/progress.h"
#include "cli/sandbox.h"
#include "cli/session.h"
#include "diagnose/evidence/scan.h"
#include "reports/output/output.h"
#include "reports/output/diagnosis_json.h"

#include <errno.h>
#include <string.h>

struct scan_run {
	const struct settings *s;
	const struct output *format;
	struct writer writer;
	struct progress_bar *bar;
	struct scan_store *keep; /* or NULL */
	struct buf text;         /* scratch */
	struct err e;
	bool failed;  /* the output could not be made */
	bool fail_on; /* a condition holds */
};

/* Whether a --fail-on word fits a diagnosis. */
static bool fits(const char *word, const struct entry *en)
{
	bool verdict = strcmp(taxonomy_verdict_name(en->verdict), word) == 0;

	if (en->failed != 1)
		return verdict && en->failed < 0;
	return verdict || strcmp(word, "failed") == 0 ||
	    strcmp(word, en->category) == 0 ||
	    (en->dimension && strcmp(word, en->dimension) == 0);
}

/* Whether --fail-on knows the word at all. */
static bool known(const char *word, const struct taxonomy *tax)
{
	if (strcmp(word, "failed") == 0 || strcmp(word, "unknown") == 0 ||
	    (taxonomy_verdict(word) >= 0 && strcmp(word, "none") != 0) ||
	    taxonomy_category(tax, word))
		return true;
	for (size_t i = 0; i < tax->n_categories; i++)
		if (strcmp(word, tax->categories[i].dimension) == 0)
			return true;
	return false;
}

/* Whether anybody asks for more than the JSON. */
static bool needs_entry(const struct scan_run *r)
{
	return r->format->entry || r->s->fail_on.n;
}

/* A diagnosis, read now or recalled. -1 with e set. */
static int tell(struct scan_run *r, const struct entry *en, struct span record)
{
	progress_clear(r->bar);
	for (size_t i = 0; i < r->s->fail_on.n; i++)
		r->fail_on |= fits(r->s->fail_on.v[i], en);
	if (output_job(r->format, &r->writer, en, record, &r->e))
		return -1;
	if (!ferror(r->writer.f))
		return 0;
	return err_set(&r->e, "%s: %s",
	    r->s->output ? r->s->output : "standard output",
	    errno ? strerror(errno) : "could not be written");
}

static int on_job(void *ctx, const struct diagnosis *d)
{
	struct scan_run *r = ctx;
	const struct taxonomy *tax = r->writer.tax;
	struct arena *arena = arena_new();
	struct span record;
	struct entry en = { .failed = -1 };
	int rc = arena ? 0 : err_nomem(&r->e);

	buf_clear(&r->text);
	if (!rc && (r->keep || needs_entry(r)))
		rc = entry_fill(&en, d, tax, arena, &r->e);
	if (!rc && (r->keep || r->format->record))
		rc = diagnosis_json_text(d, tax, &r->text, &r->e);
	record = (struct span){ r->text.p, r->text.len };
	if (!rc && r->keep)
		rc = scan_store_add(r->keep, d, &en, record, &r->e);
	if (!rc)
		rc = tell(r, &en, record);
	arena_free(arena);
	r->failed |= rc != 0;
	return rc;
}

/* What a store had is read again. */
static int on_kept(void *ctx, struct span record)
{
	struct scan_run *r = ctx;
	struct arena *arena = arena_new();
	struct json *o = NULL;
	struct entry en = { .failed = -1 };
	int rc = arena ? 0 : err_nomem(&r->e);

	if (!rc && needs_entry(r)) {
		o = json_parse(record, JSON_PARSE, &r->e);
		rc = o ? entry_read(&en, o, arena, &r->e) : -1;
	}
	if (!rc)
		rc = tell(r, &en, record);
	json_free(o);
	arena_free(arena);
	r->failed |= rc != 0;
	return rc;
}

static int on_recalled(void *ctx, const void *answer)
{
	return scan_store_tell(answer, on_kept, ctx);
}

static int on_read(
    void *ctx, struct hash_value stamp, char *const *opened, size_t n_opened)
{
	struct scan_run *r = ctx;

	r->failed |=
	    scan_store_reading(r->keep, stamp, opened, n_opened, &r->e) != 0;
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

	if (outfile_open(&out, s->output, &r->e))
		return screen_failed(&r->e, STATUS_INTERNAL);
	r->writer.f = out.f;
	r->writer.tax = x->taxonomy;
	r->writer.colour = screen_colour(s, out.f);
	r->writer.width = screen_width(out.f);
	if (s->progress)
		r->bar = progress_start(
		    &x->options, &counters, s->arguments.v, s->arguments.n);
	rc = output_begin(r->format, &r->writer, &r->e) ||
	    triage_run(&x->options, s->arguments.v, s->arguments.n, &sink,
		&counters, &r->e) ||
	    r->failed || scan_store_learn(r->keep, &r->e);
	progress_stop(r->bar);
	r->writer.logs = counters.logs;
	r->writer.bytes = counters.log_bytes;
	r->writer.others = counters.others;
	r->writer.unread = session_unread(&counters);
	r->writer.recalled = scan_store_recalled(r->keep);
	if (scan_store_close(r->keep, rc ? NULL : &r->e))
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
	if (rc)
		return screen_failed(&r->e, STATUS_INTERNAL);
	if (r->fail_on)
		return STATUS_FAIL_ON;
	return session_unread(&counters) || x->lost_records ? STATUS_DEGRADED
							    : STATUS_OK;
}

enum exit_status cmd_scan_list(
    const struct settings *s, struct session *x, const char *format)
{
	struct scan_run r = {
		.s = s,
		.format = output_find(format),
		.text = BUF_INIT(BUF_MAX),
	};

	return run(&r, x);
}

enum exit_status cmd_scan(const struct settings *s)
{
	struct scan_run r = { .s = s, .text = BUF_INIT(BUF_MAX) };
	struct session x = { 0 };
	enum exit_status status = STATUS_USAGE;

	r.format = output_find(s->format);
	if (!r.format) {
		screen_complain("--format %s: no such format; see jobtriage "
				"scan --help",
		    s->format);
		return STATUS_USAGE;
	}
	if (s->arguments.n == 0 && s->records.n == 0) {
		screen_complain(
		    "scan: no path given; see jobtriage scan --help");
		return STATUS_USAGE;
	}
	if (session_own_terminal(s, stdout, &r.e) ||
	    session_open(&x, s, &r.e)) {
		status = screen_failed(&r.e, STATUS_USAGE);
		goto out;
	}
	if (s->trends)
		engine_trends(x.engine);
	if (s->goodput)
		engine_goodput(x.engine);
	for (size_t i = 0; i < s->fail_on.n; i++) {
		if (known(s->fail_on.v[i], x.taxonomy))
			continue;
		screen_complain("--fail-on %s: no such verdict, category or "
				"dimension",
		    s->fail_on.v[i]);
		goto out;
	}
	if (s->learn && !s->store) {
		screen_complain("scan --learn: --store URL is missing");
		goto out;
	}
	if (s->store) {
		r.keep = scan_store_open(s, &x, &r.e);
		if (!r.keep) {
			status = screen_failed(&r.e, STATUS_INTERNAL);
			goto out;
		}
	}
	if (sandbox_enter(s, SANDBOX_THREADS | SANDBOX_STORE_OPEN, &r.e)) {
		status = screen_failed(&r.e, STATUS_INTERNAL);
		scan_store_close(r.keep, NULL);
		goto out;
	}
	status = run(&r, &x);
out:
	session_release(&x);
	return status;
}
