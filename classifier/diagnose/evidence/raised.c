/*
 * "raise ValueError('no tile')" of the last frame: what was raised is known
 * but for what only the run put into the message.
 */
#include "diagnose/evidence/raised.h"

#include "base/buf.h"
#include "base/span.h"

#include <string.h>

#define RAISE "raise "
#define MESSAGE_MOST 400 /* bytes */
#define UNKNOWN "..."    /* words that only the run put together */

/* From the code of the last frame on, without what stands before its words;
 * empty where the frame has none. */
static struct span last_code(struct span text)
{
	const char *end = text.p + text.n;
	struct span line, code = { end, 0 };
	bool frame = false;

	while (span_line(&text, &line)) {
		line = span_trim(line);
		if (span_starts(line, "File \"")) {
			frame = true;
			code.n = 0;
		} else if (frame) {
			frame = false;
			code = (struct span){ line.p, (size_t)(end - line.p) };
		}
	}
	return code;
}

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '_' || c == '.';
}

/* Bytes of the class that a call at the start of code names; 0: it calls none,
 * whose own name has a capital. */
static size_t class_name(struct span code)
{
	size_t n = 0, own = 0;

	while (n < code.n && is_name(code.p[n])) {
		n++;
		if (code.p[n - 1] == '.')
			own = n;
	}
	return n < code.n && own < n && code.p[n] == '(' &&
		code.p[own] >= 'A' && code.p[own] <= 'Z'
	    ? n
	    : 0;
}

/* The text that is the first argument of a call, up to its first line's end;
 * what stands in braces is as the code has it. */
static struct span first_text(struct span code)
{
	size_t i = 0, from;
	char mark;

	while (i < code.n && strchr(" \t\nfFrRbBuU", code.p[i]))
		i++;
	if (i == code.n || (code.p[i] != '"' && code.p[i] != '\''))
		return span_sub(code, 0, 0);
	mark = code.p[i];
	while (i < code.n && code.p[i] == mark)
		i++;
	from = i;
	while (i < code.n && i - from < MESSAGE_MOST && code.p[i] != mark &&
	    code.p[i] != '\n')
		i += code.p[i] == '\\' && i + 1 < code.n ? 2 : 1;
	return span_sub(code, from, i);
}

size_t raised_add(struct buf *text)
{
	struct span code = last_code((struct span){ text->p, text->len });
	size_t at = text->len, n;
	struct span said;
	char name[MESSAGE_MOST], words[MESSAGE_MOST];

	if (!span_starts(code, RAISE))
		return 0;
	code = span_sub(code, sizeof RAISE - 1, code.n);
	n = class_name(code);
	if (!n || n > sizeof name)
		return 0;
	said = span_sub(
	    first_text(span_sub(code, n + 1, code.n)), 0, sizeof words);
	/* adding moves what they stand in */
	memcpy(name, code.p, n);
	if (said.n)
		memcpy(words, said.p, said.n);
	else if (!span_starts(span_sub(code, n, code.n), "()"))
		said.n = strlen(strcpy(words, UNKNOWN));
	if (buf_add(text, name, n) ||
	    (said.n && (buf_adds(text, ": ") || buf_add(text, words, said.n))))
		return 0;
	return at;
}
