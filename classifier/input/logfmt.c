/*
 * Pairs of a key and a value in turn, which become the members of an object: so
 * keys, times and levels are read as those of JSON are. Quoted values are Go's,
 * whose escapes are JSON's but for a few.
 */
#include "input/logfmt.h"

#include "base/buf.h"
#include "input/cursor.h"
#include "input/jsonkeys.h"
#include "input/peel.h"

#define KEY_MOST 32

enum logfmt logfmt_look(const struct jsonkeys *keys, struct span start)
{
	const struct jsonkeys_list *times = &keys->keys[JSONKEYS_TIME];
	struct cursor c = cursor_of(span_sub(start, 0, KEY_MOST));
	struct span key = cursor_run(&c, peel_word);

	if (start.n < KEY_MOST && c.i + 1 >= start.n)
		return LOGFMT_MORE;
	if (!cursor_eat(&c, "=") ||
	    (cursor_peek(&c) != '"' && !peel_digit(cursor_peek(&c))))
		return LOGFMT_NO;
	for (size_t i = 0; i < times->n; i++)
		if (span_is(key, times->v[i].name))
			return LOGFMT_YES;
	return LOGFMT_NO;
}

static bool is_bare(char c)
{
	return c > ' ' && c != '"' && c != '\\';
}

/* An escape that JSON has not: a byte in hexadecimal, a bell, a tab that goes
 * down. */
static int add_escape(struct cursor *c, struct buf *out)
{
	if (cursor_eat(c, "x"))
		return buf_adds(out, "\\u00");
	if (cursor_eat(c, "a"))
		return buf_adds(out, "\\u0007");
	if (cursor_eat(c, "v"))
		return buf_adds(out, "\\u000b");
	if (cursor_end(c))
		return 0;
	return buf_addc(out, '\\') || buf_addc(out, c->p[c->i++]) ? -1 : 0;
}

/* Behind its first quote mark, with that which ends it. 0: there is none. */
static int add_quoted(struct cursor *c, struct buf *out)
{
	while (!cursor_eat(c, "\"")) {
		struct span run = cursor_rest(c);
		size_t n = 0;

		while (n < run.n && run.p[n] != '"' && run.p[n] != '\\')
			n++;
		c->i += n;
		if (buf_add(out, run.p, n))
			return -1;
		if (n == run.n)
			return 0;
		if (cursor_eat(c, "\\") && add_escape(c, out))
			return -1;
	}
	return 1;
}

/* One pair, as a member. */
static int add_pair(struct cursor *c, struct buf *out)
{
	struct span key = cursor_run(c, peel_word), value;
	int rc;

	if (!key.n || !cursor_eat(c, "="))
		return 0;
	if (buf_addc(out, '"') || buf_add(out, key.p, key.n) ||
	    buf_adds(out, "\":\""))
		return -1;
	if (cursor_eat(c, "\"")) {
		rc = add_quoted(c, out);
		if (rc <= 0)
			return rc;
	} else {
		value = cursor_run(c, is_bare);
		if (buf_add(out, value.p, value.n))
			return -1;
	}
	return buf_addc(out, '"') ? -1 : cursor_word_end(c);
}

int logfmt_object(struct span line, struct buf *out)
{
	struct cursor c = cursor_of(line);
	int rc;

	buf_clear(out);
	if (buf_addc(out, '{'))
		return -1;
	do {
		if (out->len > 1 && buf_addc(out, ','))
			return -1;
		rc = add_pair(&c, out);
		if (rc <= 0)
			return rc;
	} while (!cursor_end(&c));
	return buf_addc(out, '}') ? -1 : 1;
}
