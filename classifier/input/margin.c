/*
 * The first lines are held until one has nothing before its words, which nearly
 * always is the first one. What all of them begin with, of blanks and signs
 * that quote, is the margin. Frames of a traceback are indented, too, but not
 * more of them than MARGIN_LINES in turn at the start of a log.
 */
#include "input/margin.h"

#include <string.h>

static const char *const signs[] = { " ", "\t", ">", "|", "\xe2\x94\x82",
	"\xe2\x94\x83" };

void margin_begin(struct margin *m)
{
	struct held held = m->held;

	held_clear(&held);
	*m = (struct margin){ .held = held };
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
	m->n = shared(line, m->text, m->n);
	if (!is_margin((struct span){ m->text, m->n }))
		m->n = 0;
}

/* What all lines at the start of a log begin with, of which s is there so far.
 * False: more of it may tell; all: there is no more. It does not matter how
 * much of it comes at once. */
static bool tell(struct margin *m, struct span s, bool all)
{
	bool full = s.n >= MARGIN_LOOK, end = all && !full;
	const char *nl;

	s = span_sub(s, m->seen, MARGIN_LOOK);
	while (m->lines < MARGIN_LINES && (m->n || !m->lines) && s.n &&
	    (nl = memchr(s.p, '\n', s.n))) {
		size_t n = (size_t)(nl - s.p);

		look_at(m, span_sub(s, 0, n));
		m->seen += n + 1;
		s = span_sub(s, n + 1, s.n);
	}
	if (s.n && (all || (full && !m->lines)))
		look_at(m, s);
	all |= full || m->lines == MARGIN_LINES || (m->lines && !m->n);
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

	if (m->strays || m->part || n < m->at ||
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
	return blocks_ends(*t->text.p) || shrink(m) ? 0 : stray(m, next, e);
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
