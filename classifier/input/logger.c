/*
 * What a program's own logger puts before its messages: time, level, logger
 * and source line, in the layouts of the common libraries.
 */
#include "input/peel.h"

#include "base/when.h"

#include <string.h>

static struct span trimmed(struct span s)
{
	while (s.n && s.p[0] == ' ')
		s = span_sub(s, 1, s.n);
	while (s.n && s.p[s.n - 1] == ' ')
		s.n--;
	return s;
}

/* Any time, bare or in brackets. */
static size_t bare_time(struct peel *p)
{
	struct cursor c = cursor_of(p->s);
	bool open = p->s.p[0] == '[';
	bool letter = peel_upper(p->s.p[open && p->s.n > 1]);
	struct when w;

	c.i = when_scan(p->s, &w);
	if (!c.i)
		return 0;
	if (!cursor_eat(&c, ": ") && !cursor_eat(&c, "\t") &&
	    !cursor_word_end(&c)) {
		/* "[time][name]", and asctime right before "[3]<stderr>:" */
		if ((!open && !letter) ||
		    (cursor_peek(&c) != '[' && cursor_peek(&c) != '<'))
			return 0;
	}
	/* dmesg -T */
	p->out->kernel |= open && letter && w.year;
	peel_time(p, &w);
	p->after_time = true;
	return c.i;
}

/* The time of glog; absl writes "0000 00:00:" and seconds since 1970 before
 * it is set up. */
static bool glog_time(struct cursor *c, struct when *w)
{
	size_t n;
	int seconds;

	if (cursor_eat(c, "0000 00:00:")) {
		seconds = -1;
		/* ten digits: too long for cursor_number */
		if (c->n - c->i > 10)
			seconds = (int)(span_number((struct span){
					    c->p + c->i, 10 }) > 0) -
			    1;
		if (seconds)
			return false;
		w->micros =
		    span_number((struct span){ c->p + c->i, 10 }) * 1000000;
		w->zone = w->year = true;
		c->i += 10;
		if (cursor_eat(c, "."))
			cursor_run(c, peel_digit);
		return true;
	}
	n = when_scan(cursor_rest(c), w);
	if (!n || c->n - c->i < 9 ||
	    (c->p[c->i + 3] != ' ' && c->p[c->i + 4] != ' ' &&
		c->p[c->i + 8] != ' '))
		return false;
	c->i += n;
	return true;
}

/* "E0501 12:00:00.123456 1234 file.cc:123] ", in torch "[E501 ... x.cpp:1] "
 * without the thread and, before 2.2, without the time */
static size_t glog(struct peel *p)
{
	struct cursor c = cursor_of(p->s);
	bool open = cursor_eat(&c, "[");
	enum level level = peel_level_letter(cursor_peek(&c));
	struct when w = { ENVELOPE_NO_TIME, false, false };
	struct span thread, source;

	if (!level)
		return 0;
	c.i++;
	if (!(open && cursor_peek(&c) == ' ') && !glog_time(&c, &w))
		return 0;
	if (!cursor_blanks(&c))
		return 0;
	thread = cursor_run(&c, peel_digit);
	if (thread.n && !cursor_blanks(&c))
		return 0;
	if (!cursor_until(&c, ']', 200, &source) || !peel_source(source))
		return 0;
	cursor_one_blank(&c);
	p->out->level = level;
	if (w.micros != ENVELOPE_NO_TIME)
		peel_time(p, &w);
	p->after_time = true;
	return c.i;
}

static bool is_logger(char c)
{
	return peel_word(c) || c == '/';
}

/* Python's default: "ERROR:root:text" */
static size_t python_default(struct peel *p)
{
	struct cursor c = cursor_of(p->s);
	struct span word = cursor_run(&c, peel_upper), name;

	if (!peel_level_upper(word) || !cursor_eat(&c, ":"))
		return 0;
	name = cursor_run(&c, is_logger);
	if (!name.n || peel_digit(name.p[0]) || !cursor_eat(&c, ":"))
		return 0;
	p->out->level = peel_level_upper(word);
	p->out->program = name;
	return c.i;
}

/* "[ERROR] ", "[   ERROR] ", "[ERROR] - "; after a time in any case, and as
 * TensorRT's letter */
static size_t level_bracket(struct peel *p)
{
	struct cursor c = cursor_of(p->s);
	bool known = p->after_time || p->after_log;
	enum level level;
	struct span word;

	if (!cursor_eat(&c, "[") || !cursor_until(&c, ']', 16, &word))
		return 0;
	word = trimmed(word);
	level = known ? peel_level(word) : peel_level_upper(word);
	if (!level && known && word.n == 1)
		level = peel_level_letter(word.p[0]);
	if (!level)
		return 0;
	if (!cursor_eat(&c, ": ") && !cursor_eat(&c, " - ") &&
	    !cursor_word_end(&c) && cursor_peek(&c) != '[')
		return 0;
	p->out->level = level;
	return c.i;
}

/* The level in a field: "ERROR", "[ERROR]", "INFO   " */
static enum level field_level(struct span s)
{
	s = trimmed(s);
	if (s.n > 2 && s.p[0] == '[' && s.p[s.n - 1] == ']')
		s = trimmed(span_sub(s, 1, s.n - 1));
	return peel_level(s);
}

/* A field up to " - "; false when there is none within reach. */
static bool dash_field(struct cursor *c, struct span *out)
{
	size_t n = span_find(span_sub(cursor_rest(c), 0, 120), " - ");

	if (n == SIZE_MAX)
		return false;
	*out = span_sub(cursor_rest(c), 0, n);
	c->i += n + 3;
	return true;
}

/* After a time: "- name - ERROR - ", "- ERROR - name - ", "- ERROR - " */
static size_t dashes(struct peel *p)
{
	struct cursor c = cursor_of(p->s), t;
	struct span field, name = { NULL, 0 };
	enum level level = LEVEL_UNKNOWN;

	if (!p->after_time || !cursor_eat(&c, "- "))
		return 0;
	for (int i = 0; i < 4 && !level; i++) {
		if (!dash_field(&c, &field))
			return 0;
		level = field_level(field);
		if (!level && memchr(trimmed(field).p, ' ', trimmed(field).n))
			return 0;
		if (!level && !name.n)
			name = trimmed(field);
	}
	if (!level)
		return 0;
	t = c;
	if (!name.n && dash_field(&t, &field) &&
	    !memchr(field.p, ' ', field.n) &&
	    (memchr(field.p, '.', field.n) || memchr(field.p, '_', field.n) ||
		span_starts(cursor_rest(&t), "  "))) {
		name = field;
		c = t;
		/* the layout of older transformers examples: " -   text" */
		cursor_eat(&c, "  ");
	}
	p->out->level = level;
	if (name.n)
		p->out->program = name;
	return c.i;
}

/* "ERROR " after a time */
static size_t level_word(struct peel *p)
{
	struct cursor c = cursor_of(p->s);
	struct span word = cursor_run(&c, peel_upper);

	if (!p->after_time || p->after_log || !peel_level_upper(word) ||
	    !cursor_blanks(&c) || span_starts(cursor_rest(&c), "ERROR"))
		return 0;
	cursor_eat(&c, "- ");
	p->out->level = peel_level_upper(word);
	return c.i;
}

const struct peel_row logger_rows[] = {
	{ "glog", glog, PEEL_SQUARE | PEEL_UPPER, 2 },
	{ "python default", python_default, PEEL_UPPER, 2 },
	{ "time", bare_time, PEEL_SQUARE | PEEL_DIGIT | PEEL_UPPER, -1 },
	{ "level in brackets", level_bracket, PEEL_SQUARE, 2 },
	{ "dashes", dashes, PEEL_DASH, 2 },
	{ "level", level_word, PEEL_UPPER, 2 },
};
_Static_assert(sizeof logger_rows / sizeof *logger_rows <= 32, "bits of a set");
const size_t logger_rows_n = sizeof logger_rows / sizeof *logger_rows;
