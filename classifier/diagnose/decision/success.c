/*
 * What a run says of its work counts as long as no step comes after it, in the
 * launch that was the last. A failure of the run's own after that is one: a
 * result that could not be written, a second part of the script.
 */
#include "diagnose/decision/success.h"

/* Lines that a tear-down, and what hangs in it, write. */
#define TEAR_DOWN 400

/* Whether a log says so shortly before a line, and makes no step after that. */
static bool done_before(const struct findings *f, uint64_t line)
{
	return f->done_line && f->done_line < line &&
	    line - f->done_line <= TEAR_DOWN &&
	    f->last_line_of_progress <= f->done_line;
}

bool success_told(const struct findings *f)
{
	return done_before(f, f->lines + 1);
}

/* Whether the user's own program raised it. */
static bool of_program(const struct event *e)
{
	return e && !e->thread && e->kind != EVENT_BLOCK &&
	    (e->kind == EVENT_BARE || e->uncaught || e->user_frame ||
		!e->complete);
}

const char *success_torn_down(const struct candidate *c)
{
	const struct event *e = c->event;

	if (c->log->of_record || !done_before(c->log, c->first_line) ||
	    of_program(e) ||
	    (c->log->exit_code > 0 && c->log->exit_line > c->log->done_line))
		return NULL;
	if (c->claim == CLAIM_CONSEQUENCE ||
	    (e && e->kind == EVENT_TRACE && c->speaker == SPEAKER_JOB))
		return "the work was done: it came while the run was torn down";
	return NULL;
}

/* Whether the scheduler, the kernel, a signal or another process ended it:
 * nothing of what the program itself does. */
static bool from_outside(const struct proof *p)
{
	const struct rule *r = p->evidence ? p->evidence->rule : NULL;

	return r && !of_program(p->event) &&
	    (p->event || r->ends_process || r->word_of != SPEAKER_JOB ||
		r->role == ROLE_CONSEQUENCE);
}

/* Whether another log of the job says so before a time, and ends with it. */
static bool done_elsewhere(const struct findings *f, const struct proof *p)
{
	int64_t time = proof_time(p);

	if (f->of_record || f == p->log || !success_told(f))
		return false;
	if (f->done_time != ENVELOPE_NO_TIME && time != ENVELOPE_NO_TIME)
		return f->done_time <= time;
	return true;
}

const struct findings *success_before(const struct diagnosis *d)
{
	const struct proof *p = d->evidence.n ? d->evidence.v : NULL;

	if (d->failed != 1 || (p && !p->log->of_record && !from_outside(p)))
		return NULL;
	if (p && !p->log->of_record && done_before(p->log, proof_line(p)))
		return p->log;
	for (size_t i = 0; i < d->n_logs; i++) {
		const struct findings *f = d->logs[i];

		if (p ? done_elsewhere(f, p) : !f->of_record && success_told(f))
			return f;
	}
	return NULL;
}
