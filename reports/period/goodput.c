#include "reports/period/goodput.h"

#include "base/array.h"
#include "reports/period/report_private.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *words;
} part_names[GOODPUT_PARTS] = {
	[PHASE_INITIALIZING] = { "initializing", "initializing" },
	[PHASE_TRAINING] = { "training", "training, kept" },
	[PHASE_RECOMPUTING] = { "recomputing", "recomputing after a restart" },
	[PHASE_CHECKPOINTING] = { "checkpointing", "checkpointing" },
	[PHASE_EVALUATING] = { "evaluating", "evaluating" },
	[PHASE_HANGING] = { "hanging", "hanging" },
	[PHASE_STOPPING] = { "stopping", "stopping" },
	[PHASE_UNKNOWN] = { "unknown", "not known" },
	[GOODPUT_LOST] = { "lost", "training, lost" },
	[GOODPUT_QUEUED] = { "queued", "queued" },
};

const char *goodput_part_name(int part)
{
	return part_names[part].name;
}

const char *goodput_part_words(int part)
{
	return part_names[part].words;
}

const char *goodput_by_name(enum goodput_by by)
{
	static const char *const names[] = { "job", "user", "cluster" };

	return names[by];
}

/* ---- ratios ---- */

static int64_t hundredths(int64_t part, int64_t whole)
{
	return whole > 0 ? (int64_t)((double)part / (double)whole * 10000 + 0.5)
			 : -1;
}

int64_t goodput_share(const struct goodput_sums *s)
{
	return hundredths(s->spent[PHASE_TRAINING], s->given);
}

int64_t goodput_ettr(const struct goodput_sums *s)
{
	return hundredths(s->spent[PHASE_TRAINING] +
		s->spent[PHASE_CHECKPOINTING] + s->spent[PHASE_EVALUATING],
	    s->given + s->spent[GOODPUT_QUEUED]);
}

int64_t goodput_not_kept(const struct goodput_sums *s)
{
	return s->given - s->spent[PHASE_TRAINING];
}

size_t goodput_losses(const struct goodput_sums *s, int parts[GOODPUT_PARTS])
{
	size_t n = 0;

	for (int k = 0; k < GOODPUT_PARTS; k++) {
		size_t at = n;

		if (k == PHASE_TRAINING || s->spent[k] <= 0)
			continue;
		for (; at && s->spent[parts[at - 1]] < s->spent[k]; at--)
			parts[at] = parts[at - 1];
		parts[at] = k;
		n++;
	}
	return n;
}

/* ---- jobs ---- */

struct counting {
	struct report_builder *b;
	struct report_goodput *g;
	struct numbers sets[GOODPUT_BY_COUNT];
	size_t cap[GOODPUT_BY_COUNT];
};

/* Whether an attempt's time and its GPUs are known. */
static bool measured(const struct entry *en)
{
	return en->goodput.spent[PHASE_TRAINING] >= 0 && en->seconds > 0 &&
	    en->gpu_seconds > 0;
}

static int64_t scaled(const struct entry *en, double seconds)
{
	return (
	    int64_t)(seconds * ((double)en->gpu_seconds / (double)en->seconds) +
	    0.5);
}

/* Its parts in GPU-seconds, so that they add up. */
static void spend(struct goodput_sums *s, const struct entry *en)
{
	double sum = 0;
	int64_t told = 0;

	s->attempts = 1;
	for (int k = 0; k < PHASE_COUNT; k++) {
		sum += (double)en->goodput.spent[k];
		s->spent[k] = scaled(en, sum) - told;
		told += s->spent[k];
	}
	s->given = told;
	if (en->submitted != ENVELOPE_NO_TIME && en->started > en->submitted) {
		int64_t waited = (en->started - en->submitted) / 1000000;

		s->spent[GOODPUT_QUEUED] = scaled(en, (double)waited);
	}
}

static void move(struct goodput_sums *s, int from, int to, int64_t n)
{
	if (n > s->spent[from])
		n = s->spent[from];
	s->spent[from] -= n;
	s->spent[to] += n;
}

/* What the attempts of a job so far have come to. */
struct course {
	struct progress high; /* the furthest step */
	int64_t epoch_steps;  /* of any of them that tells it */
	int64_t pending;      /* training that no checkpoint has yet */
};

static void go_on(
    struct course *c, const struct entry *en, struct goodput_sums *s)
{
	const struct entry_goodput *g = &en->goodput;
	struct progress from = { g->first_epoch, g->first_step };
	struct progress upto = { g->last_epoch, g->last_step };
	double first = phases_place(from, c->epoch_steps);
	double last = phases_place(upto, c->epoch_steps);
	double high = phases_place(c->high, c->epoch_steps);
	int64_t trained, unsaved;

	/* a later epoch is later, however many steps one has */
	if (first >= 0 && last > first && first < high &&
	    !findings_progress_after(from, c->high)) {
		double again = high < last ? high : last;

		move(s, PHASE_TRAINING, PHASE_RECOMPUTING,
		    (int64_t)((again - first) / (last - first) *
			    (double)s->spent[PHASE_TRAINING] +
			0.5));
	}
	if (high < 0 || findings_progress_after(upto, c->high))
		c->high = upto;
	trained = s->spent[PHASE_TRAINING];
	unsaved = scaled(en, (double)g->unsaved);
	if (unsaved > trained)
		unsaved = trained;
	if (en->failed != 1)
		unsaved = 0;
	/* a checkpoint of what is new has all that was before */
	c->pending = trained > unsaved || en->failed == 0
	    ? unsaved
	    : c->pending + unsaved;
}

static void add(struct goodput_sums *to, const struct goodput_sums *s)
{
	to->attempts += s->attempts;
	to->jobs += s->jobs;
	to->given += s->given;
	for (int k = 0; k < GOODPUT_PARTS; k++)
		to->spent[k] += s->spent[k];
}

static int add_row(struct counting *c, enum goodput_by by, const char *key,
    const struct entry *sample, const struct goodput_sums *s)
{
	struct goodput_row *row;
	size_t i;

	if (!key)
		return 0;
	if (by == GOODPUT_BY_JOB) {
		/* a number alone does not name a job */
		if (array_grow(&c->g->rows[by], c->g->n[by], &c->cap[by],
			sizeof *c->g->rows[by]))
			return -1;
		i = c->g->n[by];
		c->g->rows[by][i] = (struct goodput_row){ .key = NULL };
	} else {
		i = report_number_row(&c->sets[by], key, &c->g->rows[by],
		    &c->cap[by], sizeof *c->g->rows[by]);
		if (i == SIZE_MAX)
			return -1;
	}
	if (i >= c->g->n[by])
		c->g->n[by] = i + 1;
	row = &c->g->rows[by][i];
	row->key = key;
	row->sample = sample;
	add(&row->sums, s);
	return 0;
}

static int count_job(struct counting *c, const struct item *v, size_t n)
{
	struct course course = { .high = { -1, -1 } };
	struct goodput_sums job = { .jobs = 1 };
	const struct entry *last = NULL;

	for (size_t i = 0; i < n; i++)
		if (v[i].en->goodput.epoch_steps > course.epoch_steps)
			course.epoch_steps = v[i].en->goodput.epoch_steps;
	for (size_t i = 0; i < n; i++) {
		const struct entry *en = v[i].en;
		struct goodput_sums s = { 0 };

		if (!measured(en)) {
			c->g->unmeasured += v[i].now;
			if (v[i].now && en->gpu_seconds > 0)
				c->g->unmeasured_given += en->gpu_seconds;
			continue;
		}
		spend(&s, en);
		go_on(&course, en, &s);
		if (!v[i].now)
			continue;
		add(&job, &s);
		last = en;
	}
	if (!last)
		return 0;
	move(&job, PHASE_TRAINING, GOODPUT_LOST, course.pending);
	add(&c->g->all, &job);
	return add_row(c, GOODPUT_BY_JOB, last->job, last, &job) ||
		add_row(c, GOODPUT_BY_USER, last->user, last, &job) ||
		add_row(c, GOODPUT_BY_CLUSTER, last->cluster, last, &job)
	    ? -1
	    : 0;
}

static int most_first(const void *a, const void *b)
{
	const struct goodput_row *x = a, *y = b;
	int64_t m = goodput_not_kept(&x->sums), n = goodput_not_kept(&y->sums);
	int c;

	if (m != n)
		return m > n ? -1 : 1;
	c = report_compare(x->key, y->key);
	return c ? c : report_compare(x->sample->cluster, y->sample->cluster);
}

/* Into the report's memory, in their order. */
static int keep(struct counting *c)
{
	struct report_goodput *g = c->g;

	for (int k = 0; k < GOODPUT_BY_COUNT; k++) {
		struct goodput_row *v;

		v = arena_memory(c->b->arena, (g->n[k] + 1) * sizeof *v);
		if (!v)
			return -1;
		if (g->n[k]) {
			memcpy(v, g->rows[k], g->n[k] * sizeof *v);
			qsort(v, g->n[k], sizeof *v, most_first);
		}
		free(g->rows[k]);
		g->rows[k] = v;
		c->cap[k] = 0;
	}
	for (size_t i = 0; i < g->n[GOODPUT_BY_JOB]; i++) {
		const struct goodput_row *row = &g->rows[GOODPUT_BY_JOB][i];

		for (int k = 0; k < GOODPUT_PARTS; k++)
			if (row->sums.spent[k] >
			    (g->most[k] ? g->most[k]->sums.spent[k] : 0))
				g->most[k] = row;
	}
	return 0;
}

static bool any_measured(const struct report_builder *b)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->items[i].now && measured(b->items[i].en))
			return true;
	return false;
}

int goodput_sum(struct report_builder *b)
{
	struct counting c = { .b = b };
	size_t end;
	int rc = 0;

	if (!any_measured(b))
		return 0;
	c.g = arena_memory(b->arena, sizeof *c.g);
	if (!c.g)
		return -1;
	*c.g = (struct report_goodput){ .unmeasured = 0 };
	for (size_t i = 0; i < b->n && !rc; i = end) {
		for (end = i + 1;
		     end < b->n && b->items[end].job == b->items[i].job;)
			end++;
		rc = count_job(&c, &b->items[i], end - i);
	}
	rc = rc || keep(&c);
	for (int k = 0; k < GOODPUT_BY_COUNT; k++) {
		report_numbers_release(&c.sets[k]);
		if (rc && c.cap[k])
			free(c.g->rows[k]);
	}
	b->r->goodput = c.g;
	return rc ? -1 : 0;
}
