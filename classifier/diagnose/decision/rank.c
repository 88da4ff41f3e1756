/*
 * From evidence to one root failure.
 *
 * A candidate is one event (a traceback, another block) with the best of its
 * rules, or one line. First each is judged alone: did the run survive it, is
 * it the wrapper of another, was it only a warning. What is left is sorted by
 * the claim it has, and of those with the best claim the earliest of the last
 * failing episode wins. Everything else keeps the reason why it lost.
 */
#include "diagnose/diagnosis.h"

#include "base/err.h"
#include "diagnose/job_record.h"

#include <stdlib.h>
#include <string.h>

/* Ordinary lines between two faults of one log that make them two episodes:
 * another launch, or a fault that was survived. */
#define EPISODE_GAP 80
/* A rule that lasts is seen again at most this many lines before the last
 * step that was printed. */
#define LASTING_GAP 30
/* Lines from the end of a log in which a warning can be what ended it. */
#define LAST_WORDS 10
/* Bytes of a log that a dying process can still write out. */
#define FLUSHED (9u << 10)
#define PROOFS_MAX 20

/* From the strongest claim to be the root to the weakest. */
enum claim {
	CLAIM_ROOT,
	CLAIM_UNCAUGHT, /* a traceback that only a fallback rule knows, or the
			 * state in the job's record */
	CLAIM_CONSEQUENCE,
	CLAIM_FALLBACK,
	CLAIM_UNKNOWN, /* a traceback that no rule knows */
	CLAIM_WARNED,  /* a root that was logged below the error level */
	CLAIM_CONFIRMATION,
	CLAIM_BACKGROUND /* never the answer */
};

struct candidate {
	const struct findings *log;
	const struct evidence *evidence; /* NULL: a block no rule knows */
	const struct event *event;       /* or NULL */
	enum claim claim;
	uint64_t line, last_line;
	int64_t time;
	int rank;
	size_t log_at;    /* order of its log in the job */
	unsigned episode; /* in its log */
	const char *why;  /* why it lost; NULL while it may win */
};

struct ranking {
	struct diagnosis *d;
	struct candidate *v;
	size_t n;
};

/* ---- the best rule of one event ---- */

static int strength(const struct evidence *ev)
{
	const struct rule *r = ev->rule;

	if (r->role == ROLE_ROOT)
		return r->generic ? 2 : 4;
	if (r->role == ROLE_CONSEQUENCE)
		return r->generic ? 1 : 3;
	return r->role == ROLE_FALLBACK ? 0 : -1;
}

/* Whether a says more about the same event than b. */
static bool stronger(const struct evidence *a, const struct evidence *b)
{
	int sa = strength(a), sb = strength(b);

	if (sa != sb)
		return sa > sb;
	/* what a message means before the class it has */
	if (a->rule->generic && a->rule->weight != b->rule->weight)
		return a->rule->weight > b->rule->weight;
	/* a rule for exceptions knows more of them than one for any line, and
	 * one that names the path or key more than one that does not */
	if ((a->rule->where == WHERE_LINE) != (b->rule->where == WHERE_LINE))
		return b->rule->where == WHERE_LINE;
	if (a->n_captures != b->n_captures)
		return a->n_captures > b->n_captures;
	if (a->rule->literals.least != b->rule->literals.least)
		return a->rule->literals.least > b->rule->literals.least;
	if (a->match_to - a->match_from != b->match_to - b->match_from)
		return a->match_to - a->match_from >
		    b->match_to - b->match_from;
	return a->rule->number < b->rule->number;
}

static bool same_place(const struct evidence *a, const struct evidence *b)
{
	if (a->event != EVENT_NONE || b->event != EVENT_NONE)
		return a->event == b->event;
	return a->line == b->line;
}

/* ---- judging one candidate ---- */

static enum claim claim_of(const struct candidate *c)
{
	const struct event *ev = c->event;

	if (!c->evidence)
		return CLAIM_UNKNOWN;
	switch (c->evidence->rule->role) {
	case ROLE_ROOT:
		/* the scheduler's word tells how it ended, not always why */
		return c->log->of_record ? CLAIM_UNCAUGHT : CLAIM_ROOT;
	case ROLE_CONSEQUENCE:
		return CLAIM_CONSEQUENCE;
	case ROLE_FALLBACK:
		return ev && ev->kind != EVENT_BARE && ev->complete
		    ? CLAIM_UNCAUGHT
		    : CLAIM_FALLBACK;
	case ROLE_CONFIRMATION:
		return CLAIM_CONFIRMATION;
	case ROLE_CONTEXT:
	case ROLE_COUNT:
		break;
	}
	return CLAIM_BACKGROUND;
}

static struct progress before_of(const struct candidate *c)
{
	return c->event ? c->event->before : c->evidence->before;
}

/* Whether the rule is still seen where the run last made a step. */
static bool lasts(const struct candidate *c)
{
	const struct findings *f = c->log;
	size_t i = f->n_evidence;

	while (i-- > 0) {
		const struct evidence *ev = &f->evidence[i];

		if (ev->rule != c->evidence->rule)
			continue;
		/* the last tenth of the steps, where steps are counted */
		if (progress_after(f->last, ev->before) &&
		    ev->before.epoch == f->last.epoch)
			return ev->before.step >= f->last.step / 10 * 9 - 1;
		return ev->line + LASTING_GAP >= f->last_line_of_progress;
	}
	return false;
}

/* Slurm's step daemon says that it ends the job or step. */
static bool step_ended(const struct candidate *c)
{
	struct span text;

	if (!c->evidence || c->event)
		return false;
	text = (struct span){ c->evidence->text, c->evidence->text_len };
	return span_find(text, "slurmstepd") != SIZE_MAX &&
	    span_find(text, " CANCELLED AT ") != SIZE_MAX;
}

/* A process that dies writes out what its buffers held, so a little of its
 * earlier output can follow its last words; so can that of the other ranks. */
static bool last_words(const struct candidate *c)
{
	const struct findings *f = c->log;
	uint64_t end = c->event ? c->event->end : c->evidence->offset;

	return !f->ended_well && f->bytes - end < FLUSHED &&
	    (f->parallel || (c->event && c->event->uncaught) || step_ended(c) ||
		(f->exit_code > 0 && f->exit_line > c->last_line));
}

/* A line that states only the class of an error need not have ended anything,
 * nor an exception that never touched the user's code; one that nobody caught
 * there has. */
static bool passing(const struct candidate *c)
{
	const struct event *e = c->event;

	if (!c->evidence || c->evidence->rule->lasting ||
	    (!c->evidence->rule->generic &&
		c->evidence->rule->role != ROLE_FALLBACK))
		return false;
	return !e || e->kind != EVENT_TRACE ||
	    (e->frame.file && !e->user_frame);
}

/* A fault that need not have ended a process: a line that says so, or an
 * exception that was caught before the main program. */
static bool calm(const struct candidate *c)
{
	return !c->event || c->event->kind == EVENT_BARE ||
	    (c->event->kind == EVENT_TRACE && !c->event->uncaught &&
		!c->log->parallel);
}

/* Why the run went on after this, or NULL. */
static const char *survived(const struct candidate *c, bool elsewhere)
{
	const struct findings *f = c->log;
	struct progress before = before_of(c);
	bool trained = f->last_line_of_progress > c->last_line;
	bool long_after = f->last_line_of_progress > c->last_line + EPISODE_GAP;
	bool known = before.step >= 0 || before.epoch >= 0;

	if ((c->evidence && c->evidence->rule->lasting && lasts(c)) ||
	    last_words(c))
		return NULL;
	if (trained && progress_after(f->last, before))
		return "the run made progress after it";
	if (trained && (passing(c) || (!c->event && long_after)))
		return "the run trained after it";
	if (elsewhere && !f->ended_well && calm(c))
		return "the other stream of the process ends well";
	if (f->ended_line <= c->last_line)
		return NULL;
	if (trained && (known || long_after || calm(c)))
		return "the run trained after it and ended well";
	/* an indented line is mostly part of a listing */
	if (calm(c) &&
	    (passing(c) || c->event || f->lines > c->last_line + EPISODE_GAP ||
		(c->evidence->text_len && c->evidence->text[0] == ' ')))
		return "the log goes on to a normal end";
	return NULL;
}

static void judge(struct candidate *c, bool elsewhere)
{
	bool warning = c->event ? c->event->warning : c->evidence->warning;

	c->claim = claim_of(c);
	if (c->event && c->event->ignored) {
		c->claim = CLAIM_BACKGROUND;
		c->why = "raised where it ends nothing, and ignored";
		return;
	}
	c->why = survived(c, elsewhere);
	if (c->why)
		c->claim = CLAIM_BACKGROUND;
	else if (warning && c->claim != CLAIM_CONFIRMATION &&
	    !(c->evidence && c->evidence->rule->lasting))
		c->claim = c->claim == CLAIM_ROOT && !c->evidence->rule->generic
		    ? CLAIM_WARNED
		    : CLAIM_BACKGROUND;
	if (c->claim == CLAIM_BACKGROUND && !c->why)
		c->why = "logged as a warning, not as an error";
}

/* Whether the other stream of the same process ends well. */
static bool ends_well_elsewhere(
    const struct diagnosis *d, const struct candidate *c)
{
	for (size_t i = 0; i < d->n_logs; i++)
		if (d->logs[i] != c->log && d->logs[i]->rank == c->log->rank &&
		    d->logs[i]->ended_well)
			return true;
	return false;
}

/* ---- gathering ---- */

static int add(struct ranking *r, struct candidate c)
{
	struct candidate *v;

	if ((r->n & (r->n + 1)) == 0) {
		v = realloc(r->v, (r->n + 1) * 2 * sizeof *v);
		if (!v)
			return -1;
		r->v = v;
	}
	judge(&c, ends_well_elsewhere(r->d, &c));
	r->v[r->n++] = c;
	return 0;
}

static int add_evidence(
    struct ranking *r, const struct findings *f, size_t at, size_t *i)
{
	const struct evidence *best = &f->evidence[*i];
	size_t k = *i;

	/* evidence of one block need not be adjacent: a block is taken up at
	 * its first piece */
	if (best->event != EVENT_NONE)
		for (size_t j = 0; j < k; j++)
			if (same_place(&f->evidence[j], best))
				return 0;
	for (size_t j = k + 1; j < f->n_evidence; j++)
		if (same_place(&f->evidence[j], &f->evidence[k]) &&
		    stronger(&f->evidence[j], best))
			best = &f->evidence[j];
	if (best->event == EVENT_NONE)
		while (*i + 1 < f->n_evidence &&
		    same_place(&f->evidence[*i + 1], best))
			++*i;
	struct candidate c = {
		.log = f,
		.log_at = at,
		.evidence = best,
		.event =
		    best->event == EVENT_NONE ? NULL : &f->events[best->event],
		.line = best->line,
		.last_line = best->line,
		.time = best->time,
		.rank = best->rank >= 0 ? best->rank : f->rank,
	};
	if (c.event && c.event->last_line > c.last_line)
		c.last_line = c.event->last_line;
	return add(r, c);
}

static int gather(struct ranking *r)
{
	for (size_t at = 0; at < r->d->n_logs; at++) {
		const struct findings *f = r->d->logs[at];

		for (size_t i = 0; i < f->n_evidence; i++)
			if (add_evidence(r, f, at, &i))
				return -1;
		for (uint32_t i = 0; i < f->n_events; i++) {
			const struct event *e = &f->events[i];
			struct candidate c = {
				.log = f,
				.log_at = at,
				.event = e,
				.line = e->message_line ? e->message_line
							: e->first_line,
				.last_line = e->last_line,
				.time = e->time,
				.rank = e->rank >= 0 ? e->rank : f->rank,
			};

			if (e->kind == EVENT_TRACE && !e->explained &&
			    add(r, c))
				return -1;
		}
	}
	return 0;
}

/* ---- chains ---- */

static struct candidate *of_event(struct ranking *r, const struct event *e)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].event == e)
			return &r->v[i];
	return NULL;
}

static void lose(struct candidate *c, const char *why)
{
	if (c->why)
		return;
	c->why = why;
	c->claim = CLAIM_BACKGROUND;
}

static bool specific(const struct candidate *c)
{
	return c->claim == CLAIM_ROOT && !c->evidence->rule->generic;
}

/* Of two exceptions of one chain, keep the one that states the cause. */
static void settle_pair(
    struct candidate *first, struct candidate *later, enum chain chain)
{
	bool later_wins;

	switch (chain) {
	case CHAIN_ORIGINAL: /* later is what first wraps */
		later_wins = later->claim <= first->claim || !specific(first);
		break;
	case CHAIN_CAUSE:
	case CHAIN_HANDLING:
		/* look-ups that fail and are turned into something else are
		 * everyday Python: the exception that ended the process says
		 * more, unless the first is known for certain */
		later_wins = later->claim < first->claim ||
		    (later->claim == first->claim && !specific(first));
		break;
	case CHAIN_NONE:
	default:
		return;
	}
	if (later_wins)
		lose(first,
		    chain == CHAIN_ORIGINAL
			? "the wrapper of the original exception"
			: "a later exception of its chain says more");
	else
		lose(later,
		    chain == CHAIN_HANDLING
			? "raised while the root exception was handled"
			: "raised from the root exception");
}

static void settle_chains(struct ranking *r)
{
	for (size_t i = 0; i < r->n; i++) {
		struct candidate *later = &r->v[i], *first;
		const struct event *e = later->event;

		if (!e || e->chain == CHAIN_NONE || e->prior == EVENT_NONE)
			continue;
		/* the head of the chain so far: skip those that lost */
		do {
			first = of_event(r, &later->log->events[e->prior]);
			e = &later->log->events[e->prior];
		} while (first && first->why && e->chain != CHAIN_NONE &&
		    e->prior != EVENT_NONE);
		if (first && !first->why && !later->why)
			settle_pair(first, later, later->event->chain);
	}
}

/* ---- episodes ---- */

static int by_place(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->log_at != y->log_at)
		return x->log_at < y->log_at ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->evidence > y->evidence) - (x->evidence < y->evidence);
}

/* A process dies of one exception: of two in a log that only one process at a
 * time writes, the later one is of another launch, or the first was caught. */
static bool another_death(const struct candidate *a, const struct candidate *b)
{
	return a->event && b->event && a->event->kind == EVENT_TRACE &&
	    b->event->kind == EVENT_TRACE && !a->log->parallel && a->rank < 0 &&
	    b->rank < 0 && !a->event->thread && !b->event->thread &&
	    b->event->first_line > a->last_line;
}

/* Whether b, later in the log, belongs to another episode than a. */
static bool new_episode(const struct candidate *a, const struct candidate *b)
{
	if (progress_after(before_of(b), before_of(a)))
		return true;
	if (a->rank >= 0 && b->rank >= 0 && a->rank != b->rank)
		return false;
	return another_death(a, b) || b->line > a->last_line + EPISODE_GAP;
}

/* Number the episodes of the candidates of one claim in each log, and drop
 * those that are not in their log's last one. */
static void settle_episodes(struct ranking *r, enum claim claim)
{
	struct candidate *last = NULL;

	for (size_t i = 0; i < r->n; i++) {
		struct candidate *c = &r->v[i];

		if (c->claim != claim)
			continue;
		if (last && last->log_at == c->log_at) {
			bool lasting =
			    last->evidence && last->evidence->rule->lasting;

			c->episode =
			    last->episode + (!lasting && new_episode(last, c));
		}
		last = c;
	}
	last = NULL;
	for (size_t i = r->n; i-- > 0;) {
		struct candidate *c = &r->v[i];

		if (c->claim != claim)
			continue;
		if (!last || last->log_at != c->log_at)
			last = c;
		else if (c->episode != last->episode)
			lose(c, "a later failure ended the job");
	}
}

/* Whether a is a better answer than b, both of one claim and in the last
 * episodes of their logs. */
static bool better(const struct candidate *a, const struct candidate *b)
{
	bool thread_a = a->event && a->event->thread;
	bool thread_b = b->event && b->event->thread;

	if (thread_a != thread_b)
		return thread_b;
	if (a->log_at == b->log_at && passing(a) != passing(b))
		return passing(b);
	if (a->log_at == b->log_at)
		return a->line < b->line;
	if (a->evidence && b->evidence &&
	    a->evidence->rule->generic != b->evidence->rule->generic)
		return b->evidence->rule->generic;
	if (a->time != ENVELOPE_NO_TIME && b->time != ENVELOPE_NO_TIME &&
	    a->time != b->time)
		return a->time < b->time;
	return a->log_at < b->log_at;
}

static struct candidate *best_of(struct ranking *r, enum claim claim)
{
	struct candidate *best = NULL;

	settle_episodes(r, claim);
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].claim == claim && (!best || better(&r->v[i], best)))
			best = &r->v[i];
	return best;
}

/* ---- writing the answer ---- */

static bool confirmed(const struct ranking *r, const struct candidate *c)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].claim == CLAIM_CONFIRMATION && c->evidence &&
		    r->v[i].evidence->rule->category ==
			c->evidence->rule->category)
			return true;
	return false;
}

static enum confidence confidence_of(
    const struct ranking *r, const struct candidate *c)
{
	if (confirmed(r, c))
		return CONFIDENCE_HIGH;
	switch (c->claim) {
	case CLAIM_ROOT:
		return c->evidence->rule->generic ? CONFIDENCE_MEDIUM
						  : CONFIDENCE_HIGH;
	case CLAIM_UNCAUGHT:
		return CONFIDENCE_MEDIUM;
	default:
		return CONFIDENCE_LOW;
	}
}

static uint64_t hash_text(uint64_t h, const char *s)
{
	for (; s && *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3u;
	return (h ^ 0xff) * 0x100000001b3u;
}

/* Letters only: numbers, paths and addresses differ between runs. */
static uint64_t hash_shape(uint64_t h, const char *s)
{
	for (; s && *s && *s != '\n'; s++)
		if ((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z'))
			h = (h ^ (unsigned char)*s) * 0x100000001b3u;
	return h;
}

static void fingerprint(struct diagnosis *d, const struct candidate *c)
{
	static const char hex[] = "0123456789abcdef";
	const struct frame *fr = c->event ? &c->event->frame : NULL;
	uint64_t h = 0xcbf29ce484222325u;

	if (c->evidence) {
		const struct rule *r = c->evidence->rule;

		h = hash_text(h, r->id);
		for (size_t i = 0; i < r->key.n; i++)
			h = hash_text(
			    h, evidence_capture(c->evidence, r->key.v[i]));
	} else {
		h = hash_shape(h, c->event->exception);
	}
	if (fr && fr->file) {
		const char *slash = strrchr(fr->file, '/');

		h = hash_text(h, slash ? slash + 1 : fr->file);
		h = hash_text(h, fr->function);
	}
	for (int i = 15; i >= 0; i--, h >>= 4)
		d->fingerprint[i] = hex[h & 15];
	d->fingerprint[16] = '\0';
}

static int list(struct proofs *p, const struct candidate *c, const char *why)
{
	/* one row a rule: the others are counted */
	for (size_t i = 0; i < p->n; i++) {
		if (!c->evidence || !p->v[i].evidence ||
		    p->v[i].evidence->rule != c->evidence->rule)
			continue;
		/* what a log counted stands on each of its pieces */
		if (p->v[i].log != c->log)
			p->v[i].count++;
		return 0;
	}
	if (p->n >= PROOFS_MAX)
		return 0;
	return proofs_add(p,
	    (struct proof){ c->log, c->evidence, c->event, why,
		c->evidence ? c->evidence->count : 1 });
}

/* Sort what lost into consequences and rejected, the winner's kin into
 * evidence. */
static int list_others(struct ranking *r, const struct candidate *win)
{
	struct diagnosis *d = r->d;
	int rc = 0;

	for (size_t i = 0; i < r->n && !rc; i++) {
		const struct candidate *c = &r->v[i];

		if (c == win)
			continue;
		if (c->why)
			rc = list(&d->rejected, c, c->why);
		else if (win && c->claim == CLAIM_CONFIRMATION && d->category &&
		    c->evidence->rule->category ==
			win->evidence->rule->category)
			rc = list(&d->evidence, c, "confirms it");
		else if (win && c->evidence && win->evidence &&
		    c->evidence->rule == win->evidence->rule)
			rc = list(&d->evidence, c, "the same again");
		else if (win &&
		    (c->claim == CLAIM_CONSEQUENCE || c->claim == win->claim))
			rc = list(&d->consequences, c,
			    "follows from the root failure");
		else
			rc = list(
			    &d->rejected, c, "a stronger statement was found");
	}
	return rc;
}

/* Whether the job's record tells how it ended; then that is the answer. */
static bool by_record(struct diagnosis *d)
{
	switch (d->record ? d->record->end : JOB_END_UNKNOWN) {
	case JOB_END_WELL:
		d->failed = 0;
		d->confidence = CONFIDENCE_HIGH;
		return true;
	case JOB_END_FAILED:
		d->failed = 1;
		d->confidence = CONFIDENCE_LOW;
		return true;
	case JOB_END_PENDING:
	case JOB_END_RUNNING:
		d->failed = -1;
		d->confidence = CONFIDENCE_LOW;
		return true;
	case JOB_END_UNKNOWN:
		break;
	}
	return false;
}

/* A log that was cut or empty, or a launcher that told of an exit code, when
 * nothing else speaks. */
static void without_candidate(struct diagnosis *d)
{
	uint64_t bytes = 0;
	bool whole = true;

	if (by_record(d))
		return;
	d->failed = 0;
	d->confidence = CONFIDENCE_MEDIUM;
	for (size_t i = 0; i < d->n_logs; i++) {
		bytes += d->logs[i]->bytes;
		whole &= d->logs[i]->whole;
		if (d->logs[i]->exit_code > 0 &&
		    d->logs[i]->exit_line >= d->logs[i]->ended_line &&
		    d->logs[i]->exit_line >= d->logs[i]->last_line_of_progress)
			d->failed = 1;
	}
	if (d->failed == 0 && (bytes == 0 || !whole))
		d->failed = -1;
	if (d->failed)
		d->confidence = CONFIDENCE_LOW;
}

/* What only tells that something ended (an abort, a traceback that no rule
 * knows) is explained by a warning of its cause right before it. */
static struct candidate *warned_before(struct ranking *r, struct candidate *win)
{
	for (size_t i = 0; i < r->n; i++) {
		struct candidate *c = &r->v[i];

		if (c->claim == CLAIM_WARNED && c->log_at == win->log_at &&
		    c->line < win->line &&
		    win->line - c->last_line <= EPISODE_GAP)
			return c;
	}
	return win;
}

/* A job that was told to go away often only warns, and stops. */
static struct candidate *warned_at_the_end(struct ranking *r)
{
	for (size_t i = r->n; i-- > 0;) {
		struct candidate *c = &r->v[i];

		if (c->claim == CLAIM_WARNED && !c->log->ended_well &&
		    c->log->lines - c->last_line <= LAST_WORDS)
			return c;
	}
	return NULL;
}

static int decide(struct ranking *r, const struct taxonomy *tax)
{
	struct diagnosis *d = r->d;
	struct candidate *win = NULL;

	for (int k = CLAIM_ROOT; k <= CLAIM_UNKNOWN && !win; k++)
		win = best_of(r, (enum claim)k);
	if (!win)
		win = warned_at_the_end(r);
	if (!win) {
		without_candidate(d);
		for (size_t i = 0; i < r->n; i++)
			if (r->v[i].claim == CLAIM_WARNED)
				lose(&r->v[i],
				    "logged as a warning, not as an error");
		return list_others(r, NULL);
	}
	if (win->claim > CLAIM_UNCAUGHT)
		win = warned_before(r, win);
	for (size_t i = 0; i < r->n; i++)
		if (&r->v[i] != win && r->v[i].claim == CLAIM_WARNED)
			lose(&r->v[i], "logged as a warning, not as an error");
	d->failed = 1;
	d->confidence = confidence_of(r, win);
	if (win->evidence) {
		d->rule = win->evidence->rule;
		d->category = &tax->categories[d->rule->category];
	}
	fingerprint(d, win);
	if (proofs_add(&d->evidence,
		(struct proof){ win->log, win->evidence, win->event,
		    "the root failure",
		    win->evidence ? win->evidence->count : 1 }))
		return -1;
	return list_others(r, win);
}

int rank_job(struct diagnosis *d, const struct taxonomy *tax, struct err *e)
{
	struct ranking r = { .d = d };
	int rc = -1;

	if (gather(&r))
		goto out;
	if (r.n)
		qsort(r.v, r.n, sizeof *r.v, by_place);
	settle_chains(&r);
	rc = decide(&r, tax);
out:
	free(r.v);
	return rc ? err_nomem(e) : 0;
}
