#include "base/jsontext.h"

#include "base/buf.h"

#include <stdio.h>
#include <string.h>

static void put(struct jsontext *t, const char *p, size_t n)
{
	t->failed |= buf_add(t->out, p, n) != 0;
}

/* One of the bytes that do not stand for themselves in a string. */
static void put_escaped(struct jsontext *t, unsigned char c)
{
	static const char shorts[] = "\bb\ff\nn\rr\tt\"\"\\\\";
	char text[8];

	for (size_t i = 0; shorts[i]; i += 2)
		if (c == (unsigned char)shorts[i]) {
			text[0] = '\\';
			text[1] = shorts[i + 1];
			put(t, text, 2);
			return;
		}
	snprintf(text, sizeof text, "\\u%04X", c);
	put(t, text, 6);
}

static bool stands_for_itself(unsigned char c)
{
	return (c >= ' ') & (c != '"') & (c != '\\');
}

/* The next byte from i on that does not. Its first loop is written for
 * vectorizers. */
#define CHUNK 16
static size_t next_special(struct span s, size_t i)
{
	for (; i + CHUNK <= s.n; i += CHUNK) {
		unsigned char all = 1;

		for (size_t k = 0; k < CHUNK; k++)
			all &= stands_for_itself((unsigned char)s.p[i + k]);
		if (!all)
			break;
	}
	while (i < s.n && stands_for_itself((unsigned char)s.p[i]))
		i++;
	return i;
}

static void put_text_part(struct jsontext *t, struct span s)
{
	t->failed |= text_json(t->out, s) != 0;
}

static void put_valid(struct jsontext *t, struct span s)
{
	size_t start = 0, i;

	put(t, "\"", 1);
	while ((i = next_special(s, start)) < s.n) {
		put_text_part(t, span_sub(s, start, i));
		put_escaped(t, (unsigned char)s.p[i]);
		start = i + 1;
	}
	put_text_part(t, span_sub(s, start, s.n));
	put(t, "\"", 1);
}

static void put_text(struct jsontext *t, struct span s)
{
	struct buf b = BUF_INIT(SIZE_MAX / 2);

	if (!s.n) {
		put(t, "\"\"", 2);
	} else if (text_is_utf8(s)) {
		put_valid(t, s);
	} else {
		t->failed |= text_utf8(&b, s) != 0;
		put_valid(t, (struct span){ b.p, b.len });
	}
	buf_release(&b);
}

/* What stands before a value. Only the first one has a bracket, or nothing,
 * before it. There are many: room is asked for once for each. */
static void begin(struct jsontext *t, const char *key)
{
	struct buf *b = t->out;
	char last = b->len ? b->p[b->len - 1] : '[', *p;
	size_t n = key ? strlen(key) : 0;

	if (buf_reserve(b, n + 4)) {
		t->failed = true;
		return;
	}
	p = b->p + b->len;
	if (last != '[' && last != '{' && last != '\n')
		*p++ = ',';
	if (key) {
		*p++ = '"';
		memcpy(p, key, n);
		p += n;
		*p++ = '"';
		*p++ = ':';
	}
	*p = '\0';
	b->len = (size_t)(p - b->p);
}

void jsontext_open(struct jsontext *t, const char *key, char bracket)
{
	begin(t, key);
	put(t, &bracket, 1);
}

void jsontext_close(struct jsontext *t, char bracket)
{
	put(t, &bracket, 1);
}

void jsontext_span(struct jsontext *t, const char *key, struct span s)
{
	begin(t, key);
	put_text(t, s);
}

void jsontext_string(struct jsontext *t, const char *key, const char *s)
{
	if (s)
		jsontext_span(t, key, span_of(s));
	else
		jsontext_null(t, key);
}

void jsontext_int(struct jsontext *t, const char *key, int64_t v)
{
	uint64_t rest = v < 0 ? -(uint64_t)v : (uint64_t)v;
	char text[24], *end = text + sizeof text, *p = end;

	do
		*--p = (char)('0' + rest % 10);
	while (rest /= 10);
	if (v < 0)
		*--p = '-';
	begin(t, key);
	put(t, p, (size_t)(end - p));
}

void jsontext_count(struct jsontext *t, const char *key, int64_t v)
{
	if (v < 0)
		jsontext_null(t, key);
	else
		jsontext_int(t, key, v);
}

/* As jansson has it: 2.0, 1e-7, 1e100. */
void jsontext_real(struct jsontext *t, const char *key, double v)
{
	char text[40], *e, *digits;

	snprintf(text, sizeof text - 2, "%.17g", v);
	e = strchr(text, 'e');
	if (e) {
		digits = e + 1 + strspn(e + 1, "+-0");
		e += 1 + (e[1] == '-');
		memmove(e, digits, strlen(digits) + 1);
	} else if (!strchr(text, '.')) {
		memcpy(text + strlen(text), ".0", 3);
	}
	begin(t, key);
	put(t, text, strlen(text));
}

void jsontext_bool(struct jsontext *t, const char *key, bool v)
{
	begin(t, key);
	put(t, v ? "true" : "false", v ? 4 : 5);
}

void jsontext_null(struct jsontext *t, const char *key)
{
	begin(t, key);
	put(t, "null", 4);
}
