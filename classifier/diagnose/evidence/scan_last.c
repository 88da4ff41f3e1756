/*
 * What a log says last. There are rules for its last line; and where nothing
 * else tells why a job ended, the last words of a program are read as if they
 * had been raised: of one that a workflow quotes, else of the log itself.
 */
#include "diagnose/evidence/scan_private.h"

#include "diagnose/evidence/around.h"
#include "diagnose/evidence/lastwords.h"
#include "diagnose/evidence/recurring.h"
#include "diagnose/evidence/shape.h"
#include "diagnose/signals/facts.h"
#include "input/decode.h"

#define LAST_LINES 4 /* that are read so */

uint64_t scan_line_number(const struct findings *f, struct span tail, size_t at)
{
	return f->lines - span_newlines(span_sub(tail, at, tail.n)) +
	    (tail.n && tail.p[tail.n - 1] == '\n');
}

/* Whether a rule knows a line already, or it is of a report that has its
 * reason. */
static bool is_known(const struct findings *f, uint64_t line)
{
	for (size_t i = 0; i < f->n_evidence; i++)
		if (f->evidence[i].rule && f->evidence[i].line == line)
			return true;
	for (size_t i = 0; i < f->n_events; i++)
		if (f->events[i].complete && f->events[i].last_line >= line)
			return true;
	return false;
}

/* The line that begins at a place in what is at hand becomes the one at hand.
 */
static void take_line(
    struct scan *s, struct span all, size_t at, struct log_line *l)
{
	const struct decode_block *b = s->block;
	size_t from, to;

	*l = (struct log_line){ .number = scan_line_number(s->f, all, at) };
	s->pos = at > b->history.n ? at - b->history.n : 0;
	around_line(all, 0, at, &from, &to);
	l->raw = span_sub(all, at, to);
	l->offset = decode_offset(b, s->pos);
	if (at < b->history.n)
		l->offset -= b->history.n - at;
	envelope_peel(s->en->tax->prefixes, l->raw, &l->env);
	s->line = l;
}

void scan_last_line(struct scan *s, struct span all, size_t at)
{
	struct log_line l;

	take_line(s, all, at, &l);
	if (!is_known(s->f, l.number) && !scan_is_context(s, l.env.text)) {
		scan_nominate_last(s);
		(void)scan_rules(s, WHERE_LAST, l.raw, EVENT_NONE);
	}
	s->line = NULL;
}

/* Whether the log tells of a cause. */
static bool tells_cause(const struct findings *f)
{
	for (size_t i = 0; i < f->n_evidence; i++) {
		/* none: what was dropped */
		const struct rule *rule = f->evidence[i].rule;

		if (rule && !f->evidence[i].warning &&
		    (rule->role == ROLE_ROOT || rule->role == ROLE_CONSEQUENCE))
			return true;
	}
	return false;
}

/* Whether it shows how a program ended. */
static bool shows_end(const struct findings *f)
{
	for (size_t i = 0; i < f->n_events; i++)
		if (f->events[i].kind != EVENT_BARE)
			return true;
	return false;
}

/* Whether a rule says more of a line than that something failed. */
static bool is_told(const struct findings *f, uint64_t line)
{
	for (size_t i = 0; i < f->n_evidence; i++)
		if (f->evidence[i].rule && f->evidence[i].line == line &&
		    !f->evidence[i].rule->unexplained)
			return true;
	return false;
}

/* Whether the line at hand, which may be the end of all, says why a program
 * ended. */
static bool says(struct scan *s, const struct log_line *l, bool end)
{
	return !is_told(s->f, l->number) &&
	    (!scan_below_error(&l->env) ||
		(s->f->passed_on && scan_calm(l->env.level))) &&
	    !shape_echo(s->en->tax, l->env.text) &&
	    !scan_is_context(s, l->env.text) && scan_said_last(s, l, end);
}

/* Read the last lines of a text from its end to its start, up to one that
 * says. */
static bool read_back(struct scan *s, struct span all, size_t from, size_t end)
{
	struct log_line l;
	struct span line;
	bool said = false;

	for (int i = 0; i < LAST_LINES && !said &&
	     facts_line_before(all, from, &end, &line);
	     i++) {
		take_line(s, all, end, &l);
		said = says(s, &l, i == 0);
		s->line = NULL;
	}
	return said;
}

/* The last words of a program, where nothing else tells why the job ended. */
static void read_last_words(struct scan *s, struct span all)
{
	const struct decode_block *b = s->block;
	uint64_t base = b->clean + b->text.n - all.n;
	size_t from = all.n > BEFORE_REACH ? all.n - BEFORE_REACH : 0;
	size_t quote = s->quoted >= base ? (size_t)(s->quoted - base) : all.n;

	if (tells_cause(s->f))
		return;
	if (quote < all.n && read_back(s, all, quote, quote_end(all, quote)))
		return;
	if (s->f->cut == CUT_NO && !shows_end(s->f))
		(void)read_back(s, all, from, all.n);
}

void scan_last_words(struct scan *s, struct span all)
{
	struct findings *f = s->f;

	if (!f->ended_well && !f->of_record) {
		read_last_words(s, all);
		lastwords_keep(f, s->en->tax->prefixes, all);
	}
	recurring_find(f, s->en->tax->prefixes, all);
}
