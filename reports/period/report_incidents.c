/*
 * What one fingerprint did within a window: an incident when it hit many jobs
 * of several users, and what has one cause is one. All of them are runs of
 * equal items in a sorted list.
 */
#include "reports/period/report_private.h"

#include "base/array.h"
#include "base/chance.h"

#include <stdlib.h>
#include <string.h>

#define MICROS INT64_C(1000000)
#define NODE_LEAST 3  /* failures before a node is said to be the cause */
#define NODE_SHARE 80 /* per cent of them on one node */
/* An incident is no chance cluster. Jobs end three times as often in busy hours
 * as on average, and a burst may begin at any failure. */
#define INCIDENT_CHANCE 1e-2
#define INCIDENT_BUSY 3.0
#define INCIDENT_RARE 20 /* so many failures have no usual rate */
#define INCIDENT_USERS 3 /* one's own bug is none, nor is that of two */
#define INCIDENT_LASTS (INT64_C(3) * 86400 * MICROS) /* between its bursts */
#define STUBBORN_LASTS (INT64_C(1) * 86400 * MICROS)

const char *report_scope_name(enum incident_scope s)
{
	static const char *const names[] = { "platform", "node", "user",
		"unknown" };

	return names[s];
}

static const char *user_of(const struct entry *en)
{
	return en->user;
}

static const char *node_of(const struct entry *en)
{
	return en->node;
}

/* ---- incidents ---- */

/* Failures of one kind whose users began to fail close together. */
struct burst {
	struct item *const *v; /* by when they began */
	size_t n;
	enum incident_scope scope;
	const char *node; /* of that scope */
};

struct incidents {
	struct incident *v;
	size_t n, cap;
	struct burst *bursts;
	size_t n_bursts, cap_bursts;
};

static bool of_platform(const struct item *it)
{
	const char *family = it->en->family;

	return family && strcmp(family, "infrastructure") == 0;
}

/* Whose it is, as users and nodes tell. false: it is no incident. unlikely:
 * so many users do not come together by chance. */
static bool scope_of(struct burst *u, const struct spread *users,
    const struct spread *nodes, bool lasting, bool unlikely)
{
	size_t least = of_platform(u->v[0]) ? 2 : INCIDENT_USERS;

	u->scope = INCIDENT_UNKNOWN;
	if (users->distinct == 0)
		return unlikely;
	u->scope = INCIDENT_USER;
	if (lasting)
		return true;
	if (u->n >= NODE_LEAST && nodes->most * 100 >= u->n * NODE_SHARE) {
		u->scope = INCIDENT_NODE;
		u->node = nodes->value;
		return users->distinct > 1;
	}
	u->scope = INCIDENT_PLATFORM;
	return unlikely && users->distinct >= least;
}

/* Whether there are jobs enough for an incident: 1, 0, or -1. */
static int enough(
    const struct report_options *o, struct item *const *v, size_t n)
{
	uint64_t jobs;

	if (n < o->incident_jobs)
		return 0;
	if (report_count_jobs(v, n, &jobs))
		return -1;
	return jobs >= o->incident_jobs && jobs > 0;
}

/* lasting: one user hands in the same bug all the time. */
static int add_burst(struct incidents *to, struct item *const *v, size_t n,
    bool lasting, bool unlikely)
{
	struct burst u = { v, n, INCIDENT_UNKNOWN, NULL };
	struct spread users, nodes;

	if (report_spread(v, n, user_of, &users) ||
	    report_spread(v, n, node_of, &nodes))
		return -1;
	if (!scope_of(&u, &users, &nodes, lasting, unlikely))
		return 0;
	if (array_grow(&to->bursts, to->n_bursts, &to->cap_bursts, sizeof u))
		return -1;
	to->bursts[to->n_bursts++] = u;
	return 0;
}

/* One incident of some bursts; the first tells what it is called. */
static int add_incident(
    struct incidents *to, const struct burst *u, size_t n_bursts)
{
	struct item **v;
	struct spread users, nodes;
	struct incident *inc;
	size_t n = 0;
	int rc = -1;

	for (size_t i = 0; i < n_bursts; i++)
		n += u[i].n;
	v = malloc(n * sizeof *v);
	if (!v)
		return -1;
	n = 0;
	for (size_t i = 0; i < n_bursts; i++)
		for (size_t k = 0; k < u[i].n; k++)
			v[n++] = u[i].v[k];
	if (report_spread(v, n, user_of, &users) ||
	    report_spread(v, n, node_of, &nodes) ||
	    array_grow(&to->v, to->n, &to->cap, sizeof *inc))
		goto out;
	inc = &to->v[to->n++];
	*inc = (struct incident){
		.scope = u->scope,
		.fingerprint = v[0]->en->fingerprint,
		.sample = v[0]->en,
		.first = v[0]->when,
		.last = v[0]->when,
		.users = users.distinct,
		.nodes = nodes.distinct,
		.user = users.distinct == 1 ? users.value : NULL,
		.node = u->scope == INCIDENT_NODE ? u->node
		    : nodes.distinct == 1         ? nodes.value
						  : NULL,
	};
	for (size_t i = 0; i < n; i++) {
		report_sum(&inc->sums, v[i], true);
		inc->kinds |= v[i]->failure != v[0]->failure;
		inc->first = v[i]->when < inc->first ? v[i]->when : inc->first;
		inc->last = v[i]->when > inc->last ? v[i]->when : inc->last;
	}
	rc = report_count_jobs(v, n, &inc->jobs);
	inc->sums.jobs = inc->jobs;
out:
	free(v);
	return rc;
}

/* Whether two bursts have one cause: what one node or one user does, what the
 * same failure does again within days, or what failures of one category do at
 * one time. */
static bool one_cause(
    const struct burst *a, const struct burst *b, int64_t window)
{
	const struct item *x = a->v[0], *y = b->v[0];
	int64_t gap = y->began - a->v[a->n - 1]->when;

	if (a->scope != b->scope)
		return false;
	if (a->scope == INCIDENT_NODE)
		return report_compare(a->node, b->node) == 0;
	if (x->category != y->category ||
	    (a->scope == INCIDENT_USER &&
		report_compare(x->en->user, y->en->user) != 0))
		return false;
	return gap <= (x->failure == y->failure ? INCIDENT_LASTS : window);
}

static int by_start(const void *a, const void *b)
{
	const struct burst *x = a, *y = b;
	const struct item *v = x->v[0], *w = y->v[0];

	if (v->began != w->began)
		return v->began < w->began ? -1 : 1;
	return v->failure < w->failure ? -1 : v->failure > w->failure;
}

/* Bring together what has one cause. Bursts are few. */
static int join_bursts(struct incidents *to, int64_t window)
{
	struct burst *v = to->bursts;
	size_t n = to->n_bursts, end;

	if (n)
		qsort(v, n, sizeof *v, by_start);
	for (size_t i = 0; i < n; i = end) {
		size_t largest = i;
		struct burst swap;

		end = i + 1;
		for (size_t k = i + 1; k < n; k++) {
			bool same = false;

			for (size_t m = i; m < end && !same; m++)
				same = one_cause(&v[m], &v[k], window);
			if (!same)
				continue;
			swap = v[k];
			memmove(&v[end + 1], &v[end], (k - end) * sizeof *v);
			v[end] = swap;
			if (swap.n > v[largest].n)
				largest = end;
			end++;
		}
		swap = v[i];
		v[i] = v[largest];
		v[largest] = swap;
		if (add_incident(to, v + i, end - i))
			return -1;
	}
	return 0;
}

static int by_cost(const void *a, const void *b)
{
	const struct incident *x = a, *y = b;
	int64_t p = x->sums.failed_gpu_seconds, q = y->sums.failed_gpu_seconds;

	if (p != q)
		return p < q ? 1 : -1;
	if (x->jobs != y->jobs)
		return x->jobs < y->jobs ? 1 : -1;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return strcmp(x->fingerprint, y->fingerprint);
}

/* The time that both periods cover, in microseconds. */
static double covered(const struct report *r)
{
	const struct report_options *o = &r->options;
	bool open =
	    o->since == ENVELOPE_NO_TIME || o->until == ENVELOPE_NO_TIME;
	double length =
	    open ? (double)(r->last - r->first) : (double)(o->until - o->since);

	return r->has_before ? 2 * length : length;
}

static int by_user_time(const void *a, const void *b)
{
	const struct item *x = *(struct item *const *)a,
			  *y = *(struct item *const *)b;
	int c = report_compare(x->en->user, y->en->user);

	if (c)
		return c;
	return x->when < y->when ? -1 : x->when > y->when;
}

/* When each began. Returns how many began. v is put in order of users. */
static size_t mark_began(struct item **v, size_t n, int64_t window)
{
	size_t began = 0;

	if (n)
		qsort(v, n, sizeof *v, by_user_time);
	for (size_t i = 0; i < n; i++) {
		bool first = i == 0 || !v[i]->en->user ||
		    report_compare(v[i]->en->user, v[i - 1]->en->user) != 0 ||
		    v[i]->when - v[i - 1]->when > window;

		v[i]->began = first ? v[i]->when : v[i - 1]->began;
		began += first;
	}
	return began;
}

static int by_began(const void *a, const void *b)
{
	const struct item *x = *(struct item *const *)a,
			  *y = *(struct item *const *)b;

	if (x->began != y->began)
		return x->began < y->began ? -1 : 1;
	if (x->when != y->when)
		return x->when < y->when ? -1 : 1;
	return x->position < y->position ? -1 : 1;
}

/* Whether that so many began in so short a time, of `all` that did in both
 * periods, is more than the usual rate makes likely. */
static bool is_burst(
    const struct report_builder *b, struct item *const *v, size_t n, size_t all)
{
	double lasted = (double)(v[n - 1]->began - v[0]->began);
	double rest = covered(b->r) - lasted, mean;
	size_t began = 0;

	for (size_t i = 0; i < n; i++)
		began += v[i]->began == v[i]->when;
	if (rest <= 0)
		return true;
	mean = ((double)(all > began ? all - began : 0) + 0.5) / rest * lasted;
	return chance_poisson(began, INCIDENT_BUSY * mean) *
	    (double)b->n_failures <
	    INCIDENT_CHANCE;
}

/* Bursts of one kind: v are its n failures of the period, in order of time; in
 * both periods `all` began. A frequent kind must come much closer together than
 * it usually does. */
static int add_bursts(struct report_builder *b, struct incidents *to,
    struct item **v, size_t n, size_t all)
{
	const struct report_options *o = &b->r->options;
	double gap = (double)(o->incident_window * MICROS);
	struct spread users;
	size_t end;
	int rc = 0;

	if (n > INCIDENT_RARE && v[n - 1]->when - v[0]->when > STUBBORN_LASTS) {
		if (report_spread(v, n, user_of, &users))
			return -1;
		rc = users.distinct == 1 && users.most == n ? enough(o, v, n)
							    : 0;
		if (rc)
			return rc < 0 ? -1 : add_burst(to, v, n, true, true);
	}
	if (all > INCIDENT_RARE && gap > covered(b->r) / (2 * (double)all))
		gap = covered(b->r) / (2 * (double)all);
	qsort(v, n, sizeof *v, by_began);
	for (size_t i = 0; i < n && rc >= 0; i = end) {
		for (end = i + 1; end < n &&
		     (double)(v[end]->began - v[end - 1]->began) <= gap;)
			end++;
		/* the cheap question first */
		rc = enough(o, v + i, end - i);
		if (rc > 0)
			rc = add_burst(to, v + i, end - i, false,
			    is_burst(b, v + i, end - i, all));
	}
	return rc < 0 ? -1 : 0;
}

int report_incidents(struct report_builder *b)
{
	/* the failures of the period, and those of one kind of both periods */
	struct item **v = malloc((b->n_failures + 1) * sizeof *v);
	struct item **kind = malloc((b->n_failures + 1) * sizeof *kind);
	int64_t window = b->r->options.incident_window * MICROS;
	struct incidents found = { 0 };
	size_t n = 0, end;
	int rc = v && kind ? 0 : -1;

	for (size_t i = 0; i < b->n_failures && !rc; i = end) {
		size_t failure = b->failures[i]->failure, from = n, all = 0;

		for (end = i; end < b->n_failures &&
		     b->failures[end]->failure == failure;
		     end++) {
			struct item *it = b->failures[end];

			if (it->when == ENVELOPE_NO_TIME)
				continue;
			kind[all++] = it;
			if (it->now)
				v[n++] = it;
		}
		if (failure && n > from)
			rc = add_bursts(b, &found, v + from, n - from,
			    mark_began(kind, all, window));
	}
	rc = rc || join_bursts(&found, window) ? -1 : 0;
	if (!rc && found.n) {
		qsort(found.v, found.n, sizeof *found.v, by_cost);
		b->r->incidents =
		    arena_memory(b->arena, found.n * sizeof *found.v);
		rc = b->r->incidents ? 0 : -1;
	}
	if (!rc && found.n) {
		memcpy(b->r->incidents, found.v, found.n * sizeof *found.v);
		b->r->n_incidents = found.n;
	}
	free(found.v);
	free(found.bursts);
	free(kind);
	free(v);
	return rc;
}
