/*
 * Ranks are few thousand at most: a table by rank is enough.
 *
 * In each group the first operation that some rank waits in is the one that it
 * hangs in. Of its ranks one that has not come so far is awaited by all that
 * wait there. It may itself wait in another group: so who is to blame is
 * awaited, and waits for nobody.
 */
#include "diagnose/signals/collective.h"

#include "diagnose/diagnosis.h"
#include "diagnose/signals/calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The ranks that the job had: what a log says of the world's size, or the
 * highest rank that one of its logs belongs to. 0: not known. */
static int world_of(const struct diagnosis *d)
{
	int world = 0;

	for (size_t i = 0; i < d->n_logs; i++) {
		const struct findings *f = d->logs[i];

		if (f->world_size > world)
			world = f->world_size;
		if (f->rank + 1 > world)
			world = f->rank + 1;
	}
	return world < COLLECTIVE_RANKS ? world : 0;
}

/* ---- by the watchdogs ---- */

static const struct wait *earliest(const struct diagnosis *d)
{
	const struct wait *first = NULL;

	for (size_t i = 0; i < d->n_logs; i++)
		for (size_t k = 0; k < d->logs[i]->n_waits; k++) {
			const struct wait *w = &d->logs[i]->waits[k];

			if (!first || w->seq < first->seq)
				first = w;
		}
	return first;
}

/* Whether a rank's watchdog told that it waits. */
static bool watchdog_of(const struct diagnosis *d, int rank)
{
	for (size_t i = 0; i < d->n_logs; i++)
		for (size_t k = 0; k < d->logs[i]->n_waits; k++)
			if (d->logs[i]->waits[k].rank == rank)
				return true;
	return false;
}

static int make_room(struct collective *c, int ranks)
{
	size_t n = (size_t)ranks + 1;

	collective_release(c);
	c->waiting = calloc(n, sizeof *c->waiting);
	c->missing = calloc(n, sizeof *c->missing);
	c->late = calloc(n, sizeof *c->late);
	if (c->waiting && c->missing && c->late)
		return 0;
	collective_release(c);
	return -1;
}

static int by_watchdogs(const struct diagnosis *d, struct collective *out)
{
	const struct wait *first = earliest(d);
	bool waits[COLLECTIVE_RANKS];
	int world = world_of(d), end = world;

	if (!first)
		return 0;
	out->seq = first->seq;
	memcpy(out->op, first->op, sizeof out->op);
	memset(waits, 0, sizeof waits);
	for (size_t i = 0; i < d->n_logs; i++)
		for (size_t k = 0; k < d->logs[i]->n_waits; k++) {
			const struct wait *w = &d->logs[i]->waits[k];

			if (w->seq != first->seq || w->rank < 0 ||
			    w->rank >= COLLECTIVE_RANKS)
				continue;
			waits[w->rank] = true;
			if (w->rank >= end)
				end = w->rank + 1;
		}
	if (make_room(out, end))
		return -1;
	for (int r = 0; r < end; r++) {
		if (waits[r])
			out->waiting[out->n_waiting++] = r;
		else if (r < world)
			out->missing[out->n_missing++] = r;
	}
	/* when few waited, the others' watchdogs were just not heard */
	if (out->n_missing > out->n_waiting)
		out->n_missing = 0;
	for (size_t i = 0; i < out->n_missing; i++)
		out->late[out->n_late++] =
		    (struct late_rank){ .rank = out->missing[i],
			    .how = LATE_ABSENT };
	return 1;
}

/* ---- by what they called ---- */

/* All that is told of one group, or of the pairs in it. */
struct group {
	const struct caller *const *v; /* by rank, the latest word last */
	size_t n;
	const char *name;
	const struct call_group *ranks; /* or NULL: those of the job */
	bool pairs;
	int64_t seq;             /* where it hangs, or -1: nowhere */
	const struct call *call; /* what most called there */
	bool states;             /* who waits is told, not only who called */
	bool anonymous;          /* others than are named have called it */
};

struct table {
	const struct diagnosis *d;
	const struct taxonomy *tax;
	int world;
	const struct caller **v;
	size_t n;
	struct group *groups;
	size_t n_groups;
	bool blocked[COLLECTIVE_RANKS]; /* waits in some group */
	bool known[COLLECTIVE_RANKS];   /* something tells what it called */
};

static int by_group(const void *a, const void *b)
{
	const struct caller *x = *(const struct caller *const *)a;
	const struct caller *y = *(const struct caller *const *)b;
	int names = strcmp(x->group, y->group);

	if (names)
		return names;
	if ((x->peer >= 0) != (y->peer >= 0))
		return x->peer >= 0 ? 1 : -1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->last.seq > y->last.seq) - (x->last.seq < y->last.seq);
}

static const struct call_group *ranks_of(
    const struct diagnosis *d, const char *name)
{
	for (size_t i = 0; i < d->n_logs; i++) {
		const struct calls *c = d->logs[i]->calls;

		for (size_t k = 0; c && k < c->n_groups; k++)
			if (strcmp(c->groups[k].name, name) == 0)
				return &c->groups[k];
	}
	return NULL;
}

/* Where a group hangs: the first operation that a rank waits in; where only
 * calls are told, the last that any rank called. */
static void look_at(struct group *g)
{
	int64_t most = -1, least = INT64_MAX;

	g->seq = -1;
	for (size_t i = 0; i < g->n; i++) {
		const struct caller *v = g->v[i];

		g->states |= v->states;
		g->anonymous |= v->rank < 0;
		if (v->waits.seq >= 0 && (g->seq < 0 || v->waits.seq < g->seq))
			g->seq = v->waits.seq;
		if (v->last.seq > most)
			most = v->last.seq;
		if (v->last.seq < least)
			least = v->last.seq;
	}
	if (!g->states && most > least)
		g->seq = most;
}

/* Gather the callers of all logs, group by group. */
static int gather(struct table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->d->n_logs; i++)
		n += t->d->logs[i]->calls ? t->d->logs[i]->calls->n_callers : 0;
	t->v = calloc(n + 1, sizeof *t->v);
	t->groups = calloc(n + 1, sizeof *t->groups);
	if (!t->v || !t->groups)
		return -1;
	for (size_t i = 0; i < t->d->n_logs; i++) {
		const struct calls *c = t->d->logs[i]->calls;

		for (size_t k = 0; c && k < c->n_callers; k++)
			if (c->callers[k].rank < COLLECTIVE_RANKS)
				t->v[t->n++] = &c->callers[k];
	}
	if (t->n)
		qsort(t->v, t->n, sizeof *t->v, by_group);
	for (size_t i = 0; i < t->n; i++) {
		struct group *g = &t->groups[t->n_groups];

		if (i == 0 || strcmp(t->v[i]->group, t->v[i - 1]->group) != 0 ||
		    (t->v[i]->peer >= 0) != (t->v[i - 1]->peer >= 0)) {
			*g = (struct group){ .v = &t->v[i],
				.name = t->v[i]->group,
				.ranks = ranks_of(t->d, t->v[i]->group),
				.pairs = t->v[i]->peer >= 0 };
			t->n_groups++;
		} else {
			g--;
		}
		g->n++;
		if (t->v[i]->rank < 0)
			continue;
		t->known[t->v[i]->rank] = true;
		t->blocked[t->v[i]->rank] |= t->v[i]->waits.seq >= 0;
	}
	for (size_t i = 0; i < t->n_groups; i++)
		look_at(&t->groups[i]);
	return 0;
}

/* The i-th rank of a group, -1: there are no more. */
static int member(const struct table *t, const struct group *g, size_t i)
{
	/* those of the job; a rank that is named is one, whatever else says */
	if (!g->ranks)
		return i < (size_t)t->world || (int)i <= g->v[g->n - 1]->rank
		    ? (int)i
		    : -1;
	return i < g->ranks->n && g->ranks->ranks[i] < COLLECTIVE_RANKS
	    ? g->ranks->ranks[i]
	    : -1;
}

/* The latest word of a rank in a group, or NULL. */
static const struct caller *caller_in(const struct group *g, int rank)
{
	size_t from = 0, to = g->n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (g->v[mid]->rank <= rank)
			from = mid + 1;
		else
			to = mid;
	}
	return from && g->v[from - 1]->rank == rank ? g->v[from - 1] : NULL;
}

/* What a rank called where its group hangs; or NULL. */
static const struct call *call_at(const struct caller *v, int64_t seq)
{
	if (v && v->waits.seq == seq)
		return &v->waits;
	return v && v->last.seq == seq ? &v->last : NULL;
}

/* How many ranks called the same there as this one. */
static size_t alike(
    const struct table *t, const struct group *g, const struct call *call)
{
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++) {
		const struct call *other = call_at(g->v[i], g->seq);

		n += other && !calls_differ(t->tax, call, other);
	}
	return n;
}

/* What most ranks called where the group hangs. */
static void find_common(const struct table *t, struct group *g)
{
	size_t best = 0;

	for (size_t i = 0; i < g->n && best <= g->n / 2; i++) {
		const struct call *call = call_at(g->v[i], g->seq);
		size_t n;

		if (!call || (g->call && !calls_differ(t->tax, g->call, call)))
			continue;
		n = alike(t, g, call);
		if (n > best) {
			best = n;
			g->call = call;
		}
	}
}

/* Whether a rank has not come to where its group hangs. */
static bool absent(const struct table *t, const struct group *g, int rank)
{
	const struct caller *v = caller_in(g, rank);

	if (v)
		return v->last.seq < g->seq;
	/* of those that nobody names, most have come */
	return !g->anonymous && !watchdog_of(t->d, rank);
}

static struct late_rank late_of(
    const struct table *t, const struct group *g, int rank)
{
	const struct caller *v = caller_in(g, rank);

	return (struct late_rank){ .rank = rank,
		.how = t->known[rank] ? LATE_ABSENT : LATE_SILENT,
		.call = v && v->last.seq >= 0 ? &v->last : NULL,
		.node = v && v->node ? &v->node : NULL };
}

/* Of ranks that all have come, those that came with something else. */
static void find_differing(
    const struct table *t, const struct group *g, struct collective *out)
{
	for (size_t i = 0; i < out->n_waiting; i++) {
		struct late_rank late = late_of(t, g, out->waiting[i]);

		late.call = call_at(caller_in(g, late.rank), g->seq);
		late.how = LATE_DIFFERS;
		late.what = late.call && g->call
		    ? calls_differ(t->tax, g->call, late.call)
		    : NULL;
		if (late.what)
			out->late[out->n_late++] = late;
	}
}

static void set_place(
    struct collective *out, const struct group *g, const struct call *call)
{
	out->seq = g->seq;
	out->group = &g->v[0]->group;
	out->by = g->states ? BY_RECORDER : BY_NCCL;
	out->call = call;
	if (call)
		snprintf(
		    out->op, sizeof out->op, "%.*s", WAIT_OP - 1, call->op);
}

/* Who waits, who is missing and who differs, where a group hangs. */
static int settle(
    const struct table *t, struct group *g, struct collective *out)
{
	size_t blamed = 0;
	int rank;

	find_common(t, g);
	if (make_room(out, COLLECTIVE_RANKS))
		return -1;
	set_place(out, g, g->call);
	for (size_t i = 0; (rank = member(t, g, i)) >= 0; i++) {
		const struct caller *v = caller_in(g, rank);

		if (absent(t, g, rank)) {
			out->missing[out->n_missing++] = rank;
			blamed += !t->blocked[rank];
		} else if (!v || call_at(v, g->seq)) {
			out->waiting[out->n_waiting++] = rank;
		}
	}
	out->deadlock = out->n_missing && !blamed;
	for (size_t i = 0; i < out->n_missing; i++)
		if (!blamed || !t->blocked[out->missing[i]])
			out->late[out->n_late++] =
			    late_of(t, g, out->missing[i]);
	if (!out->n_missing)
		find_differing(t, g, out);
	return 1;
}

/* A send or receive whose other side waits for nobody. */
static int settle_pairs(
    const struct table *t, const struct group *g, struct collective *out)
{
	for (size_t i = 0; i < g->n; i++) {
		const struct caller *v = g->v[i];
		int rank =
		    v->waits.seq < 0 ? -1 : member(t, g, (size_t)v->peer);
		struct group at = *g;

		if (rank < 0 || v->rank < 0 || t->blocked[rank])
			continue;
		if (make_room(out, 2))
			return -1;
		at.seq = v->waits.seq;
		set_place(out, &at, &v->waits);
		out->waiting[out->n_waiting++] = v->rank;
		out->missing[out->n_missing++] = rank;
		out->late[out->n_late++] = late_of(t, &at, rank);
		return 1;
	}
	return 0;
}

/* A better answer tells who is late, by more that wait. */
static bool tells_more(const struct collective *a, const struct collective *b)
{
	if ((a->n_late > 0) != (b->n_late > 0))
		return a->n_late > 0;
	if (a->deadlock != b->deadlock)
		return b->deadlock;
	return a->n_waiting > b->n_waiting;
}

static int by_calls(struct table *t, struct collective *out)
{
	int found = 0;

	if (gather(t))
		return -1;
	for (size_t i = 0; i < t->n_groups; i++) {
		struct collective one = { .seq = -1 };
		struct group *g = &t->groups[i];
		int rc = g->seq < 0 ? 0
		    : g->pairs      ? settle_pairs(t, g, &one)
				    : settle(t, g, &one);

		if (rc < 0)
			return -1;
		if (rc && (!found || tells_more(&one, out))) {
			struct collective less = *out;

			*out = one;
			one = less;
			found = 1;
		}
		collective_release(&one);
	}
	return found;
}

/* ---- where they are, and stood ---- */

static void find_places(const struct diagnosis *d, struct late_rank *late)
{
	for (size_t i = 0; i < d->n_logs; i++) {
		const struct findings *f = d->logs[i];

		for (size_t k = 0; f->calls && k < f->calls->n_stands; k++)
			if (f->calls->stands[k].rank == late->rank)
				late->stand = &f->calls->stands[k];
		if (!late->node && f->rank == late->rank && f->node)
			late->node = &f->node;
		for (size_t k = 0; !late->node && k < f->n_events; k++)
			if (f->events[k].rank == late->rank &&
			    f->events[k].node)
				late->node = &f->events[k].node;
		for (size_t k = 0; !late->node && k < f->n_evidence; k++)
			if (f->evidence[k].rank == late->rank &&
			    f->evidence[k].node)
				late->node = &f->evidence[k].node;
	}
}

int collective_find(const struct diagnosis *d, const struct taxonomy *tax,
    struct collective *out)
{
	struct table *t = NULL;
	bool calls = false;
	int rc = 0;

	*out = (struct collective){ .seq = -1 };
	for (size_t i = 0; i < d->n_logs; i++)
		calls |= d->logs[i]->calls && d->logs[i]->calls->n_callers;
	if (calls) {
		t = calloc(1, sizeof *t);
		if (!t)
			return -1;
		t->d = d;
		t->tax = tax;
		t->world = world_of(d);
		rc = by_calls(t, out);
		free(t->v);
		free(t->groups);
		free(t);
	}
	if (!rc)
		rc = by_watchdogs(d, out);
	for (size_t i = 0; rc > 0 && i < out->n_late; i++)
		find_places(d, &out->late[i]);
	if (rc < 0)
		collective_release(out);
	return rc;
}

void collective_release(struct collective *c)
{
	free(c->waiting);
	free(c->missing);
	free(c->late);
	c->waiting = c->missing = NULL;
	c->late = NULL;
	c->n_waiting = c->n_missing = c->n_late = 0;
}

const char *collective_by_name(enum collective_by by)
{
	static const char *const names[] = { [BY_WATCHDOG] = "watchdog",
		[BY_RECORDER] = "flight_recorder",
		[BY_NCCL] = "nccl" };

	return names[by];
}

const char *collective_late_name(enum late how)
{
	static const char *const names[] = { [LATE_ABSENT] = "absent",
		[LATE_SILENT] = "silent",
		[LATE_DIFFERS] = "differs" };

	return names[how];
}
