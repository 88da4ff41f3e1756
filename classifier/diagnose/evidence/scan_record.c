/*
 * What is done of a traceback, or a line, that may be printed again with other
 * numbers: which rules are run on it and what they find, what event it becomes;
 * and by which of its digits that might differ.
 */
#include "diagnose/evidence/scan_again.h"

#include "diagnose/evidence/around.h"
#include "diagnose/evidence/shape.h"
#include "diagnose/signals/facts.h"
#include "diagnose/signals/stage.h"
#include "rules/digits.h"

#include <stdlib.h>
#include <string.h>

#define CODE 400  /* bytes of a line of source */
#define NAMED 32  /* digits that expressions name */
#define BORDER 24 /* bytes of a message that a literal before it may reach */

/* Kinds of signals that tell something else of the line of an exception. */
#define TELLING                                                            \
	(1u << SIGNAL_DECLARED | 1u << SIGNAL_EXIT | 1u << SIGNAL_REPORT | \
	    1u << SIGNAL_DONE | 1u << SIGNAL_PARALLEL |                    \
	    1u << SIGNAL_COLLECTIVE | 1u << SIGNAL_GPUS |                  \
	    1u << SIGNAL_CHECKPOINT)

static void begin(struct record *c, struct repeat *r, struct span text,
    size_t from, uint64_t number)
{
	c->r = r;
	c->hash = r->hash;
	c->begun = c->passed = false;
	c->from = from;
	c->text = text;
	c->number = number;
	c->whole = (struct span){ NULL, 0 };
	c->n_runs = c->n_found = c->n_lines = c->n_fixed = 0;
}

void scan_record_begin(struct again *a, struct repeat *r, struct span text,
    size_t from, uint64_t number)
{
	if (a->now->r && a->now->begun)
		a->now = &a->record[a->now == a->record];
	begin(a->now, r, text, from, number);
}

/* What is done now is done of it. */
static struct record *at_hand(const struct scan *s)
{
	const struct again *a = s->again;

	return a->line ? a->line : a->closing ? a->closing : a->now;
}

static bool in_record(const struct scan *s)
{
	const struct record *c = s->again->now;

	return c->r && s->pos >= c->from && s->pos < c->from + c->text.n;
}

/* Note a rule for lines that the line at hand nominates; of a line that is
 * alone only those that are cut off behind it, for exceptions, too. */
static void note_line_rule(struct scan *s, uint32_t id, uint32_t hit)
{
	struct record *c = at_hand(s);
	const struct rule_state *state;
	uint32_t rule;
	size_t i = 0;

	if (id >= s->en->tables.n_patterns)
		return;
	rule = s->en->tax->pattern_rule[id];
	state = scan_state(s, rule);
	if (s->again->line ? state->cut <= c->from : state->where != WHERE_LINE)
		return;
	while (i < c->n_lines && c->lines[i].rule != rule)
		i++;
	if (i == REPEAT_RUNS) {
		c->passed = true;
		return;
	}
	if (i == c->n_lines) {
		c->n_lines++;
		c->lines[i].rule = rule;
		c->lines[i].first = c->lines[i].last = hit;
	}
	if (c->lines[i].first > hit)
		c->lines[i].first = hit;
	if (c->lines[i].last < hit)
		c->lines[i].last = hit;
}

static void note_line_rules(struct scan *s)
{
	struct again *a = s->again;
	struct record *c = at_hand(s);
	struct span text = s->line->env.text;
	size_t at = (size_t)(text.p - s->block->text.p) - c->from;

	if (prefilter_find(s->en->prefilter, text, &a->hits)) {
		c->passed = true;
		return;
	}
	for (size_t i = 0; i < a->hits.n; i++) {
		size_t n;
		const uint32_t *id =
		    prefilter_ids(s->en->prefilter, &a->hits.v[i], &n);

		while (n-- > 0)
			note_line_rule(
			    s, id[n], a->hits.v[i].pos + (uint32_t)at);
	}
}

void scan_record_line(struct scan *s, enum trace_part part)
{
	const struct envelope *env = &s->line->env;
	struct record *c = at_hand(s);

	if (!c->r || c->passed || !in_record(s))
		return;
	c->begun = true;
	c->passed = !again_plain(env) || env->text.p != s->line->raw.p ||
	    env->text.n != s->line->raw.n || env->level != LEVEL_UNKNOWN ||
	    env->time != ENVELOPE_NO_TIME || part == TRACE_OUTSIDE ||
	    (part == TRACE_MESSAGE && s->signals.kinds & TELLING);
	if (part == TRACE_MESSAGE && !c->passed)
		note_line_rules(s);
}

/* Where a part of what rules were run on is in the text; of a message that was
 * put behind a class of its own, too. */
static struct repeat_place place_of(
    const struct scan *s, struct span subject, struct span part)
{
	const struct record *c = at_hand(s);
	struct repeat_place p = { REPEAT_NOWHERE, (uint32_t)part.n };
	size_t class = s->said.class, from;
	struct span whole = c->whole;

	if (s->said.line.p) {
		from = (size_t)(part.p - subject.p);
		if (from < class)
			return p;
		part.p = s->said.line.p + s->said.at + (from - class);
	}
	if (!c->whole.p)
		whole = c->text;
	if (part.p >= whole.p && part.p + part.n <= whole.p + whole.n)
		p.at = (uint32_t)(part.p - whole.p);
	return p;
}

/* Keep what a run has found. Its number, or -1: it cannot be. */
static int keep_found(struct scan *s, const struct scan_run *run)
{
	struct record *c = at_hand(s);
	const struct rule *rule = taxonomy_rule_at(s->en->tax, run->rule);
	struct repeat_found *f = &c->found[c->n_found];
	struct span subject = run->subject, match = run->match->group[0];
	const char *whole;

	if (c->n_found == REPEAT_FOUND ||
	    (c != s->again->line && s->line->env.level != LEVEL_UNKNOWN))
		return -1;
	for (size_t i = 0; i < rule->extract.n; i++)
		if (strcmp(rule->extract.v[i], "seq") == 0)
			return -1;
	f->pattern = (uint32_t)run->found;
	f->n = run->match->n;
	for (int i = 0; i < f->n; i++) {
		f->group[i] = (struct repeat_place){ REPEAT_NOWHERE, 0 };
		if (!run->match->group[i].p)
			continue;
		f->group[i] = place_of(s, subject, run->match->group[i]);
		if (f->group[i].at == REPEAT_NOWHERE && i > 0)
			return -1;
	}
	if (s->said.line.p)
		scan_as_said(s, &subject, &match);
	whole = c->whole.p ? c->whole.p : c->text.p;
	f->subject = (struct repeat_place){ (uint32_t)(subject.p - whole),
		(uint32_t)subject.n };
	f->match = (struct repeat_place){ (uint32_t)(match.p - whole),
		(uint32_t)match.n };
	f->line = (uint32_t)(s->line->number - c->number);
	return (int)c->n_found++;
}

/* The first and the last hit in the line at hand that nominate a rule. */
static void find_hits(const struct scan *s, struct repeat_run *run)
{
	const struct prefilter_hits *h = &s->again->hits;

	run->first = run->hit = REPEAT_NOWHERE;
	for (size_t i = 0; i < h->n; i++) {
		size_t n;
		const uint32_t *id =
		    prefilter_ids(s->en->prefilter, &h->v[i], &n);

		while (n-- > 0)
			if (id[n] < s->en->tables.n_patterns &&
			    s->en->tax->pattern_rule[id[n]] == run->rule)
				run->hit = h->v[i].pos;
		if (run->first == REPEAT_NOWHERE)
			run->first = run->hit;
	}
}

/* The last hit in the line that nominates a rule for it. */
static uint32_t hit_of(const struct record *c, uint32_t rule)
{
	for (size_t i = 0; i < c->n_lines; i++)
		if (c->lines[i].rule == rule)
			return c->lines[i].last;
	return REPEAT_NOWHERE;
}

/* What expressions say before the digits that they name. */
struct named {
	struct digits_row v[NAMED];
	size_t n;
};

/* Whether all of them can be told. */
static bool add_named(struct named *to, char *const *expressions, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t room = NAMED - to->n;
		size_t more = digits_named(expressions[i], to->v + to->n, room);

		if (more > room)
			return false;
		to->n += more;
	}
	return true;
}

/* Digits of what a rule was run on must stay the same. */
static bool fix_digits(
    const struct scan *s, struct span subject, struct span row)
{
	struct record *c = at_hand(s);
	struct repeat_place p = place_of(s, subject, row);

	if (p.at == REPEAT_NOWHERE || c->n_fixed == REPEAT_FIXED)
		return false;
	for (size_t i = 0; i < c->n_fixed; i++)
		if (c->fixed[i].at == p.at)
			return true;
	c->fixed[c->n_fixed++] = p;
	return true;
}

/* What expressions of a run say of digits that they name. Whether it can be
 * told. */
static bool find_named(
    const struct scan *s, const struct scan_run *run, struct named *named)
{
	const struct rule *r = taxonomy_rule_at(s->en->tax, run->rule);

	named->n = 0;
	for (size_t i = 0; i < run->n; i++)
		if (!add_named(
			named, &r->pattern.v[run->patterns[i] - r->first], 1))
			return false;
	return !run->match->n || add_named(named, r->unless.v, r->unless.n);
}

/* The same of all on which it depends what a run finds. */
static bool fix_named(const struct scan *s, const struct scan_run *run)
{
	struct span text = run->subject;
	struct named named;

	if (run->alike)
		return true;
	if (!find_named(s, run, &named))
		return false;
	for (size_t at = 0, end; at < text.n; at = end + 1) {
		end = at;
		while (end < text.n && digits_is(text.p[end]))
			end++;
		for (size_t i = 0; end > at && i < named.n; i++)
			if (digits_are(text, at, end, &named.v[i]) &&
			    !fix_digits(s, text, span_sub(text, at, end)))
				return false;
	}
	return true;
}

void scan_record_ran(struct scan *s, const struct scan_run *run)
{
	struct record *c = at_hand(s);
	const struct rule_state *state;
	struct repeat_run *to;

	if (!c->r || !c->begun || c->passed ||
	    (!s->again->closing && !s->again->line && !in_record(s)))
		return;
	state = scan_state(s, run->rule);
	if (c->n_runs == REPEAT_RUNS || run->gave_up || !fix_named(s, run) ||
	    (s->said.line.p &&
		repeats_digits_tell(s->again->repeats,
		    span_sub(run->subject, 0, s->said.class + BORDER)))) {
		c->passed = true;
		return;
	}
	to = &c->runs[c->n_runs++];
	*to = (struct repeat_run){ .rule = (uint32_t)run->rule,
		.count = run->count,
		.hit = c->whole.p ? REPEAT_NOWHERE
				  : hit_of(c, (uint32_t)run->rule),
		.found = -1 };
	if (c == s->again->line)
		find_hits(s, to);
	to->takes = run->found >= 0 && state->context;
	if (run->found < 0 || state->context)
		return;
	to->found = keep_found(s, run);
	c->passed |= to->found < 0;
}

void scan_record_closing(struct scan *s, uint32_t event, struct span whole)
{
	struct again *a = s->again;
	const struct event *e = &s->f->events[event];

	for (struct record *c = a->record; c < a->record + 2; c++)
		if (c->r && c->begun && c->number == e->first_line)
			a->closing = c;
	if (!a->closing)
		return;
	a->closing->whole = whole;
	a->closing->passed |=
	    e->kind != EVENT_TRACE || !span_eq(whole, a->closing->text);
}

/* Find the frame that the event is of; the last that is named so. */
static bool find_frame(struct repeat *r, const struct event *e)
{
	struct span rest = { r->text, r->n }, line, code = { NULL, 0 };
	struct shape_frame sf;

	r->frame = r->code = REPEAT_NOWHERE;
	if (!e->frame.file)
		return !e->frame.function && !e->frame.code;
	while (span_line(&rest, &line)) {
		if (!shape_frame(line, &sf) || sf.line != e->frame.line ||
		    !span_is(sf.file, e->frame.file) ||
		    !span_is(sf.function,
			e->frame.function ? e->frame.function : ""))
			continue;
		r->frame = (uint32_t)(line.p - r->text);
		code = span_sub(rest, 0, around_newline(rest, 0));
	}
	if (r->frame == REPEAT_NOWHERE || !e->frame.code)
		return r->frame != REPEAT_NOWHERE;
	code = span_sub(span_trim(code), 0, CODE);
	r->code = (uint32_t)(code.p - r->text);
	r->code_n = code.n;
	return span_is(code, e->frame.code);
}

/* Whether it tells of no progress and no stage, whatever its digits are. */
static bool is_quiet(const struct scan *s, struct span text)
{
	struct progress p;
	size_t end = text.n;

	return !memchr(text.p, '%', text.n) &&
	    !facts_progress_before(s->en->tax, text, 0, &end, &p) &&
	    stage_words(s->en->tax, text) == STAGE_UNKNOWN;
}

/* Keep the event without its texts. */
static bool keep_event(struct scan *s, struct repeat *r, const struct event *e)
{
	struct event *to = &r->event;

	*to = *e;
	to->node = to->exception = to->raisers = NULL;
	to->frame = (struct frame){ .line = -1 };
	to->around = NULL;
	to->message_line -= e->first_line;
	to->last_line -= e->first_line;
	r->importing = findings_importing(e);
	r->quiet = is_quiet(s, (struct span){ r->text, r->n });
	r->raisers = e->raisers ? span_dup(span_of(e->raisers)) : NULL;
	r->last =
	    (uint32_t)span_line_start((struct span){ r->text, r->n }, 0, r->n);
	return (r->raisers || !e->raisers) && find_frame(r, e);
}

/* Whether what became of it depends on nothing else. */
static bool is_told(
    const struct scan *s, const struct event *e, struct span exception)
{
	unsigned kinds = s->signals.kinds;
	struct span type;

	/* as scan_said_block has it */
	if (shape_exception(exception, &type) == SHAPE_SURE)
		kinds &= ~(1u << SIGNAL_MESSAGE);
	return e->complete && !e->cell && !e->warning && !e->request &&
	    !e->thread && e->rank < 0 && !e->node &&
	    e->time == ENVELOPE_NO_TIME && e->chain != CHAIN_ORIGINAL &&
	    exception.n && exception.p[exception.n - 1] != ':' &&
	    !trace_wraps(exception) && !(kinds & 1u << SIGNAL_MESSAGE) &&
	    (s->f->peers || !(kinds & 1u << SIGNAL_PARALLEL));
}

static void *copy(const void *v, size_t n)
{
	void *p = malloc(n ? n : 1);

	if (!p)
		return NULL;
	if (n)
		memcpy(p, v, n);
	return p;
}

static void copy_runs(struct repeat *r, const struct record *c)
{
	r->runs = copy(c->runs, c->n_runs * sizeof *c->runs);
	r->found = copy(c->found, c->n_found * sizeof *c->found);
	r->n_runs = c->n_runs;
	r->n_found = c->n_found;
	if (!r->runs || !r->found)
		repeats_pass(r);
}

/* Rules for lines that a flood has left out are no runs; of one with some hits
 * left out it is not known what it would find with them. */
static void note_left(struct scan *s)
{
	struct record *c = at_hand(s);

	for (size_t i = 0; i < c->n_lines; i++) {
		uint32_t rule = c->lines[i].rule, cut = s->rules[rule].cut;

		if (c->from + c->lines[i].first >= cut)
			continue;
		c->passed |= c->from + c->lines[i].last >= cut ||
		    c->n_runs == REPEAT_RUNS;
		if (!c->passed)
			c->runs[c->n_runs++] =
			    (struct repeat_run){ .rule = rule,
				    .first = c->lines[i].first,
				    .hit = c->lines[i].last,
				    .found = -1,
				    .left = true };
	}
}

void scan_record_keep(struct scan *s, uint32_t event, struct span exception)
{
	struct record *c = s->again->closing;
	const struct event *e = &s->f->events[event];
	struct repeat *r;

	if (!c)
		return;
	note_left(s);
	s->again->closing = NULL;
	r = c->r;
	c->r = NULL;
	if (r->n || r->hash != c->hash)
		return; /* another one is kept there */
	if (c->passed || !is_told(s, e, exception) ||
	    !repeats_keep(
		s->again->repeats, r, c->text, c->fixed, c->n_fixed) ||
	    !keep_event(s, r, e)) {
		repeats_pass(r);
		return;
	}
	r->exception =
	    (struct repeat_place){ (uint32_t)(exception.p - c->whole.p),
		    (uint32_t)exception.n };
	copy_runs(r, c);
}

void scan_record_begin_line(struct scan *s, struct repeat *r, struct span text)
{
	struct again *a = s->again;

	a->line = &a->record[2];
	begin(a->line, r, text, (size_t)(text.p - s->block->text.p),
	    s->line->number);
	a->line->begun = true;
	note_line_rules(s);
}

/* A rule that takes a text only behind another one may not do so next time. */
static bool takes_within(const struct scan *s, const struct record *c)
{
	for (size_t i = 0; i < c->n_runs; i++)
		if (c->runs[i].takes &&
		    taxonomy_rule_at(s->en->tax, c->runs[i].rule)->within)
			return true;
	return false;
}

void scan_record_keep_line(struct scan *s)
{
	struct again *a = s->again;
	struct record *c = a->line;
	struct repeat *r = c->r;

	note_left(s);
	a->line = NULL;
	if (c->passed || takes_within(s, c) ||
	    !scan_again_may_run(s, r, c->from) ||
	    !repeats_keep(a->repeats, r, c->text, c->fixed, c->n_fixed)) {
		repeats_pass(r);
		return;
	}
	r->alone = true;
	r->sources = scan_source(s, s->line);
	r->quiet = is_quiet(s, c->text);
	copy_runs(r, c);
}
