/*
 * HTML as people save it: a page of a build server, or only the escapes that a
 * form or a script wrote. Tags are left out, but for those that end a line; of
 * escapes those that a log's own characters become are known.
 */
#include "base/text.h"
#include "input/peel.h"
#include "input/shape_private.h"

#include <string.h>

#define ESCAPES_FEW 2 /* tell, where no other '<' and '&' is */
#define ESCAPE_MOST 10

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Whether s begins with a word that is given in small letters. */
static bool begins(struct span s, const char *word)
{
	size_t i = 0;

	while (i < s.n && word[i] && lower(s.p[i]) == word[i])
		i++;
	return !word[i];
}

/* ---- escapes ---- */

/* A character by its number; 0: none that clean text has. */
static uint32_t numbered(struct span s)
{
	bool hex = s.n && lower(*s.p) == 'x';
	uint32_t n = 0;

	for (size_t i = hex; i < s.n; i++) {
		char c = lower(s.p[i]);
		uint32_t digit = c >= '0' && c <= '9' ? (uint32_t)(c - '0')
		    : hex && c >= 'a' && c <= 'f'     ? (uint32_t)(c - 'a') + 10
						      : 16;

		if (digit > 15 || n > 0x10ffff)
			return 0;
		n = n * (hex ? 16 : 10) + digit;
	}
	return n == '\t' || (n >= ' ' && n < 0xd800) ||
		(n > 0xdfff && n <= 0x10ffff)
	    ? n
	    : 0;
}

/* The character that s, which begins with '&', stands for, or 0. *n: bytes. */
static uint32_t escape(struct span s, size_t *n)
{
	static const struct {
		const char *name;
		uint32_t c;
	} names[] = { { "lt", '<' }, { "gt", '>' }, { "amp", '&' },
		{ "quot", '"' }, { "apos", '\'' }, { "nbsp", ' ' } };
	const char *end;

	s = span_sub(s, 1, ESCAPE_MOST);
	end = memchr(s.p, ';', s.n);
	if (!end)
		return 0;
	s.n = (size_t)(end - s.p);
	*n = s.n + 2;
	if (s.n > 1 && *s.p == '#')
		return numbered(span_sub(s, 1, s.n));
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (span_is(s, names[i].name))
			return names[i].c;
	return 0;
}

bool shape_is_page(struct span head, bool *tags)
{
	static const char *const starts[] = { "<!doctype html", "<html",
		"<pre>", "<pre " };
	size_t i = 0, escapes = 0, n;

	*tags = false;
	while (i < head.n && strchr(" \t\r\n", head.p[i]))
		i++;
	if (i < head.n && head.p[i] == '<')
		for (size_t k = 0; k < sizeof starts / sizeof *starts; k++)
			*tags |= begins(span_sub(head, i, head.n), starts[k]);
	/* a record or a notebook has pages in its texts */
	if (*tags || i == head.n || !memchr(head.p, '&', head.n) ||
	    (head.p[i] == '{' && memchr(head.p, '"', head.n)))
		return *tags;
	for (; i < head.n; i++) {
		if (head.p[i] == '<')
			return false;
		if (head.p[i] != '&')
			continue;
		if (escape(span_sub(head, i, head.n), &n))
			escapes++;
		else if (head.n - i >= ESCAPE_MOST)
			return false;
	}
	return escapes >= ESCAPES_FEW;
}

/* ---- tags ---- */

/* What a tag does: 0 is at its end, and out has what stands for it. */
static int tag(struct shape *s, struct span name, struct buf *out)
{
	static const char *const programs[] = { "script", "style" };
	static const char *const lines[] = { "br", "p", "div", "tr", "li",
		"pre", "h1", "h2", "h3" };
	bool close = span_starts(name, "/");
	size_t n = 0;

	name = span_sub(name, close, name.n);
	while (n < name.n &&
	    (peel_letter(name.p[n]) ||
		(n && name.p[n] < ':' && name.p[n] >= '0')))
		n++;
	name.n = n;
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
		if (begins(name, programs[i]))
			s->in_program = !close;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		if (n == strlen(lines[i]) && begins(name, lines[i]) &&
		    out->len && out->p[out->len - 1] != '\r')
			return buf_addc(out, '\r');
	return 0;
}

/* Bytes of what stands at '<', which is a tag; up to the end of the line if
 * that goes on. */
static size_t tag_length(struct shape *s, struct span rest)
{
	const char *end = memchr(rest.p, '>', rest.n);

	s->in_tag = !end;
	return end ? (size_t)(end - rest.p) + 1 : rest.n;
}

static bool is_tag(const struct shape *s, struct span rest)
{
	if (s->in_program)
		return begins(rest, "</script") || begins(rest, "</style");
	return s->tags && rest.n > 1 &&
	    (peel_letter(rest.p[1]) || rest.p[1] == '/' || rest.p[1] == '!');
}

int shape_page_line(struct shape *s, struct span line, struct buf *out)
{
	size_t i = s->in_tag ? tag_length(s, line) : 0, n;
	int rc = 0;

	while (!rc && i < line.n) {
		struct span rest = span_sub(line, i, line.n);
		uint32_t c = 0;
		char text[4];

		if (*rest.p == '<' && is_tag(s, rest)) {
			rc = tag(s, span_sub(rest, 1, rest.n), out);
			n = tag_length(s, rest);
		} else if (s->in_program) {
			n = 1;
		} else if (*rest.p == '&' && (c = escape(rest, &n)) != 0) {
			rc = buf_add(out, text, text_code_point(c, text));
		} else {
			n = 1;
			rc = buf_addc(out, *rest.p);
		}
		i += n;
	}
	return rc;
}
