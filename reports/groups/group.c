/*
 * Templates that differ in few places of equally many are joined, as Drain
 * does with lines, but in an order that is the same for everybody: those that
 * a person has spoken of, then by when they were first seen. So it can be done
 * anew each time, and does not depend on which machine read which log when.
 */
#include "reports/groups/group.h"

#include "base/arena.h"
#include "reports/groups/alike.h"
#include "reports/groups/decision.h"

#include <stdlib.h>
#include <string.h>

#define BEGINNING 4 /* characters of an id that may stand for it */

/* One template, and the run of items that have it. */
struct kind {
	const char *id, *text;
	struct group_item *items;
	size_t n;
	int64_t first;
	const struct decision *said; /* or NULL */
	struct kind *of;             /* the one it is joined to, or itself */
};

static int by_template(const void *a, const void *b)
{
	const struct group_item *x = a, *y = b;
	int c = strcmp(x->en->template_id, y->en->template_id);

	if (c)
		return c;
	if (x->when != y->when)
		return x->when < y->when ? -1 : 1;
	if (x->job != y->job)
		return x->job < y->job ? -1 : 1;
	return x->en->attempt < y->en->attempt
	    ? -1
	    : x->en->attempt > y->en->attempt;
}

static size_t list_kinds(struct kind *v, struct group_item *items, size_t n,
    const struct decisions *said)
{
	size_t kinds = 0;

	for (size_t i = 0, end; i < n; i = end) {
		const struct entry *en = items[i].en;

		for (end = i + 1; end < n &&
		     !strcmp(items[end].en->template_id, en->template_id);)
			end++;
		v[kinds] = (struct kind){ .id = en->template_id,
			.text = en->template_text,
			.items = &items[i],
			.n = end - i,
			.first = items[i].when,
			.said = decisions_find(said, en->template_id) };
		v[kinds].of = &v[kinds];
		kinds++;
	}
	return kinds;
}

/* ---- joining ---- */

static int64_t time_of(const struct kind *k)
{
	return k->first == ENVELOPE_NO_TIME ? INT64_MAX : k->first;
}

/* Those that a person has spoken of, then the oldest. */
static int by_age(const void *a, const void *b)
{
	const struct kind *x = *(struct kind *const *)a;
	const struct kind *y = *(struct kind *const *)b;

	if (!x->said != !y->said)
		return x->said ? -1 : 1;
	if (time_of(x) != time_of(y))
		return time_of(x) < time_of(y) ? -1 : 1;
	return strcmp(x->id, y->id);
}

static struct kind *kind_of(struct kind *v, size_t n, const char *id)
{
	for (size_t low = 0, high = n; low < high;) {
		size_t at = (low + high) / 2;
		int c = strcmp(id, v[at].id);

		if (!c)
			return &v[at];
		*(c < 0 ? &high : &low) = c < 0 ? at : at + 1;
	}
	return NULL;
}

/* What a person has merged; where the one it was merged into is not there, the
 * first that was merged into it stands for it. */
static void join_said(struct kind *v, size_t n, const struct decisions *said)
{
	for (size_t i = 0; i < n; i++) {
		const char *root = decisions_root(said, v[i].id);
		struct kind *k = kind_of(v, n, root);

		for (size_t j = 0; !k && j <= i; j++)
			if (!strcmp(decisions_root(said, v[j].id), root))
				k = &v[j];
		v[i].of = k ? k : &v[i];
	}
}

static int join(struct kind *v, size_t n, const struct decisions *said)
{
	struct kind **order = malloc((n + 1) * sizeof *order);
	struct alike *a = alike_new();
	int rc = order && a ? 0 : -1;

	join_said(v, n, said);
	for (size_t i = 0; i < n && !rc; i++)
		order[i] = &v[i];
	if (!rc && n)
		qsort(order, n, sizeof *order, by_age);
	for (size_t i = 0; i < n && !rc; i++) {
		struct kind *k = order[i], *to;

		if (k->of != k)
			continue;
		rc = alike_find(a, k->text, k, (void **)&to);
		if (!rc && to && !k->said)
			k->of = to;
	}
	alike_free(a);
	free(order);
	return rc;
}

static struct kind *root_of(struct kind *k)
{
	while (k->of != k)
		k = k->of;
	return k;
}

/* ---- adding up ---- */

/* Of one group, in the order in which they are counted. */
static int by_job(const void *a, const void *b)
{
	const struct group_item *x = a, *y = b;

	if (x->now != y->now)
		return x->now ? -1 : 1;
	if (x->job != y->job)
		return x->job < y->job ? -1 : 1;
	return x->when < y->when ? -1 : x->when > y->when;
}

static int by_user(const void *a, const void *b)
{
	const struct group_item *x = a, *y = b;
	const char *s = x->en->user, *t = y->en->user;

	if (x->now != y->now)
		return x->now ? -1 : 1;
	return s && t ? strcmp(s, t) : !s - !t;
}

/* The latest first. */
static int by_recency(const void *a, const void *b)
{
	const struct group_item *x = a, *y = b;

	if (x->now != y->now)
		return x->now ? -1 : 1;
	if (x->when != y->when)
		return x->when > y->when ? -1 : 1;
	return strcmp(x->en->job, y->en->job);
}

static void add_up(struct failure_group *g, struct group_item *v, size_t n)
{
	qsort(v, n, sizeof *v, by_job);
	g->first = g->last = ENVELOPE_NO_TIME;
	for (size_t i = 0; i < n; i++) {
		struct group_sums *s = v[i].now ? &g->now : &g->before;
		int64_t used = v[i].en->gpu_seconds;

		s->attempts++;
		s->gpu_seconds += used > 0 ? used : 0;
		s->jobs += i == 0 || v[i].now != v[i - 1].now ||
		    v[i].job != v[i - 1].job;
		if (v[i].when == ENVELOPE_NO_TIME)
			continue;
		if (g->first == ENVELOPE_NO_TIME || v[i].when < g->first)
			g->first = v[i].when;
		if (g->last == ENVELOPE_NO_TIME || v[i].when > g->last)
			g->last = v[i].when;
	}
	qsort(v, n, sizeof *v, by_user);
	for (size_t i = 0; i < n && v[i].now && v[i].en->user; i++)
		g->users += i == 0 || by_user(&v[i], &v[i - 1]) != 0;
	qsort(v, n, sizeof *v, by_recency);
	for (size_t i = 0; i < n && g->n_samples < GROUP_SAMPLES; i++) {
		size_t k = 0;

		while (k < g->n_samples &&
		    strcmp(g->samples[k]->job, v[i].en->job) != 0)
			k++;
		if (k == g->n_samples)
			g->samples[g->n_samples++] = v[i].en;
	}
}

/* What was said of any of its templates; of the root's before others. */
static void take_said(struct failure_group *g, const struct decision *said)
{
	if (!said)
		return;
	if (!g->name)
		g->name = said->name;
	g->ignored |= said->ignored;
}

static int make_group(struct failure_group *g, struct arena *p,
    struct kind *const *kinds, size_t n, const struct decisions *said)
{
	const struct kind *root = root_of(kinds[0]);
	struct group_item *items, *to;
	size_t total = 0;

	/* what it was merged into may not have failed here */
	*g = (struct failure_group){ .id = decisions_root(said, root->id),
		.template = root->text };
	for (size_t i = 0; i < n; i++)
		total += kinds[i]->n;
	to = items = malloc((total + 1) * sizeof *items);
	g->others = arena_memory(p, (n + 1) * sizeof *g->others);
	if (!items || !g->others) {
		free(items);
		return -1;
	}
	take_said(g, decisions_find(said, g->id));
	for (size_t i = 0; i < n; i++) {
		memcpy(to, kinds[i]->items, kinds[i]->n * sizeof *to);
		to += kinds[i]->n;
		take_said(g, kinds[i]->said);
		if (strcmp(kinds[i]->id, g->id) != 0)
			g->others[g->n_others++] = kinds[i]->id;
	}
	add_up(g, items, total);
	for (size_t i = 0; i < g->n_samples && !g->frames; i++)
		g->frames = g->samples[i]->raisers;
	free(items);
	return 0;
}

static int by_root(const void *a, const void *b)
{
	struct kind *x = *(struct kind *const *)a;
	struct kind *y = *(struct kind *const *)b;
	int c = strcmp(root_of(x)->id, root_of(y)->id);

	return c ? c : strcmp(x->id, y->id);
}

static int by_cost(const void *a, const void *b)
{
	const struct failure_group *x = a, *y = b;

	if (!x->now.attempts != !y->now.attempts)
		return x->now.attempts ? -1 : 1;
	if (x->now.gpu_seconds != y->now.gpu_seconds)
		return x->now.gpu_seconds > y->now.gpu_seconds ? -1 : 1;
	if (x->now.jobs != y->now.jobs)
		return x->now.jobs > y->now.jobs ? -1 : 1;
	if (x->now.attempts != y->now.attempts)
		return x->now.attempts > y->now.attempts ? -1 : 1;
	return strcmp(x->id, y->id);
}

int groups_make(struct groups *g, struct arena *p, struct group_item *items,
    size_t n, const struct decisions *said)
{
	struct kind *v = malloc((n + 1) * sizeof *v);
	struct kind **order = malloc((n + 1) * sizeof(struct kind *));
	size_t kinds = 0;
	int rc = v && order ? 0 : -1;

	*g = (struct groups){ NULL, 0 };
	if (!rc && n) {
		qsort(items, n, sizeof *items, by_template);
		kinds = list_kinds(v, items, n, said);
		rc = join(v, kinds, said);
	}
	if (!rc) {
		g->v = arena_memory(p, (kinds + 1) * sizeof *g->v);
		rc = g->v ? 0 : -1;
	}
	for (size_t i = 0; i < kinds && !rc; i++)
		order[i] = &v[i];
	if (!rc && kinds)
		qsort(order, kinds, sizeof *order, by_root);
	for (size_t i = 0, end; i < kinds && !rc; i = end) {
		struct kind *root = root_of(order[i]);

		for (end = i + 1; end < kinds && root_of(order[end]) == root;)
			end++;
		rc = make_group(&g->v[g->n++], p, order + i, end - i, said);
	}
	if (!rc && g->n)
		qsort(g->v, g->n, sizeof *g->v, by_cost);
	free(order);
	free(v);
	return rc;
}

/* 2: it is the id; 1: it begins it. */
static int fits(const char *id, const char *given, size_t n)
{
	return strncmp(id, given, n) ? 0 : id[n] ? n >= BEGINNING : 2;
}

const struct failure_group *groups_find(
    const struct groups *g, const char *id, bool *several)
{
	const struct failure_group *found = NULL;
	size_t n = strlen(id);

	*several = false;
	for (size_t i = 0; i < g->n; i++) {
		const struct failure_group *v = &g->v[i];
		int fit = fits(v->id, id, n);

		for (size_t k = 0; k < v->n_others && fit < 2; k++) {
			int other = fits(v->others[k], id, n);

			fit = other > fit ? other : fit;
		}
		if (fit == 2) {
			*several = false;
			return v;
		}
		if (fit) {
			*several = found != NULL;
			found = v;
		}
	}
	return *several ? NULL : found;
}
