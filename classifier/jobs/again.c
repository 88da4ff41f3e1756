#include "jobs/again.h"

#include "base/buf.h"
#include "base/err.h"
#include "input/below.h"
#include "input/decode.h"
#include "rules/redact.h"
#include "rules/taxonomy.h"

#include <string.h>

struct reading {
	const struct again *a;
	const char *path;
	struct decode *decode;
	struct redact *redact; /* or NULL */
	struct buf hidden, kept;
	bool failed, enough;
	struct err *e;
};

/* Where the line that begins at a place ends. */
static size_t line_end(struct span text, size_t at)
{
	while (at < text.n && text.p[at] != '\n' && text.p[at] != '\r')
		at++;
	return at;
}

/* The text with nothing left of lines that are seen between two others that
 * are, but their ends. -1: out of memory. */
static int leave_out(struct reading *r, struct span *text)
{
	bool before = false, seen = false, next; /* the line in hand: seen */
	size_t from = 0, at = 0, end;
	int rc = 0;

	buf_clear(&r->kept);
	for (; at < text->n && !rc; at = end + 1) {
		end = line_end(*text, at);
		next = end == at ||
		    r->a->seen(r->a->ctx, span_sub(*text, at, end));
		/* the line before this one, and its end */
		if (at && before && seen && next)
			rc = buf_addc(&r->kept, text->p[at - 1]);
		else if (at)
			rc = buf_add(&r->kept, text->p + from, at - from);
		before = seen;
		seen = next;
		from = at;
	}
	if (!rc && from < text->n)
		rc = buf_add(&r->kept, text->p + from, text->n - from);
	*text = (struct span){ r->kept.p, r->kept.len };
	return rc;
}

static int on_text(struct reading *r, struct span text, uint64_t number)
{
	struct envelope env;
	size_t at = 0;
	int rc;

	while (at < text.n) {
		size_t end = line_end(text, at);

		if (end > at) {
			envelope_peel(r->a->taxonomy->prefixes,
			    span_sub(text, at, end), &env);
			rc = r->a->line(r->a->ctx, &env, number);
			if (rc)
				return rc;
		}
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
	int rc = 0, hides = 0;

	if (r->a->most && b->line > r->a->most)
		rc = 1;
	else if (r->a->seen)
		rc = leave_out(r, &text);
	if (!rc && r->redact)
		hides = redact_text(r->redact, text, &r->hidden, NULL);
	if (hides == 1)
		text = (struct span){ r->hidden.p, r->hidden.len };
	if (!rc)
		rc = hides < 0 ? -1 : on_text(r, text, b->line);
	r->failed |= rc < 0;
	r->enough |= rc > 0;
	return rc ? -1 : 0;
}

/* ---- the input's sink ---- */

static int on_begin(void *ctx, const char *path)
{
	const struct decode_sink sink = { ctx, on_block, NULL };
	struct reading *r = ctx;

	if (r->failed || r->enough)
		return -1;
	if (r->a->only && strcmp(path, r->path) != 0)
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
	if (!r->failed && !r->enough && decode_end(r->decode, r->e) &&
	    !r->enough)
		r->failed = true;
}

static void on_note(
    void *ctx, const char *path, enum input_note kind, const char *text)
{
	const struct reading *r = ctx;

	if (r->a->note)
		r->a->note(r->a->ctx, path, kind, text);
}

/* The bytes of the path that the user named; 0: none of what he named. */
static size_t given_of(const struct again *a, const char *path)
{
	size_t best = 0;

	for (size_t i = 0; i < a->n_given; i++) {
		size_t n = below_given(a->given[i]);

		if (n > best && strncmp(path, a->given[i], n) == 0 &&
		    (path[n] == '/' || !path[n]))
			best = n;
	}
	return best;
}

static int read_path(const struct again *a, const char *path,
    const struct input_sink *sink, struct err *e)
{
	struct below at = { path, 0, a->follow, NULL };

	if (!a->given)
		return input_read(path, a->limits, sink, e);
	at.given = given_of(a, path);
	return at.given ? input_read_below(&at, a->limits, sink, e) : 0;
}

int again_read(const struct again *a, const char *path, struct err *e)
{
	struct reading r = { .a = a,
		.path = path,
		.decode = decode_new(a->limits, a->taxonomy->json_keys, e),
		.redact = a->redact ? redact_new(a->redact) : NULL,
		.hidden = BUF_INIT(BUF_MAX),
		.kept = BUF_INIT(BUF_MAX),
		.e = e };
	const struct input_sink sink = { .ctx = &r,
		.begin = on_begin,
		.data = on_data,
		.end = on_end,
		.note = on_note };
	int rc = -1;

	if (!r.decode)
		goto out;
	decode_prefixes(r.decode, a->taxonomy->prefixes);
	if (a->redact && !r.redact)
		err_nomem(e);
	else if (!read_path(a, path, &sink, e))
		rc = r.failed ? err_nomem(e) : 0;
out:
	decode_free(r.decode);
	redact_free(r.redact);
	buf_release(&r.hidden);
	buf_release(&r.kept);
	return rc;
}
