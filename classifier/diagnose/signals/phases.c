/*
 * Reading: each line is dated and asked what it tells; lines of one kind that
 * follow each other become one run. What the runs come to is phases_spent.c's.
 */
#include "diagnose/signals/phases.h"

#include "base/array.h"
#include "base/err.h"
#include "diagnose/evidence/shape.h"
#include "diagnose/signals/checkpoint.h"
#include "diagnose/signals/facts.h"
#include "diagnose/signals/signals.h"
#include "input/decode.h"
#include "rules/prefilter.h"
#include "rules/signal_read.h"

#include <stdlib.h>
#include <string.h>

#define LINE_MAX 2000 /* bytes of a line that are looked at */
#define MINUTE INT64_C(60000000)
#define LAP_SHARE 10 /* steps that go back so far begin anew */

static const char *const names[PHASE_COUNT] = {
	[PHASE_INITIALIZING] = "initializing",
	[PHASE_TRAINING] = "training",
	[PHASE_RECOMPUTING] = "recomputing",
	[PHASE_CHECKPOINTING] = "checkpointing",
	[PHASE_EVALUATING] = "evaluating",
	[PHASE_HANGING] = "hanging",
	[PHASE_STOPPING] = "stopping",
	[PHASE_UNKNOWN] = "unknown",
};

const char *phase_name(enum phase p)
{
	return names[p];
}

int phases_begin(struct findings *f)
{
	struct phases *p = f->phases = calloc(1, sizeof *p);

	if (!p)
		return -1;
	p->from = p->to = p->now = p->before = ENVELOPE_NO_TIME;
	p->first = p->last = p->at = p->over = (struct progress){ -1, -1 };
	return 0;
}

void phases_free(struct phases *p)
{
	if (p)
		free(p->runs);
	free(p);
}

/* ---- where words stand ---- */

/* Signals that lines may tell, as bits: the phases, and what is about
 * checkpoints. */
#define SETS_MAX 64

struct phase_reader {
	const struct taxonomy *tax;
	struct matcher *matcher;
	struct prefilter *words;
	struct prefilter_hits hits; /* in the block at hand */
	size_t signals[SETS_MAX], n;
	uint64_t phases, always; /* bits; those without words to look for */
};

static int add_set(
    struct phase_reader *r, size_t signal, struct literals sets[SETS_MAX])
{
	const struct signal *s = taxonomy_signal_at(r->tax, signal);

	if (r->n == SETS_MAX)
		return 0; /* those that no set is left for are not told */
	if (signal_read_literals(s, &sets[r->n]))
		return -1;
	r->signals[r->n] = signal;
	if (s->kind == SIGNAL_PHASE)
		r->phases |= UINT64_C(1) << r->n;
	r->n++;
	return 0;
}

static int find_words(struct phase_reader *r)
{
	const size_t *from = r->tax->signal_from;
	struct literals sets[SETS_MAX];
	struct err e;
	int rc = 0;

	for (size_t i = from[SIGNAL_CHECKPOINT];
	     i < from[SIGNAL_CHECKPOINT + 1] && !rc; i++)
		if (taxonomy_signal_at(r->tax, i)->tells[0] == CHECKPOINT_ABOUT)
			rc = add_set(r, i, sets);
	for (size_t i = from[SIGNAL_PHASE]; i < from[SIGNAL_PHASE + 1] && !rc;
	     i++)
		rc = add_set(r, i, sets);
	if (!rc)
		r->words = prefilter_new(sets, r->n, &e);
	for (size_t i = 0; r->words && i < r->n; i++)
		if (!prefilter_covers(r->words, i))
			r->always |= UINT64_C(1) << i;
	for (size_t i = 0; i < r->n; i++)
		literals_release(&sets[i]);
	return r->words ? 0 : -1;
}

struct phase_reader *phase_reader_new(
    const struct taxonomy *tax, struct matcher *m)
{
	struct phase_reader *r = calloc(1, sizeof *r);

	if (!r)
		return NULL;
	r->tax = tax;
	r->matcher = m;
	if (!find_words(r))
		return r;
	phase_reader_free(r);
	return NULL;
}

void phase_reader_free(struct phase_reader *r)
{
	if (!r)
		return;
	prefilter_free(r->words);
	prefilter_hits_release(&r->hits);
	free(r);
}

/* ---- what a line tells ---- */

struct sign {
	enum phase kind; /* PHASE_UNKNOWN: nothing */
	struct progress at;
	bool opens, closes;
};

/* What the first phase of those that may tell it says of a line; -1: none. */
static int says(const struct phase_reader *r, struct span text, uint64_t may)
{
	may &= r->phases;
	for (size_t i = 0; i < r->n; i++)
		if (may >> i & 1 &&
		    signals_tell(r->tax, r->signals[i], r->matcher, text, NULL))
			return taxonomy_signal_at(r->tax, r->signals[i])
			    ->tells[0];
	return -1;
}

static struct sign sign_of(
    const struct phase_reader *r, struct span text, uint64_t may)
{
	const struct taxonomy *tax = r->tax;
	struct sign s = { .kind = PHASE_UNKNOWN, .at = { -1, -1 } };
	struct checkpoint_reading c;

	if (may & ~r->phases && checkpoint_about(tax, text)) {
		checkpoint_read(tax, text, &c);
		/* what is written meanwhile costs nothing here */
		if (c.told == 1 && checkpoint_meanwhile(&c))
			return s;
		if (c.told == 1) {
			s.kind = PHASE_CHECKPOINTING;
			s.at = c.at;
			s.closes = checkpoint_proves(&c);
			s.opens = !s.closes;
			return s;
		}
	}
	switch (says(r, text, may)) {
	case PHASE_SAYS_RESUMED:
	case PHASE_SAYS_STARTING:
		return s;
	case PHASE_SAYS_TRAINING:
		s.kind = PHASE_TRAINING;
		return s;
	case PHASE_SAYS_RESULT:
		s.kind = PHASE_EVALUATING;
		s.closes = true;
		return s;
	case PHASE_SAYS_EVALUATING:
		s.kind = PHASE_EVALUATING;
		s.opens = true;
		return s;
	default:
		if (facts_progress(tax, text, &s.at))
			s.kind = PHASE_TRAINING;
		return s;
	}
}

/* ---- positions ---- */

double phases_place(struct progress at, int64_t epoch_steps)
{
	if (epoch_steps > 0 && at.epoch >= 0)
		return (double)at.epoch * (double)epoch_steps +
		    (at.step > 0 ? (double)at.step : 0);
	return at.step >= 0 ? (double)at.step : (double)at.epoch;
}

bool phases_hangs(int64_t silence, int64_t usual)
{
	return silence >= MINUTE && silence >= 3 * usual;
}

/* Go on to where a line about steps is. Whether it lies before the last one. */
static bool go_to(struct phases *p, struct progress *to)
{
	bool back;

	if (to->epoch < 0)
		to->epoch = p->at.epoch;
	if (to->epoch > p->at.epoch && p->at.epoch >= 0 && p->at.step >= 0)
		p->over = p->at;
	if (to->step >= 0 && p->over.step >= 0 && to->epoch > p->over.epoch) {
		if (to->step < p->over.step && p->over.step > p->epoch_steps)
			p->epoch_steps = p->over.step;
		p->over.step = -1;
	}
	back = findings_progress_after(p->at, *to);
	/* the next epoch, though no line says so */
	p->lap += back && to->epoch < 0 && to->step <= p->at.step / LAP_SHARE;
	/* a line that tells an epoch only is not before its steps */
	if (to->step < 0 && to->epoch == p->at.epoch)
		*to = p->at;
	p->at = *to;
	return back;
}

/* ---- runs ---- */

static struct phase_run *last_run(const struct phases *p)
{
	return p->n_runs ? &p->runs[p->n_runs - 1] : NULL;
}

/* Whether a time after the last line of a run of steps is about as usual. */
static bool regular(const struct phase_run *r, int64_t time)
{
	int64_t gap = time - r->to;

	return r->n < 2 || gap < MINUTE ||
	    gap <= 3 * ((r->to - r->from) / (r->n - 1));
}

static bool joins(const struct phases *p, const struct phase_run *r,
    const struct sign *s, bool back)
{
	if (!r || r->kind != s->kind || back || (p->between & ~(1u << s->kind)))
		return false;
	if (s->kind == PHASE_TRAINING)
		return r->n > 0 && (r->last.step >= 0) == (s->at.step >= 0) &&
		    regular(r, p->now);
	/* a checkpoint further on: steps were made in between */
	if (s->kind == PHASE_CHECKPOINTING && s->at.step >= 0 &&
	    r->last.step >= 0 && s->at.step != r->last.step)
		return false;
	return r->open || s->closes || p->now - r->to < MINUTE;
}

/* -1: out of memory. */
static int add_run(
    struct phases *p, const struct sign *s, uint64_t line, bool back)
{
	struct phase_run *r = last_run(p);

	if (joins(p, r, s, back)) {
		r->to = p->now;
		r->last = s->at;
		r->last_line = line;
		r->n++;
		r->open = s->opens;
		p->between = 0;
		return 0;
	}
	if (p->n_runs == PHASES_RUNS) {
		p->full = true;
		return 0;
	}
	if (array_grow(&p->runs, p->n_runs, &p->cap_runs, sizeof *p->runs))
		return -1;
	p->runs[p->n_runs++] = (struct phase_run){ .kind = s->kind,
		.from = p->now,
		.to = p->now,
		.first_line = line,
		.last_line = line,
		.first = s->at,
		.last = s->at,
		.n = 1,
		.between = p->between,
		.open = s->opens,
		.closes = s->closes,
		.back = back,
		.lap = p->lap };
	p->between = 0;
	return 0;
}

/* Forget what a higher rank told: a lower one has come. */
static void start_over(struct phases *p)
{
	p->n_runs = 0;
	p->between = 0;
	p->steps = 0;
	p->epoch_steps = 0;
	p->lap = 0;
	p->over = (struct progress){ -1, -1 };
	p->trained = p->full = p->evaluates = false;
	p->at = p->first = p->last = (struct progress){ -1, -1 };
	p->before = ENVELOPE_NO_TIME;
}

static bool is_rank(struct phases *p, int rank)
{
	rank = rank > 0 ? rank : 0;
	if (!p->n_runs && !p->between)
		p->rank = rank;
	if (rank < p->rank) {
		start_over(p);
		p->rank = rank;
	}
	return rank == p->rank;
}

static void note_steps(struct phases *p, struct sign *s, bool *back)
{
	*back = s->at.step >= 0 || s->at.epoch >= 0 ? go_to(p, &s->at) : false;
	p->trained = true;
	if (s->at.step < 0 && s->at.epoch < 0)
		return;
	p->steps++;
	if (p->first.step < 0 && p->first.epoch < 0)
		p->first = s->at;
	if (p->last.step < 0 || findings_progress_after(s->at, p->last))
		p->last = s->at;
}

/* may: as of the sets. -1: out of memory. */
static int do_line(const struct phase_reader *r, struct phases *p,
    struct span line, uint64_t number, uint64_t may)
{
	struct envelope env;
	struct sign s;
	bool back = false;

	if (line.n > LINE_MAX)
		line.n = LINE_MAX;
	envelope_peel(r->tax->prefixes, line, &env);
	/* clocks of several processes: not back */
	if (env.time != ENVELOPE_NO_TIME && env.time > p->now)
		p->now = env.time;
	s = sign_of(r, env.text, may);
	if (s.kind == PHASE_UNKNOWN || !is_rank(p, env.rank) ||
	    shape_echo(r->tax, env.text))
		return 0;
	/* a bar of an evaluation counts its own steps */
	if (s.kind == PHASE_TRAINING && p->evaluates && s.at.step >= 0 &&
	    findings_progress_after(p->at, s.at))
		s = (struct sign){ .kind = PHASE_EVALUATING,
			.at = { -1, -1 },
			.opens = true };
	p->evaluates = s.kind == PHASE_EVALUATING && s.opens;
	if (s.kind == PHASE_TRAINING)
		note_steps(p, &s, &back);
	/* "global step" is not what is counted anew in each epoch */
	else if (s.at.step < 0 || s.at.epoch >= 0 || p->at.epoch >= 0)
		s.at = p->at;
	if (p->before == ENVELOPE_NO_TIME && !p->n_runs)
		p->before = p->now;
	if (env.time != ENVELOPE_NO_TIME)
		return add_run(p, &s, number, back);
	p->between |= 1u << s.kind;
	return 0;
}

/* What was hit before a place, from *h on, which is moved there. */
static uint64_t hit_in(const struct phase_reader *r, size_t *h, size_t to)
{
	uint64_t may = r->always;
	size_t n;

	for (; *h < r->hits.n && r->hits.v[*h].pos < to; ++*h) {
		const uint32_t *id =
		    prefilter_ids(r->words, &r->hits.v[*h], &n);

		while (n-- > 0)
			may |= UINT64_C(1) << id[n];
	}
	return may;
}

int phases_block(
    struct phase_reader *r, struct phases *p, const struct decode_block *b)
{
	const char *at = b->text.p, *end = at + b->text.n;
	uint64_t number = b->line;
	size_t h = 0;
	int rc = prefilter_find(r->words, b->text, &r->hits);

	for (; at < end && !rc; number++) {
		const char *nl = memchr(at, '\n', (size_t)(end - at));
		const char *stop = nl ? nl : end;

		while (at < stop && !rc) {
			const char *cr = memchr(at, '\r', (size_t)(stop - at));
			const char *to = cr ? cr : stop;
			uint64_t may = hit_in(r, &h, (size_t)(to - b->text.p));

			if (to > at)
				rc = do_line(r, p,
				    (struct span){ at, (size_t)(to - at) },
				    number, may);
			at = to + (cr != NULL);
		}
		at = stop + 1;
	}
	return rc;
}
