/*
 * A line at a time: each is held to its end, changed back, and goes on from the
 * place where it began in the log. Such logs are few and small; what is done
 * here need not be fast.
 *
 * A line that was cut goes on with the ends of its parts left out, and as many
 * empty lines stand behind it: numbers of lines stay true. So they do behind a
 * row of several lines.
 */
#include "input/shape.h"

#include "base/err.h"
#include "base/text.h"
#include "base/when.h"
#include "base/wide.h"
#include "input/peel.h"
#include "input/shape_private.h"

#include <string.h>

#define LINE_MOST (1u << 20) /* of a line; what is longer goes on as it is */

void shape_begin(struct shape *s, const struct jsonkeys *keys)
{
	struct buf line = s->line, out = s->out;

	buf_clear(&line);
	buf_clear(&out);
	*s = (struct shape){ .line = line, .out = out, .keys = keys };
	s->line.max = s->out.max = BUF_MAX;
}

void shape_release(struct shape *s)
{
	buf_release(&s->line);
	buf_release(&s->out);
}

/* ---- numbers ---- */

size_t shape_number(struct span line, uint64_t *number)
{
	size_t i = 0, from;

	while (i < line.n && line.p[i] == ' ')
		i++;
	from = i;
	for (*number = 0; i < line.n && i - from < 10 && peel_digit(line.p[i]);
	     i++)
		*number = *number * 10 + (uint64_t)(line.p[i] - '0');
	if (i == from || (line.p[from] == '0' && i > from + 1))
		return 0;
	return i;
}

/* Behind its number. What has none, or one that is no higher, is another's. */
static struct span behind_number(struct shape *s, struct span line)
{
	uint64_t number;
	size_t n = shape_number(line, &number);

	if (!n || number <= s->number || n == line.n ||
	    (line.p[n] != s->sign && (s->sign != ':' || line.p[n] != '-')))
		return line;
	s->number = number;
	n++;
	return span_sub(
	    line, n + (s->blank && n < line.n && line.p[n] == ' '), line.n);
}

/* ---- quotes ---- */

/* The plain form of what s begins with, and its bytes; or 0. A byte of
 * Windows' own code page stands behind none that could begin it in UTF-8. */
static char plain_quote(struct span s, bool after_ascii, size_t *n)
{
	unsigned char c = (unsigned char)*s.p;

	*n = 1;
	if (c >= 0x91 && c <= 0x94 && after_ascii)
		return c < 0x93 ? '\'' : '"';
	if (c != 0xe2 || s.n < 3 || (unsigned char)s.p[1] != 0x80)
		return 0;
	*n = 3;
	c = (unsigned char)s.p[2];
	return c == 0x98 || c == 0x99 ? '\'' : c == 0x9c || c == 0x9d ? '"' : 0;
}

static int with_plain_quotes(struct span line, struct buf *out)
{
	int rc = 0;

	for (size_t i = 0, n; !rc && i < line.n; i += n) {
		char c = plain_quote(span_sub(line, i, line.n),
		    !i || !(line.p[i - 1] & 0x80), &n);

		if (!c)
			n = 1;
		rc = buf_addc(out, c ? c : line.p[i]);
	}
	return rc;
}

/* ---- widths ---- */

bool shape_has_high(struct span s)
{
	wide high = { 0 };
	size_t i = 0;

	for (; i + sizeof high <= s.n; i += sizeof high)
		high |= wide_load(s.p + i);
	for (; i < s.n; i++)
		high[0] |= (unsigned char)s.p[i];
	return wide_any((wide)(high > 0x7f));
}

size_t shape_width(struct span line)
{
	return shape_has_high(line) ? text_width(line) : line.n;
}

static bool is_word(char c)
{
	return peel_digit(c) || c == '_' || (c >= 'a' && c <= 'z') ||
	    (c >= 'A' && c <= 'Z');
}

/* What was filled up with blanks is not full, nor do a rule and a bar that is
 * drawn again go on. */
bool shape_is_full(struct span line, size_t width)
{
	size_t words = 0;

	if (line.n < width || shape_width(line) != width ||
	    span_ends(line, "  ") || memchr(line.p, '\r', line.n))
		return false;
	for (size_t i = 0; i < line.n && words < 8; i++)
		words += is_word(line.p[i]) || (line.p[i] & 0x80);
	return words == 8;
}

/* Whether both begin alike, whatever their digits. */
static bool alike(struct span a, struct span b)
{
	size_t n = 0;

	while (n < 6 && n < a.n && n < b.n &&
	    (a.p[n] == b.p[n] || (peel_digit(a.p[n]) && peel_digit(b.p[n]))))
		n++;
	return n == 6;
}

bool shape_goes_on(struct span start, char last, struct span next)
{
	struct when when;

	if (!next.n || alike(start, next) || when_scan(next, &when))
		return false;
	/* blanks at the front are those of a line of its own */
	if (*next.p == '\t' || span_starts(next, "  "))
		return false;
	return *next.p != ' ' || last != ' ';
}

/* ---- lines ---- */

struct span shape_plain(struct shape *s, struct span line)
{
	int rc = 0;

	if (s->is & SHAPE_FOLDED)
		return shape_fold_line(s, line);
	buf_clear(&s->out);
	if (s->is & SHAPE_PAGE)
		rc = shape_page_line(s, line, &s->out);
	else if (s->is & SHAPE_QUOTES)
		rc = with_plain_quotes(line, &s->out);
	if (rc ||
	    ((s->is & (SHAPE_PAGE | SHAPE_QUOTES)) && !s->out.p &&
		buf_reserve(&s->out, 1)))
		return (struct span){ NULL, 0 };
	if (s->is & (SHAPE_PAGE | SHAPE_QUOTES))
		line = (struct span){ s->out.p, s->out.len };
	return s->is & SHAPE_NUMBERED ? behind_number(s, line) : line;
}

/* The ends that were left out. */
static int pay(struct shape *s, const struct shape_next *next, struct err *e)
{
	const struct piece end = { { "\n", 1 }, s->end, 1 };

	for (; s->owed; s->owed--)
		if (next->add(next->ctx, end, e))
			return -1;
	return 0;
}

/* The text of the held line, which ends, or is all that there is so far. */
static int add_part(struct shape *s, struct span text, bool ended,
    const struct shape_next *next, struct err *e)
{
	const struct piece t = { text, s->raw, 0 };
	struct span start = { s->start, s->start_n };
	const bool folded = s->is & SHAPE_FOLDED;
	const bool on = s->open &&
	    (folded ? shape_fold_goes_on(s, text)
		    : shape_goes_on(start, s->last, text));

	if (!on) {
		if (pay(s, next, e))
			return -1;
		s->start_n =
		    text.n < sizeof s->start ? text.n : sizeof s->start;
		memcpy(s->start, text.p, s->start_n);
	}
	if (text.n && next->add(next->ctx, t, e))
		return -1;
	s->open =
	    ended && s->is & SHAPE_WRAPPED && shape_is_full(text, s->width);
	if (folded && ended)
		shape_fold_part(s, text, on);
	s->last = text.n ? text.p[text.n - 1] : '\n';
	return 0;
}

/* The held line, which ends at that place if it does. */
static int add_line(struct shape *s, uint64_t end, bool ended,
    const struct shape_next *next, struct err *e)
{
	struct span line = { s->line.p ? s->line.p : "", s->line.len };

	if (ended && span_ends(line, "\r"))
		line.n--;
	line = shape_plain(s, line);
	if (!line.p)
		return err_nomem(e);
	if (add_part(s, line, ended, next, e))
		return -1;
	s->end = end;
	s->owed += ended;
	buf_clear(&s->line);
	s->begun = false;
	return s->open ? 0 : pay(s, next, e);
}

/* A row of a table, as add_line. What is none, and what is too long, goes on
 * as it is; names do not. */
static int add_row(struct shape *s, uint64_t end, bool ended,
    const struct shape_next *next, struct err *e)
{
	struct piece t = { { s->line.p ? s->line.p : "", s->line.len }, s->raw,
		0 };
	int rc = 1;

	if (ended && span_ends(t.text, "\r"))
		t.text.n--;
	if (!s->csv.named)
		buf_clear(&s->out);
	else
		rc = t.text.n && t.text.n <= LINE_MOST
		    ? shape_csv_object(&s->csv, t.text, &s->out)
		    : 0;
	if (rc < 0)
		return err_nomem(e);
	if (rc > 0) {
		s->owed += span_newlines(t.text);
		t.text = (struct span){ s->out.p, s->out.len };
	}
	s->csv.named = true;
	s->end = end;
	s->owed += ended;
	if (t.text.n && next->add(next->ctx, t, e))
		return -1;
	shape_csv_begin_row(&s->csv);
	buf_clear(&s->line);
	s->begun = false;
	return pay(s, next, e);
}

/* A line of a log in columns, as add_line. */
static int add_columns(struct shape *s, uint64_t end, bool ended,
    const struct shape_next *next, struct err *e)
{
	struct span line = { s->line.p ? s->line.p : "", s->line.len };
	struct piece t = { { "", 0 }, s->raw, 0 };
	bool on;

	if (ended && span_ends(line, "\r"))
		line.n--;
	buf_clear(&s->out);
	if (shape_rich_line(s, line, &s->out, &on))
		return err_nomem(e);
	if (!on && pay(s, next, e))
		return -1;
	t.text = (struct span){ s->out.p, s->out.len };
	if (t.text.n && next->add(next->ctx, t, e))
		return -1;
	s->end = end;
	s->owed += ended;
	buf_clear(&s->line);
	s->begun = false;
	return s->rich.open ? 0 : pay(s, next, e);
}

/* The end of a line was met, or all that may be held of one was. */
static int add_held(struct shape *s, uint64_t end, bool ended,
    const struct shape_next *next, struct err *e)
{
	struct span row = { s->line.p, s->line.len };

	if (s->is & SHAPE_RICH)
		return add_columns(s, end, ended, next, e);
	if (!(s->is & SHAPE_CSV))
		return add_line(s, end, ended, next, e);
	if (!ended || row.n > LINE_MOST || !shape_csv_is_open(&s->csv, row))
		return add_row(s, end, ended, next, e);
	return buf_addc(&s->line, '\n') ? err_nomem(e) : 0;
}

int shape_feed(struct shape *s, struct piece t, const struct shape_next *next,
    struct err *e)
{
	while (t.text.n) {
		size_t n = span_find(t.text, "\n");
		bool ended = n < t.text.n;

		n = ended ? n : t.text.n;
		if (!s->begun)
			s->raw = t.raw;
		s->begun = true;
		if (buf_add(&s->line, t.text.p, n))
			return err_nomem(e);
		t.raw += (uint64_t)t.step * n;
		if ((ended || s->line.len > LINE_MOST) &&
		    add_held(s, t.raw, ended, next, e))
			return -1;
		t.raw += ended ? t.step : 0;
		t.text = span_sub(t.text, n + ended, t.text.n);
	}
	return 0;
}

int shape_end(struct shape *s, const struct shape_next *next, struct err *e)
{
	if (s->begun &&
	    (s->is & SHAPE_CSV           ? add_row
		    : s->is & SHAPE_RICH ? add_columns
					 : add_line)(s, s->end, false, next, e))
		return -1;
	return pay(s, next, e);
}
