/*
 * What lies in a run is of its kind. What lies between two is training, unless
 * one of them has begun something, or ends it, or a line between them without a
 * time tells of it: then as much of it is training as the steps made there
 * take, and the rest is that. Two such things, or steps that nobody knows the
 * number of, are not told apart.
 *
 * A step that was reached before, by an earlier launch, is made again.
 */
#include "diagnose/signals/phases.h"

#include <stdlib.h>

#define MINUTE INT64_C(60000000)
#define IS(kind) (1u << (kind))

struct adding {
	struct phases *p;
	const struct findings *f;
	double per;   /* microseconds of a step; 0: not known */
	double high;  /* the furthest step of earlier launches, or -1 */
	double seen;  /* of this one, too */
	uint32_t lap; /* of this launch's first run */
	bool started; /* this launch has begun to train */
};

static bool known(int64_t time)
{
	return time != ENVELOPE_NO_TIME;
}

static double place(
    const struct adding *a, const struct phase_run *r, struct progress at)
{
	if (at.epoch < 0 && r->lap > a->lap)
		return -1;
	return phases_place(at, a->p->epoch_steps);
}

static void spend(struct adding *a, enum phase kind, int64_t time)
{
	if (!a->started && a->p->trained && kind != PHASE_UNKNOWN)
		kind = PHASE_INITIALIZING;
	a->p->spent[kind] += time;
	if (kind == PHASE_TRAINING)
		a->p->unsaved += time;
}

/* Steps from one place to another; -1: not known. */
static void train(struct adding *a, double from, double to, int64_t time)
{
	int64_t again = 0;

	if (from < 0)
		from = to;
	if (to >= 0 && to <= a->high)
		again = time;
	else if (from >= 0 && from < a->high)
		again =
		    (int64_t)((a->high - from) / (to - from) * (double)time);
	spend(a, PHASE_RECOMPUTING, again);
	spend(a, PHASE_TRAINING, time - again);
	if (to > a->seen)
		a->seen = to;
}

static void inside(struct adding *a, const struct phase_run *r)
{
	int64_t time = r->to - r->from;

	if (r->kind == PHASE_TRAINING) {
		a->started = true;
		train(a, place(a, r, r->first), place(a, r, r->last), time);
		return;
	}
	spend(a, r->kind, time);
}

/* What was trained before the durable checkpoint is in it: it stands in y, or
 * has no time and stands between the two. */
static void keep(struct adding *a, const struct phase_run *x,
    const struct phase_run *y, bool in)
{
	uint64_t line = a->f->checkpoint ? a->f->checkpoint_line : 0;
	uint64_t from = in ? y->first_line : (x ? x->last_line + 1 : 1);
	uint64_t upto = in ? y->last_line : y->first_line - 1;

	if (line >= from && line <= upto)
		a->p->unsaved = 0;
}

/* So much of a time as the steps take is training. */
static void share(struct adding *a, const struct phase_run *x,
    const struct phase_run *y, enum phase rest, int64_t time)
{
	double from = place(a, x, x->last), to = place(a, y, y->first);
	double steps = from >= 0 && to >= from ? (to - from) * a->per : -1;
	bool trains = x->kind == PHASE_TRAINING || y->kind == PHASE_TRAINING ||
	    y->between & IS(PHASE_TRAINING);

	if (steps >= 0 && (a->per > 0 || to <= from)) {
		int64_t part = steps < (double)time ? (int64_t)steps : time;

		train(a, from, to, part);
		spend(a, rest, time - part);
	} else {
		spend(a, trains ? PHASE_UNKNOWN : rest, time);
	}
}

/* Between two runs of one launch. */
static void between(struct adding *a, const struct phase_run *x,
    const struct phase_run *y, int64_t time)
{
	unsigned kinds = y->between & ~IS(PHASE_TRAINING);
	double steps;

	if (x->open)
		kinds |= IS(x->kind);
	if (y->closes)
		kinds |= IS(y->kind);
	if (!kinds) {
		double from = place(a, x, x->last), to = place(a, y, y->first);

		steps = from >= 0 && to >= from ? (to - from) * a->per : 0;
		/* a pause that nothing tells of */
		if (steps > 0 && time >= MINUTE && (double)time > 3 * steps)
			share(a, x, y, PHASE_UNKNOWN, time);
		else
			train(a, from, to, time);
	} else if (kinds == IS(PHASE_CHECKPOINTING)) {
		share(a, x, y, PHASE_CHECKPOINTING, time);
	} else if (kinds == IS(PHASE_EVALUATING)) {
		share(a, x, y, PHASE_EVALUATING, time);
	} else {
		spend(a, PHASE_UNKNOWN, time);
	}
}

/* The launch that begins between two runs, or NULL. */
static const struct launch *launch_between(const struct findings *f,
    const struct phase_run *x, const struct phase_run *y)
{
	const struct launch *found = NULL;

	for (size_t i = 1; i < f->n_launches; i++)
		if (f->launches[i].first_line > x->last_line &&
		    f->launches[i].first_line <= y->first_line)
			found = &f->launches[i];
	return found;
}

static int64_t within(int64_t time, int64_t from, int64_t to)
{
	if (!known(time) || time < from)
		return from;
	return time < to ? time : to;
}

/* Another launch has begun; l NULL: nothing tells where. */
static void begin_again(struct adding *a, const struct launch *l,
    const struct phase_run *x, const struct phase_run *y)
{
	int64_t end = x->to, begin = end;
	bool well = false;

	if (l) {
		const struct launch *first = a->f->launches;

		while (first + 1 < l && first->last_line <= x->last_line)
			first++;
		well = first->ended_well;
		end = within(first->last_time, x->to, y->from);
		begin = within(l->first_time, end, y->from);
	}
	a->p->spent[!well && phases_hangs(end - x->to, a->p->usual)
		? PHASE_HANGING
		: PHASE_STOPPING] += end - x->to;
	a->p->outside += begin - end;
	a->p->spent[y->between ? PHASE_UNKNOWN : PHASE_INITIALIZING] +=
	    y->from - begin;
	if (l && l->trial)
		a->seen = -1;
	a->high = a->seen;
	a->lap = y->lap;
	a->started = false;
}

/* How long a step, and the time between two lines about steps, usually is. */
static void usual(struct adding *a)
{
	double steps = 0, took = 0;
	int64_t gaps = 0, all = 0;

	for (size_t i = 0; i < a->p->n_runs; i++) {
		const struct phase_run *r = &a->p->runs[i];
		double from, to;

		if (r->kind != PHASE_TRAINING || r->n < 2)
			continue;
		from = phases_place(r->first, a->p->epoch_steps);
		to = phases_place(r->last, a->p->epoch_steps);
		if (from >= 0 && to > from) {
			steps += to - from;
			took += (double)(r->to - r->from);
		}
		gaps += r->n - 1;
		all += r->to - r->from;
	}
	a->per = steps > 0 ? took / steps : 0;
	a->p->usual = gaps ? all / gaps : 0;
}

void phases_end(struct findings *f)
{
	struct phases *p = f->phases;
	struct adding a = { .p = p, .f = f, .high = -1, .seen = -1 };

	if (!p || !p->n_runs)
		return;
	p->from = p->runs[0].from;
	p->to = p->runs[p->n_runs - 1].to;
	usual(&a);
	for (size_t i = 0; i < p->n_runs; i++) {
		const struct phase_run *x = i ? &p->runs[i - 1] : NULL;
		const struct phase_run *y = &p->runs[i];
		const struct launch *l = x ? launch_between(f, x, y) : NULL;

		keep(&a, x, y, false);
		if (x && (l || (y->back && y->lap == x->lap)))
			begin_again(&a, l, x, y);
		else if (x)
			between(&a, x, y, y->from - x->to);
		/* steps counted anew in each lap tell no place */
		if (y->lap > a.lap)
			p->first = p->last = (struct progress){ -1, -1 };
		inside(&a, y);
		keep(&a, x, y, true);
	}
	free(p->runs);
	p->runs = NULL;
	p->n_runs = p->cap_runs = 0;
}
