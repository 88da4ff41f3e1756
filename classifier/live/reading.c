/*
 * A stream's unfinished line waits until its end comes, so that the other
 * stream's lines do not stand inside it; a very long one does not wait. With
 * one stream the scan sees exactly its bytes, in other pieces.
 *
 * For peeking the last bytes are kept and scanned anew: a block that is open in
 * the scan in progress is closed there, which must not happen here.
 */
#include "live/reading.h"

#include "base/buf.h"
#include "base/err.h"
#include "diagnose/evidence/around.h"
#include "diagnose/evidence/scan.h"
#include "jobs/layout.h"

#include <stdlib.h>
#include <string.h>

#define WAIT_MAX ((size_t)64 << 10) /* bytes of an unfinished line */
#define TAIL ((size_t)128 << 10)    /* bytes kept at least, for peeking */

struct reading {
	const struct layout *layout;
	struct scan *scan;
	struct scan *peek; /* or NULL */
	struct buf wait[READING_STREAMS];
	bool skip[READING_STREAMS]; /* up to the next line end */
	struct buf tail;
	uint64_t dropped; /* lines before tail */
	bool looked;      /* nothing came since */
};

struct reading *reading_new(
    const struct triage_options *o, bool peek, struct err *e)
{
	struct reading *r = calloc(1, sizeof *r);

	if (!r) {
		err_nomem(e);
		return NULL;
	}
	r->layout = o->layout;
	for (int i = 0; i < READING_STREAMS; i++)
		r->wait[i].max = BUF_MAX;
	r->tail.max = BUF_MAX;
	r->scan = scan_new(o->engine, e);
	if (peek)
		r->peek = scan_new(o->engine, e);
	if (r->scan && (!peek || r->peek))
		return r;
	reading_free(r);
	return NULL;
}

void reading_free(struct reading *r)
{
	if (!r)
		return;
	scan_free(r->scan);
	scan_free(r->peek);
	for (int i = 0; i < READING_STREAMS; i++)
		buf_release(&r->wait[i]);
	buf_release(&r->tail);
	free(r);
}

int reading_begin(struct reading *r, const char *path, struct err *e)
{
	struct log_id id;
	int rc;

	for (int i = 0; i < READING_STREAMS; i++) {
		buf_clear(&r->wait[i]);
		r->skip[i] = false;
	}
	buf_clear(&r->tail);
	r->dropped = 0;
	r->looked = true;
	if (layout_match(r->layout, path, &id, e))
		return -1;
	rc = scan_begin(r->scan, path, id.rank, id.node, e);
	layout_id_release(&id);
	return rc;
}

/* Keep what may be peeked at: from TAIL to twice as much. */
static int keep_tail(struct reading *r, struct span s, struct err *e)
{
	struct buf *b = &r->tail;
	size_t from;

	while (s.n) {
		size_t n = s.n < TAIL ? s.n : TAIL;

		if (b->len + n > 2 * TAIL) {
			from = b->len - TAIL;
			while (from < b->len && b->p[from - 1] != '\n')
				from++;
			for (size_t i = 0; i < from; i++)
				r->dropped += b->p[i] == '\n';
			memmove(b->p, b->p + from, b->len - from);
			b->len -= from;
		}
		if (buf_add(b, s.p, n))
			return err_nomem(e);
		s = span_sub(s, n, s.n);
	}
	return 0;
}

static int feed(struct reading *r, struct span s, struct err *e)
{
	if (s.n == 0)
		return 0;
	r->looked = false;
	if (r->peek && keep_tail(r, s, e))
		return -1;
	return scan_feed(r->scan, s.p, s.n, e);
}

static int feed_waiting(struct reading *r, int stream, struct err *e)
{
	struct buf *w = &r->wait[stream];
	int rc = feed(r, (struct span){ w->p, w->len }, e);

	buf_clear(w);
	return rc;
}

int reading_add(struct reading *r, int stream, struct span s, struct err *e)
{
	struct buf *w = &r->wait[stream];
	size_t whole = s.n, from = 0;

	if (r->skip[stream]) {
		while (from < s.n && !around_end(s.p[from]))
			from++;
		r->skip[stream] = from == s.n;
		s = span_sub(s, from < s.n ? from + 1 : from, s.n);
		whole = s.n;
	}
	while (whole > 0 && !around_end(s.p[whole - 1]))
		whole--;
	if (whole &&
	    (feed_waiting(r, stream, e) || feed(r, span_sub(s, 0, whole), e)))
		return -1;
	s = span_sub(s, whole, s.n);
	if (s.n && buf_add(w, s.p, s.n))
		return err_nomem(e);
	return w->len > WAIT_MAX ? feed_waiting(r, stream, e) : 0;
}

int reading_gap(struct reading *r, int stream, struct err *e)
{
	struct span end = { "\n", 1 };

	r->skip[stream] = true;
	if (r->wait[stream].len == 0)
		return 0;
	return feed_waiting(r, stream, e) || feed(r, end, e) ? -1 : 0;
}

struct findings *reading_look(struct reading *r, struct err *e)
{
	if (!r->looked && scan_flush(r->scan, e))
		return NULL;
	r->looked = true;
	return scan_findings(r->scan);
}

struct findings *reading_peek(struct reading *r, struct err *e)
{
	const struct findings *f = scan_findings(r->scan);
	struct findings *out;

	if (scan_begin(r->peek, f->path, f->rank, f->node, e) ||
	    scan_feed(r->peek, r->tail.p, r->tail.len, e))
		return NULL;
	for (int i = 0; i < READING_STREAMS; i++)
		if (scan_feed(r->peek, r->wait[i].p, r->wait[i].len, e))
			return NULL;
	out = scan_end(r->peek, true, e);
	for (size_t i = 0; out && i < out->n_evidence; i++)
		out->evidence[i].line += r->dropped;
	if (out && out->last_line_of_progress)
		out->last_line_of_progress += r->dropped;
	return out;
}

struct findings *reading_end(struct reading *r, struct err *e)
{
	struct span end = { "\n", 1 };

	for (int i = 0; i < READING_STREAMS; i++) {
		bool more = i + 1 < READING_STREAMS && r->wait[i + 1].len;
		bool open = r->wait[i].len > 0;

		if (feed_waiting(r, i, e) || (open && more && feed(r, end, e)))
			return NULL;
	}
	return scan_end(r->scan, true, e);
}
