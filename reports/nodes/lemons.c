/*
 * The attempts of the report become stays (a user had a node from then to then)
 * and falls (an attempt died on a node). Sorted by node, each node is one run
 * of either; what its users did elsewhere is what is left of their sums.
 */
#include "reports/nodes/lemons.h"

#include "base/array.h"
#include "base/buf.h"
#include "base/chance.h"
#include "base/err.h"
#include "reports/period/report_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SECOND INT64_C(1000000)
#define SHORTEST (60 * SECOND)    /* a stay: what starts has had the node */
#define ONE_FAULT (3600 * SECOND) /* what dies within is of one failure */
#define OUTAGE (300 * SECOND)     /* to both sides, on so many nodes: */
#define OUTAGE_NODES 4
#define LEMON_LEAST 3 /* failures; fewer prove nothing, whatever their p */
#define LIMITS 0.025  /* of 95 % */
#define FAMILY "infrastructure"

struct stay {
	size_t node, user;
	int64_t from, to;
};

struct fall {
	size_t node, user;
	int64_t when;
	const struct entry *en;
	bool outage, counts; /* it is a failure of its own */
};

struct user {
	int64_t time; /* microseconds on all nodes, and on the one at hand */
	int64_t here;
	uint64_t failures, failures_here;
};

struct finding {
	struct lemons *out;
	struct numbers nodes, users;
	size_t cap_nodes, cap_users;
	struct user *user;
	struct stay *stays;
	struct fall *falls;
	size_t n_stays, cap_stays, n_falls, cap_falls;
};

/* ---- what the report has ---- */

/* The name in its cluster, as one string. */
static const char *key_of(
    struct finding *f, const struct entry *en, struct span name)
{
	struct buf b = BUF_INIT(BUF_MAX);
	const char *key = NULL;

	if (!buf_addf(&b, "%s\n", en->cluster ? en->cluster : "") &&
	    !buf_add(&b, name.p, name.n))
		key = arena_string(f->out->arena, (struct span){ b.p, b.len });
	buf_release(&b);
	return key;
}

static size_t node_of(
    struct finding *f, const struct entry *en, const char *name)
{
	struct span s = span_host(span_of(name));
	const char *key = key_of(f, en, s);
	struct lemon *row;
	size_t i = key ? report_number_row(&f->nodes, key, &f->out->v,
			     &f->cap_nodes, sizeof *f->out->v)
		       : SIZE_MAX;

	if (i == SIZE_MAX)
		return i;
	row = &f->out->v[i];
	if (!row->node) {
		row->node = arena_string(f->out->arena, s);
		row->cluster = en->cluster;
		f->out->n = f->nodes.n;
	}
	return row->node ? i : SIZE_MAX;
}

static size_t user_of(struct finding *f, const struct entry *en)
{
	const char *key = key_of(f, en, span_of(en->user ? en->user : "\n"));

	return key ? report_number_row(&f->users, key, &f->user, &f->cap_users,
			 sizeof *f->user)
		   : SIZE_MAX;
}

static int add_stay(struct finding *f, const struct stay *s)
{
	if (array_grow(&f->stays, f->n_stays, &f->cap_stays, sizeof *f->stays))
		return -1;
	f->stays[f->n_stays++] = *s;
	f->user[s->user].time += s->to - s->from;
	f->out->v[s->node].attempts++;
	return 0;
}

static int add_fall(
    struct finding *f, const struct entry *en, size_t node, size_t user)
{
	struct lemon *row = &f->out->v[node];

	if (!en->family || strcmp(en->family, FAMILY) != 0) {
		row->others++;
		return 0;
	}
	if (array_grow(&f->falls, f->n_falls, &f->cap_falls, sizeof *f->falls))
		return -1;
	f->falls[f->n_falls++] = (struct fall){
		.node = node, .user = user, .when = entry_when(en), .en = en
	};
	return 0;
}

/* Whether it is known since when and until when it had its nodes. */
static bool find_times(
    const struct lemons_options *o, const struct entry *en, struct stay *s)
{
	bool running = entry_ending(en) == ENDING_RUNNING;
	bool known = true;

	s->from = en->started;
	s->to = running ? o->until : en->ended;
	if (s->to == ENVELOPE_NO_TIME && s->from != ENVELOPE_NO_TIME &&
	    en->seconds >= 0)
		s->to = s->from + en->seconds * SECOND;
	if (s->from == ENVELOPE_NO_TIME && s->to != ENVELOPE_NO_TIME &&
	    en->seconds >= 0)
		s->from = s->to - en->seconds * SECOND;
	if (s->from == ENVELOPE_NO_TIME || s->to == ENVELOPE_NO_TIME) {
		s->from = s->to = entry_when(en);
		known = false;
	}
	if (s->from < o->since)
		s->from = o->since;
	if (s->to > o->until)
		s->to = o->until;
	if (s->to < s->from + SHORTEST)
		s->to = s->from + SHORTEST;
	return known;
}

static int add_entry(struct finding *f, const struct entry *en)
{
	const bool failed = en->failed == 1;
	struct stay s = { .user = user_of(f, en) };
	size_t died = SIZE_MAX;
	bool stayed = false;

	if (s.user == SIZE_MAX)
		return -1;
	if (entry_when(en) == ENVELOPE_NO_TIME || (!en->n_nodes && !en->node)) {
		f->out->unmeasured++;
		return 0;
	}
	f->out->unmeasured += !find_times(&f->out->options, en, &s);
	if (failed && en->node) {
		died = node_of(f, en, en->node);
		if (died == SIZE_MAX || add_fall(f, en, died, s.user))
			return -1;
	}
	for (size_t i = 0; i < en->n_nodes; i++) {
		s.node = node_of(f, en, en->nodes[i]);
		if (s.node == SIZE_MAX || add_stay(f, &s))
			return -1;
		stayed |= s.node == died;
		f->out->v[s.node].unplaced += failed && !en->node &&
		    en->family && !strcmp(en->family, FAMILY);
	}
	f->out->all.unplaced +=
	    failed && !en->node && en->family && !strcmp(en->family, FAMILY);
	/* its record does not name the node where it died */
	s.node = died;
	return died == SIZE_MAX || stayed ? 0 : add_stay(f, &s);
}

/* ---- failures ---- */

static int order(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int by_time(const void *a, const void *b)
{
	const struct fall *x = a, *y = b;
	int c = order(x->when, y->when);

	return c ? c : order((int64_t)x->node, (int64_t)y->node);
}

static int by_node_and_time(const void *a, const void *b)
{
	const struct fall *x = a, *y = b;
	int c = order((int64_t)x->node, (int64_t)y->node);

	c = c ? c : order(x->when, y->when);
	c = c ? c : report_compare(x->en->job, y->en->job);
	return c ? c : order(x->en->attempt, y->en->attempt);
}

static int by_node_and_start(const void *a, const void *b)
{
	const struct stay *x = a, *y = b;
	int c = order((int64_t)x->node, (int64_t)y->node);

	c = c ? c : order(x->from, y->from);
	return c ? c : order((int64_t)x->user, (int64_t)y->user);
}

/* Whether attempts died on several nodes at about the time of v[i]; in order
 * of time. */
static bool in_outage(const struct fall *v, size_t n, size_t i)
{
	size_t nodes[OUTAGE_NODES], found = 0, k = i;

	while (k > 0 && v[i].when - v[k - 1].when <= OUTAGE)
		k--;
	for (; k < n && v[k].when - v[i].when <= OUTAGE; k++) {
		size_t m = 0;

		while (m < found && nodes[m] != v[k].node)
			m++;
		if (m == found)
			nodes[found++] = v[k].node;
		if (found == OUTAGE_NODES)
			return true;
	}
	return false;
}

static void add_kind(struct lemon *row, const char *category)
{
	size_t i = 0;

	while (i < row->n_kinds && row->kinds[i].category != category)
		i++;
	if (i == LEMONS_KINDS)
		return;
	if (i == row->n_kinds)
		row->kinds[row->n_kinds++].category = category;
	row->kinds[i].n++;
	for (; i > 0 && row->kinds[i].n > row->kinds[i - 1].n; i--) {
		struct lemons_kind kind = row->kinds[i];

		row->kinds[i] = row->kinds[i - 1];
		row->kinds[i - 1] = kind;
	}
}

static void add_failure(struct finding *f, struct fall *fall)
{
	struct lemon *row = &f->out->v[fall->node];

	fall->counts = true;
	row->failures++;
	row->node_log += fall->en->node_log;
	f->user[fall->user].failures++;
	add_kind(row, fall->en->category);
	if (row->n_samples < LEMONS_SAMPLES)
		row->n_samples++;
	memmove(row->samples + 1, row->samples,
	    (row->n_samples - 1) * sizeof *row->samples);
	row->samples[0] = fall->en;
}

/* The falls of one node, in order of time. */
static int count_node(struct finding *f, struct fall *v, size_t n)
{
	struct lemon *row = &f->out->v[v->node];
	struct numbers jobs = { 0 };
	int64_t last = INT64_MIN;
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		size_t before = jobs.n;

		if (v[i].outage) {
			row->outages++;
			continue;
		}
		row->victims++;
		if (report_number_of(&jobs, v[i].en->job) == SIZE_MAX)
			rc = -1;
		else if (jobs.n > before &&
		    (last == INT64_MIN || v[i].when - last > ONE_FAULT)) {
			last = v[i].when;
			add_failure(f, &v[i]);
		}
	}
	report_numbers_release(&jobs);
	return rc;
}

static int count_failures(struct finding *f)
{
	struct fall *v = f->falls;
	size_t end;

	if (!f->n_falls)
		return 0;
	qsort(v, f->n_falls, sizeof *v, by_time);
	for (size_t i = 0; i < f->n_falls; i++)
		v[i].outage = in_outage(v, f->n_falls, i);
	qsort(v, f->n_falls, sizeof *v, by_node_and_time);
	for (size_t i = 0; i < f->n_falls; i = end) {
		for (end = i; end < f->n_falls && v[end].node == v[i].node;)
			end++;
		if (count_node(f, v + i, end - i))
			return -1;
	}
	return 0;
}

/* ---- against the same users elsewhere ---- */

static void find_mttf(struct lemon *row)
{
	double hours = (double)row->seconds / 3600, low, high;

	chance_poisson_bounds(row->failures, LIMITS, &low, &high);
	row->mttf[0] = row->failures ? hours / (double)row->failures : HUGE_VAL;
	row->mttf[1] = hours / high;
	row->mttf[2] = row->failures ? hours / low : HUGE_VAL;
}

/* users: those that had the node, each once. */
static int compare_node(struct finding *f, struct lemon *row,
    const size_t *users, size_t n, struct chance_tries *tries)
{
	double *room = malloc((row->failures + 1) * sizeof *room);
	double here = 0, elsewhere = 0;

	if (!room)
		return -1;
	for (size_t i = 0; i < n; i++) {
		struct user *u = &f->user[users[i]];
		double p = (double)u->here / (double)u->time;
		uint64_t others = u->failures - u->failures_here;

		tries[i] = (struct chance_tries){ u->failures, p };
		row->expected += (double)u->failures * p;
		here += (double)u->failures_here * (1 - p);
		elsewhere += (double)others * p;
		u->here = 0;
		u->failures_here = 0;
	}
	row->ratio = elsewhere > 0 ? here / elsewhere
	    : here > 0             ? HUGE_VAL
				   : -1;
	row->p = chance_tries(row->failures, tries, n, room);
	find_mttf(row);
	free(room);
	return 0;
}

/* The stays and falls of one node. */
static int judge_node(struct finding *f, const struct stay *v, size_t n,
    const struct fall *falls, size_t n_falls)
{
	struct lemon *row = &f->out->v[v->node];
	size_t *users = malloc(n * sizeof *users), n_users = 0;
	struct chance_tries *tries = malloc(n * sizeof *tries);
	int64_t until = INT64_MIN, busy = 0;
	int rc = -1;

	if (!users || !tries)
		goto out;
	for (size_t i = 0; i < n; i++) {
		struct user *u = &f->user[v[i].user];

		if (!u->here)
			users[n_users++] = v[i].user;
		u->here += v[i].to - v[i].from;
		if (v[i].to > until) {
			busy +=
			    v[i].to - (v[i].from > until ? v[i].from : until);
			until = v[i].to;
		}
	}
	for (size_t i = 0; i < n_falls; i++)
		f->user[falls[i].user].failures_here += falls[i].counts;
	row->seconds = busy / SECOND;
	rc = compare_node(f, row, users, n_users, tries);
out:
	free(users);
	free(tries);
	return rc;
}

/* Each node has a stay; falls are in the same order. */
static int judge(struct finding *f)
{
	const struct stay *v = f->stays;
	size_t end, fall = 0, first;

	if (f->n_stays)
		qsort(f->stays, f->n_stays, sizeof *v, by_node_and_start);
	for (size_t i = 0; i < f->n_stays; i = end) {
		for (end = i; end < f->n_stays && v[end].node == v[i].node;)
			end++;
		for (first = fall;
		     fall < f->n_falls && f->falls[fall].node == v[i].node;)
			fall++;
		if (judge_node(f, v + i, end - i,
			f->falls ? f->falls + first : NULL, fall - first))
			return -1;
	}
	return 0;
}

static int by_chance(const void *a, const void *b)
{
	const struct lemon *x = a, *y = b;
	int c;

	if (x->lemon != y->lemon)
		return x->lemon ? -1 : 1;
	if (x->p < y->p || x->p > y->p)
		return x->p < y->p ? -1 : 1;
	c = order((int64_t)y->failures, (int64_t)x->failures);
	c = c ? c : strcmp(x->node, y->node);
	return c ? c : report_compare(x->cluster, y->cluster);
}

/* Which are lemons, of all nodes; and the sums. */
static int conclude(struct lemons *l)
{
	double *p = malloc((l->n + 1) * sizeof *p);
	struct lemon *all = &l->all;

	if (!p)
		return -1;
	if (l->n)
		qsort(l->v, l->n, sizeof *l->v, by_chance);
	for (size_t i = 0; i < l->n; i++)
		p[i] = l->v[i].p;
	chance_false_share(p, l->n, l->n);
	for (size_t i = 0; i < l->n; i++) {
		struct lemon *row = &l->v[i];

		row->share = p[i];
		row->lemon = row->share <= l->options.level &&
		    row->failures >= LEMON_LEAST;
		l->n_lemons += row->lemon;
		all->seconds += row->seconds;
		all->failures += row->failures;
		all->victims += row->victims;
		all->node_log += row->node_log;
		all->outages += row->outages;
		all->others += row->others;
	}
	find_mttf(all);
	if (l->n)
		qsort(l->v, l->n, sizeof *l->v, by_chance);
	free(p);
	return 0;
}

/* ---- all of it ---- */

/* A period without bounds begins and ends with its attempts. */
static void bound(struct lemons_options *o, const struct report *r)
{
	int64_t first = INT64_MAX, last = INT64_MIN;

	for (size_t i = 0; i < r->n_entries; i++) {
		const struct entry *en = r->entries[i];
		int64_t when = entry_when(en);

		if (when == ENVELOPE_NO_TIME)
			continue;
		if (en->started != ENVELOPE_NO_TIME && en->started < first)
			first = en->started;
		first = when < first ? when : first;
		last = when > last ? when : last;
	}
	if (o->since == ENVELOPE_NO_TIME)
		o->since = first == INT64_MAX ? o->until : first;
	if (o->until == ENVELOPE_NO_TIME)
		o->until = last == INT64_MIN ? o->since : last;
}

struct lemons *lemons_find(
    const struct report *r, const struct lemons_options *o, struct err *e)
{
	struct lemons *l = calloc(1, sizeof *l);
	struct finding f = { .out = l };
	int rc = -1;

	if (!l)
		goto out;
	l->options = *o;
	l->several_clusters = r->several_clusters;
	bound(&l->options, r);
	l->holds_until = l->options.until != ENVELOPE_NO_TIME
	    ? l->options.until + o->hold
	    : ENVELOPE_NO_TIME;
	l->arena = arena_new();
	if (!l->arena)
		goto out;
	for (size_t i = 0; i < r->n_entries; i++) {
		l->all.attempts++;
		if (add_entry(&f, r->entries[i]))
			goto out;
	}
	rc = count_failures(&f) || judge(&f) || conclude(l) ? -1 : 0;
out:
	report_numbers_release(&f.nodes);
	report_numbers_release(&f.users);
	free(f.user);
	free(f.stays);
	free(f.falls);
	if (!rc)
		return l;
	lemons_free(l);
	err_nomem(e);
	return NULL;
}

void lemons_free(struct lemons *l)
{
	if (!l)
		return;
	arena_free(l->arena);
	free(l->v);
	free(l);
}
