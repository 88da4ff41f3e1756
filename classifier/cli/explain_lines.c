/* Logs are read twice: for the diagnosis, and line by line for this. */
#include "cli/explain_lines.h"

#include "base/buf.h"
#include "base/err.h"
#include "cli/session.h"
#include "input/decode.h"
#include "input/envelope.h"
#include "input/input.h"
#include "reports/explain/explain_diff.h"
#include "rules/redact.h"

#include <string.h>

struct reading {
	const struct settings *s;
	const struct taxonomy *tax;
	const struct diagnosis *d;
	struct explain_diff *df;
	struct decode *decode;
	struct redact *redact; /* or NULL */
	struct buf hidden;
	const struct findings *log; /* NULL: the good one */
	bool good, failed, degraded;
	bool any;  /* line of the good log */
	bool told; /* of a log that is not whole, when it was diagnosed */
	struct err *e;
};

static int on_line(struct reading *r, struct span raw, uint64_t number)
{
	struct envelope env;

	envelope_peel(r->tax->prefixes, raw, &env);
	r->any = true;
	if (r->good)
		return explain_diff_good(r->df, env.text);
	return explain_diff_bad(
	    r->df, env.text, number, r->log, env.level == LEVEL_WARNING);
}

static int on_text(struct reading *r, struct span text, uint64_t number)
{
	size_t at = 0;

	while (at < text.n) {
		size_t end = at;

		while (
		    end < text.n && text.p[end] != '\n' && text.p[end] != '\r')
			end++;
		if (end > at && on_line(r, span_sub(text, at, end), number))
			return -1;
		number += end < text.n && text.p[end] == '\n';
		at = end + 1;
	}
	return 0;
}

/* A block at a time, since some secrets have several lines. */
static int on_block(void *ctx, const struct decode_block *b)
{
	struct reading *r = ctx;
	struct span text = b->text;
	int rc = r->redact ? redact_text(r->redact, text, &r->hidden, NULL) : 0;

	if (rc == 1)
		text = (struct span){ r->hidden.p, r->hidden.len };
	if (rc < 0 || on_text(r, text, b->line)) {
		r->failed = true;
		return -1;
	}
	return 0;
}

/* ---- the input's sink ---- */

static int on_begin(void *ctx, const char *path)
{
	const struct decode_sink sink = { ctx, on_block, NULL };
	struct reading *r = ctx;

	if (r->failed)
		return -1;
	if (!r->good && strcmp(path, r->log->path) != 0)
		return 1; /* another member of the archive */
	decode_begin(r->decode, &sink);
	return 0;
}

static int on_data(void *ctx, const char *p, size_t n)
{
	struct reading *r = ctx;

	return decode_feed(r->decode, p, n, r->e);
}

static void on_end(void *ctx, bool whole)
{
	struct reading *r = ctx;

	(void)whole;
	if (!r->failed && decode_end(r->decode, r->e))
		r->failed = true;
}

static void on_note(
    void *ctx, const char *path, enum input_note kind, const char *text)
{
	struct reading *r = ctx;

	if (r->good || !r->told)
		session_note(r->s, path, kind, text);
	r->degraded = true;
}

static int read_log(struct reading *r, const char *path)
{
	const struct input_sink sink = { .ctx = r,
		.begin = on_begin,
		.data = on_data,
		.end = on_end,
		.note = on_note };

	if (input_read(path, &r->s->limits, &sink, r->e))
		return -1;
	return r->failed ? err_nomem(r->e) : 0;
}

int explain_lines_diff(const struct settings *s, const struct explain *x,
    bool *degraded, FILE *out, struct err *e)
{
	struct reading r = { .s = s,
		.tax = x->tax,
		.d = x->d,
		.df = explain_diff_new(x->tax),
		.decode = decode_new(&s->limits, x->tax->json_keys, e),
		.redact = x->redact ? redact_new(x->redact) : NULL,
		.hidden = BUF_INIT(BUF_MAX),
		.good = true,
		.told = *degraded,
		.e = e };
	int rc = -1;

	if (!r.df || !r.decode || (x->redact && !r.redact)) {
		err_nomem(e);
		goto out;
	}
	if (read_log(&r, s->diff))
		goto out;
	*degraded |= r.degraded;
	if (!r.any) {
		if (!r.degraded)
			screen_complain("explain --diff: %s: there is no line "
					"to compare with",
			    s->diff);
		*degraded = true;
		rc = 0;
		goto out;
	}
	rc = 0;
	r.good = false;
	for (size_t i = 0; i < x->d->n_logs && !rc; i++) {
		r.log = x->d->logs[i];
		if (!r.log->of_record && !r.log->of_node)
			rc = read_log(&r, r.log->path);
	}
	*degraded |= r.degraded;
	rc = rc ? -1 : explain_diff_write(r.df, x, out, e);
out:
	decode_free(r.decode);
	redact_free(r.redact);
	buf_release(&r.hidden);
	explain_diff_free(r.df);
	return rc;
}
