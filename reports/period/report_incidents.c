/*
 * What one fingerprint did: an incident when it hit many jobs within a window,
 * news when it was not known before. And the failures that no rule explains,
 * brought together by what they look like. All of them are runs of equal items
 * in a sorted list.
 */
#include "reports/period/report_private.h"

#include "base/array.h"
#include "base/buf.h"
#include "base/err.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MICROS INT64_C(1000000)
#define NODE_LEAST 3  /* failures before a node is said to be the cause */
#define NODE_SHARE 80 /* per cent of them on one node */
/* An incident is no chance cluster: many kinds and times are looked at. */
#define INCIDENT_CHANCE 1e-5
#define INCIDENT_RARE 20 /* so many failures have no usual rate */

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

struct incidents {
	struct incident *v;
	size_t n, cap;
};

static enum incident_scope scope_of(
    const struct spread *users, const struct spread *nodes, size_t n)
{
	if (n >= NODE_LEAST && nodes->most * 100 >= n * NODE_SHARE)
		return INCIDENT_NODE;
	if (users->distinct > 1)
		return INCIDENT_PLATFORM;
	return users->distinct ? INCIDENT_USER : INCIDENT_UNKNOWN;
}

/* The items are dated, of the period, and in order of time. */
static int add_incident(struct incidents *to, const struct report_options *o,
    struct item *const *v, size_t n)
{
	struct spread users, nodes;
	struct incident *inc;
	uint64_t jobs;

	if (report_count_jobs(v, n, &jobs))
		return -1;
	if (jobs < o->incident_jobs || jobs == 0)
		return 0;
	if (report_spread(v, n, user_of, &users) ||
	    report_spread(v, n, node_of, &nodes))
		return -1;
	if (array_grow(&to->v, to->n, &to->cap, sizeof *inc))
		return -1;
	inc = &to->v[to->n++];
	*inc = (struct incident){
		.scope = scope_of(&users, &nodes, n),
		.fingerprint = v[0]->en->fingerprint,
		.sample = v[0]->en,
		.first = v[0]->when,
		.last = v[n - 1]->when,
		.jobs = jobs,
		.users = users.distinct,
		.nodes = nodes.distinct,
		.user = users.distinct == 1 ? users.value : NULL,
	};
	if (inc->scope == INCIDENT_NODE || nodes.distinct == 1)
		inc->node = nodes.value;
	for (size_t i = 0; i < n; i++)
		report_sum(&inc->sums, v[i], true);
	inc->sums.jobs = jobs;
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

/* Whether n of all failures of one kind in so short a time are more than its
 * usual rate makes likely. */
static bool is_burst(
    const struct report *r, struct item *const *v, size_t n, size_t all)
{
	double lasted = (double)(v[n - 1]->when - v[0]->when);
	double rest = covered(r) - lasted;

	if (n == all || all <= INCIDENT_RARE || rest <= 0)
		return true;
	return report_tail(n, (double)(all - n) / rest * lasted) <
	    INCIDENT_CHANCE;
}

/* Incidents of one kind: v are its n failures of the period, in order of time;
 * all counts the period before, too. A frequent kind must come much closer
 * together than it usually does. */
static int add_incidents(struct report_builder *b, struct incidents *to,
    struct item *const *v, size_t n, size_t all)
{
	const struct report_options *o = &b->r->options;
	double gap = (double)(o->incident_window * MICROS);
	struct spread users;
	size_t end;

	/* one user who hands in the same bug all the time */
	if (n > INCIDENT_RARE) {
		if (report_spread(v, n, user_of, &users))
			return -1;
		if (users.distinct == 1 && users.most == n)
			return add_incident(to, o, v, n);
	}
	if (all > INCIDENT_RARE && gap > covered(b->r) / (2 * (double)all))
		gap = covered(b->r) / (2 * (double)all);
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n &&
		     (double)(v[end]->when - v[end - 1]->when) <= gap;)
			end++;
		if (is_burst(b->r, v + i, end - i, all) &&
		    add_incident(to, o, v + i, end - i))
			return -1;
	}
	return 0;
}

int report_incidents(struct report_builder *b)
{
	struct item **v = malloc((b->n_failures + 1) * sizeof *v);
	struct incidents found = { 0 };
	size_t n, end;
	int rc = v ? 0 : -1;

	for (size_t i = 0; i < b->n_failures && !rc; i = end) {
		size_t failure = b->failures[i]->failure, all = 0;

		for (end = i, n = 0; end < b->n_failures &&
		     b->failures[end]->failure == failure;
		     end++) {
			struct item *it = b->failures[end];

			if (it->when == ENVELOPE_NO_TIME)
				continue;
			all++;
			if (it->now)
				v[n++] = it;
		}
		if (failure && n)
			rc = add_incidents(b, &found, v, n, all);
	}
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
	free(v);
	return rc;
}

/* ---- news ---- */

struct all_news {
	struct news *v;
	size_t n, cap;
};

static int add_news(struct all_news *to, struct item *const *v, size_t n)
{
	struct spread users;
	struct news *w;

	if (array_grow(&to->v, to->n, &to->cap, sizeof *w))
		return -1;
	w = &to->v[to->n];
	*w = (struct news){
		.fingerprint = v[0]->en->fingerprint,
		.sample = v[0]->en,
		.attempts = n,
		.first = ENVELOPE_NO_TIME,
	};
	if (report_count_jobs(v, n, &w->jobs) ||
	    report_spread(v, n, user_of, &users))
		return -1;
	w->users = users.distinct;
	for (size_t i = 0; i < n; i++) {
		if (w->first == ENVELOPE_NO_TIME)
			w->first = v[i]->when;
		if (v[i]->en->gpu_seconds > 0)
			w->failed_gpu_seconds += v[i]->en->gpu_seconds;
	}
	to->n++;
	return 0;
}

static int by_loss(const void *a, const void *b)
{
	const struct news *x = a, *y = b;

	if (x->failed_gpu_seconds != y->failed_gpu_seconds)
		return x->failed_gpu_seconds < y->failed_gpu_seconds ? 1 : -1;
	if (x->attempts != y->attempts)
		return x->attempts < y->attempts ? 1 : -1;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return report_compare(x->sample->job, y->sample->job);
}

/* Into the report, which is what the list is freed for. */
static int keep_news(
    struct report_builder *b, struct all_news *from, struct news **v, size_t *n)
{
	*v = arena_memory(b->arena, (from->n + 1) * sizeof **v);
	if (!*v)
		return -1;
	if (from->n) {
		qsort(from->v, from->n, sizeof *from->v, by_loss);
		memcpy(*v, from->v, from->n * sizeof *from->v);
	}
	*n = from->n;
	return 0;
}

int report_news(struct report_builder *b,
    int (*known)(void *ctx, const char *fingerprint, struct err *e), void *ctx,
    struct err *e)
{
	struct item **v = b->failures;
	struct report *r = b->r;
	struct all_news found = { 0 };
	size_t end;
	int rc = 0;

	r->history = known != NULL;
	/* with nothing to compare with, nothing is news */
	for (size_t i = 0; i < b->n_failures && (known || r->has_before);
	     i = end) {
		bool before = false;

		for (end = i;
		     end < b->n_failures && v[end]->failure == v[i]->failure;
		     end++)
			before |= !v[end]->now;
		if (before || !v[i]->failure)
			continue;
		rc = known ? known(ctx, v[i]->en->fingerprint, e) : 0;
		if (rc < 0)
			goto out;
		if (!rc && add_news(&found, v + i, end - i)) {
			rc = err_nomem(e);
			goto out;
		}
	}
	rc = keep_news(b, &found, &r->fresh, &r->n_fresh);
	if (rc)
		err_nomem(e);
out:
	free(found.v);
	return rc;
}

/* ---- failures that no rule explains ---- */

/* What an entry prints of itself, with its numbers made equal. */
static const char *shape_of(struct arena *p, const struct entry *en)
{
	const char *text = en->n_evidence && en->evidence[0].text
	    ? en->evidence[0].text
	    : en->reason;
	struct buf b = BUF_INIT(BUF_MAX);
	const char *shape = NULL;
	int rc = 0;

	if (en->fingerprint)
		return en->fingerprint;
	for (const char *s = text ? text : ""; *s && !rc;) {
		bool number = isdigit((unsigned char)*s);

		rc = buf_addc(&b, number ? '#' : *s);
		s += number ? strspn(s, "0123456789abcdefABCDEFxX.") : 1;
	}
	if (!rc)
		shape = arena_string(p, (struct span){ b.p ? b.p : "", b.len });
	buf_release(&b);
	return shape;
}

struct shaped {
	const char *shape;
	struct item *it;
};

static int by_shape(const void *a, const void *b)
{
	const struct shaped *x = a, *y = b;
	int c = report_compare(x->shape, y->shape);

	if (c)
		return c;
	if (x->it->when != y->it->when)
		return x->it->when < y->it->when ? -1 : 1;
	return x->it < y->it ? -1 : x->it > y->it;
}

int report_unknown(struct report_builder *b)
{
	struct shaped *v = malloc((b->n_failures + 1) * sizeof *v);
	struct item **items = malloc((b->n_failures + 1) * sizeof *items);
	struct all_news found = { 0 };
	size_t n = 0, end;
	int rc = v && items ? 0 : -1;

	for (size_t i = 0; i < b->n_failures && !rc; i++) {
		struct item *it = b->failures[i];

		if (!it->now || strcmp(it->en->category, "unknown") != 0)
			continue;
		v[n++] = (struct shaped){ shape_of(b->arena, it->en), it };
		rc = v[n - 1].shape ? 0 : -1;
	}
	if (!rc && n)
		qsort(v, n, sizeof *v, by_shape);
	for (size_t i = 0; i < n && !rc; i++)
		items[i] = v[i].it;
	for (size_t i = 0; i < n && !rc; i = end) {
		for (end = i; end < n && v[end].shape == v[i].shape;)
			end++;
		rc = add_news(&found, items + i, end - i);
	}
	if (!rc)
		rc = keep_news(b, &found, &b->r->unknown, &b->r->n_unknown);
	free(found.v);
	free(items);
	free(v);
	return rc;
}
