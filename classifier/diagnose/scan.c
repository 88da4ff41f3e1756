/*
 * A block of clean text comes from the decoder; the prefilter says where in it
 * something may stand. Only the lines with a hit are cut out, peeled and given
 * to the blocks (trace.h) and the rules, plus every line while a traceback is
 * open. All else is never looked at.
 *
 * What is found for a line depends on that line, the blocks before it, and at
 * most BEFORE_REACH bytes before it, so it does not matter how the log was
 * split into blocks.
 */
#include "diagnose/scan.h"

#include "base/buf.h"
#include "base/err.h"
#include "diagnose/around.h"
#include "diagnose/before.h"
#include "diagnose/checkpoint.h"
#include "diagnose/engine.h"
#include "diagnose/excerpt.h"
#include "diagnose/facts.h"
#include "diagnose/gpus.h"
#include "diagnose/metrics.h"
#include "diagnose/shape.h"
#include "diagnose/stage.h"
#include "diagnose/trace.h"
#include "input/decode.h"
#include "rules/pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TEXT_MAX 1024         /* bytes of evidence text kept */
#define EDGE_LINES 40         /* lines at both ends searched for times */
#define EDGE_BYTES (8u << 10) /* bytes there searched for GPUs */

struct rule_state {
	uint32_t confirms; /* times its pattern was run */
	uint32_t hits;
	uint32_t give_ups; /* runs that reached their limit */
	uint32_t stamp;    /* the last text it was nominated for */
};

struct scan {
	const struct engine *en;
	struct decode *decode;
	struct trace *trace;
	struct trace_sink sink;
	struct matcher *matcher;
	struct findings *f;
	struct rule_state *rules;
	uint32_t stamp;
	struct prefilter_hits hits;  /* in the decoder's block */
	struct prefilter_hits inner; /* in a closed traceback */
	size_t *nominated;           /* rules for the text at hand */
	size_t n_nominated;
	const struct decode_block *block;
	size_t pos;                  /* in the block, of the line at hand */
	const struct log_line *line; /* the line at hand */
	struct before before;
	struct excerpt_reader excerpts;
	struct metric_reader *metrics; /* or NULL: not asked for */
	bool confirm_noted;
	struct scan_time *time, own_time;
	unsigned first_lines; /* looked at by look_at_start */
	size_t first_bytes;   /* likewise */
};

static int on_block(void *ctx, const struct decode_block *b);
static void on_opened(void *ctx, uint32_t event);
static void on_closed(
    void *ctx, uint32_t event, struct span exception, struct span whole);

struct scan *scan_new(const struct engine *en, struct err *e)
{
	size_t n = en->tax->n_rules;
	struct scan *s = calloc(1, sizeof *s);

	if (!s)
		goto out;
	s->en = en;
	s->decode = decode_new(en->limits, e);
	if (!s->decode) {
		scan_free(s);
		return NULL;
	}
	s->trace = trace_new(en->limits);
	s->matcher = matcher_new(en->limits->v[LIMIT_MATCH]);
	s->rules = calloc(n + 1, sizeof *s->rules);
	s->nominated = calloc(n + 1, sizeof *s->nominated);
	if (en->trends)
		s->metrics = metric_reader_new(en->tax);
	if (s->trace && s->matcher && s->rules && s->nominated &&
	    (s->metrics || !en->trends))
		return s;
out:
	scan_free(s);
	err_nomem(e);
	return NULL;
}

void scan_free(struct scan *s)
{
	if (!s)
		return;
	decode_free(s->decode);
	trace_free(s->trace);
	matcher_free(s->matcher);
	findings_free(s->f);
	excerpt_reader_release(&s->excerpts);
	metric_reader_free(s->metrics);
	prefilter_hits_release(&s->hits);
	prefilter_hits_release(&s->inner);
	free(s->rules);
	free(s->nominated);
	free(s);
}

int64_t scan_clock(void)
{
	struct timespec t = { 0, 0 };

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

void scan_within(struct scan *s, struct scan_time *t)
{
	s->time = t;
}

struct findings *scan_findings(struct scan *s)
{
	return s->f;
}

int scan_begin(
    struct scan *s, const char *path, int rank, const char *node, struct err *e)
{
	const struct decode_sink blocks = { s, on_block };

	findings_free(s->f);
	s->f = findings_new(path, rank, node);
	if (!s->f || (s->metrics && metric_reader_begin(s->metrics, s->f)))
		return err_nomem(e);
	memset(s->rules, 0, s->en->tax->n_rules * sizeof *s->rules);
	s->stamp = 0;
	s->confirm_noted = false;
	s->own_time = (struct scan_time){
		(int64_t)s->en->limits->v[LIMIT_MATCH_TIME] * 1000, INT64_MAX
	};
	s->first_lines = 0;
	s->first_bytes = 0;
	before_begin(&s->before);
	excerpt_reader_release(&s->excerpts);
	s->sink = (struct trace_sink){ s, on_opened, on_closed };
	trace_begin(s->trace, s->f, &s->sink);
	decode_begin(s->decode, &blocks);
	return 0;
}

int scan_feed(struct scan *s, const char *p, size_t n, struct err *e)
{
	return decode_feed(s->decode, p, n, e);
}

int scan_flush(struct scan *s, struct err *e)
{
	return decode_flush(s->decode, e);
}

/* ---- which rules to run ---- */

static void nominate(struct scan *s, size_t rule)
{
	if (s->rules[rule].stamp == s->stamp)
		return;
	s->rules[rule].stamp = s->stamp;
	s->nominated[s->n_nominated++] = rule;
}

static int by_index(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;

	return (x > y) - (x < y);
}

/* The kinds of extra readers that were hit, as bits. */
static unsigned extras_of(
    const struct engine *en, const struct prefilter_hit *h, size_t n)
{
	unsigned extras = 0;

	for (size_t i = 0; i < n; i++)
		if (h[i].id >= en->tables.n_rules)
			extras |= 1u
			    << en->tables.extra[h[i].id - en->tables.n_rules];
	return extras;
}

/* Fill s->nominated from hits (all rules when there is no prefilter). */
static void nominate_from(
    struct scan *s, const struct prefilter_hit *h, size_t n)
{
	const struct engine *en = s->en;

	s->stamp++;
	s->n_nominated = 0;
	if (!en->prefilter) {
		for (size_t i = 0; i < en->tax->n_rules; i++)
			nominate(s, i);
		return;
	}
	for (size_t i = 0; i < n; i++)
		if (h[i].id < en->tables.n_rules)
			nominate(s, h[i].id);
	for (size_t i = 0; i < en->tables.n_uncovered; i++)
		nominate(s, en->tables.uncovered[i]);
	qsort(s->nominated, s->n_nominated, sizeof *s->nominated, by_index);
}

static bool exhausted(const struct scan *s, size_t i)
{
	return s->rules[i].confirms >= s->en->limits->v[LIMIT_CONFIRM];
}

/* Whether a hit alone matters: context rules only take lines from others. */
static bool matters(const struct scan *s, const struct prefilter_hit *h)
{
	const struct rule *r;

	if (h->id >= s->en->tables.n_rules)
		return true;
	r = &s->en->tax->rules[h->id];
	return r->role != ROLE_CONTEXT && r->where != WHERE_BLOCK &&
	    !(s->confirm_noted && exhausted(s, h->id));
}

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
	const struct scan_time *t = s->time ? s->time : &s->own_time;

	if (exhausted(s, i)) {
		if (!s->confirm_noted)
			tell_limit(s,
			    "limit confirm: some rules were not run to the "
			    "end%s",
			    "");
		s->confirm_noted = true;
	} else if (s->rules[i].give_ups >= limit[LIMIT_GIVE_UPS])
		tell_limit(s, "limit give-ups: rule %s was put aside",
		    s->en->tax->rules[i].id);
	else if (t->matching <= 0)
		tell_limit(
		    s, "limit match-time: no rule was run after a while%s", "");
	else
		return t->until == INT64_MAX || scan_clock() < t->until;
	return false;
}

/* As pattern_find for a pattern of rule i; its time is counted. */
static int find(struct scan *s, size_t i, const struct pattern *p,
    struct span subject, struct pattern_match *m)
{
	struct scan_time *t = s->time ? s->time : &s->own_time;
	int64_t from = scan_clock();
	int rc = pattern_find(p, s->matcher, subject, m);

	t->matching -= scan_clock() - from;
	if (rc >= 0)
		return rc;
	s->rules[i].give_ups++;
	tell_limit(s, "limit match: rule %s gave up on a line",
	    s->en->tax->rules[i].id);
	return rc;
}

/* Whether rule i matches subject. Limits that are hit become notes. */
static bool matches(
    struct scan *s, size_t i, struct span subject, struct pattern_match *m)
{
	const struct pattern *p, *unless;

	if (!may_run(s, i))
		return false;
	p = taxonomy_pattern(s->en->tax, i);
	if (!p)
		return false;
	s->rules[i].confirms++;
	if (find(s, i, p, subject, m) != 1)
		return false;
	unless = taxonomy_unless(s->en->tax, i);
	return !unless || find(s, i, unless, subject, NULL) == 0;
}

/* ---- evidence ---- */

static int keep_captures(struct evidence *ev, const struct rule *r,
    const struct pattern *p, const struct pattern_match *m)
{
	ev->captures =
	    calloc(r->extract.n + r->key.n + 1, sizeof *ev->captures);
	if (!ev->captures)
		return err_nomem(NULL);
	for (size_t i = 0; i < r->extract.n + r->key.n; i++) {
		const char *name = i < r->extract.n
		    ? r->extract.v[i]
		    : r->key.v[i - r->extract.n];
		int g = pattern_group(p, name);
		struct capture *c;

		if (g < 0 || g >= m->n || !m->group[g].p ||
		    evidence_capture(ev, name))
			continue;
		c = &ev->captures[ev->n_captures];
		c->name = name;
		c->value = span_dup(span_sub(m->group[g], 0, 300));
		if (!c->value)
			return -1;
		ev->n_captures++;
	}
	return 0;
}

/* The oldest of the later half of the evidence for rule r (any rule: NULL):
 * what makes room when there is too much. */
static struct evidence *oldest_late(
    struct findings *f, const struct rule *r, size_t keep)
{
	struct evidence *best = NULL;
	size_t seen = 0;

	for (size_t i = 0; i < f->n_evidence; i++) {
		struct evidence *ev = &f->evidence[i];

		if (r && ev->rule != r)
			continue;
		if (seen++ < keep)
			continue;
		if (!best || ev->line < best->line)
			best = ev;
	}
	return best;
}

/* A place for one more piece of evidence of rule i: new, or the oldest of the
 * later ones made empty. */
static struct evidence *evidence_slot(struct scan *s, size_t i)
{
	const struct rule *r = &s->en->tax->rules[i];
	const uint64_t *limit = s->en->limits->v;
	struct evidence *ev = NULL;

	if (s->rules[i].hits++ >= limit[LIMIT_RULE_HITS])
		ev = oldest_late(s->f, r, limit[LIMIT_RULE_HITS] / 2);
	else if (s->f->n_evidence >= limit[LIMIT_EVIDENCE])
		ev = oldest_late(s->f, NULL, limit[LIMIT_EVIDENCE] / 2);
	if (!ev)
		return findings_evidence(s->f);
	s->f->dropped++;
	evidence_release(ev);
	return ev;
}

/* What a watchdog says of a collective: rank, operation, sequence number. */
static void note_wait(struct scan *s, const struct evidence *ev)
{
	const char *seq = evidence_capture(ev, "seq");
	const char *rank = evidence_capture(ev, "rank");
	int64_t n = rank ? span_number(span_of(rank)) : ev->rank;
	int64_t at = seq ? span_number(span_of(seq)) : -1;

	if (at >= 0 && n >= 0 && n < INT32_MAX)
		(void)findings_wait(
		    s->f, (int)n, at, evidence_capture(ev, "op"));
}

static bool below_error(const struct envelope *env)
{
	return env->level != LEVEL_UNKNOWN && env->level < LEVEL_ERROR;
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

/* Keep that rule i matched subject, which is the line at hand or the block
 * event. */
static void add_evidence(struct scan *s, size_t i, uint32_t event,
    struct span subject, const struct pattern_match *m)
{
	const struct rule *r = &s->en->tax->rules[i];
	struct evidence *ev = evidence_slot(s, i);
	size_t from, to, cut = 0;
	struct span text;

	if (event != EVENT_NONE)
		s->f->events[event].explained = true;
	if (!ev)
		return;
	from = (size_t)(m->group[0].p - subject.p);
	to = from + m->group[0].n;
	if (subject.n > TEXT_MAX && to > TEXT_MAX && from > 200)
		cut = cut_before(subject, from);
	text = span_sub(subject, cut, cut + TEXT_MAX);
	*ev = (struct evidence){
		.rule = r,
		.event = event,
		.line = s->line->number,
		.offset = s->line->offset,
		.time = s->line->env.time,
		.rank = s->line->env.rank,
		.warning = below_error(&s->line->env) ||
		    (event == EVENT_NONE && shape_table_row(subject)),
		.text = span_dup(text),
		.text_len = text.n,
		.match_from = from - cut < text.n ? from - cut : text.n,
		.match_to = to - cut < text.n ? to - cut : text.n,
		.count = 1,
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
	if (s->line->env.node.n)
		ev->node = span_dup(s->line->env.node);
	if (!ev->text ||
	    keep_captures(ev, r, taxonomy_pattern(s->en->tax, i), m)) {
		evidence_release(ev);
		return;
	}
	if (s->en->keep &&
	    (event == EVENT_NONE || s->f->events[event].kind == EVENT_BARE))
		ev->around = excerpt_take(&s->excerpts, s->block, s->pos,
		    ev->line, (struct span){ 0 });
	note_wait(s, ev);
}

static unsigned source_bits(const struct scan *s, const struct log_line *l)
{
	if (decode_stats(s->decode)->error_file)
		return SOURCE_ERROR_FILE;
	if (s->f->of_record)
		return SOURCE_SCHEDULER;
	if (l->env.kernel)
		return SOURCE_DMESG;
	if (span_starts(l->env.text, "slurm") ||
	    span_starts(l->env.text, "srun:"))
		return SOURCE_SCHEDULER | SOURCE_STDOUT;
	return SOURCE_STDOUT;
}

/* Whether the rule that this one needs before it was seen near enough. */
static bool within(const struct scan *s, const struct rule *r, uint64_t line)
{
	const struct rule *need;

	if (!r->within)
		return true;
	need = &s->en->tax->rules[r->within_rule];
	for (size_t i = s->f->n_evidence; i-- > 0;) {
		const struct evidence *ev = &s->f->evidence[i];

		if (ev->rule == need && ev->line <= line &&
		    line - ev->line <= r->within_lines)
			return true;
	}
	return false;
}

/* ---- lines ---- */

/* Run the nominated rules of one kind on subject. Context rules go first: a
 * match of one means that nothing else counts. Returns how many matched, or
 * -1 when context said no. */
static int run_rules(
    struct scan *s, enum where where, struct span subject, uint32_t event)
{
	const struct taxonomy *tax = s->en->tax;
	unsigned source = source_bits(s, s->line);
	struct pattern_match m;
	int found = 0;

	for (int context = 1; context >= 0; context--) {
		for (size_t k = 0; k < s->n_nominated; k++) {
			size_t i = s->nominated[k];
			const struct rule *r = &tax->rules[i];

			if (r->where != where ||
			    (r->role == ROLE_CONTEXT) != (context == 1) ||
			    (r->sources && !(r->sources & source)))
				continue;
			if (!matches(s, i, subject, &m) ||
			    !within(s, r, s->line->number))
				continue;
			if (context)
				return -1;
			add_evidence(s, i, event, subject, &m);
			found++;
		}
	}
	return found;
}

/* An event for a line outside blocks that has the shape of an exception. */
static uint32_t bare_event(struct scan *s, const struct log_line *l)
{
	struct event *e;
	uint32_t event;

	if (s->f->n_events >= s->en->limits->v[LIMIT_EVIDENCE])
		return EVENT_NONE;
	event = findings_event(s->f);
	if (event == EVENT_NONE)
		return EVENT_NONE;
	e = &s->f->events[event];
	e->kind = EVENT_BARE;
	e->first_line = e->last_line = e->message_line = l->number;
	e->end = l->offset;
	e->complete = true;
	on_opened(s, event);
	return event;
}

/* A line that no block took: rules for lines see it, and rules for exceptions
 * when it looks like one. */
static void outside_line(struct scan *s, const struct log_line *l)
{
	struct span type, t = shape_pytest(span_trim(l->env.text));
	bool exception = shape_exception(t, &type) == SHAPE_SURE;
	uint32_t event = exception ? bare_event(s, l) : EVENT_NONE;
	int found = run_rules(s, WHERE_LINE, l->env.text, event);

	if (exception && found >= 0 &&
	    run_rules(s, WHERE_EXCEPTION, t, event) > 0)
		found++;
	if (event == EVENT_NONE)
		return;
	if (found > 0) {
		s->f->events[event].exception =
		    span_dup(span_sub(t, 0, TEXT_MAX));
		return;
	}
	event_release(&s->f->events[event]);
	s->f->n_events--;
}

static void do_line(struct scan *s, const struct prefilter_hit *h, size_t n,
    struct span raw, uint64_t number)
{
	struct log_line l = { .raw = raw, .number = number };
	enum trace_part part = TRACE_OUTSIDE;
	uint32_t event = EVENT_NONE;
	unsigned extras;

	envelope_peel(raw, &l.env);
	l.offset = decode_offset(s->decode, s->pos);
	s->line = &l;
	/* what was hit in a prefix is not in the text */
	while (n && s->block->text.p + h->pos < l.env.text.p) {
		h++;
		n--;
	}
	extras = s->en->prefilter
	    ? extras_of(s->en, h, n)
	    : 1u << ENGINE_TRACE | facts_kinds(l.env.text) << ENGINE_FACTS;
	if (extras & 1u << ENGINE_TRACE || trace_busy(s->trace))
		part = trace_feed(s->trace, &l, &event);
	/* closing a block has used the nominations: make them anew */
	nominate_from(s, h, n);
	if (part == TRACE_OUTSIDE && shape_echo(l.env.text)) {
		facts_script(s->f, l.env.text);
		goto out;
	}
	if (part == TRACE_INSIDE)
		goto out;
	if (facts_line(s->f, &l, extras >> ENGINE_FACTS))
		checkpoint_date(
		    s->f, number, before_time(&s->before, s->block, s->pos));
	if (s->n_nominated == 0)
		goto out;
	if (part == TRACE_OUTSIDE)
		outside_line(s, &l);
	else
		run_rules(s, WHERE_LINE, l.env.text, event);
out:
	s->line = NULL;
}

/* Go over the lines of a block that matter. */
static void do_lines(struct scan *s, const struct decode_block *b)
{
	uint64_t number = b->line;
	size_t pos = 0, counted = 0, h = 0, from, to;
	struct span text = b->text;
	size_t nl = around_newline(text, 0);

	while (pos < text.n) {
		bool all = s->en->every_line || trace_busy(s->trace);
		size_t first;

		while (!all && h < s->hits.n && !matters(s, &s->hits.v[h]))
			h++;
		if (!all && h == s->hits.n)
			break;
		from = pos;
		around_near(
		    text, all ? pos : s->hits.v[h].pos, &nl, &from, &to);
		while (h > 0 && s->hits.v[h - 1].pos >= from)
			h--;
		first = h;
		while (h < s->hits.n && s->hits.v[h].pos < to)
			h++;
		number += span_newlines(span_sub(text, counted, from));
		counted = from;
		if (to > from) {
			s->pos = from;
			do_line(s, h > first ? s->hits.v + first : NULL,
			    h - first, span_sub(text, from, to), number);
		}
		pos = to + 1;
	}
}

/* The number of the line at a position in the last bytes of the log. */
static uint64_t line_number(
    const struct findings *f, struct span tail, size_t at)
{
	return f->lines - span_newlines(span_sub(tail, at, tail.n)) +
	    (tail.n && tail.p[tail.n - 1] == '\n');
}

/* Times, the last step and the closing words stand at the ends of a log. */
static void look_at_start(struct scan *s, struct span text)
{
	struct findings *f = s->f;
	size_t at, end, words = EDGE_BYTES - s->first_bytes;
	struct envelope env;

	for (size_t i = 0; i < text.n && s->first_lines < EDGE_LINES &&
	     f->first_time == ENVELOPE_NO_TIME;
	     i = end + 1, s->first_lines++) {
		around_line(text, i, i, &at, &end);
		envelope_peel(span_sub(text, at, end), &env);
		f->first_time = env.time;
	}
	if (words == 0)
		return;
	gpus_words(&f->clues, span_sub(text, 0, words));
	s->first_bytes += words < text.n ? words : text.n;
}

static void look_at_end(struct scan *s, const struct decode_block *b)
{
	struct findings *f = s->f;
	struct span all = { b->history.n ? b->history.p : b->text.p,
		b->history.n + b->text.n };
	struct envelope env;
	size_t at, end, n;

	gpus_words(&f->clues,
	    span_sub(all, all.n > EDGE_BYTES ? all.n - EDGE_BYTES : 0, all.n));
	f->lines = b->line - 1 + span_newlines(b->text) +
	    (b->text.n && b->text.p[b->text.n - 1] != '\n');
	if (s->en->keep)
		excerpt_end(&s->excerpts, f, b);
	end = all.n;
	for (n = 0; n < EDGE_LINES && end > 0; n++) {
		while (end > 0 && around_end(all.p[end - 1]))
			end--;
		if (end == 0 || all.n - end > BEFORE_REACH)
			break;
		around_line(all, 0, end - 1, &at, &end);
		envelope_peel(span_sub(all, at, end), &env);
		if (f->last_time == ENVELOPE_NO_TIME)
			f->last_time = env.time;
		if (!f->ended_well && shape_ended_well(env.text)) {
			f->ended_well = true;
			f->ended_line = line_number(f, all, at);
		}
		end = at;
	}
	if (facts_progress_before(all,
		all.n > BEFORE_REACH ? all.n - BEFORE_REACH : 0, all.n,
		&f->last, &at))
		f->last_line_of_progress = line_number(f, all, at);
}

static int on_block(void *ctx, const struct decode_block *b)
{
	struct scan *s = ctx;

	s->block = b;
	s->hits.n = 0;
	excerpt_go_on(&s->excerpts, s->f, b);
	if (s->en->prefilter &&
	    prefilter_find(s->en->prefilter, b->text, &s->hits))
		return -1;
	do_lines(s, b);
	if (b->last) {
		struct log_line none = { .number = 0,
			.env = { .time = ENVELOPE_NO_TIME, .rank = -1 } };

		s->pos = b->text.n;
		s->line = &none;
		trace_end(s->trace);
		s->line = NULL;
	}
	if (s->metrics)
		metric_reader_block(s->metrics, b);
	look_at_start(s, b->text);
	if (b->last)
		look_at_end(s, b);
	s->block = NULL;
	return 0;
}

/* ---- blocks ---- */

static void on_opened(void *ctx, uint32_t event)
{
	struct scan *s = ctx;
	struct event *e = &s->f->events[event];

	e->before = before_progress(&s->before, s->block, s->pos);
	e->stage = s->before.stage;
	e->offset = s->line->offset;
	e->time = s->line->env.time;
	e->rank = s->line->env.rank;
	e->warning = below_error(&s->line->env);
	if (!e->node && s->line->env.node.n)
		e->node = span_dup(s->line->env.node);
}

static void on_closed(
    void *ctx, uint32_t event, struct span exception, struct span whole)
{
	struct scan *s = ctx;
	const struct event *e = &s->f->events[event];
	const struct log_line *at = s->line;
	/* the evidence stands at the block, not at the line that ended it */
	struct log_line here = {
		.number = e->message_line ? e->message_line : e->last_line,
		.offset = e->offset,
		.env = { .time = e->time, .rank = e->rank },
	};

	if (e->node)
		here.env.node = span_of(e->node);
	if (e->warning)
		here.env.level = LEVEL_WARNING;
	s->inner.n = 0;
	if (s->en->prefilter &&
	    prefilter_find(s->en->prefilter, whole, &s->inner))
		return;
	nominate_from(s, s->inner.v, s->inner.n);
	s->line = &here;
	if (s->en->keep && !e->around)
		s->f->events[event].around = excerpt_take(
		    &s->excerpts, s->block, s->pos, here.number, exception);
	if (exception.n && run_rules(s, WHERE_EXCEPTION, exception, event) < 0)
		s->f->events[event].ignored = true;
	if (run_rules(s, WHERE_BLOCK, whole, event) < 0)
		s->f->events[event].ignored = true;
	s->f->parallel |= facts_parallel(whole);
	if (!s->f->framework)
		s->f->framework = facts_framework(whole);
	s->line = at;
}

/* ---- the end ---- */

static int by_line(const void *a, const void *b)
{
	const struct evidence *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->rule > y->rule) - (x->rule < y->rule);
}

struct findings *scan_end(struct scan *s, bool whole, struct err *e)
{
	struct findings *f = s->f;
	size_t n = 0;

	if (decode_end(s->decode, e) || (err_out_of_memory() && err_nomem(e)))
		return NULL;
	f->whole = whole;
	f->bytes = decode_stats(s->decode)->raw_bytes;
	for (size_t i = 0; i < f->n_evidence; i++)
		if (f->evidence[i].rule)
			f->evidence[n++] = f->evidence[i];
	f->n_evidence = n;
	if (n)
		qsort(f->evidence, n, sizeof *f->evidence, by_line);
	for (size_t i = 0; i < n; i++)
		f->evidence[i].count =
		    s->rules[f->evidence[i].rule - s->en->tax->rules].hits;
	checkpoint_end(f);
	gpus_end(f);
	if (f->dropped)
		findings_note(f,
		    "limit evidence: only the first and last "
		    "pieces of evidence of a flood were kept");
	s->f = NULL;
	return f;
}
