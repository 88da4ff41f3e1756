/*
 * A traceback that was printed before with other numbers is not read again. Of
 * the first one it is kept which rules were run on it and what they found, what
 * event it became; that is done of the next at once, and what is kept of it
 * gets its texts when the block has been gone over: of a flood few are kept.
 *
 * What depends on more than its text is not told so: a traceback whose lines
 * have prefixes, one that others interrupt, one for which a rule counts digits.
 */
#include "diagnose/evidence/scan_again.h"

#include "base/array.h"
#include "diagnose/evidence/around.h"
#include "diagnose/evidence/repeats.h"
#include "diagnose/evidence/shape.h"
#include "diagnose/signals/facts.h"
#include "diagnose/signals/stage.h"
#include "input/decode.h"
#include "rules/digits.h"

#include <stdlib.h>
#include <string.h>

#define EVENTS 64   /* of a log, before such are looked for */
#define KEPT 256    /* before half as many must have been told again */
#define STORED 1024 /* bytes of an exception */
#define OTHERS 16   /* lines of others between one and its end */

void scan_again_free(struct again *a)
{
	if (!a)
		return;
	repeats_free(a->repeats);
	prefilter_hits_release(&a->hits);
	free(a->told);
	free(a->found);
	free(a);
}

void scan_again_begin(struct scan *s)
{
	scan_again_free(s->again);
	s->again = NULL;
}

static struct again *again_new(const struct engine_tables *t)
{
	struct again *a = calloc(1, sizeof *a);

	if (!a)
		return NULL;
	a->repeats = repeats_new(t);
	a->now = a->record;
	if (a->repeats)
		return a;
	scan_again_free(a);
	return NULL;
}

/* ---- what it is ---- */

static bool is_blank(struct span text, size_t at)
{
	return at < text.n && (text.p[at] == ' ' || text.p[at] == '\t');
}

/* Behind the indented lines from pos on. */
static size_t behind_indented(struct span text, size_t pos)
{
	while (is_blank(text, pos))
		pos = around_newline(text, pos) + 1;
	return pos;
}

/* Whether indented lines and one at the margin follow the line that ends at
 * `to`, with more of its own: then *end is where that ends, and *next the next
 * line that is not empty. */
static bool extent(struct span text, size_t to, size_t *end, size_t *next)
{
	size_t pos = to + 1;

	if (!is_blank(text, pos))
		return false;
	pos = behind_indented(text, pos);
	if (pos >= text.n || text.p[pos] == '\n')
		return false;
	pos = behind_indented(text, around_newline(text, pos) + 1);
	*end = pos - 1;
	while (pos < text.n && text.p[pos] == '\n')
		pos++;
	*next = pos;
	return pos < text.n && !is_blank(text, pos);
}

/* Whether a traceback of lines without prefixes ends in the block, and with no
 * more of its message: lines from pos on may be others'. */
static bool ends(const struct scan *s, size_t pos)
{
	struct span text = s->block->text;
	struct envelope env;
	size_t nl = 0;

	for (int i = 0; i < OTHERS && pos < text.n; i++) {
		size_t from = pos, to;

		around_near(text, pos, &nl, &from, &to);
		envelope_peel(
		    s->en->tax->prefixes, span_sub(text, pos, to), &env);
		if (to > pos && again_plain(&env))
			return !is_blank(shape_ungroup(env.text), 0);
		pos = to + 1;
	}
	return false;
}

bool scan_again_cut(
    const struct scan *s, const struct repeat_run *run, size_t from)
{
	return run->hit != REPEAT_NOWHERE &&
	    from + run->hit < s->rules[run->rule].cut;
}

bool scan_again_may_run(
    const struct scan *s, const struct repeat *r, size_t from)
{
	const struct scan_time *t = s->time ? s->time : &s->own_time;

	for (size_t i = 0; i < r->n_runs; i++)
		if (!scan_again_cut(s, &r->runs[i], from) &&
		    (r->runs[i].left || !scan_may_run(s, r->runs[i].rule)))
			return false;
	return t->matching > 0 &&
	    (t->until == INT64_MAX || scan_clock() < t->until);
}

/* ---- one that is told again ---- */

struct evidence *scan_again_keep(struct scan *s, const struct repeat *r,
    size_t from, size_t found, uint32_t event)
{
	struct again *a = s->again;
	struct evidence *ev = scan_keep(s, r->found[found].pattern, event);

	if (!ev)
		return NULL;
	if (array_grow(
		&a->found, a->n_found, &a->cap_found, sizeof *a->found)) {
		s->f->failed = true;
		return NULL;
	}
	a->found[a->n_found++] = (struct told_found){ .r = r,
		.from = from,
		.found = found,
		.line = ev->line,
		.evidence = (uint32_t)(ev - s->f->evidence),
		.of_event = event != EVENT_NONE };
	return ev;
}

/* Run its rules for its lines, or for all of it, which stands at the line of
 * the exception. */
static void run_rules(struct scan *s, const struct told *t, bool lines)
{
	const struct event *e = &s->f->events[t->event];
	const struct log_line *was = s->line;
	struct log_line l = { .offset = e->offset,
		.number = e->message_line,
		.env = { .time = ENVELOPE_NO_TIME, .rank = -1 } };

	s->line = &l; /* cppcheck-suppress autoVariables ; put back below */
	for (size_t i = 0; i < t->r->n_runs; i++) {
		const struct repeat_run *run = &t->r->runs[i];

		if ((run->hit != REPEAT_NOWHERE) != lines ||
		    scan_again_cut(s, run, t->from))
			continue;
		scan_count_run(s, run->rule, run->count);
		if (run->found < 0)
			continue;
		if (lines) {
			l.number = t->number + t->r->found[run->found].line;
			l.offset = decode_offset(s->block,
			    t->from + t->r->found[run->found].subject.at);
			l.env.uptime = -1;
		}
		if (scan_within_reach(s, run->rule, l.number))
			scan_again_keep(
			    s, t->r, t->from, (size_t)run->found, t->event);
	}
	s->line = was;
}

bool scan_again_closed(struct scan *s, uint32_t event, bool *importing)
{
	const struct again *a = s->again;
	const struct told *t;
	size_t i = a->n_told;

	while (i > 0 && a->told[i - 1].event != event)
		i--;
	if (!i)
		return false;
	t = &a->told[i - 1];
	if (s->f->events[event].first_line != t->number)
		return false;
	run_rules(s, t, false);
	*importing = t->r->importing;
	return true;
}

/* What an event is besides what its first line made of it. */
static void fill_event(struct event *e, const struct repeat *r)
{
	const struct event *of = &r->event;

	e->message_line = e->first_line + of->message_line;
	e->last_line = e->first_line + of->last_line;
	e->program = of->program;
	e->ignored |= of->ignored;
	e->uncaught = of->uncaught;
	e->handled = of->handled;
	e->user_frame = of->user_frame;
	e->complete = true;
	e->frames = of->frames;
	e->raised = of->raised;
	e->arose = of->arose;
}

/* Tell it again, for which there is room. */
static void tell(
    struct scan *s, const struct repeat *r, size_t from, uint64_t number)
{
	struct again *a = s->again;
	struct log_line l = { .number = number,
		.offset = decode_offset(s->block, from),
		.env = { .time = ENVELOPE_NO_TIME,
		    .uptime = -1,
		    .rank = -1,
		    .local_rank = -1 } };
	struct event *e;
	uint32_t event;
	uint64_t end;

	s->pos = from;
	s->line = &l;
	event = trace_again(s->trace, &l);
	s->line = NULL;
	if (event == EVENT_NONE)
		return;
	e = &s->f->events[event];
	fill_event(e, r);
	end = decode_offset(s->block, from + r->last);
	if (e->end < end)
		e->end = end;
	a->told[a->n_told++] = (struct told){ r, from, number, event };
	run_rules(s, &a->told[a->n_told - 1], true);
	if (r->quiet)
		s->before.searched_to = s->block->clean + from + r->n + 1;
}

/* ---- texts ---- */

static struct span at(struct span text, struct repeat_place p)
{
	return span_sub(text, p.at, p.at + p.n);
}

static void text_event(struct findings *f, struct event *e,
    const struct repeat *r, struct span text)
{
	struct shape_frame sf;

	e->exception =
	    findings_dup(f, span_sub(at(text, r->exception), 0, STORED));
	if (r->raisers)
		e->raisers = findings_dup(f, span_of(r->raisers));
	if (r->frame == REPEAT_NOWHERE)
		return;
	if (!shape_frame(
		span_sub(text, r->frame, around_newline(text, r->frame)), &sf))
		return;
	e->frame.file = findings_dup(f, sf.file);
	e->frame.function = findings_dup(f, sf.function);
	e->frame.line = sf.line;
	if (r->code != REPEAT_NOWHERE)
		e->frame.code = findings_dup(
		    f, span_sub(text, r->code, r->code + r->code_n));
}

static void text_evidence(
    struct scan *s, struct evidence *ev, const struct told_found *t)
{
	const struct repeat_found *found = &t->r->found[t->found];
	struct span text = span_sub(s->block->text, t->from, t->from + t->r->n);
	struct pattern_match m = { .n = found->n };

	for (int i = 0; i < found->n; i++)
		if (found->group[i].at != REPEAT_NOWHERE)
			m.group[i] = at(text, found->group[i]);
	if (t->r->alone)
		scan_keep_aside(
		    s, ev, text, at(text, found->subject), t->of_event);
	scan_keep_text(
	    s, ev, at(text, found->subject), at(text, found->match), &m);
}

/* Of what was told again the last is kept: from there on back, what has a text
 * is no longer what it was. */
static void fill_texts(struct scan *s)
{
	struct again *a = s->again;
	struct findings *f = s->f;

	for (size_t i = a->n_found; i-- > 0 && !f->failed;) {
		const struct told_found *t = &a->found[i];
		struct evidence *ev = &f->evidence[t->evidence];

		if (ev->rule && !ev->text && ev->line == t->line)
			text_evidence(s, ev, t);
	}
	for (size_t i = a->n_told; i-- > 0 && !f->failed;) {
		const struct told *t = &a->told[i];
		struct event *e = &f->events[t->event];

		if (e->first_line == t->number && e->complete && !e->exception)
			text_event(f, e, t->r,
			    span_sub(
				s->block->text, t->from, t->from + t->r->n));
	}
	a->n_told = a->n_found = 0;
	a->block++;
}

void scan_again_texts(struct scan *s)
{
	if (!s->again)
		return;
	fill_texts(s);
	for (struct record *c = s->again->record; c < s->again->record + 3; c++)
		c->r = NULL;
}

/* ---- whether it is ---- */

struct again *scan_again_of(struct scan *s)
{
	if (s->en->excerpts || !s->en->prefilter || s->en->every_line ||
	    s->quote.from)
		return NULL;
	if (!s->again)
		s->again = again_new(&s->en->tables);
	return s->again;
}

bool scan_again(
    struct scan *s, size_t from, size_t to, uint64_t number, size_t *next)
{
	struct span text = s->block->text;
	struct again *a;
	struct log_line l = { .number = number,
		.env = { .rank = -1, .local_rank = -1 } };
	struct repeat *r;
	size_t end, behind;
	bool free_to;

	if (s->f->n_events < EVENTS || is_blank(text, from) ||
	    !extent(text, to, &end, &behind) || end - from > REPEAT_TEXT ||
	    end - from > s->en->limits->v[LIMIT_BLOCK] / 2)
		return false;
	a = scan_again_of(s);
	if (!a)
		return false;
	if (a->now->r && from < a->now->from + a->now->text.n)
		return false; /* a line of the one that is read */
	r = repeats_find(a->repeats, span_sub(text, from, end), a->block,
	    a->traces.kept < KEPT + a->traces.told / 2);
	if (!r || !ends(s, behind))
		return false;
	s->pos = from;
	s->line = &l;
	free_to =
	    (!r->n ||
		trace_end_of(s->trace, &l, number + r->event.last_line)) &&
	    trace_stands_alone(s->trace, &l);
	s->line = NULL;
	if (r->n && free_to && scan_again_may_run(s, r, from)) {
		if (array_grow(
			&a->told, a->n_told, &a->cap_told, sizeof *a->told))
			return false;
		r->block = a->block;
		tell(s, r, from, number);
		a->traces.told++;
		*next = end + 1;
		return true;
	}
	if (r->n && !free_to)
		return false;
	if (r->n) {
		fill_texts(s);
		repeats_clear(r);
	}
	a->traces.kept++;
	scan_record_begin(a, r, span_sub(text, from, end), from, number);
	return false;
}
