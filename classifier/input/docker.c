/*
 * All of a container's output comes in these lines, so they are worth a reader
 * of their own: the shape is fixed, and what remains is a string without its
 * escapes. Whatever it does not know it does not judge.
 */
#include "input/docker.h"

#include "base/buf.h"

#include <string.h>

#define CHUNK 32

static bool eat(struct span *s, const char *what)
{
	if (!span_starts(*s, what))
		return false;
	*s = span_sub(*s, strlen(what), s->n);
	return true;
}

static int hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0'
	    : c >= 'a' && c <= 'f'  ? c - 'a' + 10
	    : c >= 'A' && c <= 'F'  ? c - 'A' + 10
				    : -1;
}

/* The ASCII character that an escape at s stands for, *n bytes long. -1: it is
 * none, or stands for another. */
static int escaped(struct span s, size_t *n)
{
	static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	const char *name;
	int high, low;

	*n = 2;
	if (s.n < 2)
		return -1;
	name = memchr(names, s.p[1], sizeof names - 1);
	if (name)
		return values[name - names];
	*n = 6;
	if (s.n < 6 || memcmp(s.p, "\\u00", 4) != 0)
		return -1;
	high = hex(s.p[4]);
	low = hex(s.p[5]);
	return low < 0 || high < 0 || high > 7 ? -1 : high << 4 | low;
}

static bool stands(unsigned char c)
{
	return c != '"' && c != '\\' && c >= ' ';
}

/* Whether all of CHUNK bytes stand for themselves. Written for vectorizers. */
static bool chunk_stands(const char *p)
{
	unsigned char all = 1;

	for (int i = 0; i < CHUNK; i++)
		all &= (unsigned char)((p[i] != '"') & (p[i] != '\\') &
		    ((unsigned char)p[i] >= ' '));
	return all;
}

/* Bytes at the front of a string that stand for themselves, copied to out. */
static size_t copy(struct span s, char *out)
{
	size_t i = 0;

	for (; i + CHUNK <= s.n && chunk_stands(s.p + i); i += CHUNK)
		memcpy(out + i, s.p + i, CHUNK);
	for (; i < s.n && stands((unsigned char)s.p[i]); i++)
		out[i] = s.p[i];
	return i;
}

/* The string that *s begins with, past its first quote mark, and the quote
 * mark that ends it. As docker_read. */
static int take_string(struct span *s, struct buf *text)
{
	buf_clear(text);
	if (buf_reserve(text, s->n))
		return -1;
	for (;;) {
		size_t n = copy(*s, text->p + text->len);
		int c;

		text->len += n;
		*s = span_sub(*s, n, s->n);
		if (!s->n || (s->p[0] != '"' && s->p[0] != '\\'))
			return 0;
		if (s->p[0] == '"')
			break;
		c = escaped(*s, &n);
		if (c < 0)
			return 0;
		text->p[text->len++] = (char)c;
		*s = span_sub(*s, n, s->n);
	}
	*s = span_sub(*s, 1, s->n);
	return text_is_utf8((struct span){ text->p, text->len });
}

/* A string of plain ASCII without escapes, and its quote mark. */
static bool take_word(struct span *s, struct span *out)
{
	size_t n = 0;

	while (n < s->n && s->p[n] >= ' ' && s->p[n] < 0x7f && s->p[n] != '"' &&
	    s->p[n] != '\\')
		n++;
	*out = span_sub(*s, 0, n);
	*s = span_sub(*s, n, s->n);
	return eat(s, "\"");
}

int docker_read(struct span line, struct buf *text, struct docker_line *out)
{
	int rc;

	if (!eat(&line, "{\"log\":\""))
		return 0;
	rc = take_string(&line, text);
	if (rc != 1)
		return rc;
	out->err = eat(&line, ",\"stream\":\"stderr\"");
	if (!out->err && !eat(&line, ",\"stream\":\"stdout\""))
		return 0;
	if (!eat(&line, ",\"time\":\"") || !take_word(&line, &out->time) ||
	    !out->time.n || !eat(&line, "}") || line.n)
		return 0;
	out->log = (struct span){ text->p, text->len };
	return 1;
}
