/*
 * A candidate is one event (a traceback, another block) with the best of its
 * rules, or one line.
 */
#include "diagnose/decision/candidates.h"

#include <stdlib.h>

/* ---- the best rule of one event ---- */

static int strength(const struct evidence *ev)
{
	const struct rule *r = ev->rule;

	if (r->role == ROLE_ROOT)
		return r->generic ? 3 : 5;
	if (r->role == ROLE_CONSEQUENCE)
		return r->generic ? 2 : 4;
	if (r->role == ROLE_FALLBACK)
		return r->generic ? 0 : 1;
	return -1;
}

/* Whether a says more about the same event than b. */
static bool stronger(const struct evidence *a, const struct evidence *b)
{
	int sa = strength(a), sb = strength(b);

	if (sa != sb)
		return sa > sb;
	/* what a message means before the class it has */
	if (a->rule->generic && a->rule->weight != b->rule->weight)
		return a->rule->weight > b->rule->weight;
	/* a rule for exceptions knows more of them than one for any line, and
	 * one that names the path or key more than one that does not */
	if ((a->rule->where == WHERE_LINE) != (b->rule->where == WHERE_LINE))
		return b->rule->where == WHERE_LINE;
	if (a->n_captures != b->n_captures)
		return a->n_captures > b->n_captures;
	if (a->rule->least != b->rule->least)
		return a->rule->least > b->rule->least;
	if (a->least != b->least)
		return a->least > b->least;
	if (a->match_to - a->match_from != b->match_to - b->match_from)
		return a->match_to - a->match_from >
		    b->match_to - b->match_from;
	return a->rule->number < b->rule->number;
}

static bool same_place(const struct evidence *a, const struct evidence *b)
{
	if (a->event != EVENT_NONE || b->event != EVENT_NONE)
		return a->event == b->event;
	return a->line == b->line;
}

static enum claim claim_of(const struct candidate *c)
{
	const struct event *ev = c->event;

	if (!c->evidence)
		return CLAIM_UNKNOWN;
	if (c->log->of_node)
		return CLAIM_NODE;
	switch (c->evidence->rule->role) {
	case ROLE_ROOT:
		/* the scheduler's word tells how it ended, not always why */
		return c->log->of_record ? CLAIM_UNCAUGHT : CLAIM_ROOT;
	case ROLE_CONSEQUENCE:
		return CLAIM_CONSEQUENCE;
	case ROLE_FALLBACK:
		return ev && ev->kind != EVENT_BARE && ev->complete &&
			!ev->thread
		    ? CLAIM_UNCAUGHT
		    : CLAIM_FALLBACK;
	case ROLE_CONFIRMATION:
		return CLAIM_CONFIRMATION;
	case ROLE_CONTEXT:
	case ROLE_COUNT:
		break;
	}
	return CLAIM_BACKGROUND;
}

/* ---- what all ask ---- */

void candidates_lose(struct candidate *c, const char *why)
{
	if (c->why)
		return;
	c->why = why;
	c->claim = CLAIM_BACKGROUND;
}

bool candidates_specific(const struct candidate *c)
{
	return c->claim == CLAIM_ROOT && !c->evidence->rule->generic;
}

bool candidates_importing(const struct candidate *c)
{
	const struct findings *f = c->log;

	if (!c->event || !findings_importing(c->event))
		return false;
	for (size_t i = 0; i < f->n_events; i++) {
		const struct event *e = &f->events[i];

		if (e->chain != CHAIN_NONE && e->prior != EVENT_NONE &&
		    &f->events[e->prior] == c->event)
			return false;
	}
	return true;
}

struct progress candidates_before(const struct candidate *c)
{
	return c->event ? c->event->before : c->evidence->before;
}

uint64_t candidates_between(
    const struct candidate *a, const struct candidate *b)
{
	return b->ordinary_before > a->ordinary_to
	    ? b->ordinary_before - a->ordinary_to
	    : 0;
}

bool candidates_same_category(
    const struct candidate *a, const struct candidate *b)
{
	return a->evidence && b->evidence &&
	    a->evidence->rule->category == b->evidence->rule->category;
}

static bool programs_known(const struct candidate *a, const struct candidate *b)
{
	return a->event && b->event && a->event->program && b->event->program;
}

bool candidates_same_program(
    const struct candidate *a, const struct candidate *b)
{
	return programs_known(a, b) && a->event->program == b->event->program;
}

bool candidates_other_program(
    const struct candidate *a, const struct candidate *b)
{
	return programs_known(a, b) && a->event->uncaught &&
	    b->event->uncaught && !candidates_same_program(a, b);
}

bool candidates_told_twice(const struct candidate *a, const struct candidate *b)
{
	return candidates_same_category(a, b) &&
	    candidates_between(a, b) <= NEAR;
}

/* ---- gathering ---- */

/* Whether an event is the end of a process: an exception that nobody caught, an
 * abort. */
static bool fatal(const struct event *e)
{
	return e && !e->warning && !e->ignored &&
	    (e->kind == EVENT_BLOCK ||
		(e->kind == EVENT_TRACE && e->complete && e->uncaught));
}

enum handled candidates_caught(const struct event *e)
{
	if (e && e->kind == EVENT_BARE && e->logged)
		return HANDLED_PERHAPS;
	if (!e || e->kind != EVENT_TRACE || !e->complete || e->thread ||
	    e->cell)
		return HANDLED_NOT;
	if (e->uncaught)
		return e->logged ? HANDLED_PERHAPS : HANDLED_NOT;
	return e->handled ? HANDLED_SURELY : HANDLED_NOT;
}

/* What a rule knows of the end of processes. */
static void note_end(struct candidate *c, const struct rule *r)
{
	c->died |= r->ends_process || r->word_of != SPEAKER_JOB;
	if (r->word_of != SPEAKER_JOB)
		c->speaker = r->word_of;
}

static int by_place(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->log_at != y->log_at)
		return x->log_at < y->log_at ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->evidence > y->evidence) - (x->evidence < y->evidence);
}

static int add(struct ranking *r, struct candidate c)
{
	struct candidate *v;

	if ((r->n & (r->n + 1)) == 0) {
		v = realloc(r->v, (r->n + 1) * 2 * sizeof *v);
		if (!v)
			return -1;
		r->v = v;
	}
	c.claim = claim_of(&c);
	c.died |= fatal(c.event);
	/* in a log whose other lines are of the same program */
	if (!c.log->parallel)
		c.handled = candidates_caught(c.event);
	r->v[r->n++] = c;
	return 0;
}

static int add_evidence(
    struct ranking *r, const struct findings *f, size_t at, size_t *i)
{
	const struct evidence *best = &f->evidence[*i];
	size_t k = *i;

	/* evidence of one block need not be adjacent: a block is taken up at
	 * its first piece */
	if (best->event != EVENT_NONE)
		for (size_t j = 0; j < k; j++)
			if (same_place(&f->evidence[j], best))
				return 0;
	for (size_t j = k + 1; j < f->n_evidence; j++)
		if (same_place(&f->evidence[j], &f->evidence[k]) &&
		    stronger(&f->evidence[j], best))
			best = &f->evidence[j];
	if (best->event == EVENT_NONE)
		while (*i + 1 < f->n_evidence &&
		    same_place(&f->evidence[*i + 1], best))
			++*i;
	struct candidate c = {
		.log = f,
		.log_at = at,
		.evidence = best,
		.event =
		    best->event == EVENT_NONE ? NULL : &f->events[best->event],
		.first_line = best->line,
		.line = best->line,
		.last_line = best->line,
		.time = best->time,
		.rank = best->rank >= 0 ? best->rank : f->rank,
		.aside = ASIDE_NONE,
	};
	if (c.event && c.event->last_line > c.last_line)
		c.last_line = c.event->last_line;
	if (c.event && c.event->first_line < c.first_line)
		c.first_line = c.event->first_line;
	for (size_t j = k; j < f->n_evidence; j++)
		if (same_place(&f->evidence[j], &f->evidence[k]))
			note_end(&c, f->evidence[j].rule);
	if (c.speaker == SPEAKER_JOB)
		c.aside = (enum signal_aside)best->aside;
	return add(r, c);
}

/* Where it begins; the lines that tie it to the exception before it are no
 * output. */
static uint64_t begins(const struct candidate *c)
{
	const struct event *e = c->event, *prior;

	if (!e || e->chain == CHAIN_NONE || e->prior == EVENT_NONE)
		return c->first_line;
	prior = &c->log->events[e->prior];
	return prior->last_line < c->first_line &&
		c->first_line - prior->last_line <= NEAR
	    ? prior->last_line + 1
	    : c->first_line;
}

/* Count the lines that belong to no candidate, log by log. */
static void count_ordinary(struct ranking *r)
{
	for (size_t i = 0, next; i < r->n; i = next) {
		uint64_t covered = 0, end = 0;

		for (next = i;
		     next < r->n && r->v[next].log_at == r->v[i].log_at;
		     next++) {
			struct candidate *c = &r->v[next];
			uint64_t from = begins(c) > end ? begins(c) - 1 : end;

			c->ordinary_before =
			    from > covered ? from - covered : 0;
			if (c->last_line > from) {
				covered += c->last_line - from;
				end = c->last_line;
			}
			c->ordinary_to = end - covered;
		}
		for (size_t k = i; k < next; k++) {
			struct candidate *c = &r->v[k];
			uint64_t other = covered + c->ordinary_to;

			if (c->log->lines > other)
				c->ordinary_after = c->log->lines - other;
		}
	}
}

int candidates_gather(struct ranking *r)
{
	for (size_t at = 0; at < r->d->n_logs; at++) {
		const struct findings *f = r->d->logs[at];

		for (size_t i = 0; i < f->n_evidence; i++)
			if (add_evidence(r, f, at, &i))
				return -1;
		for (uint32_t i = 0; i < f->n_events; i++) {
			const struct event *e = &f->events[i];
			struct candidate c = {
				.log = f,
				.log_at = at,
				.event = e,
				.first_line = e->first_line,
				.line = e->message_line ? e->message_line
							: e->last_line,
				.last_line = e->last_line,
				.time = e->time,
				.rank = e->rank >= 0 ? e->rank : f->rank,
				.aside = ASIDE_NONE,
			};

			if (e->kind == EVENT_TRACE && !e->explained &&
			    add(r, c))
				return -1;
		}
	}
	if (r->n)
		qsort(r->v, r->n, sizeof *r->v, by_place);
	count_ordinary(r);
	return 0;
}
