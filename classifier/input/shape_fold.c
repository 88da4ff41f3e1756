/*
 * What Windows' PowerShell makes of a program's errors that it redirects. Each
 * line is cut to the width of the console, between words where the language
 * has some, and the first is called its own error: the program's name stands
 * before it, and below it where in the script the program was called,
 *
 *   python : Traceback (most recent call last):
 *   At line:1 char:1
 *   + python train.py > out.txt 2>&1
 *   + ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
 *       + CategoryInfo          : NotSpecified: (...) [], RemoteException
 *       + FullyQualifiedErrorId : NativeCommandError
 *
 * which ends in a blank line. These lines are cut, too, and tell how wide it
 * was. Output goes on as it is: a line that is wider was not cut.
 */
#include "input/shape_private.h"

#include <string.h>

#define RECORD_MOST 32 /* lines of such an error */
#define SAID_MOST 6    /* before the call, nearly always */
#define NAME_MOST 400  /* bytes of the program's name */
#define WIDTH_MOST 400 /* columns; of a wider console no more is told */

/* What stands before the class of an error. */
static const char class[] = "    + CategoryInfo";

/* The last lines before the one at hand, and what they tell. */
struct record {
	struct span line[RECORD_MOST];
	uint64_t lines;
	uint64_t call;  /* the line where the call is shown, */
	uint64_t rule;  /* and the rule below it; 0: none so far */
	uint64_t class; /* and the class of the error */
};

static struct span line_of(const struct record *r, uint64_t i)
{
	return r->line[i % RECORD_MOST];
}

static bool is_of(struct span s, size_t from, const char *chars)
{
	for (size_t i = from; i < s.n; i++)
		if (!s.p[i] || !strchr(chars, s.p[i]))
			return false;
	return s.n > from;
}

/* Columns of the first word of a line, and of the blank behind it. */
static size_t first_word(struct span line)
{
	size_t n = 0;

	while (n < line.n && line.p[n] != ' ' && line.p[n] != '\t')
		n++;
	return shape_width(span_sub(line, 0, n)) + (n < line.n);
}

/* Columns of the last word of a line. */
static size_t last_word(struct span line)
{
	size_t n = line.n;

	while (n && line.p[n - 1] != ' ' && line.p[n - 1] != '\t')
		n--;
	return shape_width(span_sub(line, n, line.n));
}

static bool ends_in_blank(struct span line)
{
	return line.n &&
	    (line.p[line.n - 1] == ' ' || line.p[line.n - 1] == '\t');
}

void shape_fold_part(struct shape *s, struct span line, bool on)
{
	struct shape_fold *f = &s->fold;
	size_t before = on ? f->word : 0;

	f->columns = f->left_out + shape_width(line);
	f->blank = ends_in_blank(line);
	f->word = last_word(line);
	if (f->word == f->columns)
		f->word += before;
	s->open = !f->before && f->columns && f->columns <= s->width &&
	    (f->columns == s->width || (f->words && f->blank));
}

bool shape_fold_goes_on(const struct shape *s, struct span next)
{
	const struct shape_fold *f = &s->fold;

	if (!next.n)
		return false;
	if (!f->words)
		return !span_starts(next, "  ");
	/* the word would have had room, or is wider than all */
	return (f->blank ? f->columns : f->word) + first_word(next) > s->width;
}

/* The first line of the one that line i goes on with. */
static uint64_t begin_of(struct shape *s, const struct record *r, uint64_t i)
{
	const uint64_t least =
	    r->lines > RECORD_MOST ? r->lines - RECORD_MOST : 0;

	for (; i > least; i--) {
		shape_fold_part(s, line_of(r, i - 1), false);
		if (!s->open || !shape_fold_goes_on(s, line_of(r, i)))
			break;
	}
	s->open = false;
	return i;
}

/* Bytes of the name before what the program said, in lines [i, end). */
static size_t name_bytes(const struct record *r, uint64_t i, uint64_t end)
{
	char text[NAME_MOST];
	size_t n = 0, at;

	for (; i < end; i++) {
		struct span line = span_sub(line_of(r, i), 0, sizeof text - n);

		memcpy(text + n, line.p, line.n);
		n += line.n;
	}
	at = span_find((struct span){ text, n }, " : ");
	return at < n ? at + 3 : 0;
}

/* Takes the lines behind the class, to the one that ends the error, a blank.
 * Whether it is a program's and none of PowerShell's own, such as of a name
 * that it does not know. */
static bool take_rest(struct record *r, struct span text)
{
	static const char word[] = "NativeCommandError";
	size_t n = 0;
	struct span line;

	while (r->lines - r->call < RECORD_MOST / 2 + 6 &&
	    shape_take_line(&text, &line)) {
		r->line[r->lines++ % RECORD_MOST] = line;
		if (!line.n || is_of(line, 0, " "))
			break;
		/* as it stands over lines, between which are blanks */
		for (size_t i = 0; i < line.n && word[n]; i++)
			if (line.p[i] != ' ')
				n = line.p[i] == word[n] ? n + 1
				    : line.p[i] == *word ? 1
							 : 0;
	}
	return !word[n];
}

/* Takes the next line: whether an error's class stands there. */
static bool is_class(struct record *r, struct span line)
{
	const uint64_t i = r->lines++;

	r->line[i % RECORD_MOST] = line;
	if (r->rule && span_starts(line, class)) {
		r->class = i;
		return i - r->call < RECORD_MOST / 2;
	}
	if (r->call && span_starts(line, "+ ") && is_of(line, 2, " ~"))
		r->rule = i;
	else if (!r->rule || !is_of(line, 0, "~"))
		r->rule = 0;
	if (span_starts(line, "+ ") && !r->rule)
		r->call = i;
	return false;
}

/* Its columns, where some line of it was cut: the rule, or the class, behind
 * which next stands. 0: none was. */
static size_t width_of(const struct record *r, struct span next)
{
	if (is_of(line_of(r, r->rule + 1), 0, "~"))
		return shape_width(line_of(r, r->rule));
	return span_starts(next, "    + ") ? 0
					   : shape_width(line_of(r, r->class));
}

/* What text says of how it was cut at a width. */
struct cuts {
	unsigned words; /* lines between words, one more of which had no room */
	unsigned room;  /* or had, though a blank is the line's end */
	unsigned torn;  /* or in a word that had room in the next */
};

static void count_cuts(struct cuts *c, struct span text, size_t width)
{
	struct span last = { NULL, 0 }, line;

	for (; shape_take_line(&text, &line); last = line) {
		size_t n = shape_width(last), first = first_word(line);

		if (n > width || is_of(last, 0, " ") || !last.n || !line.n ||
		    *line.p == ' ')
			continue;
		if (n < width && ends_in_blank(last)) {
			c->words += n + first > width;
			c->room += n + first <= width;
		} else if (n == width && !ends_in_blank(last)) {
			c->torn += last_word(last) + first <= width;
		}
	}
}

/* The columns of the widest line that may be cut. */
static size_t widest(struct span text)
{
	size_t width = 0;
	struct span line;

	while (shape_take_line(&text, &line)) {
		size_t n = shape_width(line);

		width = n > width ? n : width;
	}
	return width;
}

/* The width and how lines were cut, by the text before the rule and the one
 * that begins with the line behind the class. all: it is all of a log. */
static void find_width(struct shape *s, const struct record *r,
    struct span before, struct span text, bool all)
{
	struct span rest = text, next = { NULL, 0 };
	struct cuts c = { 0 };
	bool known;

	shape_take_line(&rest, &next);
	s->width = width_of(r, next);
	known = s->width > 0;
	if (!known)
		s->width = widest(text);
	count_cuts(&c, before, s->width);
	count_cuts(&c, text, s->width);
	s->fold.words = c.words >= c.torn;
	/* a console that is wider than PowerShell's words are long */
	if (!known && (c.words <= c.room || !s->fold.words) &&
	    !shape_is_wrapped(s, text, all))
		s->width = 0;
	if (s->width > WIDTH_MOST)
		s->width = 0;
}

/* What was said and the call below it, as they stand in the log. */
static struct span said_lines(const struct record *r)
{
	const uint64_t i = r->call > SAID_MOST ? r->call - SAID_MOST : 0;
	const char *from = line_of(r, i).p;

	return (struct span){ from, (size_t)(line_of(r, r->rule).p - from) };
}

bool shape_is_folded(struct shape *s, struct span head, bool all)
{
	struct shape_fold *f = &s->fold;
	struct record r = { 0 };
	struct span before, line;

	/* of its bytes the first rare one */
	if (span_find(head, class + 4) == SIZE_MAX)
		return false;
	do {
		if (!shape_take_line(&head, &line))
			return false;
	} while (!is_class(&r, line));
	before = said_lines(&r);
	find_width(s, &r, before, head, all);
	if (!take_rest(&r, head))
		return true;
	f->from = begin_of(s, &r, r.call - 1);
	f->to = r.lines - 1;
	f->said = f->from ? begin_of(s, &r, f->from - 1) : 0;
	f->name = name_bytes(&r, f->said, f->from);
	return true;
}

struct span shape_fold_line(struct shape *s, struct span line)
{
	struct shape_fold *f = &s->fold;
	const uint64_t i = f->line++;
	size_t n;

	f->left_out = 0;
	f->before = i < f->said;
	if (i >= f->from && i <= f->to && f->to)
		return span_sub(line, line.n, line.n);
	if (i < f->said || i >= f->from)
		return line;
	n = line.n < f->name ? line.n : f->name;
	f->name -= n;
	f->left_out = shape_width(span_sub(line, 0, n));
	return span_sub(line, n, line.n);
}
