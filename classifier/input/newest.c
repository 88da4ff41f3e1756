/*
 * Events go on in pieces, from the last one held, so nothing is copied. All of
 * them have one place in the log, since places never go back.
 */
#include "input/newest.h"

#include "base/err.h"
#include "base/when.h"
#include "input/envelope.h"
#include "input/shape.h"
#include "input/unwrap.h"

#include <string.h>

#define HELD_MOST UNWRAP_EXPORT
#define LOOK_LINES 32 /* of which one has a time */
/* Times that go down: what may be such a log, and what is one. So many clocks
 * that differ by a little hardly ever say so, each in one line. */
#define DOWN_SOME 3
#define DOWN_FEW 6

void newest_begin(struct newest *n)
{
	n->on = false;
	n->order = (struct newest_order){ 0 };
	n->line = 0;
	held_clear(&n->held);
	buf_clear(&n->event);
	n->held.text.max = HELD_MOST;
	n->event.max = BUF_MAX;
}

void newest_release(struct newest *n)
{
	held_release(&n->held);
	buf_release(&n->event);
}

/* ---- times ---- */

static uint64_t writer_of(struct span node, int64_t rank)
{
	uint64_t h = 0xcbf29ce484222325u ^ (uint64_t)(rank + 1);

	for (size_t i = 0; i < node.n; i++)
		h = (h ^ (unsigned char)node.p[i]) * 0x100000001b3u;
	return h;
}

/* The outermost time of a line, which who collected it has written, and who
 * wrote the line: 1; 0: it has none; -1: out of memory. */
static int time_of(struct span line, const struct newest_next *next,
    int64_t *time, uint64_t *writer, struct err *e)
{
	struct envelope said;
	struct span node;
	int64_t rank;
	int rc = unwrap_when(next->unwrap, line, time, &node, &rank, e);

	if (rc) {
		*writer = rc > 0 ? writer_of(node, rank) : 0;
		return rc;
	}
	envelope_peel(next->prefixes, line, &said);
	*time = said.time;
	*writer = writer_of(said.node, said.rank);
	if (said.time == ENVELOPE_NO_TIME)
		return 0;
	(void)when_parse(line, time);
	return 1;
}

/* What one more line says of the order: 1: it has a time; 0; -1. */
static int add_line(struct newest_order *o, struct span line,
    const struct newest_next *next, struct err *e)
{
	uint64_t writer;
	int64_t time;
	int rc = time_of(line, next, &time, &writer, e);

	if (rc <= 0)
		return rc;
	if (o->timed) {
		/* one without a year cannot be compared */
		o->up |= time > o->last ||
		    when_has_year(time) != when_has_year(o->last);
		o->down += time < o->last && writer == o->writer;
	}
	o->timed = true;
	o->last = time;
	o->writer = writer;
	return 1;
}

int newest_tell(struct newest *n, struct span head,
    const struct newest_next *next, struct err *e)
{
	struct newest_order o = { 0 };
	size_t end;

	n->on = !head.n;
	for (unsigned lines = 0; head.n && !o.up; lines++) {
		end = span_find(head, "\n");
		if (end >= head.n || (lines == LOOK_LINES && !o.timed))
			break;
		if (add_line(&o, span_sub(head, 0, end), next, e) < 0)
			return -1;
		head = span_sub(head, end + 1, head.n);
	}
	n->on |= !o.up && o.down >= DOWN_SOME;
	return 0;
}

/* ---- text ---- */

/* It is none: what is held goes on as it is. */
static int let_go(
    struct newest *n, const struct newest_next *next, struct err *e)
{
	n->on = false;
	for (size_t k = 0; k < n->held.at.n; k++)
		if (next->add(next->ctx, held_piece(&n->held, k), e))
			return -1;
	held_clear(&n->held);
	buf_clear(&n->event);
	return 0;
}

/* Look at the lines that are whole by now, and at all of them at the end. */
static int read_lines(
    struct newest *n, bool all, const struct newest_next *next, struct err *e)
{
	const struct buf *text = &n->held.text;

	while (n->line < text->len && !n->order.up) {
		struct span rest = { text->p + n->line, text->len - n->line };
		size_t end = span_find(rest, "\n");
		bool ended = end < rest.n;
		int rc;

		if (!ended && !all)
			break;
		rest = span_sub(rest, 0, end);
		rc = add_line(&n->order, rest, next, e);
		if (rc < 0)
			return -1;
		if (rc && buf_add(&n->event, &n->line, sizeof n->line))
			return err_nomem(e);
		n->line += rest.n + ended;
	}
	return 0;
}

int newest_feed(struct newest *n, struct piece t,
    const struct newest_next *next, struct err *e)
{
	bool ended = span_find(t.text, "\n") < t.text.n;

	if (n->on && t.text.n <= HELD_MOST - n->held.text.len) {
		if (held_add(&n->held, t, e) ||
		    (ended && read_lines(n, false, next, e)))
			return -1;
		t.text.n = 0;
		if (!n->order.up &&
		    (n->held.text.len <= SHAPE_LOOK ||
			n->order.down >= DOWN_SOME))
			return 0;
	}
	if (n->on && let_go(n, next, e))
		return -1;
	return t.text.n ? next->add(next->ctx, t, e) : 0;
}

/* The held text of an event; the last line of the log gets an end that it may
 * lack, and the first event of all, which is the last now, loses its own. */
static int add_event(struct newest *n, struct span text, bool last,
    const struct newest_next *next, struct err *e)
{
	uint64_t raw = n->held.at.v[0].raw;
	struct piece t = { text, raw, 0 };
	const struct piece end = { { "\n", 1 }, raw, 0 };
	bool torn = n->held.text.p[n->held.text.len - 1] != '\n';

	if (last && torn && span_ends(text, "\n"))
		t.text.n--;
	if (t.text.n && next->add(next->ctx, t, e))
		return -1;
	return !last && !span_ends(text, "\n") ? next->add(next->ctx, end, e)
					       : 0;
}

static int turn(struct newest *n, const struct newest_next *next, struct err *e)
{
	size_t events = n->event.len / sizeof(size_t), to = n->held.text.len;
	size_t first, at;

	memcpy(&first, n->event.p, sizeof first);
	/* what stands before any time stays there */
	if (first &&
	    add_event(
		n, (struct span){ n->held.text.p, first }, false, next, e))
		return -1;
	while (events--) {
		memcpy(&at, n->event.p + events * sizeof at, sizeof at);
		if (add_event(n, (struct span){ n->held.text.p + at, to - at },
			!events, next, e))
			return -1;
		to = at;
	}
	held_clear(&n->held);
	buf_clear(&n->event);
	return 0;
}

int newest_end(struct newest *n, const struct newest_next *next, bool *turned,
    struct err *e)
{
	*turned = false;
	if (!n->on)
		return 0;
	if (read_lines(n, true, next, e))
		return -1;
	*turned = !n->order.up && n->order.down >= DOWN_FEW;
	if (!*turned)
		return let_go(n, next, e);
	n->on = false;
	return turn(n, next, e);
}
