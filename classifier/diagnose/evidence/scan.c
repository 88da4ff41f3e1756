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
#include "diagnose/evidence/scan_pipe.h"
#include "diagnose/evidence/scan_private.h"

#include "base/err.h"
#include "base/text.h"
#include "diagnose/evidence/around.h"
#include "diagnose/signals/checkpoint.h"
#include "diagnose/signals/declared.h"
#include "diagnose/signals/cut.h"
#include "diagnose/signals/facts.h"
#include "diagnose/signals/gpus.h"
#include "diagnose/signals/signals.h"
#include "diagnose/signals/metrics.h"
#include "diagnose/signals/phases.h"
#include "diagnose/evidence/shape.h"
#include "diagnose/evidence/thrown.h"
#include "diagnose/evidence/torn.h"
#include "diagnose/signals/stage.h"
#include "input/decode.h"
#include "rules/pattern.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ENDS (1u << SIGNAL_END | 1u << SIGNAL_DONE)
#define EDGE_LINES 40         /* lines at the end searched for its words */
#define EDGE_LINES_ALL 400    /* with those that go on, indented: stacks */
#define EDGE_BYTES (8u << 10) /* bytes there searched for GPUs */

static int on_block(void *ctx, const struct decode_block *b);
static int on_swap(void *ctx, char **memory, size_t cap);
static void on_opened(void *ctx, uint32_t event);
static void on_closed(
    void *ctx, uint32_t event, struct span exception, struct span whole);

struct scan *scan_new(const struct engine *en, struct err *e)
{
	size_t n = en->tax->n_patterns;
	struct scan *s = calloc(1, sizeof *s);

	if (!s)
		goto out;
	s->en = en;
	s->excerpts.tax = en->tax;
	s->decode = decode_new(en->limits, en->tax->json_keys, e);
	if (!s->decode) {
		scan_free(s);
		return NULL;
	}
	decode_prefixes(s->decode, en->tax->prefixes);
	s->matcher = pattern_matcher_new(en->limits->v[LIMIT_MATCH]);
	s->trace = trace_new(en->limits, en->tax, s->matcher);
	/* cleared for each log; of the list hardly more than its start is used,
	 * and pages that nobody touches cost nothing */
	s->rules = malloc((en->tax->n_rules + 1) * sizeof *s->rules);
	s->stamps = malloc((n + 1) * sizeof *s->stamps);
	s->nominated = malloc((n + 1) * sizeof *s->nominated);
	s->signal_stamps =
	    calloc(en->tax->n_signals + 1, sizeof *s->signal_stamps);
	if (en->trends)
		s->metrics = metric_reader_new(en->tax);
	if (en->goodput && s->matcher)
		s->phases = phase_reader_new(en->tax, s->matcher);
	if (s->trace && s->matcher && s->rules && s->stamps &&
	    s->signal_stamps && s->nominated && (s->metrics || !en->trends) &&
	    (s->phases || !en->goodput))
		return s;
out:
	scan_free(s);
	err_nomem(e);
	return NULL;
}

const struct taxonomy *scan_taxonomy(const struct scan *s)
{
	return s->en->tax;
}

void scan_free(struct scan *s)
{
	if (!s)
		return;
	scan_leave(s);
	decode_free(s->decode);
	trace_free(s->trace);
	launches_release(&s->launches);
	pattern_matcher_free(s->matcher);
	findings_free(s->f);
	excerpt_reader_release(&s->excerpts);
	metric_reader_free(s->metrics);
	phase_reader_free(s->phases);
	prefilter_hits_release(&s->hits);
	prefilter_hits_release(&s->inner);
	prefilter_hits_release(&s->raised);
	free(s->rules);
	free(s->stamps);
	free(s->signal_stamps);
	free(s->nominated);
	judged_free(s->judged);
	scan_again_free(s->again);
	free(s->flood.literals);
	free(s->flood.raises);
	lines_free(s->flood.lines);
	free(s->mentions.v);
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

void scan_use_pool(struct scan *s, struct pool *pool)
{
	s->pool = pool;
}

void scan_leave(struct scan *s)
{
	if (s->pipe)
		(void)scan_pipe_end(s->pipe);
	s->pipe = NULL;
}

struct findings *scan_findings(struct scan *s)
{
	if (s->pipe)
		scan_pipe_wait(s->pipe);
	return s->f;
}

int scan_begin(
    struct scan *s, const char *path, int rank, const char *node, struct err *e)
{
	const struct decode_sink blocks = { s, on_block, on_swap };

	scan_leave(s);
	findings_free(s->f);
	s->f = findings_new(path, rank, node);
	if (!s->f || (s->metrics && metric_reader_begin(s->metrics, s->f)) ||
	    (s->phases && phases_begin(s->f)))
		return err_nomem(e);
	memset(s->rules, 0, s->en->tax->n_rules * sizeof *s->rules);
	memset(s->stamps, 0, s->en->tax->n_patterns * sizeof *s->stamps);
	s->stamp = 0;
	s->texts = 0;
	pattern_matcher_begin(s->matcher);
	s->confirm_noted = s->flooded = s->calm = s->others = false;
	s->own_time = (struct scan_time){
		(int64_t)s->en->limits->v[LIMIT_MATCH_TIME] * 1000, INT64_MAX
	};
	s->bytes = (struct cut_bytes){ .seen = 0 };
	before_begin(&s->before, s->en->tax);
	s->quote = (struct quote){ .from = 0 };
	s->quoted = 0;
	launches_begin(&s->launches, s->en->tax, s->matcher);
	s->mentions.n = 0;
	s->said = (struct said){ .lines = 0 };
	excerpt_reader_release(&s->excerpts);
	s->sink = (struct trace_sink){ s, on_opened, on_closed };
	trace_begin(s->trace, s->f, &s->sink);
	scan_again_begin(s);
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

/* ---- lines ---- */

uint32_t scan_bare_event(struct scan *s, const struct log_line *l)
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

void scan_no_event(struct scan *s, uint32_t event)
{
	findings_event_release(&s->f->events[event]);
	s->f->n_events--;
}

/* Whether a line says that what another program printed stands below it. */
static bool quotes(struct scan *s, struct span text)
{
	const struct taxonomy *tax = s->en->tax;

	for (size_t i = tax->signal_from[SIGNAL_BLOCK];
	     i < tax->signal_from[SIGNAL_BLOCK + 1]; i++)
		if (taxonomy_signal_at(tax, i)->tells[0] == BLOCK_QUOTE &&
		    signals_may(tax, i, &s->signals) &&
		    signals_tell(tax, i, s->matcher, text, NULL))
			return true;
	return false;
}

/* who: for whom it matters by its hits. */
static void do_line(struct scan *s, const struct prefilter_hit *h, size_t n,
    struct span raw, uint64_t number, unsigned who)
{
	struct log_line l = { .raw = raw, .number = number };
	enum trace_part part = TRACE_OUTSIDE;
	uint32_t event = EVENT_NONE;
	struct signal_told told;
	struct span raised;
	unsigned kinds;
	bool begins;

	envelope_peel(s->en->tax->prefixes, raw, &l.env);
	scan_level(s, &l.env);
	if (s->quote.from && l.env.text.p == raw.p)
		l.env.text = quote_line(&s->quote, s->block, s->pos, raw);
	if (who == SCAN_FOR_EXCEPTION &&
	    !scan_is_exception(l.env.text, &raised))
		return;
	l.offset = decode_offset(s->block, s->pos);
	s->line = &l;
	/* what was hit in a prefix is not in the text */
	while (n && s->block->text.p + h->pos < l.env.text.p) {
		h++;
		n--;
	}
	scan_hits(s, h, n, l.env.text);
	begins = s->signals.kinds & 1u << SIGNAL_BLOCK;
	if (begins && quotes(s, l.env.text)) {
		quote_begin(&s->quote, s->block, s->pos + raw.n + 1);
		s->quoted = s->quote.from;
	}
	if (begins || trace_busy(s->trace))
		part = trace_feed(s->trace, &l, &s->signals, &event);
	/* closing a block has used them: make them anew */
	scan_hits(s, h, n, l.env.text);
	kinds = s->signals.kinds;
	if (s->again)
		scan_record_line(s, part);
	if (part == TRACE_OUTSIDE && kinds & 1u << SIGNAL_LAUNCH &&
	    scan_told(s, SIGNAL_LAUNCH, &told))
		launches_told(&s->launches, s->block, s->pos, &l, &told);
	if (part == TRACE_OUTSIDE && shape_echo(s->en->tax, l.env.text)) {
		facts_script(
		    s->f, s->en->tax, s->matcher, l.env.text, &s->signals);
		goto out;
	}
	if (part == TRACE_INSIDE)
		goto out;
	/* said to this program, and no evidence of anything */
	if (kinds & 1u << SIGNAL_DECLARED &&
	    scan_told(s, SIGNAL_DECLARED, &told)) {
		declared_told(s->f, s->en->tax, &told, number);
		goto out;
	}
	if (l.env.level == LEVEL_UNKNOWN && l.env.text.p == raw.p)
		l.env.level = thrown_level(
		    s->en->tax->prefixes, s->block->text, s->pos, raw);
	scan_signals(s);
	if (kinds & 1u << SIGNAL_GPUS)
		facts_gpus(
		    s->f, s->en->tax, s->matcher, l.env.text, &s->signals);
	if (kinds & 1u << SIGNAL_CHECKPOINT)
		scan_mention(s,
		    (struct mention){ .from = s->pos,
			.to = s->pos + raw.n,
			.looked_at = true });
	if (part != TRACE_OUTSIDE) {
		scan_nominate_line(s, h, n);
		scan_rules(s, WHERE_LINE, l.env.text, event);
	} else {
		scan_outside(s, h, n, &l);
	}
out:
	s->line = NULL;
}

/* For whom a line matters by its hits. *mention: where it says last that it
 * may tell of a checkpoint. */
static unsigned line_matters(const struct scan *s,
    const struct prefilter_hit *h, size_t n, size_t *mention)
{
	unsigned bits = 0;

	for (size_t i = 0; i < n && !(bits & SCAN_FOR_ELSE); i++) {
		unsigned one = scan_matters(s, &h[i]);

		if (one & SCAN_FOR_CHECKPOINT)
			*mention = h[i].pos;
		bits |= one;
	}
	return bits;
}

/* Go over the lines of a block that matter. */
static void do_lines(struct scan *s, const struct decode_block *b)
{
	uint64_t number = b->line;
	size_t pos = 0, counted = 0, h = 0, from, to;
	struct span text = b->text;
	struct mention m = { 0 };
	size_t nl = around_newline(text, 0);

	while (pos < text.n) {
		bool all = s->en->every_line || trace_busy(s->trace);
		unsigned who = SCAN_FOR_ELSE;
		size_t first;

		while (!all && h < s->hits.n && !scan_matters(s, &s->hits.v[h]))
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
		pos = to + 1;
		if (!all)
			who = line_matters(
			    s, s->hits.v + first, h - first, &m.hit);
		if (who == SCAN_FOR_CHECKPOINT) {
			m.from = from;
			m.to = to;
			scan_mention(s, m);
			continue;
		}
		if (who == SCAN_FOR_EXCEPTION &&
		    !shape_may_raise(span_sub(text, from, to)))
			continue;
		number += span_newlines(span_sub(text, counted, from));
		counted = from;
		if (to > from) {
			if (scan_again(s, from, to, number, &pos)) {
				while (h < s->hits.n && s->hits.v[h].pos < pos)
					h++;
				continue;
			}
			s->pos = from;
			do_line(s, h > first ? s->hits.v + first : NULL,
			    h - first, span_sub(text, from, to), number, who);
		}
	}
}

/* Times, the last step and the closing words stand at the ends of a log. */
static void look_at_start(struct scan *s, struct span text)
{
	struct findings *f = s->f;
	size_t seen = s->bytes.seen;

	if (seen >= BEFORE_REACH)
		return;
	if (f->first_time == ENVELOPE_NO_TIME)
		f->first_time = before_first_time(
		    s->en->tax, span_sub(text, 0, BEFORE_REACH - seen));
	if (seen < EDGE_BYTES)
		gpus_words(&f->clues, span_sub(text, 0, EDGE_BYTES - seen));
	s->bytes.odd += cut_odd_bytes(span_sub(text, 0, BEFORE_REACH - seen));
	if (seen < CUT_SHORT)
		s->bytes.bad +=
		    text_bad_bytes(span_sub(text, 0, CUT_SHORT - seen));
	s->bytes.seen += text.n;
}

bool scan_line_back(struct span all, size_t *end, size_t *at)
{
	while (*end > 0 && around_end(all.p[*end - 1]))
		--*end;
	if (*end == 0 || all.n - *end > BEFORE_REACH)
		return false;
	*at = span_line_start(all, 0, *end);
	return true;
}

/* Whether lines before the last one that says so may say more. */
static bool end_open(const struct findings *f)
{
	return !f->ended_failed && (!f->ended_well || f->ended_script);
}

/* Whether the line around a place says that the run came to its end; gives
 * where it begins. */
static size_t look_for_end(struct scan *s, struct span all, size_t place)
{
	struct findings *f = s->f;
	struct envelope env;
	enum facts_end said;
	uint64_t number;
	size_t at, end;

	around_line(all, 0, place, &at, &end);
	envelope_peel(s->en->tax->prefixes, span_sub(all, at, end), &env);
	said = facts_end(s->en->tax, s->matcher, &env);
	if (said == FACTS_NO_END)
		return at;
	number = scan_line_number(f, all, at);
	if (findings_in_frames(f, number))
		return at;
	if (said == FACTS_FAILED) {
		f->ended_failed = true;
		return at;
	}
	/* the last word counts, but for what only a script says */
	if (!f->ended_well || said == FACTS_ENDED_WELL)
		f->ended_line = number;
	f->ended_well = true;
	f->ended_script = said == FACTS_SCRIPT_ENDED;
	return at;
}

/* The last line in all from an offset on that says so. What the prefilter has
 * found in this block is known. */
static int find_end(
    struct scan *s, const struct decode_block *b, struct span all, size_t from)
{
	const struct prefilter_hits *hits = &s->hits;
	size_t base = b->history.n;

	if (from < base) {
		hits = &s->inner;
		base = from;
		if (prefilter_find(s->en->prefilter, span_sub(all, from, all.n),
			&s->inner))
			return -1;
	}
	for (size_t i = hits->n, at = all.n; i-- > 0 && end_open(s->f);) {
		const struct prefilter_hit *h = &hits->v[i];

		if (base + h->pos < from)
			break;
		/* once for all the hits in a line */
		if (base + h->pos < at && scan_extras(s->en, h) & ENDS)
			at = look_for_end(s, all, base + h->pos);
	}
	return 0;
}

/* The last words of a traceback that has no exception are the log's. */
static bool ends_in_trace(const struct findings *f, uint64_t last_line)
{
	for (size_t i = 0; i < f->n_events; i++)
		if (f->events[i].kind == EVENT_TRACE &&
		    !f->events[i].complete &&
		    f->events[i].last_line >= last_line)
			return true;
	return false;
}

/* Whether it stops in the middle of something. */
static void look_for_cut(struct findings *f, struct span all)
{
	size_t at, end = all.n;

	f->cut = cut_of_end(all);
	if (scan_line_back(all, &end, &at) &&
	    ends_in_trace(f, scan_line_number(f, all, at)))
		f->cut = CUT_TRACE;
}

/* The last progress stands in the line at `at`. */
static void note_progress(
    struct findings *f, const struct taxonomy *tax, struct span all, size_t at)
{
	size_t end = at;

	f->last_line_of_progress = scan_line_number(f, all, at);
	if (f->last_time == ENVELOPE_NO_TIME)
		return;
	while (end < all.n && all.p[end] != '\n')
		end++;
	f->progress_time = before_last_time(
	    tax, span_sub(all, end > EDGE_BYTES ? end - EDGE_BYTES : 0, end));
}

static int look_at_end(struct scan *s, const struct decode_block *b)
{
	struct findings *f = s->f;
	struct span all = { b->history.n ? b->history.p : b->text.p,
		b->history.n + b->text.n };
	bool hits = s->en->prefilter && !(s->en->tables.always & ENDS);
	size_t at, end = all.n;

	gpus_words(&f->clues,
	    span_sub(all, all.n > EDGE_BYTES ? all.n - EDGE_BYTES : 0, all.n));
	f->last_time = before_time(&s->before, b, b->text.n);
	f->lines = b->line - 1 + span_newlines(b->text) +
	    (b->text.n && b->text.p[b->text.n - 1] != '\n');
	look_for_cut(f, all);
	scan_levels_end(s, all);
	if (scan_line_back(all, &end, &at) && !f->of_record)
		scan_last_line(s, all, at);
	end = all.n;
	if (s->en->excerpts)
		excerpt_end(&s->excerpts, f, b);
	for (size_t n = 0, all_of = 0; n < EDGE_LINES &&
	     all_of < EDGE_LINES_ALL && scan_line_back(all, &end, &at);
	     all_of++) {
		if (!hits && end_open(f))
			(void)look_for_end(s, all, at);
		n += all.p[at] != ' ' && all.p[at] != '\t';
		end = at;
	}
	if (hits && find_end(s, b, all, end))
		return -1;
	facts_script_failed(f);
	scan_last_words(s, all);
	at = all.n;
	if (facts_progress_before(s->en->tax, all,
		all.n > BEFORE_REACH ? all.n - BEFORE_REACH : 0, &at, &f->last))
		note_progress(f, s->en->tax, all, at);
	return 0;
}

int scan_block(
    struct scan *s, const struct decode_block *b, struct scan_found *found)
{
	const size_t *first = found && found->has_words ? &found->words : NULL;

	s->block = b;
	excerpt_go_on(&s->excerpts, s->f, b);
	scan_said_on(s);
	if (scan_take_hits(s, found))
		return -1;
	do_lines(s, b);
	scan_again_texts(s);
	scan_checkpoints(s);
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
	if (s->phases && phases_block(s->phases, s->f->phases, b))
		return -1;
	look_at_start(s, b->text);
	if (!s->f->of_record && launches_block(&s->launches, s->f, b, first))
		return -1;
	if (b->last && look_at_end(s, b))
		return -1;
	s->block = NULL;
	return 0;
}

/* Of the decoder, which works on while another thread looks at its blocks. */
static int on_block(void *ctx, const struct decode_block *b)
{
	struct scan *s = ctx;

	if (!s->pipe && b->clean >= SCAN_PIPE_FROM && !b->last)
		s->pipe = scan_pipe_new(s, s->pool);
	return s->pipe ? scan_pipe_put(s->pipe, b) : scan_block(s, b, NULL);
}

static int on_swap(void *ctx, char **memory, size_t cap)
{
	struct scan *s = ctx;

	return s->pipe ? scan_pipe_swap(s->pipe, memory, cap) : 0;
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
	e->warning = scan_below_error(&s->line->env);
	e->information = scan_calm(s->line->env.level);
	e->logged |= scan_logged(s);
	if (!e->node && s->line->env.node.n)
		e->node = findings_dup(s->f, s->line->env.node);
}

/* Run rules on a block that is complete, and read facts from it. */
static void look_at_block(
    struct scan *s, uint32_t event, struct span exception, struct span whole)
{
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
	    prefilter_find(s->en->prefilter, whole, &s->inner)) {
		s->f->failed = true;
		return;
	}
	scan_nominate(s, s->inner.v, s->inner.n);
	s->line = &here;
	if (s->en->excerpts && !e->around)
		s->f->events[event].around = excerpt_take(&s->excerpts,
		    s->block, exception.p ? s->pos : SIZE_MAX, here.number,
		    exception);
	if (e->joined)
		scan_said_joined(s, exception, event);
	if (exception.n && scan_rules(s, WHERE_EXCEPTION, exception, event) < 0)
		s->f->events[event].ignored = true;
	if (scan_rules(s, WHERE_BLOCK, whole, event) < 0)
		s->f->events[event].ignored = true;
	scan_hits(s, s->inner.v, s->inner.n, whole);
	if (s->signals.kinds & 1u << SIGNAL_MESSAGE && exception.n &&
	    (!e->ignored || e->request))
		scan_said_block(s, exception, event);
	if (e->kind == EVENT_TRACE && exception.n &&
	    (!e->ignored || e->request))
		scan_said_class(s, exception, event);
	if (!s->f->peers && s->signals.kinds & 1u << SIGNAL_PARALLEL)
		facts_parallel(
		    s->f, s->en->tax, s->matcher, whole, &s->signals, true);
	if (!s->f->framework)
		s->f->framework = facts_framework(s->en->tax, whole);
	s->line = at;
}

static void on_closed(
    void *ctx, uint32_t event, struct span exception, struct span whole)
{
	struct scan *s = ctx;
	const struct event *e = &s->f->events[event];
	bool importing;

	if (!s->again || !scan_again_closed(s, event, &importing)) {
		if (s->again)
			scan_record_closing(s, event, whole);
		look_at_block(s, event, exception, whole);
		importing = findings_importing(e);
		if (s->again)
			scan_record_keep(s, event, exception);
	}
	if (s->line->number)
		launches_failed(&s->launches, s->block, s->pos, s->line->number,
		    e, importing);
}

/* ---- the end ---- */

static int by_line(const void *a, const void *b)
{
	const struct evidence *x = a, *y = b;
	size_t i = x->rule->number, k = y->rule->number;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (i > k) - (i < k);
}

/* Whether memory ran out in what has nobody to tell. */
static bool scan_failed(const struct scan *s)
{
	return s->f->failed || s->excerpts.failed ||
	    pattern_lacking(s->matcher) ||
	    (s->f->metrics && s->f->metrics->failed);
}

struct findings *scan_end(struct scan *s, bool whole, struct err *e)
{
	struct findings *f = s->f;
	struct scan_pipe *pipe;
	int rc = decode_end(s->decode, e);
	size_t n = 0;

	pipe = s->pipe;
	s->pipe = NULL;
	if (pipe && scan_pipe_end(pipe))
		rc = err_nomem(e);
	if (scan_failed(s))
		rc = err_nomem(e);
	if (rc)
		return NULL;
	f->torn_file = decode_stats(s->decode)->torn_file;
	if (decode_stats(s->decode)->why[0])
		findings_note(f, decode_stats(s->decode)->why);
	f->parallel |= decode_stats(s->decode)->writers;
	f->peers |= decode_stats(s->decode)->writers;
	f->whole = whole && !f->torn_file;
	f->bytes = decode_stats(s->decode)->raw_bytes;
	f->cut = cut_by_length(f->cut, f->bytes);
	f->no_text = cut_no_text(&s->bytes, BEFORE_REACH, f->bytes,
	    decode_stats(s->decode)->nul_bytes);
	for (size_t i = 0; i < f->n_evidence; i++)
		if (f->evidence[i].rule)
			f->evidence[n++] = f->evidence[i];
	f->n_evidence = n;
	if (n)
		qsort(f->evidence, n, sizeof *f->evidence, by_line);
	launches_end(f);
	facts_report(f);
	for (size_t i = 0; i < n; i++)
		f->evidence[i].count =
		    s->rules[f->evidence[i].rule->number].hits;
	checkpoint_end(f);
	phases_end(f);
	gpus_end(f);
	if (f->dropped)
		findings_note(f,
		    "limit evidence: only the first and last "
		    "pieces of evidence of a flood were kept");
	if (f->failed) {
		err_nomem(e);
		return NULL;
	}
	findings_fit(f);
	s->f = NULL;
	return f;
}
