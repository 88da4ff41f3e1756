/*
 * Logs that a service gave away as one JSON value: a list of records, wrapped
 * or not, and notebooks. The first bytes tell which; then the value is read as
 * a whole. Services that list the newest first are put in order.
 */
#include "input/unwrap.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "input/unwrap_private.h"

#include <stdlib.h>
#include <string.h>

#define LOOK_MAX 4096 /* bytes, blanks included, that tell what it is */

/* Records in the order of the value, then of time. */
struct list {
	struct item {
		struct record r;
		size_t stream, at;
	} * v;
	size_t n, cap;
	bool no_memory;
};

static struct record *add_item(struct list *l)
{
	struct item *grown;

	if (l->n == l->cap) {
		grown = realloc(l->v, (2 * l->cap + 64) * sizeof *grown);
		if (!grown) {
			l->no_memory = true;
			return NULL;
		}
		l->v = grown;
		l->cap = 2 * l->cap + 64;
	}
	l->v[l->n] = (struct item){ .r = { .rank = -1 }, .at = l->n };
	return &l->v[l->n++].r;
}

/* CloudWatch's get-log-events and filter-log-events, and plain lists. */
static void add_objects(
    const struct unwrap *u, const struct json *objects, struct list *l)
{
	for (size_t i = 0; i < json_count(objects) && !l->no_memory; i++) {
		const struct members o = { .tree = json_at(objects, i) };
		struct record *r = add_item(l);

		if (r && unwrap_read_record(u->keys, &o, r))
			unwrap_read_writer(u->keys, &o, r);
		else if (r)
			l->n--;
	}
}

/* Loki: of each stream its labels and pairs of time and line. A pod has one for
 * each level, so they are put in order together; the labels say who writes. */
static void add_streams(
    const struct unwrap *u, const struct json *root, struct list *l)
{
	const struct json *streams = json_get(json_get(root, "data"), "result");

	for (size_t i = 0; i < json_count(streams); i++) {
		const struct members labels = {
			.tree = json_get(json_at(streams, i), "stream")
		};
		const struct json *values =
		    json_get(json_at(streams, i), "values");

		for (size_t k = 0; k < json_count(values); k++) {
			const struct json *pair = json_at(values, k);
			struct span line = json_text(json_at(pair, 1));
			struct record *r = line.p ? add_item(l) : NULL;

			if (l->no_memory)
				return;
			if (!r)
				continue;
			l->v[l->n - 1].stream = i;
			unwrap_read_writer(u->keys, &labels, r);
			r->message = line;
			r->has_time =
			    unwrap_read_time(json_at(pair, 0), &r->time);
		}
	}
}

static int in_order(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->r.time != y->r.time)
		return x->r.time < y->r.time ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Only when all have a time: what has none stands where it belongs. */
static void put_in_order(struct list *l)
{
	size_t earlier = 0, later = 0;

	for (size_t i = 0; i < l->n; i++) {
		const struct item *v = &l->v[i];

		if (!v->r.has_time)
			return;
		if (i && v->stream == v[-1].stream) {
			earlier += v->r.time < v[-1].r.time;
			later += v->r.time > v[-1].r.time;
		}
	}
	for (size_t i = 0; earlier > later && i < l->n; i++)
		l->v[i].at = l->n - i;
	if (l->n)
		qsort(l->v, l->n, sizeof *l->v, in_order);
}

/* ---- notebooks ---- */

/* A text, or a list of its lines. */
static int join(const struct json *v, const char *between, struct buf *b)
{
	struct span s = json_text(v);
	int rc = s.n ? buf_add(b, s.p, s.n) : 0;

	for (size_t i = 0; !rc && i < json_count(v); i++) {
		s = json_text(json_at(v, i));
		rc = buf_add(b, s.p, s.n) || buf_adds(b, between);
	}
	return rc;
}

/* What a cell printed, or the exception that ended it. */
static int add_output(
    struct unwrap *u, struct buf *out, const struct json *output)
{
	struct buf b = BUF_INIT(BUF_MAX);
	struct record r = { .rank = -1 };
	const struct json *traceback = json_get(output, "traceback");
	struct span name = json_get_text(output, "ename");
	struct span value = json_get_text(output, "evalue");
	int rc =
	    join(json_get(output, "text"), "", &b) || join(traceback, "\n", &b);

	if (!rc && !json_count(traceback) && name.n)
		rc = buf_add(&b, name.p, name.n) || buf_adds(&b, ": ") ||
		    buf_add(&b, value.p, value.n);
	r.message = (struct span){ b.p, b.len };
	if (!rc && b.len)
		rc = unwrap_add_record(u, out, &r);
	buf_release(&b);
	return rc;
}

static int add_cell(struct unwrap *u, struct buf *out, const struct json *cell)
{
	const struct json *all = json_get(cell, "outputs");
	int rc = 0;

	for (size_t k = 0; !rc && k < json_count(all); k++)
		rc = add_output(u, out, json_at(all, k));
	return rc;
}

static bool cell_failed(const struct json *cell)
{
	const struct json *all = json_get(cell, "outputs");

	for (size_t k = 0; k < json_count(all); k++)
		if (json_get_text(json_at(all, k), "ename").n)
			return true;
	return false;
}

/* Cells stand where they were written, and are run in any order; the kernel
 * counts them. The one that was run last, if it failed; else, or where that
 * cannot be told, n: a cell that failed behind it has no number, as one that
 * still ran when the notebook was saved. */
static size_t last_failed(const struct json *cells, size_t n)
{
	size_t last = n;
	int64_t most = 0, run;

	for (size_t i = 0; i < n; i++) {
		const struct json *cell = json_at(cells, i);

		if (!json_int(json_get(cell, "execution_count"), &run)) {
			if (cell_failed(cell))
				last = n;
		} else if (run > most) {
			most = run;
			last = cell_failed(cell) ? i : n;
		}
	}
	return last;
}

static int add_cells(
    struct unwrap *u, struct buf *out, const struct json *cells)
{
	size_t n = json_count(cells), last = last_failed(cells, n);
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++)
		if (i != last)
			rc = add_cell(u, out, json_at(cells, i));
	return rc || last == n ? rc : add_cell(u, out, json_at(cells, last));
}

/* ---- which it is ---- */

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static enum unwrap_look look_for(const char *const *tokens, struct span s)
{
	size_t i = 0;

	for (; *tokens; tokens++) {
		size_t n = strlen(*tokens), left;

		while (i < s.n && is_space(s.p[i]))
			i++;
		left = s.n - i < n ? s.n - i : n;
		if (memcmp(s.p + i, *tokens, left) != 0)
			return UNWRAP_NO;
		if (left < n)
			return s.n >= LOOK_MAX ? UNWRAP_NO : UNWRAP_MORE;
		i += n;
	}
	return UNWRAP_LINE;
}

enum unwrap_look unwrap_look_export(struct span start)
{
	static const char *const shapes[][9] = {
		{ "{", "\"events\"", ":", "[", "{", "\"" },
		{ "{", "\"cells\"", ":", "[", "{", "\"" },
		/* Colab's order, and that of some editors; many a record of a
		 * logger begins with other metadata */
		{ "{", "\"nbformat\"", ":" },
		{ "{", "\"metadata\"", ":", "{", "\"kernelspec\"" },
		{ "{", "\"metadata\"", ":", "{", "\"language_info\"" },
		{ "{", "\"metadata\"", ":", "{", "}", ",", "\"nbformat\"" },
		{ "{", "\"status\"", ":", "\"success\"", ",", "\"data\"", ":",
		    "{" },
		{ "[", "{", "\"" },
	};
	enum unwrap_look best = UNWRAP_NO;

	start = span_sub(start, 0, LOOK_MAX);
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		enum unwrap_look look = look_for(shapes[i], start);

		if (look > best)
			best = look;
	}
	return best;
}

int unwrap_export(
    struct unwrap *u, struct span log, struct buf *out, struct err *e)
{
	struct err why = { 0 };
	struct json *root = json_parse(log, JSON_PARSE, &why);
	struct list l = { 0 };
	int rc = 0;

	if (!root)
		return why.lack ? err_pass(e, &why) : 0;
	add_objects(u, root, &l);
	add_objects(u, json_get(root, "events"), &l);
	add_streams(u, root, &l);
	put_in_order(&l);
	for (size_t i = 0; !rc && i < l.n; i++)
		rc = unwrap_add_record(u, out, &l.v[i].r);
	if (!rc)
		rc = add_cells(u, out, json_get(root, "cells"));
	if (rc || l.no_memory)
		rc = err_nomem(e);
	else
		rc = out->len > 0;
	free(l.v);
	json_free(root);
	return rc;
}
