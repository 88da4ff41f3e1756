/*
 * A log that is one text of JSON, or a list of its lines, as a whole or in an
 * object, as an API answers. What else the object holds is no log.
 */
#include "input/unwrap.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "input/unwrap_private.h"

#include <string.h>

#define LOOK_MAX 4096 /* bytes that tell */
#define LINES_FEW 4
#define DEEPEST 8

/* JSON, as far as it was looked over. */
struct look {
	unsigned depth;
	uint64_t lists; /* which of the depths are, as bits */
	bool in_text, closed;
	unsigned lines, most; /* of the text at hand; of any */
	unsigned texts;       /* in lists */
};

/* A byte that stands in no text. False: this is no JSON. */
static bool look_outside(struct look *l, char c)
{
	if (l->closed || strchr(" \t\r\n", c))
		return strchr(" \t\r\n", c);
	if (c == '"') {
		l->in_text = true;
		l->lines = 1;
		l->texts += l->depth && (l->lists >> l->depth & 1);
	} else if (c == '{' || c == '[') {
		if (++l->depth == 63)
			return false;
		l->lists &= ~(UINT64_C(1) << l->depth);
		l->lists |= (uint64_t)(c == '[') << l->depth;
	} else if (c == '}' || c == ']') {
		if (!l->depth--)
			return false;
		l->closed = !l->depth;
	} else {
		return l->depth && strchr(",:+-.0123456789Eaeflnrstu", c);
	}
	return true;
}

enum unwrap_look unwrap_look_text(struct span s, bool all)
{
	struct look l = { 0 };

	s = span_sub(s, 0, LOOK_MAX);
	for (size_t i = 0; i < s.n; i++) {
		if (!s.p[i] || !look_outside(&l, s.p[i]))
			return UNWRAP_NO;
		if (!l.in_text)
			continue;
		/* the first byte of a text is its quote mark */
		for (i++; i < s.n && s.p[i] != '"' && s.p[i] != '\n'; i++)
			if (s.p[i] == '\\' && ++i < s.n)
				l.lines += s.p[i] == 'n';
		l.most = l.lines > l.most ? l.lines : l.most;
		if (i < s.n && s.p[i] == '\n')
			return UNWRAP_NO;
		l.in_text = i >= s.n;
		l.closed = !l.depth && !l.in_text;
	}
	if (!all && s.n < LOOK_MAX)
		return UNWRAP_MORE;
	return (l.closed || !all) &&
		(l.most >= LINES_FEW || l.texts >= LINES_FEW)
	    ? UNWRAP_LINE
	    : UNWRAP_NO;
}

static int add_text(struct unwrap *u, struct buf *out, struct span text)
{
	u->dropped.state = CLEAN_TEXT;
	if (clean_add(&u->dropped, out, text))
		return -1;
	return span_ends(text, "\n") ? 0 : buf_addc(out, '\n');
}

/* Bytes of a list of texts; 0: it is none. */
static size_t list_bytes(const struct json *v)
{
	size_t bytes = 0;

	if (!json_is(v, JSON_IS_ARRAY))
		return 0;
	for (size_t i = 0; i < json_count(v); i++) {
		struct span line = json_text(json_at(v, i));

		if (!line.p)
			return 0;
		bytes += line.n;
	}
	return bytes;
}

/* Texts of several lines, and a list that is half of all. */
static int add_value(struct unwrap *u, struct buf *out, const struct json *v,
    size_t all, unsigned depth)
{
	struct span text = json_text(v), key;
	const struct json *member;
	bool list = list_bytes(v) >= all / 2;
	void *at = NULL;
	int rc = 0;

	if (depth == DEEPEST)
		return 0;
	if (text.p)
		return span_newlines(text) >= LINES_FEW - 1
		    ? add_text(u, out, text)
		    : 0;
	for (size_t i = 0;
	     !rc && json_is(v, JSON_IS_ARRAY) && i < json_count(v); i++)
		rc = list ? add_text(u, out, json_text(json_at(v, i)))
			  : add_value(u, out, json_at(v, i), all, depth + 1);
	while (!rc && json_is(v, JSON_IS_OBJECT) &&
	    json_each(v, &at, &key, &member))
		rc = add_value(u, out, member, all, depth + 1);
	return rc;
}

int unwrap_text_value(
    struct unwrap *u, struct span log, struct buf *out, struct err *e)
{
	struct err why = { 0 };
	struct json *root = json_parse(log, JSON_PARSE, &why);
	const struct members whole = { .tree = root };
	struct record r = { .rank = -1 };
	int rc = 0;

	if (!root)
		return why.lack ? err_pass(e, &why) : 0;
	/* a record is read as such */
	if (!json_is(root, JSON_IS_OBJECT) ||
	    !unwrap_read_record(u->keys, &whole, &r))
		rc = add_value(u, out, root, log.n, 0) ? err_nomem(e)
						       : out->len > 0;
	json_free(root);
	return rc;
}
