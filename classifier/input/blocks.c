/*
 * One buffer holds history and block side by side, so that a reader can look
 * back over the seam; it slides until its end and is moved down then. Line
 * ends are looked for only where they matter: backwards from the end of what
 * was just added (is the line too long?), and forwards once the block is full.
 */
#include "input/blocks.h"

#include "base/err.h"
#include "input/clean.h"

#include <stdlib.h>
#include <string.h>

void blocks_begin(struct blocks *b, const struct decode_sink *sink)
{
	b->sink = *sink;
	b->history = b->text = b->len = b->line_start = 0;
	b->at.n = 0;
	b->cut = false;
	b->line = 1;
	b->clean = 0;
	b->newlines = b->long_lines = 0;
	b->error_file = b->logged = false;
}

void blocks_release(struct blocks *b)
{
	free(b->p);
	free(b->at.v);
	b->p = NULL;
	b->at.v = NULL;
	b->cap = b->at.n = b->at.cap = 0;
}

/* In small steps, so that what comes after the end is not read for each line
 * of a log that has only one of the two. */
size_t blocks_line_end(struct span s)
{
	size_t i = 0;

	for (; i < s.n; i += 512) {
		struct span part = span_sub(s, i, i + 512);
		const char *nl = memchr(part.p, '\n', part.n), *cr;

		if (nl)
			part.n = (size_t)(nl - part.p);
		cr = memchr(part.p, '\r', part.n);
		if (cr || nl)
			return (size_t)((cr ? cr : nl) - s.p);
	}
	return s.n;
}

struct span blocks_line(struct span s)
{
	return span_sub(s, 0, blocks_line_end(s) + 1);
}

bool blocks_at_start(const struct blocks *b)
{
	return b->len == 0 || blocks_ends(b->p[b->len - 1]);
}

/* Room for n more bytes: first by moving down, then by growing. */
static int room(struct blocks *b, size_t n)
{
	size_t drop = b->history, cap;
	char *p;

	if (b->cap - b->len >= n)
		return 0;
	if (drop) {
		const char *from = b->p + drop;

		if (b->sink.swap && b->sink.swap(b->sink.ctx, &b->p, b->cap))
			return -1;
		memmove(b->p, from, b->len - drop);
		b->history = 0;
		b->text -= drop;
		b->len -= drop;
		b->line_start -= drop;
	}
	if (b->cap - b->len >= n)
		return 0;
	cap = DECODE_HISTORY + 2 * DECODE_BLOCK + 2 * b->line_max;
	if (cap < b->len + n)
		cap = b->len + n;
	p = realloc(b->p, cap);
	if (!p)
		return -1;
	b->p = p;
	b->cap = cap;
	return 0;
}

/* What stays visible before the next block: whole lines at its end. */
static void trim_history(struct blocks *b)
{
	size_t from = b->history;

	if (b->p && b->text - from > DECODE_HISTORY) {
		from = b->text - DECODE_HISTORY;
		while (from < b->text && !blocks_ends(b->p[from - 1]))
			from++;
	}
	b->history = from;
}

/* The anchors of what stays behind after a block of n bytes. */
static void shift_anchors(struct blocks *b, size_t n)
{
	struct anchors *a = &b->at;
	size_t i, rest = b->len - b->text - n;

	if (rest == 0) {
		a->n = 0;
		return;
	}
	i = anchors_find(a, n);
	memmove(a->v, a->v + i, (a->n - i) * sizeof *a->v);
	a->n -= i;
	for (size_t k = 0; k < a->n; k++) {
		struct anchor *v = &a->v[k];

		if (v->pos < n) {
			v->raw = anchor_raw(v, n);
			v->pos = (uint32_t)n;
		}
		v->pos -= (uint32_t)n;
	}
}

static int emit(struct blocks *b, size_t n, bool last)
{
	struct decode_block block = {
		.text = { b->p ? b->p + b->text : "", n },
		.history = { b->p ? b->p + b->history : "",
		    b->text - b->history },
		.line = b->line,
		.clean = b->clean,
		.places = &b->at,
		.error_file = b->error_file,
		.logged = b->logged,
		.last = last,
	};
	int rc = b->sink.block(b->sink.ctx, &block);

	/* what stays behind is a part of a line */
	b->line += b->newlines;
	b->newlines = 0;
	b->clean += n;
	shift_anchors(b, n);
	b->text += n;
	trim_history(b);
	return rc ? -1 : 0;
}

/* Append, without a look at lines and blocks. */
static int append(struct blocks *b, struct piece t, struct err *e)
{
	if (room(b, t.text.n) ||
	    anchors_add(&b->at, (uint32_t)(b->len - b->text), t.raw, t.step))
		return err_nomem(e);
	memcpy(b->p + b->len, t.text.p, t.text.n);
	b->len += t.text.n;
	b->newlines += span_newlines(t.text);
	return 0;
}

/* The line is full: end it with '\r' and begin the next with its tail, which
 * keeps the places it came from. */
static int cut(struct blocks *b, struct err *e)
{
	size_t from = b->len - DECODE_OVERLAP, pos = from - b->text;
	char tail[DECODE_OVERLAP];
	struct anchors at = { NULL, 0, 0 };
	int rc = -1;

	memcpy(tail, b->p + from, sizeof tail);
	for (size_t i = anchors_find(&b->at, pos); i < b->at.n; i++) {
		struct anchor v = b->at.v[i];

		if (v.pos < pos) {
			v.raw = anchor_raw(&v, pos);
			v.pos = (uint32_t)pos;
		}
		if (anchors_add(&at, v.pos - (uint32_t)pos, v.raw, v.step)) {
			err_nomem(e);
			goto out;
		}
	}
	b->long_lines += !b->cut;
	b->cut = true;
	if (room(b, 1)) {
		err_nomem(e);
		goto out;
	}
	b->p[b->len++] = '\r';
	if (b->len - b->text >= DECODE_BLOCK &&
	    emit(b, b->len - b->text, false))
		goto out;
	b->line_start = b->len;
	for (size_t i = 0; i < at.n; i++) {
		struct anchor *v = &at.v[i];
		size_t end = i + 1 < at.n ? v[1].pos : sizeof tail;
		struct piece t = { { tail + v->pos, end - v->pos }, v->raw,
			v->step };

		if (append(b, t, e))
			goto out;
	}
	rc = 0;
out:
	free(at.v);
	return rc;
}

/* The bytes from p[from] on are new: where does the open line begin now? */
static void find_line_start(struct blocks *b, size_t from)
{
	size_t i = span_line_start((struct span){ b->p, b->len }, from, b->len);

	if (i > from) {
		b->line_start = i;
		b->cut = false;
	}
}

int blocks_add(struct blocks *b, struct piece t, struct err *e)
{
	while (t.text.n) {
		size_t have = b->len - b->text, before;
		size_t left = b->line_start + b->line_max - b->len;
		char next = t.text.p[0];
		struct piece part = t;

		if (have >= DECODE_BLOCK && blocks_ends(b->p[b->len - 1]) &&
		    !(b->p[b->len - 1] == '\r' && next == '\n')) {
			if (emit(b, have, false))
				return -1;
			continue;
		}
		if (left == 0 && !blocks_ends(next)) {
			if (cut(b, e))
				return -1;
			continue;
		}
		if (left == 0)
			left = 1;
		if (part.text.n > left)
			part.text.n = left;
		if (have >= DECODE_BLOCK)
			part.text = blocks_line(part.text);
		else if (part.text.n > DECODE_BLOCK - have)
			part.text.n = DECODE_BLOCK - have;
		before = part.text.n;
		if (append(b, part, e))
			return -1;
		find_line_start(b, b->len - before);
		t.text = span_sub(t.text, before, t.text.n);
		t.raw += (uint64_t)t.step * before;
	}
	return 0;
}

int blocks_add_line(
    struct blocks *b, struct piece line, struct piece end, struct err *e)
{
	size_t n = line.text.n, have = b->len - b->text;

	/* nothing to cut, and the block is not full before it */
	if (end.text.p[0] != '\n' || have + n >= DECODE_BLOCK ||
	    n > b->line_start + b->line_max - b->len)
		return blocks_add(b, line, e) || blocks_add(b, end, e) ? -1 : 0;
	if (room(b, n + 1) ||
	    (n && anchors_add(&b->at, (uint32_t)have, line.raw, line.step)) ||
	    anchors_add(&b->at, (uint32_t)(have + n), end.raw, end.step))
		return err_nomem(e);
	if (n)
		memcpy(b->p + b->len, line.text.p, n);
	b->p[b->len + n] = '\n';
	b->len += n + 1;
	b->newlines++;
	b->line_start = b->len;
	b->cut = false;
	return 0;
}

int blocks_take(
    struct blocks *b, struct clean *c, struct piece *t, struct err *e)
{
	size_t have = b->len - b->text, from, i = 0;
	size_t n = b->line_start + b->line_max - b->len;

	if (have >= DECODE_BLOCK || b->len == b->history)
		return 0;
	if (n > DECODE_BLOCK - have)
		n = DECODE_BLOCK - have;
	n = n < t->text.n ? n : t->text.n;
	if (room(b, n))
		return err_nomem(e);
	from = b->len;
	while (i < n) {
		size_t skip = clean_skip(c, span_sub(t->text, i, n)), run;

		i += skip;
		run = clean_copy(b->keys, span_sub(t->text, i, n),
		    b->p + b->len, &b->newlines);
		if (run &&
		    anchors_add(
			&b->at, (uint32_t)(b->len - b->text), t->raw + i, 1))
			return err_nomem(e);
		b->len += run;
		i += run;
		if (skip + run == 0)
			break;
	}
	find_line_start(b, from);
	t->text = span_sub(t->text, i, t->text.n);
	t->raw += i;
	return 0;
}

int blocks_flush(struct blocks *b, bool last)
{
	size_t n = (last ? b->len : b->line_start) - b->text;

	return n || last ? emit(b, n, last) : 0;
}
