/*
 * A line that is no part of a report. What is printed again with other numbers
 * is not looked at with rules again: of the first such line it is kept which
 * were run on it and what they found, and that is done of the next at once. All
 * else is read of each: its prefix, signals, what stands before it.
 */
#include "diagnose/evidence/scan_again.h"

#include "diagnose/evidence/shape.h"
#include "diagnose/evidence/torn.h"
#include "input/decode.h"

#define TEXTS 128 /* that rules have been run on, before such are known */
/* Lines to be kept, and for so many told again one more. */
#define KEPT 256
#define TOLD_EACH 64
#define FEW 2 /* expressions: fewer are run as fast as they are known */

/* Whether some hits of a rule count there and others do not: it is not known
 * what it would find by these. */
static bool is_split(const struct scan *s, const struct repeat *r, size_t from)
{
	for (size_t i = 0; i < r->n_runs; i++) {
		const struct repeat_run *run = &r->runs[i];

		if (from + run->first < s->rules[run->rule].cut &&
		    !scan_again_cut(s, run, from))
			return true;
	}
	return false;
}

/* What was done before of one like the line at hand; or NULL: then what rules
 * do of it may be kept in *next, unless that is NULL. */
static const struct repeat *known(struct scan *s, struct repeat **next)
{
	struct span text = s->line->env.text;
	size_t from = (size_t)(text.p - s->block->text.p);
	struct again *a;
	struct repeat *r;

	*next = NULL;
	if (s->texts < TEXTS || !text.n || text.n > REPEAT_TEXT)
		return NULL;
	a = scan_again_of(s);
	if (!a)
		return NULL;
	r = repeats_find(a->repeats, text, a->block,
	    a->lines.kept < KEPT + a->lines.told / TOLD_EACH);
	if (!r)
		return NULL;
	if (r->n &&
	    (r->sources != scan_source(s, s->line) || is_split(s, r, from)))
		return NULL;
	if (r->n && scan_again_may_run(s, r, from)) {
		r->block = a->block;
		a->lines.told++;
		return r;
	}
	if (r->n && r->block == a->block)
		return NULL; /* its evidence of this block waits for texts */
	if (r->n)
		repeats_clear(r);
	if (!trace_ignores(s->trace, s->line))
		*next = r;
	return NULL;
}

/* Keep in r what rules do of the line at hand, for which they are nominated. */
static void begin(struct scan *s, struct repeat *r)
{
	if (s->n_nominated < FEW) {
		repeats_pass(r);
		return;
	}
	s->again->lines.kept++;
	scan_record_begin_line(s, r, s->line->env.text);
}

/* As scan_rules, of what was done before. */
static int rules_again(
    struct scan *s, const struct repeat *r, enum where where, uint32_t event)
{
	size_t from = (size_t)(s->line->env.text.p - s->block->text.p);
	int found = 0;

	for (size_t i = 0; i < r->n_runs; i++) {
		const struct repeat_run *run = &r->runs[i];
		struct evidence *ev;

		if (scan_state(s, run->rule)->where != where ||
		    scan_again_cut(s, run, from))
			continue;
		scan_count_run(s, run->rule, run->count);
		if (run->takes)
			return -1;
		if (run->found < 0 ||
		    !scan_within_reach(s, run->rule, s->line->number))
			continue;
		ev = scan_again_keep(s, r, from, (size_t)run->found, event);
		if (ev && s->line->env.node.n)
			ev->node = findings_dup(s->f, s->line->env.node);
		found++;
	}
	return found;
}

/* What comes next need not search one that is quiet. */
static void pass(struct scan *s, const struct repeat *r)
{
	uint64_t at = s->block->clean + s->pos;

	if (r->quiet && s->before.searched_to == at &&
	    s->line->env.text.p == s->line->raw.p)
		s->before.searched_to = at + s->line->raw.n + 1;
}

bool scan_is_exception(struct span line, struct span *text)
{
	struct span type;

	*text = torn_after_bar(shape_pytest(span_trim(line)));
	return shape_exception(*text, &type) == SHAPE_SURE;
}

static int run_rules(struct scan *s, const struct repeat *again,
    enum where where, struct span subject, uint32_t event)
{
	return again ? rules_again(s, again, where, event)
		     : scan_rules(s, where, subject, event);
}

/* A line that no block took: rules for lines see it, and rules for exceptions
 * when it looks like one; or what they did of one like it is done again.
 * Whether something else may be read from it. */
static bool outside_line(
    struct scan *s, const struct log_line *l, const struct repeat *again)
{
	struct span t;
	bool exception = scan_is_exception(l->env.text, &t);
	size_t known = s->f->n_evidence;
	bool fallback = true;
	uint32_t event;
	int found;

	if (exception && trace_ignores(s->trace, l))
		return false;
	event = exception ? scan_bare_event(s, l) : EVENT_NONE;
	found = run_rules(s, again, WHERE_LINE, l->env.text, event);
	if (exception && found >= 0 &&
	    run_rules(s, again, WHERE_EXCEPTION, t, event) > 0)
		found++;
	if (event != EVENT_NONE && found > 0)
		s->f->events[event].exception =
		    findings_dup(s->f, span_sub(t, 0, SCAN_TEXT_MAX));
	else if (event != EVENT_NONE)
		scan_no_event(s, event);
	for (; known < s->f->n_evidence; known++)
		fallback &= s->f->failed ||
		    s->f->evidence[known].rule->role == ROLE_FALLBACK;
	return !exception && found >= 0 && fallback;
}

void scan_outside(struct scan *s, const struct prefilter_hit *h, size_t n,
    const struct log_line *l)
{
	struct repeat *next;
	const struct repeat *again = known(s, &next);
	unsigned kinds = s->signals.kinds;
	bool more;

	if (!again)
		scan_nominate_line(s, h, n);
	if (next)
		begin(s, next);
	more = outside_line(s, l, again);
	if (next && s->again->line)
		scan_record_keep_line(s);
	if (more && kinds & 1u << SIGNAL_MESSAGE)
		scan_said(s, l);
	if (again)
		pass(s, again);
}
