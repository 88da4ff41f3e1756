/*
 * What the first lines of a log tell of how it was changed. Each that is told
 * is undone before the next is looked for: a page of numbered lines is both.
 */
#include "base/err.h"
#include "base/when.h"
#include "input/shape_private.h"

#include <string.h>

/* Lines that are numbered, of which the texts begin in so many ways. */
#define NUMBERED_FEW 8
#define NUMBERED_SHORT 3 /* of all of a log */
#define NUMBERED_KINDS 3
/* Columns at which a log may have been cut, */
#define WIDTH_LEAST 36
#define WIDTH_MOST 400
#define PARTS_FEW 3 /* lines that were, in the middle of a word */

/* Columns of the windows that nearly all have. */
static const size_t windows[] = { 79, 80, 119, 120 };

bool shape_take_line(struct span *text, struct span *line)
{
	const char *end = text->n ? memchr(text->p, '\n', text->n) : NULL;
	size_t n;

	if (!end)
		return false;
	n = (size_t)(end - text->p);
	*line = span_sub(*text, 0, n);
	*text = span_sub(*text, n + 1, text->n);
	if (span_ends(*line, "\r"))
		line->n--;
	return true;
}

/* ---- numbers ---- */

/* All that the first lines say of numbers. */
struct numbers {
	uint64_t first;
	unsigned lines;
	unsigned blanks;  /* texts that begin with one, or are empty */
	unsigned own;     /* or that no program puts behind a number */
	uint64_t kinds;   /* what they begin with, as bits */
	uint64_t further; /* the same, behind a blank */
};

static uint64_t kind_of(struct span text)
{
	char c = text.n ? *text.p : ' ';

	return UINT64_C(1) << ((c >= '0' && c <= '9' ? '0' : c) & 63);
}

/* False: the line is not numbered as those before it. grep numbers only some
 * lines. */
static bool count_line(struct shape *s, struct numbers *n, struct span line)
{
	uint64_t number;
	size_t end = shape_number(line, &number);
	struct span text;
	struct when when;

	if (!end || end == line.n)
		return false;
	if (!n->lines) {
		n->first = number;
		s->sign = line.p[end];
	} else if ((line.p[end] != s->sign &&
		       (s->sign != ':' || line.p[end] != '-')) ||
	    number <= s->number || (s->sign != ':' && number != s->number + 1))
		return false;
	s->number = number;
	n->lines++;
	text = span_sub(line, end + 1, line.n);
	n->blanks += !text.n || *text.p == ' ';
	n->own += !text.n || *text.p == '\t' || *text.p == '\r' ||
	    span_starts(text, "  ") || span_starts(text, "{\"") ||
	    when_scan(text, &when);
	n->kinds |= kind_of(text);
	n->further |= kind_of(span_sub(text, 1, text.n));
	return true;
}

static bool is_numbered(struct shape *s, struct span head, bool all)
{
	struct numbers n = { 0 };
	struct span line;
	bool known, enough;

	while (shape_take_line(&head, &line))
		if (line.n && !count_line(s, &n, line))
			return false;
	s->blank = s->sign == ':' && n.blanks == n.lines;
	s->number = 0;
	known = s->sign == '\t' || s->sign == ':' || s->sign == ' ' ||
	    s->sign == '|';
	/* all of a short log, from its first line on */
	enough = n.lines >= NUMBERED_FEW ||
	    (all && n.first == 1 && !s->blank && n.lines >= NUMBERED_SHORT);
	return known && enough &&
	    (n.own ||
		__builtin_popcountll(s->blank ? n.further : n.kinds) >=
		    NUMBERED_KINDS);
}

/* ---- widths ---- */

/* The columns of the widest lines, or 0: too many; and how many are so wide. */
static size_t widest(struct span head, unsigned *lines)
{
	size_t width = WIDTH_LEAST;
	struct span line;

	for (*lines = 0; shape_take_line(&head, &line);) {
		size_t n = line.n < width ? 0 : shape_width(line);

		if (n > WIDTH_MOST)
			return 0;
		*lines = n > width ? 1 : *lines + (n == width);
		width = n > width ? n : width;
	}
	return width;
}

static bool is_usual(size_t width)
{
	bool found = false;

	for (size_t i = 0; i < sizeof windows / sizeof *windows; i++)
		found |= windows[i] == width;
	return found;
}

static bool is_small(char c)
{
	return (c >= 'a' && c <= 'z') || c == '_';
}

/* Whether two bytes stand in the middle of a word, and the second does not
 * begin one. */
static bool in_word(char last, char first)
{
	return (is_small(last) || (last >= 'A' && last <= 'Z')) &&
	    (is_small(first) || (first >= '0' && first <= '9'));
}

/* Whether a line begins with what speaks in it: a program, an exception. */
static bool is_said(struct span line)
{
	const char *end = memchr(line.p, ' ', line.n);

	return end && end > line.p && end[-1] == ':';
}

/* Whether lines as wide as any go on in the next one, most of them, and some in
 * the middle of a word, with a last part that is shorter. */
bool shape_is_wrapped(struct shape *s, struct span head, bool all)
{
	struct span line = { NULL, 0 }, start = line, counted = line;
	unsigned words = 0, parts = 0, others = 0, lines;
	bool open = false, usual;
	char last = '\n';

	s->width = widest(head, &lines);
	usual = all && is_usual(s->width);
	if (!s->width || lines < (usual ? 1 : PARTS_FEW))
		return false;
	while (shape_take_line(&head, &line)) {
		if (open) {
			bool on = shape_goes_on(start, last, line);

			parts += on;
			others += !on;
			words += on && in_word(last, *line.p) &&
			    !span_eq(line, counted) && !is_said(line) &&
			    !shape_is_full(line, s->width);
			counted = line;
			start = on ? start : line;
		} else {
			start = line;
		}
		open = shape_is_full(line, s->width);
		last = line.n ? line.p[line.n - 1] : '\n';
	}
	return parts >= 3 * others &&
	    (words >= PARTS_FEW || (usual && words && !others));
}

/* ---- all ---- */

/* A quote of Windows' own code page; between bytes that are no UTF-8. */
static bool is_1252(struct span s, size_t i)
{
	unsigned char c = (unsigned char)s.p[i];

	return c >= 0x91 && c <= 0x94 && i && i + 1 < s.n &&
	    s.p[i - 1] >= ' ' && s.p[i + 1] >= ' ';
}

/* Whether quotes were made typographic that were none: GNU's tools write pairs
 * of single ones, and closing ones stand only behind opening ones there. */
static bool has_typographic(struct span head)
{
	bool some = false, open = false;

	if (memchr(head.p, '\'', head.n) || !shape_has_high(head))
		return false;
	for (size_t i = 0; i < head.n && !some; i++) {
		struct span s = span_sub(head, i, i + 3);

		if (!(*s.p & 0x80))
			continue;

		some = is_1252(head, i) || span_is(s, "\xe2\x80\x9c") ||
		    (!open && span_is(s, "\xe2\x80\x99"));
		if (span_is(s, "\xe2\x80\x98"))
			open = true;
		else if (span_is(s, "\xe2\x80\x99"))
			open = false;
	}
	return some;
}

/* As the lines of head are without what was told; *plain borrowed from text, or
 * head itself. */
static int undo(
    struct shape *s, struct span head, struct buf *text, struct span *plain)
{
	struct span line;

	*plain = head;
	if (!s->is)
		return 0;
	buf_clear(text);
	while (shape_take_line(&head, &line)) {
		line = shape_plain(s, line);
		if (!line.p || buf_add(text, line.p, line.n) ||
		    buf_addc(text, '\n'))
			return -1;
	}
	s->in_tag = s->in_program = false;
	s->number = 0;
	if (text->p)
		*plain = (struct span){ text->p, text->len };
	return 0;
}

int shape_tell(struct shape *s, struct span head, bool all, struct err *e)
{
	struct buf text = BUF_INIT(BUF_MAX);
	struct span plain;
	int rc;

	if (shape_is_csv(s, head, all)) {
		s->is = SHAPE_CSV;
		return 0;
	}
	if (shape_is_rich(s, head)) {
		s->is = SHAPE_RICH;
		return 0;
	}
	if (shape_is_folded(s, head, all)) {
		s->is = SHAPE_FOLDED;
		return 0;
	}
	if (shape_is_page(head, &s->tags))
		s->is = SHAPE_PAGE;
	else if (has_typographic(head))
		s->is = SHAPE_QUOTES;
	rc = undo(s, head, &text, &plain);
	if (!rc && is_numbered(s, plain, all)) {
		s->is |= SHAPE_NUMBERED;
		rc = undo(s, head, &text, &plain);
	}
	if (!rc && shape_is_wrapped(s, plain, all))
		s->is |= SHAPE_WRAPPED;
	buf_release(&text);
	return rc ? err_nomem(e) : 0;
}
