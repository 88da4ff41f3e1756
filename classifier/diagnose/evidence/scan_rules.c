/*
 * The rules at work on one text: the hits in it nominate some, their patterns
 * are run within limits, and what matches is kept as evidence.
 */
#include "diagnose/evidence/scan_private.h"

#include "base/buf.h"
#include "base/err.h"
#include "diagnose/evidence/shape.h"
#include "diagnose/signals/checkpoint.h"
#include "diagnose/signals/facts.h"
#include "diagnose/signals/signals.h"
#include "input/decode.h"
#include "rules/pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- which rules to run ---- */

static size_t rule_of(const struct scan *s, size_t pattern)
{
	return s->en->tax->pattern_rule[pattern];
}

struct rule_state *scan_state(const struct scan *s, size_t i)
{
	struct rule_state *state = &s->rules[i];
	const struct rule *r;

	if (state->known)
		return state;
	r = taxonomy_rule_at(s->en->tax, i);
	state->known = true;
	state->context = r->role == ROLE_CONTEXT;
	state->where = (uint8_t)r->where;
	state->sources = (uint8_t)r->sources;
	state->raised = r->raised_bits;
	return state;
}

static void nominate(struct scan *s, size_t pattern)
{
	size_t at;

	if (s->stamps[pattern] == s->stamp)
		return;
	s->stamps[pattern] = s->stamp;
	s->nominations[scan_state(s, rule_of(s, pattern))->where]++;
	/* sorted; there are few */
	for (at = s->n_nominated++; at > 0 && s->nominated[at - 1] > pattern;
	     at--)
		s->nominated[at] = s->nominated[at - 1];
	s->nominated[at] = pattern;
}

/* The kind of extra reader that a set is for, as a bit; 0: a rule. */
static unsigned extra_of(const struct engine *en, uint32_t id)
{
	return id < en->tables.n_patterns
	    ? 0
	    : 1u << en->tables.extra[id - en->tables.n_patterns];
}

unsigned scan_extras(const struct engine *en, const struct prefilter_hit *h)
{
	unsigned extras = 0;
	size_t n;
	const uint32_t *id = prefilter_ids(en->prefilter, h, &n);

	for (size_t i = 0; i < n; i++)
		extras |= extra_of(en, id[i]);
	return extras;
}

void scan_hits(
    struct scan *s, const struct prefilter_hit *h, size_t n, struct span text)
{
	const struct engine *en = s->en;
	struct signal_hits *to = &s->signals;

	to->stamp = s->signal_stamps;
	to->now++;
	if (!en->prefilter) {
		to->kinds = to->any = (1u << SIGNAL_KINDS) - 1;
		if (!checkpoint_about(en->tax, text))
			to->kinds &= ~(1u << SIGNAL_CHECKPOINT);
		return;
	}
	to->kinds = to->any = en->tables.always;
	for (size_t i = 0; i < n; i++) {
		size_t n_ids;
		const uint32_t *id =
		    prefilter_ids(en->prefilter, &h[i], &n_ids);

		for (size_t k = 0; k < n_ids; k++) {
			if (id[k] < en->tables.n_patterns)
				continue;
			to->kinds |= extra_of(en, id[k]);
			s->signal_stamps[id[k] - en->tables.n_patterns] =
			    to->now;
		}
	}
}

bool scan_told(struct scan *s, enum signal_kind kind, struct signal_told *told)
{
	const struct taxonomy *tax = s->en->tax;

	for (size_t i = tax->signal_from[kind]; i < tax->signal_from[kind + 1];
	     i++) {
		told->signal = i;
		if (signals_may(tax, i, &s->signals) &&
		    signals_tell(
			tax, i, s->matcher, s->line->env.text, &told->match))
			return true;
	}
	return false;
}

/* cut: the hits are those in the block, of which a flood's do not count. */
static void nominate_hits(
    struct scan *s, const struct prefilter_hit *h, size_t n, bool cut)
{
	const struct engine *en = s->en;

	s->stamp++;
	s->n_nominated = 0;
	memset(s->nominations, 0, sizeof s->nominations);
	if (!en->prefilter) {
		for (size_t i = 0; i < en->tax->n_patterns; i++)
			nominate(s, i);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		size_t n_ids;
		const uint32_t *id =
		    prefilter_ids(en->prefilter, &h[i], &n_ids);

		for (size_t k = 0; k < n_ids; k++)
			if (id[k] < en->tables.n_patterns &&
			    !(cut &&
				h[i].pos < s->rules[rule_of(s, id[k])].cut))
				nominate(s, id[k]);
	}
	for (size_t i = 0; i < en->tables.n_uncovered; i++)
		nominate(s, en->tables.uncovered[i]);
}

void scan_nominate(struct scan *s, const struct prefilter_hit *h, size_t n)
{
	nominate_hits(s, h, n, false);
}

void scan_nominate_line(struct scan *s, const struct prefilter_hit *h, size_t n)
{
	nominate_hits(s, h, n, true);
}

void scan_nominate_last(struct scan *s)
{
	const struct engine_tables *t = &s->en->tables;

	scan_nominate(s, NULL, 0);
	for (size_t i = 0; s->en->prefilter && i < t->n_last; i++)
		nominate(s, t->last[i]);
}

static bool exhausted(const struct scan *s, size_t i)
{
	return s->rules[i].confirms >= s->en->limits->v[LIMIT_CONFIRM];
}

/* Whether only the text of a block can speak for a rule: no line is raised
 * anywhere. */
bool scan_for_blocks(const struct rule_state *r)
{
	return r->where == WHERE_BLOCK ||
	    (r->where == WHERE_EXCEPTION && r->raised);
}

/* For whom a set alone matters: context rules only take lines from others, and
 * the words of an end are for the end. */
static unsigned matters_for(const struct scan *s, uint32_t id, size_t pos)
{
	const struct rule_state *r;
	unsigned extra = extra_of(s->en, id);

	if (extra == 1u << SIGNAL_END ||
	    (extra == 1u << SIGNAL_MESSAGE && pos < s->said.from))
		return 0;
	if (extra)
		return extra == 1u << SIGNAL_CHECKPOINT ? SCAN_FOR_CHECKPOINT
							: SCAN_FOR_ELSE;
	r = scan_state(s, rule_of(s, id));
	if (r->context || scan_for_blocks(r) || pos < r->cut ||
	    (s->confirm_noted && exhausted(s, rule_of(s, id))))
		return 0;
	return r->where == WHERE_EXCEPTION ? SCAN_FOR_EXCEPTION : SCAN_FOR_ELSE;
}

unsigned scan_matters(const struct scan *s, const struct prefilter_hit *h)
{
	size_t n;
	const uint32_t *id = prefilter_ids(s->en->prefilter, h, &n);
	unsigned bits = 0;

	for (size_t i = 0; i < n && !(bits & SCAN_FOR_ELSE); i++)
		bits |= matters_for(s, id[i], h->pos);
	return bits;
}

/* A run on a line of so many bytes counts as two, and so on: else the work that
 * a log can force grows with the length of its lines. */
#define RUN_BYTES 256
/* Texts that rules have been run on, from which on it is kept what they find.
 */
#define TEXTS 64
#define FEW 4 /* runs, after which an expression may as well be compiled */

/* A limit has left a rule out; each text once. */
static void tell_limit(struct scan *s, const char *fmt, const char *rule)
{
	size_t before = s->f->n_notes;
	char note[256];

	snprintf(note, sizeof note, fmt, rule);
	findings_note(s->f, note);
	s->f->limited += s->f->n_notes - before;
}

/* Whether rule i may still be run in this log. */
static bool may_run(struct scan *s, size_t i)
{
	const uint64_t *limit = s->en->limits->v;

	if (exhausted(s, i)) {
		if (!s->confirm_noted)
			tell_limit(s,
			    "limit confirm: some rules were not run to the "
			    "end%s",
			    "");
		s->confirm_noted = true;
	} else if (s->rules[i].give_ups >= limit[LIMIT_GIVE_UPS])
		tell_limit(s, "limit give-ups: rule %s was put aside",
		    taxonomy_rule_at(s->en->tax, i)->id);
	else
		return true;
	return false;
}

/* As pattern_find for a pattern of rule i. */
static int find(struct scan *s, size_t i, const struct pattern *p,
    struct span subject, struct pattern_match *m)
{
	int rc = pattern_find(p, s->matcher, subject, m);

	if (rc >= 0)
		return rc;
	s->rules[i].give_ups++;
	tell_limit(s, "limit match: rule %s gave up on a line",
	    taxonomy_rule_at(s->en->tax, i)->id);
	return rc;
}

/* Whether subject may match expression i of a rule. Asked of the first texts
 * only, for each of which an expression may be compiled in vain: once there is
 * code, it is as fast. */
static bool may_match(
    struct scan *s, const struct rule *r, size_t i, struct span subject)
{
	if (!s->en->prefilter || s->rules[r->number].confirms > FEW)
		return true;
	if (s->looked_at.p != subject.p || s->looked_at.n != subject.n)
		needs_look(&s->needs, subject);
	s->looked_at = subject;
	return needs_met(r, i, &s->needs);
}

/* Run nominated patterns of one rule. Of those that match the earliest counts,
 * and of these the first: as if they were one, with | between them. Its number,
 * or -1. */
static ptrdiff_t find_first(struct scan *s, const size_t *patterns, size_t n,
    struct span subject, struct pattern_match *m)
{
	size_t rule = rule_of(s, *patterns);
	const struct rule *r = taxonomy_rule_at(s->en->tax, rule);
	ptrdiff_t first = -1;
	struct pattern_match one;

	m->n = 0;
	for (size_t k = 0; k < n; k++) {
		const struct pattern *p;

		if (!may_match(s, r, patterns[k] - r->first, subject))
			continue;
		p = taxonomy_pattern(s->en->tax, patterns[k]);
		if (find(s, rule, p, subject, &one) != 1 ||
		    (first >= 0 && one.group[0].p >= m->group[0].p))
			continue;
		first = (ptrdiff_t)patterns[k];
		*m = one;
		if (m->group[0].p == subject.p)
			break;
	}
	return first;
}

/* What the rule that the n nominated patterns from k on are of says of subject:
 * the first of them that matches, or -1. Limits that are hit become notes. */
static ptrdiff_t look(struct scan *s, size_t k, size_t n, struct span subject,
    struct pattern_match *m)
{
	const size_t *patterns = &s->nominated[k];
	size_t rule = rule_of(s, *patterns);
	const struct rule *r = taxonomy_rule_at(s->en->tax, rule);
	const struct pattern *unless;
	ptrdiff_t found = find_first(s, patterns, n, subject, m);

	if (found < 0 || !r->unless.n ||
	    !may_match(s, r, r->pattern.n, subject))
		return found;
	unless = taxonomy_unless(s->en->tax, rule);
	return find(s, rule, unless, subject, NULL) == 0 ? found : -1;
}

bool scan_may_run(const struct scan *s, size_t i)
{
	return !exhausted(s, i) &&
	    s->rules[i].give_ups < s->en->limits->v[LIMIT_GIVE_UPS];
}

void scan_count_run(struct scan *s, size_t i, uint32_t count)
{
	s->rules[i].confirms += count;
	s->flooded |= scan_floods(&s->rules[i]);
}

/* The same, unless it is known of such a text. */
static ptrdiff_t matches(struct scan *s, struct judgement *known, size_t k,
    size_t n, struct span subject, struct pattern_match *m)
{
	size_t rule = rule_of(s, s->nominated[k]);
	struct rule_state *r = &s->rules[rule];
	struct scan_run run = { .rule = rule,
		.patterns = &s->nominated[k],
		.n = n,
		.subject = subject,
		.match = m };
	uint32_t give_ups = r->give_ups;

	if (!may_run(s, rule))
		return -1;
	run.count = 1 + (uint32_t)(subject.n / RUN_BYTES);
	scan_count_run(s, rule, run.count);
	run.alike = known && judged_told(known, k, subject, &run.found, m);
	if (!run.alike) {
		run.found = look(s, k, n, subject, m);
		run.gave_up = r->give_ups != give_ups;
		run.alike = known && !run.gave_up &&
		    (!judged_has_digits(known) ||
			judged_alike(s->judged, &s->nominated[k], n, m->n > 0));
		if (run.alike)
			judged_tell(known, k, subject, run.found, m);
	}
	if (s->again)
		scan_record_ran(s, &run);
	return run.found;
}

/* ---- evidence ---- */

/* Memory that runs out is kept in f, here and below. */
static void keep_captures(struct findings *f, struct evidence *ev,
    const struct rule *r, const struct pattern *p,
    const struct pattern_match *m)
{
	size_t n = r->extract.n + r->key.n;

	ev->captures = n ? calloc(n, sizeof *ev->captures) : NULL;
	f->failed |= n && !ev->captures;
	for (size_t i = 0; ev->captures && i < n; i++) {
		const char *name = i < r->extract.n
		    ? r->extract.v[i]
		    : r->key.v[i - r->extract.n];
		int g = pattern_group(p, name);
		struct capture *c;

		if (g < 0 || g >= m->n || !m->group[g].p ||
		    findings_capture(ev, name))
			continue;
		c = &ev->captures[ev->n_captures];
		c->name = name;
		c->value = findings_dup(f, span_sub(m->group[g], 0, 300));
		ev->n_captures += c->value != NULL;
	}
}

/* The evidence of a rule is a chain in the order of the array: rule_state.first
 * and evidence.next. Which link of r's leads to ev, or would. */
static uint32_t *link_to(
    struct scan *s, const struct rule *r, const struct evidence *ev)
{
	uint32_t *link = &s->rules[r->number].first;

	while (*link && &s->f->evidence[*link - 1] < ev)
		link = &s->f->evidence[*link - 1].next;
	return link;
}

/* The oldest of the later half of the evidence of a rule or of all: what makes
 * room when there is too much. */
static struct evidence *oldest_of_rule(
    const struct scan *s, size_t rule, size_t keep)
{
	struct evidence *best = NULL, *ev;

	for (uint32_t at = s->rules[rule].first; at; at = ev->next) {
		ev = &s->f->evidence[at - 1];
		if (keep)
			keep--;
		else if (!best || ev->line < best->line)
			best = ev;
	}
	return best;
}

static struct evidence *oldest_of_all(struct findings *f, size_t keep)
{
	struct evidence *best = NULL;

	for (size_t i = keep; i < f->n_evidence; i++)
		if (!best || f->evidence[i].line < best->line)
			best = &f->evidence[i];
	return best;
}

/* A place for one more piece of evidence of rule i: new, or the oldest of the
 * later ones made empty. Linked. */
static struct evidence *evidence_slot(struct scan *s, size_t i)
{
	const struct rule *r = taxonomy_rule_at(s->en->tax, i);
	const uint64_t *limit = s->en->limits->v;
	struct findings *f = s->f;
	struct evidence *ev = NULL;
	uint32_t *link;

	if (s->rules[i].hits++ >= limit[LIMIT_RULE_HITS])
		ev = oldest_of_rule(s, i, limit[LIMIT_RULE_HITS] / 2);
	else if (f->n_evidence >= limit[LIMIT_EVIDENCE])
		ev = oldest_of_all(f, limit[LIMIT_EVIDENCE] / 2);
	if (ev) {
		f->dropped++;
		if (ev->rule)
			*link_to(s, ev->rule, ev) = ev->next;
		findings_evidence_release(ev);
	} else {
		ev = findings_evidence(f);
		if (!ev)
			return NULL;
	}
	link = link_to(s, r, ev);
	ev->next = *link;
	*link = (uint32_t)(ev - f->evidence) + 1;
	return ev;
}

/* What a watchdog says of a collective: rank, operation, sequence number. */
static void note_wait(struct scan *s, const struct evidence *ev)
{
	const char *seq = findings_capture(ev, "seq");
	const char *rank = findings_capture(ev, "rank");
	int64_t n = rank ? span_number(span_of(rank)) : ev->rank;
	int64_t at = seq ? span_number(span_of(seq)) : -1;

	if (at >= 0 && n >= 0 && n < INT32_MAX)
		findings_wait(s->f, (int)n, at, findings_capture(ev, "op"));
}

/* Where a long text is cut before a match: between words, and past the first
 * few. A half of a secret, or one without the words that tell it, could not be
 * told from anything else. */
static size_t cut_before(struct span text, size_t match)
{
	size_t at = match - 200;

	for (int words = 0; words < 3; words++) {
		while (at < match && text.p[at] != ' ')
			at++;
		while (at < match && text.p[at] == ' ')
			at++;
	}
	return at;
}

void scan_as_said(
    const struct scan *s, struct span *subject, struct span *match)
{
	size_t class = s->said.class;
	size_t from = (size_t)(match->p - subject->p), to = from + match->n;

	*subject = s->said.line;
	from = s->said.at + (from > class ? from - class : 0);
	to = s->said.at + (to > class ? to - class : 0);
	*match = (struct span){ subject->p + from, to - from };
}

struct evidence *scan_keep(struct scan *s, size_t pattern, uint32_t event)
{
	size_t i = rule_of(s, pattern);
	const struct rule *r = taxonomy_rule_at(s->en->tax, i);
	struct evidence *ev = evidence_slot(s, i);

	if (event != EVENT_NONE)
		s->f->events[event].explained = true;
	else if (r->ends_process && r->word_of == SPEAKER_JOB &&
	    !scan_below_error(&s->line->env))
		/* what says no more is the word of a shell on its child */
		launches_died(&s->launches, s->block, s->pos, s->line,
		    r->role == ROLE_FALLBACK);
	if (!ev)
		return NULL;
	*ev = (struct evidence){
		.rule = r,
		.pattern = (uint32_t)(pattern - r->first),
		.event = event,
		.line = s->line->number,
		.offset = s->line->offset,
		.time = s->line->env.time,
		.uptime = s->line->env.uptime,
		.rank = s->line->env.rank,
		.warning = scan_below_error(&s->line->env),
		.information = scan_calm(s->line->env.level),
		.aside = ASIDE_NONE,
		.count = 1,
		.next = ev->next,
	};
	if (event != EVENT_NONE && s->f->events[event].message_line &&
	    r->where != WHERE_LINE)
		ev->line = s->f->events[event].message_line;
	if (event != EVENT_NONE) {
		ev->before = s->f->events[event].before;
		ev->stage = s->f->events[event].stage;
	} else {
		ev->before = before_progress(&s->before, s->block, s->pos);
		ev->stage = s->before.stage;
	}
	return ev;
}

void scan_keep_aside(const struct scan *s, struct evidence *ev,
    struct span line, struct span subject, bool of_event)
{
	/* what the job is not for, such as a command of its script */
	const struct signal *by =
	    signals_find(s->en->tax, SIGNAL_ASIDE, s->matcher, line, NULL);

	if (by)
		ev->aside = (int)by->tells[0];
	ev->warning |= !of_event && shape_table_row(subject);
}

void scan_keep_text(struct scan *s, struct evidence *ev, struct span subject,
    struct span match, const struct pattern_match *m)
{
	const struct rule *r = ev->rule;
	const struct pattern *p =
	    taxonomy_pattern(s->en->tax, r->first + ev->pattern);
	size_t from = (size_t)(match.p - subject.p), to = from + match.n;
	size_t cut = 0;
	struct span text;

	if (subject.n > SCAN_TEXT_MAX && to > SCAN_TEXT_MAX && from > 200)
		cut = cut_before(subject, from);
	text = span_sub(subject, cut, cut + SCAN_TEXT_MAX);
	ev->least = pattern_least(p);
	ev->text = findings_dup(s->f, text);
	ev->text_len = text.n;
	ev->match_from = from - cut < text.n ? from - cut : text.n;
	ev->match_to = to - cut < text.n ? to - cut : text.n;
	keep_captures(s->f, ev, r, p, m);
	if (s->f->failed) {
		findings_evidence_release(ev);
		return;
	}
	(void)facts_progress(
	    s->en->tax, (struct span){ ev->text, ev->text_len }, &ev->here);
}

/* Keep that a pattern matched subject, which is the line at hand or the block
 * event. */
static void add_evidence(struct scan *s, size_t pattern, uint32_t event,
    struct span subject, const struct pattern_match *m)
{
	struct evidence *ev = scan_keep(s, pattern, event);
	struct span match = m->group[0];
	bool line =
	    event == EVENT_NONE || s->f->events[event].kind == EVENT_BARE;

	if (!ev)
		return;
	if (line)
		scan_keep_aside(
		    s, ev, s->line->env.text, subject, event != EVENT_NONE);
	if (s->line->env.node.n)
		ev->node = findings_dup(s->f, s->line->env.node);
	if (s->said.line.p)
		scan_as_said(s, &subject, &match);
	scan_keep_text(s, ev, subject, match, m);
	if (s->f->failed)
		return;
	if (s->en->excerpts && line)
		ev->around = excerpt_take(&s->excerpts, s->block, s->pos,
		    ev->line, (struct span){ 0 });
	note_wait(s, ev);
}

unsigned scan_source(const struct scan *s, const struct log_line *l)
{
	const struct signal *from;

	if (s->block->error_file)
		return SOURCE_ERROR_FILE;
	if (s->f->of_record)
		return SOURCE_SCHEDULER;
	if (l->env.kernel)
		return SOURCE_DMESG;
	from = signals_find(s->en->tax, SIGNAL_SOURCE, NULL, l->env.text, NULL);
	return SOURCE_STDOUT | (from ? 1u << from->tells[0] : 0);
}

bool scan_within_reach(const struct scan *s, size_t i, uint64_t line)
{
	const struct rule *r = taxonomy_rule_at(s->en->tax, i);
	const struct evidence *ev;

	if (!r->within)
		return true;
	for (uint32_t at = s->rules[r->within_rule].first; at; at = ev->next) {
		ev = &s->f->evidence[at - 1];
		if (ev->line <= line && line - ev->line <= r->within_lines)
			return true;
	}
	return false;
}

/* Whether time is left for rules. */
static bool in_time(struct scan *s, const struct scan_time *t, int64_t now)
{
	if (t->matching > 0)
		return now < t->until;
	tell_limit(s, "limit match-time: no rule was run after a while%s", "");
	return false;
}

/* How many of the nominated from k on are of the rule of the one at k. */
static size_t of_one_rule(const struct scan *s, size_t k)
{
	size_t i = rule_of(s, s->nominated[k]), n = 1;

	while (k + n < s->n_nominated && rule_of(s, s->nominated[k + n]) == i)
		n++;
	return n;
}

/* What is known of a text; NULL: nothing is kept. Most logs have too few that
 * it would be worth while. */
static struct judgement *judgement_of(
    struct scan *s, enum where where, struct span subject)
{
	if (s->texts++ < TEXTS)
		return NULL;
	if (!s->judged)
		s->judged = judged_new(s->en->tax);
	return s->judged
	    ? judged_of(s->judged, where, subject, s->nominated, s->n_nominated)
	    : NULL;
}

static int run_nominated(
    struct scan *s, enum where where, struct span subject, uint32_t event)
{
	unsigned source = scan_source(s, s->line);
	uint64_t raised = event == EVENT_NONE ? 0 : s->f->events[event].raised;
	struct judgement *known = judgement_of(s, where, subject);
	struct pattern_match m;
	int found = 0;

	for (int context = 1; context >= 0; context--) {
		for (size_t k = 0, n; k < s->n_nominated; k += n) {
			const size_t *p = &s->nominated[k];
			size_t i = rule_of(s, *p);
			const struct rule_state *r = &s->rules[i];
			ptrdiff_t by;

			n = of_one_rule(s, k);
			if (r->where != where || r->context != (context == 1) ||
			    (r->sources && !(r->sources & source)) ||
			    (r->raised && !(r->raised & raised)))
				continue;
			by = matches(s, known, k, n, subject, &m);
			if (by < 0 || !scan_within_reach(s, i, s->line->number))
				continue;
			if (context)
				return -1;
			add_evidence(s, (size_t)by, event, subject, &m);
			found++;
		}
	}
	return found;
}

/* Of what was nominated for exceptions, keep what the text of one may match.
 * Nearly all of them were, by no more than its being an "Error: ". */
static int nominate_again(struct scan *s, struct span subject)
{
	const struct prefilter *raised = s->en->tables.raised;
	size_t n = 0;

	if (prefilter_find(raised, subject, &s->raised)) {
		s->f->failed = true;
		return -1;
	}
	s->stamp++;
	for (size_t i = 0; i < s->raised.n; i++) {
		size_t n_ids;
		const uint32_t *id =
		    prefilter_ids(raised, &s->raised.v[i], &n_ids);

		while (n_ids-- > 0)
			s->stamps[id[n_ids]] = s->stamp;
	}
	for (size_t i = 0; i < s->n_nominated; i++) {
		size_t p = s->nominated[i];

		if (s->stamps[p] == s->stamp || !prefilter_covers(raised, p))
			s->nominated[n++] = p;
	}
	s->n_nominated = n;
	return 0;
}

int scan_rules(
    struct scan *s, enum where where, struct span subject, uint32_t event)
{
	struct scan_time *t = s->time ? s->time : &s->own_time;
	int64_t from;
	int found;

	if (s->nominations[where] == 0 ||
	    (where == WHERE_EXCEPTION && s->en->prefilter &&
		nominate_again(s, subject)))
		return 0;
	/* asked once for all the rules of a text, of which each is bounded */
	from = scan_clock();
	if (!in_time(s, t, from))
		return 0;
	s->looked_at = (struct span){ NULL, 0 };
	found = run_nominated(s, where, subject, event);
	t->matching -= scan_clock() - from;
	return found;
}

bool scan_is_context(struct scan *s, struct span text)
{
	size_t n = 0;

	s->inner.n = 0;
	if (s->en->prefilter &&
	    prefilter_find(s->en->prefilter, text, &s->inner)) {
		s->f->failed = true;
		return false;
	}
	scan_nominate(s, s->inner.v, s->inner.n);
	for (size_t i = 0; i < s->n_nominated; i++)
		if (s->rules[rule_of(s, s->nominated[i])].context)
			s->nominated[n++] = s->nominated[i];
	s->n_nominated = n;
	return scan_rules(s, WHERE_LINE, text, EVENT_NONE) < 0;
}

void scan_signals(struct scan *s)
{
	struct scan_time *t = s->time ? s->time : &s->own_time;
	int64_t from;

	if (!(s->signals.kinds &
		(1u << SIGNAL_EXIT | 1u << SIGNAL_REPORT | 1u << SIGNAL_DONE |
		    1u << SIGNAL_PARALLEL | 1u << SIGNAL_COLLECTIVE)))
		return;
	from = scan_clock();
	if (!in_time(s, t, from))
		return;
	facts_line(s->f, s->en->tax, s->matcher, s->line, &s->signals);
	t->matching -= scan_clock() - from;
}
