/*
 * One row a failure, as trackers of issues have them: what its message says
 * but for what differs between its jobs, since when it is known, and whether it
 * is new or came back after a silence. Then the new ones as a list of their
 * own, and the failures that no rule explains, brought together by what they
 * look like. All of them are runs of equal items in a sorted list.
 */
#include "reports/period/report_private.h"

#include "base/array.h"
#include "base/buf.h"
#include "base/err.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define WORDS 160    /* of a message; the rest is one */
#define COMPARED 500 /* messages of one failure */
#define MICROS INT64_C(1000000)

static const char *user_of(const struct entry *en)
{
	return en->user;
}

const char *report_said(const struct entry *en)
{
	return en->n_evidence && en->evidence[0].text ? en->evidence[0].text
						      : en->template_text;
}

/* ---- what messages of one failure have in common ---- */

static const struct span differs = { "<*>", 3 };

struct message {
	struct span v[WORDS]; /* words and what stands between them, in turn */
	size_t n;
};

static bool between(char c)
{
	return isspace((unsigned char)c) || strchr("=,:;()[]{}\"'`<>|", c);
}

static void split(struct message *m, const char *text)
{
	m->n = 0;
	while (*text && m->n < WORDS - 1) {
		bool gap = between(*text);
		size_t n = 1;

		while (text[n] && between(text[n]) == gap)
			n++;
		m->v[m->n++] = (struct span){ text, n };
		text += n;
	}
	if (*text)
		m->v[m->n++] = span_of(text);
}

static bool same(struct span a, struct span b)
{
	return a.n == b.n && memcmp(a.p, b.p, a.n) == 0;
}

/* Whether it still says something. */
static bool telling(const struct message *m)
{
	for (size_t i = 0; i < m->n; i++)
		for (size_t k = 0; k < m->v[i].n; k++)
			if (m->v[i].p != differs.p &&
			    isalpha((unsigned char)m->v[i].p[k]))
				return true;
	return false;
}

/* Keep of m what `other` has as well: word by word where both have as many,
 * else what they begin and end with. */
static void keep_common(struct message *m, const struct message *other)
{
	size_t head = 0, tail = 0;
	size_t least = m->n < other->n ? m->n : other->n;

	if (m->n == other->n) {
		for (size_t i = 0; i < m->n; i++)
			if (!same(m->v[i], other->v[i]))
				m->v[i] = differs;
		return;
	}
	while (head < least && same(m->v[head], other->v[head]))
		head++;
	while (tail < least - head &&
	    same(m->v[m->n - 1 - tail], other->v[other->n - 1 - tail]))
		tail++;
	if (head + tail >= m->n) /* the other has more, in between */
		head = m->n - tail ? m->n - tail - 1 : 0;
	memmove(&m->v[head + 1], &m->v[m->n - tail], tail * sizeof *m->v);
	m->v[head] = differs;
	m->n = head + 1 + tail;
}

static const char *text_of(const struct entry *en)
{
	return report_said(en) ? report_said(en) : en->reason;
}

/* NULL: out of memory. */
static const char *message_of(struct arena *p, struct item *const *v, size_t n)
{
	const char *text = text_of(v[n - 1]->en), *last = text, *out = NULL;
	struct buf b = BUF_INIT(BUF_MAX);
	struct message m, other, was;
	bool star = false;
	int rc = 0;

	if (!text)
		return arena_string(p, span_of(""));
	split(&m, text + strspn(text, " \t"));
	for (size_t i = n > COMPARED ? n - COMPARED : 0; i < n; i++) {
		const char *s = text_of(v[i]->en);

		/* equal strings are one */
		if (!s || s == last)
			continue;
		last = s;
		split(&other, s + strspn(s, " \t"));
		was = m;
		keep_common(&m, &other);
		/* of two wordings that share nothing, the latest is told */
		if (!telling(&m))
			m = was;
	}
	for (size_t i = 0; i < m.n && !rc; i++) {
		bool now = m.v[i].p == differs.p;

		if (!now || !star)
			rc = buf_add(&b, m.v[i].p, m.v[i].n);
		star = now;
	}
	if (!rc)
		out = arena_string(p, (struct span){ b.p, b.len });
	buf_release(&b);
	return out;
}

/* ---- lists of news ---- */

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

/* ---- one row a failure ---- */

struct all_failures {
	struct failure *v;
	size_t n, cap;
	struct all_news fresh;
};

/* All items of one fingerprint in order of time, and those of the period. */
struct kind {
	struct item *const *v;
	size_t n;
	struct item **now;
	size_t n_now;
};

/* When it was seen, and the longest silence after which it came again. */
static void find_times(struct failure *f, const struct report_options *o,
    const struct kind *k, const int64_t past[2])
{
	int64_t least = o->silence * MICROS;
	int64_t before = past[1];

	f->first = past[0];
	for (size_t i = 0; i < k->n; i++) {
		int64_t when = k->v[i]->when;

		if (when == ENVELOPE_NO_TIME)
			continue;
		if (f->first == ENVELOPE_NO_TIME || when < f->first)
			f->first = when;
		if (k->v[i]->now && before != ENVELOPE_NO_TIME && least > 0 &&
		    when - before >= least && when - before > f->silent)
			f->silent = when - before;
		if (before == ENVELOPE_NO_TIME || when > before)
			before = when;
		if (k->v[i]->now)
			f->last = when;
	}
}

/* past: its first and last time in the store before the period. */
static int add_failure(struct report_builder *b, struct all_failures *to,
    const struct kind *k, const int64_t past[2])
{
	struct spread users;
	struct failure *f;

	if (array_grow(&to->v, to->n, &to->cap, sizeof *f))
		return -1;
	f = &to->v[to->n];
	*f = (struct failure){
		.fingerprint = k->now[0]->en->fingerprint,
		.message = message_of(b->arena, k->now, k->n_now),
		.sample = k->now[k->n_now - 1]->en,
		.first = ENVELOPE_NO_TIME,
		.last = ENVELOPE_NO_TIME,
		.fresh = k->n == k->n_now && past[0] == ENVELOPE_NO_TIME &&
		    b->r->compared,
	};
	if (!f->message || report_count_jobs(k->now, k->n_now, &f->sums.jobs) ||
	    report_spread(k->now, k->n_now, user_of, &users))
		return -1;
	f->users = users.distinct;
	for (size_t i = 0; i < k->n_now; i++)
		report_sum(&f->sums, k->now[i], true);
	find_times(f, &b->r->options, k, past);
	b->r->n_back += f->silent > 0;
	to->n++;
	return f->fresh ? add_news(&to->fresh, k->now, k->n_now) : 0;
}

static int by_lost(const void *a, const void *b)
{
	const struct failure *x = a, *y = b;

	if (x->sums.lost != y->sums.lost)
		return x->sums.lost < y->sums.lost ? 1 : -1;
	if (x->sums.failed_gpu_seconds != y->sums.failed_gpu_seconds)
		return x->sums.failed_gpu_seconds < y->sums.failed_gpu_seconds
		    ? 1
		    : -1;
	if (x->sums.attempts != y->sums.attempts)
		return x->sums.attempts < y->sums.attempts ? 1 : -1;
	return strcmp(x->fingerprint, y->fingerprint);
}

static int keep_failures(struct report *r, const struct all_failures *from)
{
	r->failures =
	    arena_memory(r->arena, (from->n + 1) * sizeof *r->failures);
	if (!r->failures)
		return -1;
	if (from->n) {
		qsort(from->v, from->n, sizeof *from->v, by_lost);
		memcpy(r->failures, from->v, from->n * sizeof *from->v);
	}
	r->n_failures = from->n;
	return 0;
}

int report_failures(
    struct report_builder *b, const struct report_past *past, struct err *e)
{
	struct item **now = malloc((b->n_failures + 1) * sizeof *now);
	struct all_failures all = { 0 };
	int rc = 0;

	if (!now)
		return err_nomem(e);
	b->r->history = past != NULL;
	b->r->compared = past ? past->any : b->r->has_before;
	for (size_t i = 0, n; i < b->n_failures && !rc; i += n) {
		int64_t when[2] = { ENVELOPE_NO_TIME, ENVELOPE_NO_TIME };
		struct kind k = { b->failures + i, 0, now, 0 };

		for (n = 0; i + n < b->n_failures &&
		     k.v[n]->failure == k.v[0]->failure;
		     n++)
			if (k.v[n]->now)
				now[k.n_now++] = k.v[n];
		k.n = n;
		if (!k.v[0]->failure || !k.n_now)
			continue;
		if (past &&
		    past->ask(past->ctx, k.v[0]->en->fingerprint, when, e))
			rc = -1;
		else if (add_failure(b, &all, &k, when))
			rc = err_nomem(e);
	}
	if (!rc &&
	    (keep_failures(b->r, &all) ||
		keep_news(b, &all.fresh, &b->r->fresh, &b->r->n_fresh)))
		rc = err_nomem(e);
	free(all.fresh.v);
	free(all.v);
	free(now);
	return rc;
}

/* ---- failures that no rule explains ---- */

/* What an entry prints of itself, with its numbers made equal. */
static const char *shape_of(struct arena *p, const struct entry *en)
{
	const char *text = report_said(en) ? report_said(en) : en->reason;
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

	c = c ? c : report_in_time(x->it, y->it);
	return c ? c : x->it < y->it ? -1 : x->it > y->it;
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
