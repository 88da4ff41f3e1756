/*
 * What Python's rich writes as a logger (RichHandler): a grid of columns as
 * wide as the terminal (80 where there is none) of the time, which is left out
 * where it is the one before, the level, the message and the place in the
 * source. A message that is wider goes on below itself; a traceback stands
 * there in a box. Each record becomes one line without its place, and what
 * else stands below it moves to the front.
 */
#include "base/text.h"
#include "input/peel.h"
#include "input/shape_private.h"

#include <string.h>

#define LEVEL 9       /* columns of a level and the blank behind it */
#define RECORDS_FEW 2 /* of one width, where they tell no place */

/* The words of a line; what fills it up is left out. */
static struct span words(struct span s)
{
	while (s.n && s.p[s.n - 1] == ' ')
		s.n--;
	return s;
}

static size_t blanks(struct span s)
{
	size_t n = 0;

	while (n < s.n && s.p[n] == ' ')
		n++;
	return n;
}

/* Whether a level begins there, filled up with blanks to its column's end. */
static bool is_level(struct span s)
{
	size_t n = 0;

	while (n < s.n && n < LEVEL - 1 && peel_upper(s.p[n]))
		n++;
	return n >= 4 && s.n > LEVEL &&
	    blanks(span_sub(s, n, LEVEL)) == LEVEL - n;
}

/* Bytes of the time in brackets that a record begins with, and the blank
 * behind it; or 0. It may have no date. */
static size_t stamp_bytes(struct span line)
{
	size_t n;

	if (line.n < 4 || *line.p != '[' || !peel_digit(line.p[1]))
		return 0;
	line = span_sub(line, 0, SHAPE_STAMP_MOST);
	n = span_find(line, "] ");
	return n < SIZE_MAX && span_find(line, ":") < n ? n + 2 : 0;
}

/* Bytes of a record without its place at the right, and *place: it has one. */
static size_t before_place(struct span line, bool *place)
{
	struct span s = words(line);
	size_t i = s.n, digits = 0, name;

	for (; i && peel_digit(s.p[i - 1]); i--)
		digits++;
	name = i;
	while (i && s.p[i - 1] != ' ')
		i--;
	*place = digits && i && name > i + 1 && s.p[name - 1] == ':' &&
	    memchr(s.p + i, '.', name - i);
	return *place ? i : line.n;
}

bool shape_is_rich(struct shape *s, struct span head)
{
	unsigned records = 0, places = 0, filled = 0;
	size_t width = 0, end;
	struct span line;
	bool place;

	while ((end = span_find(head, "\n")) < head.n) {
		line = span_sub(head, 0, end);
		head = span_sub(head, end + 1, head.n);
		if (span_ends(line, "\r"))
			line.n--;
		end = stamp_bytes(line);
		if (!end || !is_level(span_sub(line, end, line.n)))
			continue;
		if (!records++) {
			width = shape_width(line);
			s->rich.message = end + LEVEL;
		}
		if (shape_width(line) != width ||
		    end + LEVEL != s->rich.message)
			return false;
		before_place(line, &place);
		places += place;
		filled += span_ends(line, "  ");
	}
	return places || (records >= RECORDS_FEW && filled);
}

/* What stands in the column of messages, which the next line may go on with. */
static void keep_part(struct shape_rich *r, struct span text)
{
	r->used = shape_width(text);
	r->one_word = span_find(text, " ") == SIZE_MAX;
}

/* A record, with the time of the one before where it has none. */
static int add_record(
    struct shape_rich *r, struct span line, size_t stamp, struct buf *out)
{
	struct span text, time = span_sub(line, 0, stamp);
	bool place;
	size_t end = before_place(line, &place);

	if (stamp) {
		r->stamp_n = stamp;
		memcpy(r->stamp, line.p, stamp);
	} else {
		time = (struct span){ r->stamp, r->stamp_n };
	}
	/* one blank stands between columns */
	r->part = shape_width(span_sub(line, r->message, end)) - place;
	r->open = true;
	text = words(span_sub(line, r->message, end));
	keep_part(r, text);
	return buf_add(out, time.p, time.n) ||
		buf_add(out, line.p + r->message - LEVEL, LEVEL) ||
		buf_add(out, text.p, text.n)
	    ? -1
	    : 0;
}

/* What stands below a record's message: in a box, more of it, which did not fit
 * before, or another line of it. */
static int add_below(
    struct shape_rich *r, struct span text, struct buf *out, bool *on)
{
	/* it begins with one of the signs that boxes are drawn with */
	bool in_box =
	    span_starts(text, "\xe2\x94") || span_starts(text, "\xe2\x95");
	struct span word = span_sub(text, 0, span_find(text, " "));

	*on = !in_box && word.n && r->used &&
	    r->used + 1 + shape_width(word) > r->part;
	if (*on && !r->one_word && buf_addc(out, ' '))
		return -1;
	keep_part(r, in_box ? span_sub(text, 0, 0) : text);
	return buf_add(out, text.p, text.n);
}

int shape_rich_line(
    struct shape *s, struct span line, struct buf *out, bool *on)
{
	struct shape_rich *r = &s->rich;
	size_t stamp = stamp_bytes(line), n = blanks(line);

	*on = false;
	if (stamp + LEVEL != r->message)
		stamp = 0;
	if ((stamp || n == r->message - LEVEL) &&
	    is_level(span_sub(line, r->message - LEVEL, line.n)))
		return add_record(r, line, stamp, out);
	r->open = r->open && n >= r->message && n < line.n;
	return r->open
	    ? add_below(r, words(span_sub(line, r->message, line.n)), out, on)
	    : buf_add(out, line.p, line.n);
}
