/* Each fact by the one who reads it: diagnose/signals, mostly. */
#include "diagnose/job_facts.h"

#include "base/err.h"
#include "diagnose/decision/success.h"
#include "diagnose/diagnosis.h"
#include "diagnose/job_record.h"
#include "diagnose/signals/checkpoint.h"
#include "diagnose/signals/facts.h"
#include "diagnose/signals/stage.h"

/* The step at which a fault that lasts (a loss that is not a number) was first
 * printed: by the curves, if they were kept; else its rule names the step, or
 * the log does just before. */
static int64_t first_lasting_step(
    const struct job_facts *f, const struct evidence *ev)
{
	const char *step;

	if (!ev || !ev->rule->lasting)
		return -1;
	if (f->nan.series && f->nan.at.at.step >= 0)
		return f->nan.at.at.step;
	step = findings_capture(ev, "step");
	if (step)
		return span_number(span_of(step));
	/* the line itself says more than the one before it */
	if (ev->here.step >= 0)
		return ev->here.step;
	return ev->before.step;
}

static void of_root(
    struct job_facts *f, const struct diagnosis *d, const struct taxonomy *tax)
{
	const struct proof *root = d->evidence.n ? d->evidence.v : NULL;

	f->stage = stage_find(d, tax);
	f->inputs = inputs_of(d);
	if (!root)
		return;
	f->first_error_rank = proof_rank(root);
	f->first_nan_step = first_lasting_step(f, root->evidence);
	if (root->event && root->event->user_frame)
		f->frame = &root->event->frame;
	f->out_of_memory =
	    root->evidence && memory_read(root->evidence, &f->memory);
}

/* What an earlier launch said is no word about this end. */
static bool of_last_launch(const struct findings *log)
{
	return !log->declared.line || !log->n_launches ||
	    findings_launch_of(log, log->declared.line) ==
	    findings_last_launch(log);
}

static void of_logs(struct job_facts *f, const struct diagnosis *d)
{
	for (size_t i = 0; i < d->n_logs; i++) {
		const struct findings *log = d->logs[i];

		if (!f->framework)
			f->framework = log->framework;
		if (log->declared.reason && of_last_launch(log))
			f->declared = log;
		if (log->exit_code >= 0)
			f->exit_code = log->exit_code;
		if (log->signal >= 0)
			f->signal = log->signal;
		if ((f->last.step < 0 && f->last.epoch < 0) ||
		    findings_progress_after(log->last, f->last))
			f->last = log->last;
	}
	f->saved = checkpoint_last(d);
	f->nan = trends_nan(trends_log(d));
}

int job_facts_find(
    struct diagnosis *d, const struct taxonomy *tax, struct err *e)
{
	struct job_facts *f = &d->facts;

	trends_release(&f->trends);
	*f = (struct job_facts){
		.collective = f->collective,
		.last = { -1, -1 },
		.exit_code = d->record ? d->record->exit_code : -1,
		.signal = d->record ? d->record->signal : -1,
		.first_error_rank = -1,
		.first_nan_step = -1,
	};
	of_logs(f, d);
	of_root(f, d, tax);
	f->done = success_before(d);
	if (trends_find(d, tax, &f->trends))
		return err_nomem(e);
	return 0;
}

void job_facts_release(struct job_facts *f)
{
	collective_release(&f->collective);
	trends_release(&f->trends);
}
