/*
 * Diagnoses become attempts, sorted into the chain of each job; then each
 * attempt of a chain is compared with the next one. A chain is a job's id and
 * whose it is: its cluster's, its user's (ids come again when the scheduler's
 * counter is set back), its folder's where nothing else tells. GPU time is
 * counted by marking attempts that would not have run, so that three right
 * stops in a row do not save the last attempt three times.
 */
#include "reports/gate/replay.h"

#include "base/array.h"
#include "base/err.h"
#include "base/json.h"
#include "reports/gate/replay_past.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct answer {
	const char *job, *verdict, *reason; /* in the arena */
	struct entry_owner owner;           /* likewise */
	int64_t attempt;
};

struct replay {
	const struct taxonomy *tax;
	struct arena *arena;
	struct judgements *judgements; /* borrowed, or NULL */
	struct past *past;
	size_t n, cap;
	struct answer *answers;
	size_t n_answers, cap_answers;
	struct past **order; /* while it runs */
	struct attempt *seen;
	struct replay_sums *by_category; /* the unknown is the last */
	struct replay_result result;
};

static const char *const outcome_names[REPLAY_OUTCOMES] = { "recovered",
	"progressed", "failed again", "failed otherwise", "unknown" };

const char *replay_outcome_name(enum replay_outcome o)
{
	return outcome_names[o];
}

struct replay *replay_new(
    const struct taxonomy *tax, int64_t since, int64_t until, struct err *e)
{
	struct replay *r = calloc(1, sizeof *r);

	if (r) {
		r->tax = tax;
		r->result.since = since;
		r->result.until = until;
		r->arena = arena_new();
		r->by_category =
		    calloc(tax->n_categories + 1, sizeof *r->by_category);
	}
	if (r && r->arena && r->by_category)
		return r;
	replay_free(r);
	err_nomem(e);
	return NULL;
}

void replay_free(struct replay *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n; i++)
		replay_past_release(&r->past[i]);
	free(r->past);
	free(r->answers);
	free(r->order);
	free(r->seen);
	free(r->by_category);
	free(r->result.categories);
	free(r->result.wrong.v);
	free(r->result.given_wrong.v);
	if (r->arena)
		arena_free(r->arena);
	free(r);
}

int replay_add(
    struct replay *r, struct span record, int64_t seen, struct err *e)
{
	struct past *p;
	struct json *o;
	int rc;

	if (array_grow(&r->past, r->n, &r->cap, sizeof *p))
		return err_nomem(e);
	o = json_parse(record, JSON_PARSE, e);
	if (!o)
		return 1;
	p = &r->past[r->n];
	rc = replay_past_read(p, o, r->tax, r->arena, e);
	json_free(o);
	if (rc)
		return rc;
	if (p->when == ENVELOPE_NO_TIME)
		p->when = seen;
	p->order = r->n++;
	return 0;
}

/* NULL: not known. -1: out of memory. */
static int put_known(struct replay *r, const char **to, const char *s)
{
	*to = s && *s ? arena_string(r->arena, span_of(s)) : NULL;
	return s && *s && !*to ? -1 : 0;
}

int replay_answer(struct replay *r, const struct replay_given *g)
{
	const char *reason = g->reason ? g->reason : "";
	struct answer a = { .job = arena_string(r->arena, span_of(g->job)),
		.verdict = arena_string(r->arena, span_of(g->verdict)),
		.reason = arena_string(r->arena, span_of(reason)),
		.attempt = g->attempt };

	if (put_known(r, &a.owner.cluster, g->cluster) ||
	    put_known(r, &a.owner.place, g->place) || !a.job || !a.verdict ||
	    !a.reason ||
	    array_grow(&r->answers, r->n_answers, &r->cap_answers, sizeof a))
		return -1;
	r->answers[r->n_answers++] = a;
	return 0;
}

void replay_judged(struct replay *r, struct judgements *all)
{
	r->judgements = all;
}

/* ---- order ---- */

static int compare_strings(const char *a, const char *b)
{
	if (!a || !b)
		return (a != NULL) - (b != NULL);
	return strcmp(a, b);
}

/* Of several diagnoses of one attempt the one with a log is the last, then the
 * latest. */
static int by_attempt(const void *x, const void *y)
{
	const struct past *a = *(struct past *const *)x;
	const struct past *b = *(struct past *const *)y;

	if (a->d.attempt != b->d.attempt)
		return a->d.attempt < b->d.attempt ? -1 : 1;
	if (a->has_log != b->has_log)
		return a->has_log ? 1 : -1;
	if (a->when != b->when)
		return a->when < b->when ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

static int by_job(const void *x, const void *y)
{
	const struct past *a = *(struct past *const *)x;
	const struct past *b = *(struct past *const *)y;
	int c = strcmp(a->d.job, b->d.job);

	return c ? c : by_attempt(x, y);
}

static int by_answer(const void *x, const void *y)
{
	const struct answer *a = x, *b = y;
	int c = strcmp(a->job, b->job);

	if (c)
		return c;
	return a->attempt < b->attempt ? -1 : a->attempt > b->attempt;
}

static const struct answer *answer_of(
    const struct replay *r, const struct past *p)
{
	struct answer key = { .job = p->d.job, .attempt = p->d.attempt };
	const struct answer *a = NULL, *end = r->answers + r->n_answers;

	if (r->n_answers)
		a = bsearch(
		    &key, r->answers, r->n_answers, sizeof key, by_answer);
	while (a && a > r->answers && !by_answer(a - 1, &key))
		a--;
	for (; a && a < end && !by_answer(a, &key); a++)
		if (entry_same(&a->owner, &p->owner) &&
		    (!a->owner.place || p->owner.place))
			return a;
	return NULL;
}

/* ---- one verdict against what happened ---- */

static enum replay_outcome outcome_of(
    const struct taxonomy *tax, const struct past *p, const struct past *next)
{
	if (next->d.attempt != p->d.attempt + 1 || next->as.failed < 0)
		return REPLAY_UNTOLD;
	if (next->as.failed == 0)
		return REPLAY_RECOVERED;
	if (history_progress(tax, &p->as, &next->as))
		return REPLAY_PROGRESSED;
	if (p->d.fingerprint[0] &&
	    strcmp(p->d.fingerprint, next->d.fingerprint) == 0)
		return REPLAY_AGAIN;
	return REPLAY_OTHERWISE;
}

/* A chain, and the sums that its verdicts go to. */
struct sequence {
	const struct taxonomy *tax;
	struct past **v;
	size_t n;
	size_t spared; /* the end of the attempts that right stops so far
			* spare */
	struct replay_sums *all, *by_category; /* the latter may be NULL */
	struct replay_wrongs *wrong;
};

static void count(
    struct replay *r, struct sequence *c, size_t at, struct replay_sums *add)
{
	const struct past *p = c->v[at];
	const struct category *k = p->judged.category
	    ? taxonomy_category(r->tax, p->judged.category)
	    : p->d.category;
	struct replay_sums *to[2] = { c->all, NULL };

	add->attempts = 1;
	if (c->by_category)
		to[1] = &c->by_category[k ? (size_t)(k - r->tax->categories)
					  : r->tax->n_categories];
	for (size_t i = 0; i < 2 && to[i]; i++) {
		to[i]->attempts += add->attempts;
		to[i]->judged += add->judged;
		to[i]->right_stops += add->right_stops;
		to[i]->wrong_stops += add->wrong_stops;
		to[i]->right_retries += add->right_retries;
		to[i]->wrong_retries += add->wrong_retries;
		to[i]->otherwise_stops += add->otherwise_stops;
		to[i]->otherwise_retries += add->otherwise_retries;
		to[i]->undecided += add->undecided;
		to[i]->untold += add->untold;
		to[i]->later += add->later;
		to[i]->saved += add->saved;
		to[i]->lost += add->lost;
		to[i]->burnt += add->burnt;
		to[i]->unmeasured += add->unmeasured;
	}
}

static void add_time(struct replay_sums *add, int64_t *to, const struct past *p)
{
	if (p->d.usage.gpu_seconds < 0)
		add->unmeasured++;
	else
		*to += p->d.usage.gpu_seconds;
}

/* The attempts after it that failed in the same way would not have run. */
static void spare(struct sequence *c, size_t at, struct replay_sums *add)
{
	size_t i = at + 1;

	for (; i < c->n &&
	     outcome_of(c->tax, c->v[i - 1], c->v[i]) == REPLAY_AGAIN;
	     i++)
		if (i >= c->spared)
			add_time(add, &add->saved, c->v[i]);
	if (i > c->spared)
		c->spared = i;
	for (; i < c->n && !add->later; i++) {
		enum replay_outcome o =
		    outcome_of(c->tax, c->v[i - 1], c->v[i]);

		add->later = o == REPLAY_RECOVERED || o == REPLAY_PROGRESSED;
	}
}

/* Whether a retry was right as a person says; -1: nobody said. */
static int person_says(const struct past *p)
{
	int verdict =
	    p->judged.verdict ? taxonomy_verdict(p->judged.verdict) : -1;

	if (verdict < 0 || verdict == VERDICT_UNDECIDED ||
	    verdict == VERDICT_NONE)
		return -1;
	return verdict != VERDICT_STOP;
}

static const struct past *next_of(const struct sequence *c, size_t at)
{
	return at + 1 < c->n ? c->v[at + 1] : NULL;
}

/* What a verdict is held against: a person's word, or the next attempt. */
static enum replay_outcome result_of(const struct sequence *c, size_t at)
{
	const struct past *next = next_of(c, at);
	enum replay_outcome o =
	    next ? outcome_of(c->tax, c->v[at], next) : REPLAY_UNTOLD;

	switch (person_says(c->v[at])) {
	case 0:
		return REPLAY_AGAIN;
	case 1:
		return o == REPLAY_RECOVERED ? o : REPLAY_PROGRESSED;
	default:
		return o;
	}
}

static int add_wrong(struct sequence *c, size_t at, const char *reason)
{
	const struct past *p = c->v[at], *next = next_of(c, at);
	struct replay_wrongs *w = c->wrong;

	if (array_grow(&w->v, w->n, &w->cap, sizeof *w->v))
		return -1;
	w->v[w->n++] = (struct replay_wrong){ .job = p->d.job,
		.user = p->owner.user,
		.attempt = p->d.attempt,
		.category = diagnosis_category(&p->d),
		.rule = p->d.rule ? p->d.rule->id : NULL,
		.reason = reason,
		.judged = person_says(p) >= 0,
		.by = person_says(p) >= 0 ? p->judged.by : NULL,
		.outcome = result_of(c, at),
		.gpu_seconds =
		    next ? next->d.usage.gpu_seconds : USAGE_UNKNOWN };
	return 0;
}

static int compare(struct replay *r, struct sequence *c, size_t at,
    enum verdict verdict, const char *reason)
{
	const struct past *next = next_of(c, at);
	enum replay_outcome o = result_of(c, at);
	bool further = o == REPLAY_RECOVERED || o == REPLAY_PROGRESSED;
	bool stop = verdict == VERDICT_STOP;
	struct replay_sums add = { 0 };
	int rc = 0;

	add.judged = person_says(c->v[at]) >= 0;
	if (verdict == VERDICT_UNDECIDED) {
		add.undecided = 1;
	} else if (o == REPLAY_UNTOLD) {
		add.untold = 1;
	} else if (o == REPLAY_OTHERWISE) {
		*(stop ? &add.otherwise_stops : &add.otherwise_retries) = 1;
	} else if (!stop && further) {
		add.right_retries = 1;
	} else if (!stop) {
		add.wrong_retries = 1;
		if (next && at + 1 >= c->spared)
			add_time(&add, &add.burnt, next);
	} else if (!further) {
		add.right_stops = 1;
		spare(c, at, &add);
	} else {
		add.wrong_stops = 1;
		if (next)
			add_time(&add, &add.lost, next);
		rc = add_wrong(c, at, reason);
	}
	if (!rc)
		count(r, c, at, &add);
	return rc;
}

/* ---- chains ---- */

static bool counted(const struct replay *r, const struct past *p)
{
	const struct replay_result *x = &r->result;

	/* what ended well is not for a gate to judge */
	if (p->as.failed == 0 ||
	    (p->judged.category && strcmp(p->judged.category, "none") == 0))
		return false;
	if (x->since == ENVELOPE_NO_TIME && x->until == ENVELOPE_NO_TIME)
		return true;
	return p->when != ENVELOPE_NO_TIME &&
	    (x->since == ENVELOPE_NO_TIME || p->when >= x->since) &&
	    (x->until == ENVELOPE_NO_TIME || p->when < x->until);
}

static int run_chain(struct replay *r, struct past **v, size_t n, struct err *e)
{
	struct sequence now = { r->tax, v, n, 0, &r->result.all, r->by_category,
		&r->result.wrong };
	struct sequence given = { r->tax, v, n, 0, &r->result.given, NULL,
		&r->result.given_wrong };
	bool any = false;

	for (size_t i = 0; i < n; i++)
		r->seen[i] = v[i]->as;
	for (size_t i = 0; i < n; i++) {
		const struct answer *a = answer_of(r, v[i]);
		int said = a ? taxonomy_verdict(a->verdict) : -1;

		if ((i + 1 == n && person_says(v[i]) < 0) || !counted(r, v[i]))
			continue;
		any = true;
		if (replay_past_judge(v[i], r->tax, r->seen, i, e))
			return -1;
		if (compare(r, &now, i, v[i]->d.verdict, v[i]->d.reason) ||
		    (said >= 0 && said != VERDICT_NONE &&
			compare(r, &given, i, (enum verdict)said, a->reason)))
			return err_nomem(e);
	}
	r->result.jobs += any;
	return 0;
}

/* The diagnoses v of one job, in order: one of each attempt. */
static int run_job(struct replay *r, struct past **v, size_t n, struct err *e)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (kept && v[kept - 1]->d.attempt == v[i]->d.attempt)
			kept--;
		v[kept++] = v[i];
	}
	return run_chain(r, v, kept, e);
}

static int by_cluster(const void *x, const void *y)
{
	const struct past *a = *(struct past *const *)x;
	const struct past *b = *(struct past *const *)y;
	int c = compare_strings(a->owner.cluster, b->owner.cluster);

	return c ? c : by_attempt(x, y);
}

static int by_user(const void *x, const void *y)
{
	const struct past *a = *(struct past *const *)x;
	const struct past *b = *(struct past *const *)y;
	int c = compare_strings(a->owner.user, b->owner.user);

	return c ? c : by_attempt(x, y);
}

static int by_place(const void *x, const void *y)
{
	const struct past *a = *(struct past *const *)x;
	const struct past *b = *(struct past *const *)y;
	int c = compare_strings(a->owner.place, b->owner.place);

	return c ? c : by_attempt(x, y);
}

/* What tells jobs with one id apart, one after the other. */
static const struct part {
	size_t at; /* in struct entry_owner */
	int (*order)(const void *x, const void *y);
	/* What does not tell may be any of several's; else it is a job by
	 * itself, which a record told of. */
	bool unclear;
} parts[] = {
	{ offsetof(struct entry_owner, cluster), by_cluster, true },
	{ offsetof(struct entry_owner, user), by_user, true },
	{ offsetof(struct entry_owner, place), by_place, false },
};
#define PARTS (sizeof parts / sizeof *parts)

static const char *part_of(const struct past *p, const struct part *part)
{
	return *(const char *const *)((const char *)&p->owner + part->at);
}

/* The diagnoses with one job id that nothing before part k tells apart: those
 * of which it is not known belong to the only one there is. */
static int run_id(
    struct replay *r, struct past **v, size_t n, size_t k, struct err *e)
{
	const struct part *p = &parts[k];
	size_t from = 0, to;

	if (k == PARTS || n == 1) {
		qsort(v, n, sizeof *v, by_attempt);
		return run_job(r, v, n, e);
	}
	qsort(v, n, sizeof *v, p->order);
	while (from < n && !part_of(v[from], p))
		from++;
	if (from == n || part_of(v[from], p) == part_of(v[n - 1], p))
		return run_id(r, v, n, k + 1, e);
	if (from && p->unclear)
		r->result.unclear += from;
	else if (from && run_id(r, v, from, k + 1, e))
		return -1;
	for (; from < n; from = to) {
		for (to = from;
		     to < n && part_of(v[to], p) == part_of(v[from], p);)
			to++;
		if (run_id(r, v + from, to - from, k + 1, e))
			return -1;
	}
	return 0;
}

static int list_categories(struct replay *r)
{
	struct replay_result *x = &r->result;
	size_t n = r->tax->n_categories + 1;

	x->categories = calloc(n, sizeof *x->categories);
	for (size_t i = 0; x->categories && i < n; i++) {
		if (!r->by_category[i].attempts)
			continue;
		x->categories[x->n_categories++] = (struct replay_category){
			i + 1 < n ? r->tax->categories[i].id : "unknown",
			r->by_category[i]
		};
	}
	return x->categories ? 0 : -1;
}

const struct replay_result *replay_run(struct replay *r, struct err *e)
{
	size_t from, to;

	r->order = calloc(r->n + 1, sizeof(*r->order));
	r->seen = calloc(r->n + 1, sizeof *r->seen);
	if (!r->order || !r->seen)
		goto nomem;
	for (size_t i = 0; i < r->n; i++) {
		r->order[i] = &r->past[i];
		history_attempt(&r->past[i].d, &r->past[i].as);
		(void)judgements_find(r->judgements, r->past[i].d.job,
		    r->past[i].d.attempt, &r->past[i].owner,
		    &r->past[i].judged);
	}
	qsort(r->order, r->n, sizeof(*r->order), by_job);
	if (r->n_answers)
		qsort(r->answers, r->n_answers, sizeof *r->answers, by_answer);
	r->result.answers = r->n_answers;
	for (from = 0; from < r->n; from = to) {
		for (to = from; to < r->n &&
		     strcmp(r->order[to]->d.job, r->order[from]->d.job) == 0;)
			to++;
		if (run_id(r, r->order + from, to - from, 0, e))
			return NULL;
	}
	if (list_categories(r) == 0)
		return &r->result;
nomem:
	err_nomem(e);
	return NULL;
}
