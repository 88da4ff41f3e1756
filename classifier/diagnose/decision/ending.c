/*
 * That nothing is seen to have failed is no proof: a process that is killed
 * from outside dies in silence. What proves a good end is the word of someone
 * who knows: the scheduler's record, an exit status, or the log's own last
 * lines. A log that is still written, or that stops in the middle of
 * something, is told apart from one that just ends.
 */
#include "diagnose/decision/ending.h"

#include "diagnose/decision/success.h"

#include "base/buf.h"
#include "base/err.h"
#include "diagnose/diagnosis.h"
#include "diagnose/job_record.h"

const char *ending_name(enum ending e)
{
	static const char *const names[] = {
		[ENDING_UNKNOWN] = NULL,
		[ENDING_PROVEN] = "proven",
		[ENDING_UNPROVEN] = "unproven",
		[ENDING_CUT] = "cut",
		[ENDING_RUNNING] = "running",
	};

	return names[e];
}

static enum job_end told_by_record(const struct diagnosis *d)
{
	return d->record ? d->record->end : JOB_END_UNKNOWN;
}

const char *ending_cut_words(enum cut cut)
{
	switch (cut) {
	case CUT_BAR:
		return "in a progress bar that is not full";
	case CUT_TRACE:
		return "in a traceback";
	case CUT_LINE:
		return "in the middle of a line";
	case CUT_NO:
	case CUT_OPEN:
		break;
	}
	return "";
}

const struct findings *ending_cut_log(const struct diagnosis *d)
{
	for (size_t i = 0; i < d->n_logs; i++)
		if (d->logs[i]->cut != CUT_NO && !d->logs[i]->no_text)
			return d->logs[i];
	return NULL;
}

/* Whether the root is a traceback that the log's end has cut off. */
static bool cut_root(const struct diagnosis *d)
{
	const struct proof *p = d->evidence.n ? d->evidence.v : NULL;

	return p && !p->evidence && p->event && !p->event->complete &&
	    p->log->cut == CUT_TRACE && told_by_record(d) != JOB_END_FAILED;
}

static enum ending by_logs(const struct diagnosis *d)
{
	bool well = false, text = false, whole = true, other = false;

	for (size_t i = 0; i < d->n_logs; i++) {
		const struct findings *f = d->logs[i];

		if (f->of_record)
			continue;
		if (f->growing)
			return ENDING_RUNNING;
		well |= (f->ended_well || success_told(f)) && f->cut == CUT_NO;
		text |= f->bytes > 0 && !f->no_text;
		other |= f->no_text;
		whole &= f->whole;
	}
	if (!text)
		return whole || other ? ENDING_UNKNOWN : ENDING_CUT;
	if (well)
		return ENDING_PROVEN;
	return ending_cut_log(d) || !whole ? ENDING_CUT : ENDING_UNPROVEN;
}

static enum ending find(const struct diagnosis *d)
{
	switch (told_by_record(d)) {
	case JOB_END_WELL:
		return ENDING_PROVEN;
	case JOB_END_PENDING:
	case JOB_END_RUNNING:
		return ENDING_RUNNING;
	case JOB_END_FAILED:
	case JOB_END_UNKNOWN:
		break;
	}
	return by_logs(d);
}

void ending_running(struct diagnosis *d)
{
	d->ending = ENDING_RUNNING;
	d->failed = -1;
	d->confidence = CONFIDENCE_LOW;
}

/* Input that is no text is told: it can have said anything. */
static int note_no_text(struct diagnosis *d, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < d->n_logs && !rc; i++) {
		struct buf b = BUF_INIT(BUF_MAX);

		if (d->logs[i]->no_text)
			rc = buf_addf(
				 &b, "%s: it is no text", d->logs[i]->path) ||
			    diagnosis_note(d, b.p);
		buf_release(&b);
	}
	return rc ? err_nomem(e) : 0;
}

int ending_find(struct diagnosis *d, struct err *e)
{
	d->ending = ENDING_UNKNOWN;
	if (d->failed == 1 && cut_root(d)) {
		d->failed = -1;
		d->ending = ENDING_CUT;
	} else if (d->failed != 1) {
		d->ending = find(d);
		d->failed = d->ending == ENDING_PROVEN ? 0 : -1;
	}
	if (d->failed < 0)
		d->confidence = CONFIDENCE_LOW;
	return note_no_text(d, e);
}
