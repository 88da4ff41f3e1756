/*
 * From evidence to one root failure.
 *
 * First each candidate is judged alone: did the run survive it, is it the
 * wrapper of another, was it only a warning. What is left is sorted by the
 * claim it has, and of those with the best claim the earliest of the last
 * failing episode wins. Everything else keeps the reason why it lost.
 */
#include "diagnose/decision/rank.h"

#include "diagnose/decision/candidates.h"
#include "diagnose/decision/chains.h"
#include "diagnose/decision/conclusion.h"
#include "diagnose/decision/ends.h"
#include "diagnose/decision/survival.h"
#include "diagnose/decision/usual.h"

#include "base/err.h"
#include "diagnose/job_record.h"

#include <stdlib.h>

/* Lines from the end of a log in which a warning can be what ended it. */
#define LAST_WORDS 10
/* Lines behind a command that leaves nothing undone. */
#define LOOKED 2
/* Lines that a script and its tools write at most behind a program that ended.
 */
#define SCRIPT_LINES 20
/* Lines of an earlier kind behind an error that tell that a loop went on, if
 * they are a third of those; and errors that are more than what was handled. */
#define RESUMED 3
#define AGAIN 3

/* ---- episodes ---- */

/* Whether the main program of a job that only has children of its own ended on
 * it, and they with it. */
static bool main_died(const struct candidate *c)
{
	return c->event && c->event->uncaught && !c->log->peers;
}

/* Whether the program that died of a was started again, and died as it read its
 * modules: of ranks side by side none is so far behind. */
static bool begun_anew(const struct candidate *a, const struct candidate *b)
{
	return a->event && b->event && a->event->uncaught &&
	    b->event->uncaught && candidates_same_program(a, b) &&
	    !findings_importing(a->event) && findings_importing(b->event) &&
	    b->first_line > a->last_line;
}

/* A process dies once: of two ends in a log that only one process at a time
 * writes, the later one is of another launch or step, or the first was caught.
 * It is the same episode where the one can follow from the other. */
static bool another_death(const struct taxonomy *tax, const struct candidate *a,
    const struct candidate *b)
{
	bool traces = a->event && b->event && a->event->kind == EVENT_TRACE &&
	    b->event->kind == EVENT_TRACE;

	if (begun_anew(a, b))
		return true;
	if ((a->log->parallel && !(main_died(a) && main_died(b))) ||
	    a->rank >= 0 || b->rank >= 0 || (a->event && a->event->thread) ||
	    (b->event && b->event->thread) || b->first_line <= a->last_line)
		return false;
	if (traces)
		return (a->event->cell && b->event->cell) ||
		    candidates_same_program(a, b) || !ends_follows_step(tax, b);
	return a->died && b->died &&
	    (a->speaker == SPEAKER_JOB) == (b->speaker == SPEAKER_JOB) &&
	    !candidates_told_twice(a, b) && !ends_follows(tax, b, a, true);
}

/* Whether the tasks had exited of a when the scheduler cleaned up with b. */
static bool exited_before(const struct candidate *a, const struct candidate *b)
{
	const struct findings *log = b->log;

	return b->speaker == SPEAKER_SCHEDULER && a->died &&
	    a->log_at == b->log_at && log->exit_code > 0 &&
	    log->exit_line > a->last_line && log->exit_line < b->line &&
	    b->line - log->exit_line <= NEAR;
}

/* Whether b, later in the log, belongs to another episode than a. */
static bool new_episode(const struct taxonomy *tax, const struct candidate *a,
    const struct candidate *b)
{
	/* ranks work on while one of them dies */
	if (findings_progress_after(
		candidates_before(b), candidates_before(a)) &&
	    !(a->died && a->log->parallel && b->line <= a->last_line + NEAR))
		return true;
	if (exited_before(a, b) ||
	    (a->rank >= 0 && b->rank >= 0 && a->rank != b->rank))
		return false;
	return another_death(tax, a, b) || b->line > a->last_line + EPISODE_GAP;
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

			c->episode = last->episode +
			    (!lasting && new_episode(r->tax, last, c));
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
			candidates_lose(c, "a later failure ended the job");
	}
}

/* Whether the others wait for the rank of c, as flight recorders tell. */
static bool awaited(const struct candidate *c, const struct collective *waits)
{
	for (size_t i = 0; waits->by != BY_WATCHDOG && i < waits->n_late; i++)
		if (waits->late[i].rank == c->rank)
			return true;
	return false;
}

/* Whether the process of the first, which came earlier in the log, lived
 * through it and ended of the other, which cannot follow from it. */
static bool outlived(const struct taxonomy *tax, const struct candidate *first,
    const struct candidate *later)
{
	bool alone =
	    !first->log->parallel && first->rank < 0 && later->rank < 0;
	bool import = candidates_importing(first);
	/* it was nothing's end, and the log's last words come after more output
	 */
	bool went_on = !first->died && later->ordinary_after <= NEAR &&
	    candidates_between(first, later) > NEAR;
	bool ends = later->event || later->died || went_on ||
	    (later->evidence && later->evidence->rule->lasting);

	return (import ? ends
		       : (alone || went_on) && candidates_specific(later) &&
			   (ends || !first->event)) &&
	    first->speaker == SPEAKER_JOB && later->speaker == SPEAKER_JOB &&
	    !candidates_same_category(first, later) &&
	    !ends_follows(tax, later, first, true);
}

/* Whether a is a better answer than b, both of one claim and in the last
 * episodes of their logs. What outlived what is of two, so the best of all
 * depends on the order in which they are asked: it is that of the logs. */
static bool better(const struct taxonomy *tax, const struct candidate *a,
    const struct candidate *b, const struct collective *waits)
{
	bool thread_a = a->event && a->event->thread;
	bool thread_b = b->event && b->event->thread;

	if (thread_a != thread_b)
		return thread_b;
	if (a->log_at == b->log_at) {
		const struct candidate *first = a->line < b->line ? a : b;
		const struct candidate *later = first == a ? b : a;

		if (outlived(tax, first, later))
			return later == a;
		if (survival_passing(a) != survival_passing(b))
			return survival_passing(b);
		return first == a;
	}
	if (awaited(a, waits) != awaited(b, waits))
		return awaited(a, waits);
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

	usual_settle(r, claim);
	settle_episodes(r, claim);
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].claim == claim &&
		    (!best ||
			better(
			    r->tax, &r->v[i], best, &r->d->facts.collective)))
			best = &r->v[i];
	return best;
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
 * knows) is explained by a warning of its cause before it; any other failure
 * by one right before it that it can follow from. */
static struct candidate *warned_before(struct ranking *r, struct candidate *win)
{
	bool tells = win->claim <= CLAIM_UNCAUGHT;

	for (size_t i = 0; i < r->n; i++) {
		struct candidate *c = &r->v[i];

		if (c->claim == CLAIM_WARNED && c->log_at == win->log_at &&
		    c->line < win->line &&
		    win->line - c->last_line <= (tells ? NEAR : EPISODE_GAP) &&
		    (!tells || ends_follows_from(r->tax, win, c)))
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

/* What only confirms, where there is nothing to confirm, no word of a good end,
 * and the job's own log does not go on behind it. */
static struct candidate *alone(struct ranking *r)
{
	for (size_t i = 0; i < r->n; i++) {
		struct candidate *c = &r->v[i];

		if (c->claim == CLAIM_CONFIRMATION && !c->why &&
		    c->evidence->rule->alone && !c->log->ended_well &&
		    (c->speaker != SPEAKER_SCHEDULER ||
			c->ordinary_after <= NEAR))
			return c;
	}
	return NULL;
}

/* Whether the log goes on behind it as it did before anything went wrong: with
 * lines that differ from earlier ones in numbers only. What goes wrong again
 * and again, as tests and compilers do, goes on all the same. */
static bool resumed(const struct ranking *r, const struct candidate *c)
{
	const struct findings *f = c->log;
	size_t open = 0, n = 0;
	uint64_t first = 0;

	if (c->ordinary_after <= NEAR || f->n_recurring < RESUMED)
		return false;
	for (size_t i = 0; i < r->n && open <= AGAIN; i++) {
		const struct candidate *o = &r->v[i];

		if (o->log == f && !o->why && o->claim <= CLAIM_WARNED &&
		    !open++)
			first = o->first_line;
	}
	for (size_t i = 0; i < f->n_recurring; i++)
		n += f->recurring[i].line > c->last_line &&
		    f->recurring[i].first < first;
	return open <= AGAIN && n >= RESUMED && 3 * n >= c->ordinary_after;
}

/* Whether a log that tells of no end goes on behind what was handled. What a
 * program has hardly printed before it may be written late. */
static bool went_on(const struct ranking *r, const struct candidate *c)
{
	return c->ordinary_before > NEAR / 2 &&
	    (!c->died || (c->event && c->event->uncaught)) &&
	    c->log->exit_code <= 0 && !c->log->cut &&
	    (c->ordinary_after >
		    (c->handled == HANDLED_SURELY ? NEAR : SCRIPT_LINES) ||
		resumed(r, c)) &&
	    !survival_script_ended(c);
}

/* Lines of output behind a line that show that it ended nothing: none are
 * needed where it tells itself how it went on, or was said by a command that
 * leaves nothing undone when the work had been done, and few behind such a
 * command before it. */
static uint64_t lines_enough(const struct candidate *c)
{
	const struct findings *f = c->log;
	struct progress before = candidates_before(c);

	if (c->aside == ASIDE_HANDLED)
		return 0;
	if (c->aside == ASIDE_LOOKS)
		return before.epoch >= 0 || before.step >= 0 ||
			(f->done_line && f->done_line < c->line)
		    ? 0
		    : LOOKED;
	return 1 + (c->aside != ASIDE_NONE ? NEAR : EPISODE_GAP / 2);
}

/* A line that need not have ended anything, or an exception that was handled,
 * at length before the end of a log that tells of no end. */
static bool left_behind(const struct ranking *r, const struct candidate *c)
{
	bool line = !c->event ||
	    (c->event->kind == EVENT_BARE &&
		(c->claim == CLAIM_ROOT || c->aside != ASIDE_NONE));

	if (c->handled && went_on(r, c))
		return true;
	return c->evidence && line && !c->died && c->speaker == SPEAKER_JOB &&
	    !c->evidence->rule->lasting && !c->log->parallel && !c->log->cut &&
	    c->log->exit_code <= 0 &&
	    (c->ordinary_after >= lines_enough(c) || resumed(r, c));
}

/* Where no log tells more than such lines, the job is not known to have
 * failed. */
static void settle_left_behind(struct ranking *r)
{
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < r->n; i++) {
			struct candidate *c = &r->v[i];

			if (c->why || c->claim > CLAIM_UNKNOWN)
				continue;
			if (!left_behind(r, c))
				return;
			if (pass)
				candidates_lose(c,
				    "the log goes on behind it, and tells of "
				    "no end");
		}
}

/* The fault of a node that the job died of. One that need not end a job, or may
 * have come up after it, leaves the job a cause of its own that cannot follow
 * from it. */
static struct candidate *of_node(struct ranking *r)
{
	struct candidate *win = best_of(r, CLAIM_NODE), *own;

	if (!win || win->log->of_node == NODE_SURE)
		return win;
	own = best_of(r, CLAIM_ROOT);
	if (!own || candidates_same_category(own, win) ||
	    (ends_follows(r->tax, own, win, false) &&
		(candidates_specific(own) || !main_died(own))))
		return win;
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].claim == CLAIM_NODE)
			candidates_lose(&r->v[i],
			    "a node logged it at that time, but the job tells "
			    "a cause of its own");
	return NULL;
}

/* All that was only warned of, but win; which may be NULL. */
static void drop_warned(struct ranking *r, const struct candidate *win)
{
	for (size_t i = 0; i < r->n; i++) {
		struct candidate *c = &r->v[i];

		if (c != win && c->claim == CLAIM_WARNED)
			candidates_lose(c,
			    c->event && c->event->request
				? "raised where it ends nothing, and ignored"
				: "logged as a warning, not as an error");
	}
}

static int decide(struct ranking *r)
{
	struct diagnosis *d = r->d;
	struct candidate *win = NULL;

	if (!d->record || d->record->end != JOB_END_FAILED)
		settle_left_behind(r);
	win = of_node(r);
	for (int k = CLAIM_ROOT; k <= CLAIM_UNKNOWN && !win; k++)
		win = best_of(r, (enum claim)k);
	if (!win)
		win = warned_at_the_end(r);
	if (!win && (!d->record || d->record->end != JOB_END_WELL))
		win = alone(r);
	if (!win) {
		without_candidate(d);
		drop_warned(r, NULL);
		return conclusion_write(r, NULL);
	}
	win = warned_before(r, win);
	drop_warned(r, win);
	return conclusion_write(r, win);
}

int rank_job(struct diagnosis *d, const struct taxonomy *tax, struct err *e)
{
	struct ranking r = { .d = d, .tax = tax };
	int rc = -1;

	if (collective_find(d, tax, &d->facts.collective) < 0 ||
	    candidates_gather(&r))
		goto out;
	survival_judge(&r);
	chains_settle(&r);
	ends_settle(&r);
	rc = decide(&r);
out:
	free(r.v);
	return rc ? err_nomem(e) : 0;
}
