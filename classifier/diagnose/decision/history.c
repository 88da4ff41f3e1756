/*
 * The attempts are put in order, with the one to judge as the last. A run of
 * failures of one cause ends with it; it began at the last attempt that came
 * further than all before it, or that failed otherwise. Its length is held
 * against the budgets, and how many of it failed where this one did tells
 * whether the failure is deterministic.
 *
 * Nothing here makes a verdict out of ignorance: what is not known about an
 * attempt (its step, its fingerprint) never makes it the same as another.
 */
#include "diagnose/decision/history.h"

#include "base/buf.h"
#include "base/err.h"
#include "diagnose/signals/checkpoint.h"
#include "diagnose/signals/stage.h"

#include <stdlib.h>
#include <string.h>

#define ARTEFACT_SHOWN 200 /* bytes */

struct past {
	const struct attempt **v; /* in order; the last is judged */
	size_t n;
	size_t from;       /* where the run of one cause begins */
	size_t causes;     /* failures of this cause, progress or not */
	size_t bounded;    /* since the last progress, that count for one */
	size_t unseen;     /* of these: not known but by the number that is */
	size_t same_place; /* of the run */
	const struct attempt *twin;     /* the last of these before this one */
	const struct attempt *survived; /* failed so, and a later one passed */
};

/* ---- comparing two attempts ---- */

static bool given(const char *s)
{
	return s && *s;
}

static bool equal(const char *a, const char *b)
{
	return a && b && *a && strcmp(a, b) == 0;
}

static bool printed(struct progress p)
{
	return p.step >= 0 || p.epoch >= 0;
}

/* Paths and lines differ between attempts that saved the same step; where both
 * name their position, that decides. */
static bool new_checkpoint(const struct taxonomy *tax, const struct attempt *a,
    const struct attempt *b)
{
	struct progress x, y;

	if (!given(b->checkpoint) || equal(a->checkpoint, b->checkpoint))
		return false;
	if (!given(a->checkpoint))
		return true;
	x = checkpoint_position(tax, a->checkpoint);
	y = checkpoint_position(tax, b->checkpoint);
	if ((x.step < 0 || y.step < 0) && (x.epoch < 0 || y.epoch < 0))
		return true;
	return findings_progress_after(y, x);
}

bool history_progress(const struct taxonomy *tax, const struct attempt *a,
    const struct attempt *b)
{
	if (printed(a->last) ? findings_progress_after(b->last, a->last)
			     : printed(b->last))
		return true;
	return new_checkpoint(tax, a, b);
}

/* Failures that nothing names are of one cause for the budgets only. */
static bool same_cause(const struct attempt *a, const struct attempt *b)
{
	if (a->failed != 1 || b->failed != 1)
		return false;
	if (given(a->fingerprint) || given(b->fingerprint))
		return equal(a->fingerprint, b->fingerprint);
	return equal(a->category, b->category);
}

static bool same_place(const struct attempt *a, const struct attempt *b)
{
	if (!given(a->fingerprint))
		return false;
	if (equal(a->artefact, b->artefact))
		return true;
	if (a->last.step >= 0 || b->last.step >= 0)
		return a->last.step == b->last.step &&
		    (a->last.epoch < 0 || b->last.epoch < 0 ||
			a->last.epoch == b->last.epoch);
	/* both before the first step, for all that is known */
	return !printed(a->last) && !printed(b->last) &&
	    !(given(a->artefact) && given(b->artefact)) &&
	    (!given(a->stage) || !given(b->stage) || equal(a->stage, b->stage));
}

/* Make best the furthest that was reached. */
static void reach(
    const struct taxonomy *tax, struct attempt *best, const struct attempt *x)
{
	if (!printed(best->last) ||
	    findings_progress_after(x->last, best->last))
		best->last = x->last;
	if (new_checkpoint(tax, best, x))
		best->checkpoint = x->checkpoint;
}

/* ---- the order of attempts ---- */

static int by_number(const void *a, const void *b)
{
	const struct attempt *x = *(const struct attempt *const *)a;
	const struct attempt *y = *(const struct attempt *const *)b;

	if (x->attempt != y->attempt)
		return x->attempt < y->attempt ? -1 : 1;
	return (x > y) - (x < y);
}

static int put_in_order(struct past *p, const struct attempt *now,
    const struct attempt *v, size_t n)
{
	size_t kept = 0;

	p->v = calloc(n + 1, sizeof *p->v);
	if (!p->v)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (v[i].attempt < now->attempt)
			p->v[p->n++] = &v[i];
	qsort(p->v, p->n, sizeof *p->v, by_number);
	for (size_t i = 0; i < p->n; i++)
		if (i + 1 == p->n || p->v[i]->attempt != p->v[i + 1]->attempt)
			p->v[kept++] = p->v[i];
	p->v[kept] = now;
	p->n = kept + 1;
	return 0;
}

/* ---- what they tell ---- */

static void find_run(struct past *p, const struct taxonomy *tax)
{
	const struct attempt *now = p->v[p->n - 1];
	struct attempt best = *p->v[0];

	for (size_t i = 1; i < p->n; i++) {
		if (!same_cause(p->v[i - 1], p->v[i]) ||
		    history_progress(tax, &best, p->v[i]))
			p->from = i;
		reach(tax, &best, p->v[i]);
	}
	p->same_place = 1;
	for (size_t i = p->from; i + 1 < p->n; i++) {
		if (!same_place(p->v[i], now))
			continue;
		p->same_place++;
		p->twin = p->v[i];
	}
}

/* Failures of this cause from the newest backwards, with the furthest that was
 * reached after each. An unknown step proves no survival. */
static void find_survivor(
    struct past *p, const struct taxonomy *tax, struct history *h)
{
	const struct attempt *now = p->v[p->n - 1];
	struct attempt after = *now;
	bool well = false;

	p->causes = 1;
	for (size_t i = p->n - 1; i-- > 0;) {
		const struct attempt *x = p->v[i];

		if (same_cause(x, now)) {
			if (p->causes++ == 1)
				h->progress = history_progress(tax, x, &after);
			if (!p->survived &&
			    (well ||
				findings_progress_after(after.last, x->last) ||
				new_checkpoint(tax, x, &after)))
				p->survived = x;
		}
		well |= x->failed == 0;
		reach(tax, &after, x);
	}
}

/* Since the last progress. What the job is not to blame for counts for no
 * budget. */
static void count_bounded(struct past *p, const struct taxonomy *tax)
{
	struct attempt best = *p->v[0];

	p->unseen = (size_t)(best.attempt > 1 ? best.attempt - 1 : 0);
	for (size_t i = 0; i + 1 < p->n; i++) {
		const struct attempt *next = p->v[i + 1];
		const struct policy_row *row =
		    taxonomy_policy(tax, p->v[i]->rule, p->v[i]->category);

		p->bounded +=
		    p->v[i]->declared || !row || row->retries != RETRIES_ANY;
		p->unseen += (size_t)(next->attempt - p->v[i]->attempt - 1);
		if (history_progress(tax, &best, next))
			p->bounded = p->unseen = 0;
		reach(tax, &best, next);
	}
	p->bounded += p->unseen;
}

/* ---- what follows from it ---- */

/* What the policy says of retries of this failure. */
struct bounds {
	int cause, place, total; /* or RETRIES_ANY */
};

/* What a launcher or a last resort says is the same whatever the cause: only
 * the same step makes it a repeat. */
static bool vague(const struct diagnosis *d, const struct attempt *now)
{
	return d->rule && now->last.step < 0 &&
	    (d->rule->role == ROLE_CONSEQUENCE ||
		d->rule->role == ROLE_FALLBACK);
}

static struct bounds bounds_of(const struct taxonomy *tax,
    const struct diagnosis *d, const struct attempt *now)
{
	const struct policy_row *p = d->policy;
	struct bounds b = { tax->budgets.same_cause, tax->budgets.same_place,
		tax->budgets.total };

	if (d->facts.declared_decides)
		return b;
	if (vague(d, now))
		b.place = RETRIES_ANY;
	if (!p)
		p = taxonomy_policy(
		    tax, d->rule ? d->rule->id : NULL, diagnosis_category(d));
	if (d->unsure_stop) {
		b.cause = 1;
		return b;
	}
	/* a row that stops says nothing of how often to try */
	if (!p || (p->verdict == VERDICT_STOP && d->verdict != VERDICT_STOP))
		return b;
	b.cause = p->retries;
	if (!p->repeats)
		b.place = RETRIES_ANY;
	if (b.cause == RETRIES_ANY)
		b.total = RETRIES_ANY;
	return b;
}

static bool used_up(int budget, size_t retries)
{
	return budget != RETRIES_ANY && retries >= (size_t)budget;
}

static int left(int budget, size_t retries)
{
	if (budget == RETRIES_ANY)
		return RETRIES_ANY;
	return used_up(budget, retries) ? 0 : budget - (int)retries;
}

static int fewer(int a, int b)
{
	if (a == RETRIES_ANY || (b != RETRIES_ANY && b < a))
		return b;
	return a;
}

static long delay(const struct policy_row *row, long seconds, size_t repeats)
{
	double t = (double)seconds;

	if (!row)
		return seconds;
	for (size_t i = 0; i < repeats && t < (double)row->max_delay_seconds;
	     i++)
		t *= row->backoff;
	return t < (double)row->max_delay_seconds ? (long)t
						  : row->max_delay_seconds;
}

/* "attempt 3 ends in the same failure at step 1200 as attempt 2, ..." */
static int tell_place(struct buf *b, const struct past *p)
{
	const struct attempt *now = p->v[p->n - 1], *twin = p->twin;
	int rc;

	/* with a budget of 0 it need not have happened before */
	if (!twin)
		return buf_adds(b, "this failure is not to be tried again");
	rc = buf_addf(b, "attempt %lld ends in the same failure",
	    (long long)now->attempt);
	if (!rc && equal(now->artefact, twin->artefact))
		rc = buf_adds(b, " with ") ||
		    text_visible(
			b, span_sub(span_of(now->artefact), 0, ARTEFACT_SHOWN));
	else if (!rc && now->last.step >= 0)
		rc = buf_addf(b, " at step %lld", (long long)now->last.step);
	return rc ||
	    buf_addf(b, " as attempt %lld, and no checkpoint was written since",
		(long long)twin->attempt);
}

static int tell_cause(struct buf *b, int budget, size_t tries)
{
	if (!tries)
		return buf_adds(b, "its cause is not to be tried again");
	return buf_addf(b,
	    "%zu %s for this cause made no progress, and its budget is %d",
	    tries, tries == 1 ? "retry" : "retries", budget);
}

static int tell_total(struct buf *b, int budget, size_t retries, size_t unseen)
{
	if (buf_addf(b, "the job was tried again %zu %s", retries,
		retries == 1 ? "time" : "times"))
		return -1;
	return unseen
	    ? buf_addf(b,
		  ", of which nothing is known of %zu, and its "
		  "budget is %d",
		  unseen, budget)
	    : buf_addf(b, " without progress, and its budget is %d", budget);
}

/* 1 and the reason: another attempt is not worth it; 0: it may be; -1. */
static int find_end(struct buf *b, const struct past *p, struct bounds bound)
{
	size_t tries = p->n - 1 - p->from;
	int rc;

	if (used_up(bound.place, p->same_place - 1))
		rc = tell_place(b, p);
	else if (used_up(bound.cause, tries))
		rc = tell_cause(b, bound.cause, tries);
	else if (used_up(bound.total, p->bounded))
		rc = tell_total(b, bound.total, p->bounded, p->unseen);
	else
		return 0;
	return rc ? -1 : 1;
}

/*
 * What a rule calls deterministic, but a retry has passed once, is not: it may
 * be tried again as often as its cause may fail in all. Progress does not start
 * this count anew, since such rules are right nearly always.
 */
static bool pardoned(const struct past *p, struct bounds bound)
{
	return p->survived && !used_up(bound.place, p->same_place - 1) &&
	    !used_up(bound.cause, p->causes - 1) &&
	    !used_up(bound.total, p->bounded);
}

static int decide(struct diagnosis *d, const struct past *p,
    struct bounds bound, struct buf *b)
{
	int end;

	switch (d->verdict) {
	case VERDICT_STOP:
		if (d->facts.done || !pardoned(p, bound))
			return 0;
		d->verdict = VERDICT_RETRY;
		return buf_addf(b,
		    "attempt %lld ended in the same failure and a later one "
		    "came past it, so that another try is worth it",
		    (long long)p->survived->attempt);
	case VERDICT_UNDECIDED:
		/* only what was seen to be deterministic settles a doubt */
		if (!p->twin || !used_up(bound.place, p->same_place - 1))
			return 0;
		break;
	case VERDICT_RETRY:
	case VERDICT_ADJUST:
		break;
	default:
		return 0;
	}
	end = find_end(b, p, bound);
	if (end > 0)
		d->verdict = VERDICT_STOP;
	return end < 0 ? -1 : 0;
}

/* The history's word goes behind what the logs and the policy said. */
static int add_reason(struct diagnosis *d, const struct buf *why)
{
	struct buf b = BUF_INIT(BUF_MAX);

	if (!why->len)
		return 0;
	if (buf_addf(&b, "%s; but %s", d->reason ? d->reason : "", why->p)) {
		buf_release(&b);
		return -1;
	}
	free(d->reason);
	d->reason = buf_take(&b);
	return d->reason ? 0 : -1;
}

static void fill(struct diagnosis *d, const struct past *p, struct bounds bound)
{
	struct history *h = &d->history;
	size_t tries = p->n - 1 - p->from;

	h->known = true;
	h->attempts = h->retries = (int)(p->n - 1);
	h->same_cause = d->failed == 1 ? (int)tries + 1 : 0;
	h->same_place = d->failed == 1 ? (int)p->same_place : 0;
	if (d->verdict == VERDICT_STOP || d->verdict == VERDICT_NONE) {
		d->adjust = (struct adjust){ 0 };
		return;
	}
	h->retries_left =
	    fewer(left(bound.cause, tries), left(bound.total, p->bounded));
	h->delay_seconds = delay(d->policy, d->adjust.delay_seconds, tries);
	d->adjust.delay_seconds = h->delay_seconds;
}

int history_apply(struct diagnosis *d, const struct taxonomy *tax,
    const struct attempt *v, size_t n, struct err *e)
{
	struct buf why = BUF_INIT(BUF_MAX);
	struct past p = { 0 };
	struct bounds bound;
	struct attempt now;
	int rc = -1;

	history_attempt(d, &now);
	bound = bounds_of(tax, d, &now);
	d->history = (struct history){ 0 };
	if (put_in_order(&p, &now, v, n))
		goto out;
	find_run(&p, tax);
	find_survivor(&p, tax, &d->history);
	count_bounded(&p, tax);
	if (decide(d, &p, bound, &why) || add_reason(d, &why))
		goto out;
	fill(d, &p, bound);
	rc = 0;
out:
	free(p.v);
	buf_release(&why);
	return rc ? err_nomem(e) : 0;
}

int history_lacks(struct diagnosis *d, const struct taxonomy *tax, size_t known,
    struct err *e)
{
	struct buf why = BUF_INIT(BUF_MAX);
	struct attempt now;
	struct bounds bound;
	size_t lost, tries;
	int budget, rc;

	if (d->attempt <= 1 || (size_t)d->attempt - 1 <= known ||
	    (d->verdict != VERDICT_RETRY && d->verdict != VERDICT_ADJUST))
		return 0;
	history_attempt(d, &now);
	bound = bounds_of(tax, d, &now);
	/* a row that gives less goes by what was seen to be its cause */
	if (bound.cause != RETRIES_ANY && bound.cause < tax->budgets.same_cause)
		bound.cause = tax->budgets.same_cause;
	budget = fewer(bound.cause, bound.total);
	lost = (size_t)d->attempt - 1 - known;
	tries = lost +
	    (size_t)(d->history.same_cause > 1 ? d->history.same_cause - 1 : 0);
	if (!used_up(budget, tries))
		return 0;
	rc = buf_addf(&why,
		 "of %zu earlier %s nothing is known, since no store has %s, "
		 "and the budget of retries is %d",
		 lost, lost == 1 ? "attempt" : "attempts",
		 lost == 1 ? "it" : "them", budget) ||
	    add_reason(d, &why);
	buf_release(&why);
	d->verdict = VERDICT_STOP;
	d->adjust = (struct adjust){ 0 };
	d->history.retries_left = 0;
	return rc ? err_nomem(e) : 0;
}

/* ---- a diagnosis as an attempt ---- */

/* The file that the root names, by whichever branch of its pattern. */
static const char *artefact_of(const struct diagnosis *d)
{
	const struct evidence *ev =
	    d->evidence.n ? d->evidence.v[0].evidence : NULL;

	for (size_t i = 0; ev && i < ev->n_captures; i++)
		if (strncmp(ev->captures[i].name, "path", 4) == 0 &&
		    given(ev->captures[i].value))
			return ev->captures[i].value;
	return NULL;
}

void history_attempt(const struct diagnosis *d, struct attempt *out)
{
	const struct job_facts *f = &d->facts;

	*out = (struct attempt){
		.attempt = d->attempt,
		.failed = d->failed,
		.fingerprint = d->fingerprint[0] ? d->fingerprint : NULL,
		.category = diagnosis_category(d),
		.rule = d->rule ? d->rule->id : NULL,
		.checkpoint = f->saved ? f->saved->checkpoint : NULL,
		.artefact = artefact_of(d),
		.stage = stage_name(f->stage),
		.last = f->last,
		.verdict = d->verdict,
		.declared = f->declared_decides,
	};
}
