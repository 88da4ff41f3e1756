/*
 * Most records are docker's, whose json-file driver writes all of them alike.
 * Such a line is read where it stands, several times as fast as by the JSON
 * parser. What differs from it in a byte, or holds what Go's encoder does not
 * write, is left to that parser: so the answers are the same.
 */
#include "input/unwrap_private.h"

#include "base/err.h"
#include "base/text.h"
#include "base/wide.h"
#include "input/jsonkeys.h"

#include <string.h>

bool unwrap_docker_keys(const struct jsonkeys *keys)
{
	static const char *const names[] = { "log", "stream", "time" };

	for (size_t i = 0; i < 3; i++)
		if (jsonkeys_has(keys, JSONKEYS_MESSAGE, names[i]) !=
			(i == 0) ||
		    jsonkeys_has(keys, JSONKEYS_TIME, names[i]) != (i == 2) ||
		    jsonkeys_has(keys, JSONKEYS_WRITER, names[i]))
			return false;
	return true;
}

static bool skip(struct span *s, const char *word)
{
	if (!span_starts(*s, word))
		return false;
	*s = span_sub(*s, strlen(word), s->n);
	return true;
}

/* Bytes before the first that no string of JSON has as it is, or its end. */
static size_t plain(struct span s)
{
	size_t i = 0;

	for (; i + sizeof(wide) <= s.n; i += sizeof(wide)) {
		wide v = wide_load(s.p + i);
		unsigned seen = wide_bits(
		    (wide)(v < ' ') | wide_is(v, '"') | wide_is(v, '\\'));

		if (seen)
			return i + (unsigned)__builtin_ctz(seen);
	}
	while (i < s.n && (unsigned char)s.p[i] >= ' ' && s.p[i] != '"' &&
	    s.p[i] != '\\')
		i++;
	return i;
}

/* Four digits; -1: they are none. */
static int32_t hexadecimal(struct span s)
{
	int32_t v = 0;

	if (s.n < 4)
		return -1;
	for (size_t i = 0; i < 4; i++) {
		char c = s.p[i], low = (char)(c | 0x20);

		if (c >= '0' && c <= '9')
			v = v << 4 | (c - '0');
		else if (low >= 'a' && low <= 'f')
			v = v << 4 | (low - 'a' + 10);
		else
			return -1;
	}
	return v;
}

/* What the escape that s begins with stands for; *used: its bytes. 0: what is
 * none, or half of a pair. */
static size_t escape(struct span s, char out[4], size_t *used)
{
	static const char letters[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
	int32_t code;

	if (s.n < 2)
		return 0;
	*used = 2;
	for (const char *l = letters; *l; l += 2)
		if (s.p[1] == *l) {
			*out = l[1];
			return 1;
		}
	*used = 6;
	code = s.p[1] == 'u' ? hexadecimal(span_sub(s, 2, s.n)) : -1;
	if (code < 0 || (code & 0xf800) == 0xd800)
		return 0;
	return text_code_point((uint32_t)code, out);
}

/* The text up to the quote mark that ends it, which has room in out: an escape
 * is longer than what it stands for. */
static bool take_text(struct span *s, struct buf *out)
{
	for (;;) {
		size_t n = plain(*s), used = 0, m;
		char meant[4];

		if (buf_add(out, s->p, n))
			return false;
		*s = span_sub(*s, n, s->n);
		if (s->n == 0 || s->p[0] == '"')
			return s->n > 0;
		m = s->p[0] == '\\' ? escape(*s, meant, &used) : 0;
		if (m == 0 || buf_add(out, meant, m))
			return false;
		*s = span_sub(*s, used, s->n);
	}
}

int unwrap_read_docker(
    struct unwrap *u, struct span line, struct record *r, struct err *e)
{
	struct buf *b = &u->docker_text;
	struct span s = line, time;
	int stream = TO_STDOUT;

	if (!u->docker || !skip(&s, "{\"log\":\"") || !text_is_utf8(line))
		return 0;
	buf_clear(b);
	if (buf_reserve(b, line.n))
		return err_nomem(e);
	if (!take_text(&s, b) || !skip(&s, "\",\"stream\":\"std"))
		return 0;
	if (skip(&s, "err"))
		stream = TO_STDERR;
	else if (!skip(&s, "out"))
		return 0;
	if (!skip(&s, "\",\"time\":\""))
		return 0;
	time = span_sub(s, 0, plain(s));
	if (!time.n || !span_is(span_sub(s, time.n, s.n), "\"}"))
		return 0;
	r->stream = stream;
	r->message = (struct span){ b->p, b->len };
	r->has_time = unwrap_time_of(time, &r->time);
	r->partial = !span_ends(r->message, "\n");
	u->records += !u->writer;
	return 1;
}
