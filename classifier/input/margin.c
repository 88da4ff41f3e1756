/*
 * The first lines are held until one has nothing before its words, which nearly
 * always is the first one. What all of them begin with, of blanks and signs
 * that quote, is the margin. Frames of a traceback are indented, too, but not
 * more of them than MARGIN_LINES in turn at the start of a log.
 *
 * A tag is told by what stands behind it, since a program's own lines may begin
 * alike, too: those are of one shape, while behind a tag there is all that a
 * log can hold: lines that are blank, indented, or begin with a time, or
 * several first letters. What is known as a prefix is none, since that tells of
 * time, rank or node.
 */
#include "input/margin.h"

#include "base/when.h"
#include "input/peel.h"
#include "input/prefixes.h"

#include <string.h>

static const char *const signs[] = { " ", "\t", ">", "|", "\xe2\x94\x82",
	"\xe2\x94\x83" };

void margin_begin(struct margin *m, const struct prefixes *prefixes)
{
	struct held held = m->held;

	held_clear(&held);
	*m = (struct margin){ .held = held, .prefixes = prefixes };
	m->held.text.max = BUF_MAX;
}

void margin_release(struct margin *m)
{
	held_release(&m->held);
}

/* Bytes of the sign that s begins with, or 0. */
static size_t sign_of(struct span s)
{
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
		if (span_starts(s, signs[i]))
			return strlen(signs[i]);
	return 0;
}

/* What a line begins with, up to a part of it that both have. */
static size_t shared(struct span line, const char *text, size_t n)
{
	size_t i = 0, sign;

	while ((sign = sign_of(span_sub(line, i, line.n))) != 0 &&
	    i + sign <= n && memcmp(line.p + i, text + i, sign) == 0)
		i += sign;
	return i;
}

/* Or what stands before a bar that is drawn again and again. */
static bool is_blank(struct span line)
{
	size_t i = 0, sign;

	while ((sign = sign_of(span_sub(line, i, line.n))) != 0)
		i += sign;
	return i == line.n || (line.p[i] == '\r' && (!i || i + 1 == line.n));
}

/* One blank is how some programs print. */
static bool is_margin(struct span s)
{
	return s.n > 1 || (s.n == 1 && *s.p != ' ');
}

/* ---- tags ---- */

/* A line's level is no tag, nor is what has no words. */
static bool is_name(struct span tag)
{
	struct cursor c = cursor_of(tag);
	bool letters = false;

	while (!cursor_end(&c)) {
		struct span word = cursor_run(&c, peel_letter);

		if (peel_level(word))
			return false;
		letters |= word.n;
		c.i += !word.n;
	}
	return letters;
}

/* Where the signs and tags end that s begins with; 0: there is no tag. */
static size_t tag_end(const struct margin *m, struct span s)
{
	size_t i = shared(s, s.p, s.n), end = 0, n;

	while ((n = prefixes_tag(m->prefixes, span_sub(s, i, s.n))) != 0 &&
	    is_name(span_sub(s, i, i + n)))
		end = i += n;
	return end;
}

/* The tag is what this line has of it, too. False: it has none, as a few lines
 * may, of a launcher that tells of the end. */
static bool shorten(struct margin *m, struct span line)
{
	size_t i = 0, end;

	while (i < m->tag && i < line.n && line.p[i] == m->text[i])
		i++;
	/* blanks at the end of a line that holds no more may be cut off */
	if (i == m->tag ||
	    (is_blank(span_sub(line, i, line.n)) &&
		is_blank((struct span){ m->text + i, m->tag - i })))
		return true;
	end = tag_end(m, (struct span){ m->text, i });
	if (!end && ++m->misses < MARGIN_STRAYS)
		return false;
	if (end)
		m->behind |= UINT64_C(1) << (m->text[end] & 63);
	m->tag = end;
	return end;
}

/* Whether a text is one that no program puts behind words of its own: nothing,
 * an indented line, a record. */
static bool is_own_line(struct span text)
{
	return is_blank(text) || *text.p == '\t' || span_starts(text, "  ") ||
	    span_starts(text, "{\"");
}

/* What a line has behind the tag. */
static void look_behind(struct margin *m, struct span line)
{
	struct span text = span_sub(line, m->tag, line.n);
	struct envelope env;
	struct when w;

	if (m->known + m->misses + 1 == m->lines) {
		envelope_peel(m->prefixes, line, &env);
		m->known += env.text.p != line.p;
	}
	if (is_own_line(text))
		m->own++;
	else if (when_scan(text, &w))
		m->times++;
	else
		m->behind |= UINT64_C(1)
		    << ((peel_digit(*text.p) ? '0' : *text.p) & 63);
}

/* The tag is the margin if it is one. Of a few lines, such as a program's only
 * complaint, times and first letters say little. */
static void settle(struct margin *m)
{
	bool all = m->lines == MARGIN_TAGGED;

	m->told = m->lines > 1 && m->misses * 4 <= m->lines &&
	    m->known + m->misses < m->lines &&
	    (m->own || (all && m->times) ||
		(all && __builtin_popcountll(m->behind) >= MARGIN_KINDS));
	if (m->told)
		m->n = m->tag;
	m->tag = 0;
}

/* ---- what all lines have ---- */

/* A line of those that tell. Where each ends with a bar they are the rows of a
 * table, and their bars no margin. */
static void look_at(struct margin *m, struct span line)
{
	struct span text = line;

	if (is_blank(line))
		return;
	while (text.n > 1 &&
	    (blocks_ends(text.p[text.n - 1]) || text.p[text.n - 1] == ' '))
		text.n--;
	m->words |= text.p[text.n - 1] != '|';
	if (!m->lines++) {
		m->n = line.n < MARGIN_MOST ? line.n : MARGIN_MOST;
		memcpy(m->text, line.p, m->n);
	}
	if (m->lines == 1)
		m->tag = tag_end(m, (struct span){ m->text, m->n });
	m->n = shared(line, m->text, m->n);
	if (!is_margin((struct span){ m->text, m->n }))
		m->n = 0;
	if (m->tag && shorten(m, line))
		look_behind(m, line);
	if (m->tag && m->lines == MARGIN_TAGGED)
		settle(m);
}

/* Whether more lines may tell. */
static bool is_open(const struct margin *m)
{
	return !m->lines ||
	    (m->lines < MARGIN_LINES && (m->n || m->tag) && !m->told);
}

/* What all lines at the start of a log begin with, of which s is there so far.
 * False: more of it may tell; all: there is no more. It does not matter how
 * much of it comes at once. */
static bool tell(struct margin *m, struct span s, bool all)
{
	bool full = s.n >= MARGIN_LOOK, end = all && !full;
	const char *nl;

	s = span_sub(s, m->seen, MARGIN_LOOK);
	while (is_open(m) && s.n && (nl = memchr(s.p, '\n', s.n))) {
		size_t n = (size_t)(nl - s.p);

		look_at(m, span_sub(s, 0, n));
		m->seen += n + 1;
		s = span_sub(s, n + 1, s.n);
	}
	if (s.n && (all || (full && !m->lines)))
		look_at(m, s);
	all |= full || !is_open(m);
	if (all && m->tag)
		settle(m);
	/* a line alone is no log that was indented */
	if (all && (!m->words || (end && m->lines < 2)))
		m->n = 0;
	return all;
}

/* The line at hand begins with a part of it only. If no line had less before,
 * and it is a margin, too, then that is what all of the log has. */
static bool shrink(struct margin *m)
{
	size_t n = shared((struct span){ m->text, m->at }, m->text, m->at);

	if (m->told || m->strays || m->part || n < m->at ||
	    !is_margin((struct span){ m->text, n }))
		return false;
	m->n = n;
	return true;
}

/* The line at hand is none of those, after a part of it: which belongs to its
 * text. */
static int stray(
    struct margin *m, const struct margin_next *next, struct err *e)
{
	struct piece t = { { m->text, m->at }, m->raw, m->step };

	m->strays += !m->part;
	if (m->strays == MARGIN_STRAYS)
		m->state = MARGIN_OFF;
	return m->at ? next->add(next->ctx, t, e) : 0;
}

/* Take off what of the margin is at the front of t. */
static int take_off(struct margin *m, struct piece *t,
    const struct margin_next *next, struct err *e)
{
	size_t i = 0;

	if (!m->at) {
		m->raw = t->raw;
		m->step = t->step;
	}
	while (
	    i < t->text.n && m->at < m->n && t->text.p[i] == m->text[m->at]) {
		i++;
		m->at++;
	}
	t->raw += (uint64_t)t->step * i;
	t->text = span_sub(t->text, i, t->text.n);
	if (!t->text.n && m->at < m->n)
		return 0;
	m->inside = true;
	if (m->at == m->n) {
		m->strays = m->part ? m->strays : 0;
		return 0;
	}
	/* an empty line, or one whose blanks at the end were cut off */
	if (blocks_ends(*t->text.p) &&
	    is_blank((struct span){ m->text + m->at, m->n - m->at }))
		return 0;
	return shrink(m) ? 0 : stray(m, next, e);
}

/* Text of a log that has a margin. */
static int go_on(struct margin *m, struct piece t,
    const struct margin_next *next, struct err *e)
{
	while (t.text.n && m->state == MARGIN_ON) {
		struct piece line;

		if (!m->inside && take_off(m, &t, next, e))
			return -1;
		if (!t.text.n)
			break;
		line = t;
		line.text = blocks_line(t.text);
		if (blocks_ends(line.text.p[line.text.n - 1])) {
			m->part = line.text.p[line.text.n - 1] == '\r';
			m->inside = false;
			m->at = 0;
		}
		if (next->add(next->ctx, line, e))
			return -1;
		t.raw += (uint64_t)t.step * line.text.n;
		t.text = span_sub(t.text, line.text.n, t.text.n);
	}
	return t.text.n ? next->add(next->ctx, t, e) : 0;
}

/* It is told: what is held goes on. */
static int let_go(
    struct margin *m, const struct margin_next *next, struct err *e)
{
	m->state = m->n ? MARGIN_ON : MARGIN_OFF;
	for (size_t k = 0; k < m->held.at.n; k++)
		if (go_on(m, held_piece(&m->held, k), next, e))
			return -1;
	held_clear(&m->held);
	return 0;
}

int margin_feed(struct margin *m, struct piece t,
    const struct margin_next *next, struct err *e)
{
	if (m->state != MARGIN_SEEK)
		return go_on(m, t, next, e);
	if (held_add(&m->held, t, e))
		return -1;
	if (!tell(m, (struct span){ m->held.text.p, m->held.text.len }, false))
		return 0;
	return let_go(m, next, e);
}

int margin_end(struct margin *m, const struct margin_next *next, struct err *e)
{
	if (m->state != MARGIN_SEEK)
		return 0;
	tell(m, (struct span){ m->held.text.p, m->held.text.len }, true);
	return let_go(m, next, e);
}
