/*
 * The end of a command is told to the rules in the words of a job record, as
 * the gate does; so both come to the same answer. A record's run time is the
 * one that was measured.
 */
#include "live/answer.h"

#include "base/buf.h"
#include "base/err.h"
#include "diagnose/evidence/scan.h"
#include "jobs/judge.h"
#include "jobs/layout.h"
#include "jobs/reason_file.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

void answer_release(struct live_answer *a)
{
	diagnosis_release(&a->d);
	a->diagnosed = false;
}

/* No scheduler has given it a state. */
static void fill_record(struct job_record *r, const struct live_options *o,
    const struct answer_end *end)
{
	static char oom[] = "OOMKilled"; /* as Kubernetes has it */
	bool bad = end->exit_code > 0 || end->signal > 0;

	*r = (struct job_record){
		.path = "exit status",
		.line = 1,
		.end = bad ? JOB_END_FAILED : JOB_END_WELL,
		.attempt = o->attempt ? o->attempt : 1,
		.reason = bad && end->out_of_memory ? oom : NULL,
		.requeues = -1,
		.exit_code = end->exit_code,
		.signal = end->signal,
		.submitted = ENVELOPE_NO_TIME,
		.started = end->started,
		.ended = end->ended,
		.seconds = (end->ended - end->started) / 1000000,
		.gpus = USAGE_UNKNOWN,
		.gpu_seconds = USAGE_UNKNOWN,
	};
}

/* A shell would have printed what ended the command, when that was its own
 * doing; that we ended it is told, too. The rules know the words. */
static int add_end(const struct answer_end *end, struct buf *words)
{
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE,
		SIGILL };

	for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
		if (end->signal == crashes[i])
			return buf_addf(
			    words, "\n%s\n", strsignal(end->signal));
	return end->stopped
	    ? buf_addf(words, "\nstopped by jobtriage: %s\n", end->stopped)
	    : 0;
}

/* What the rules see in the record. */
static struct findings *record_findings(const struct job_record *r,
    const struct live_options *o, const struct answer_end *end, struct err *e)
{
	struct buf words = BUF_INIT(BUF_MAX);
	struct scan *s = scan_new(o->triage->engine, e);
	struct findings *f = NULL;

	if (s && add_end(end, &words))
		err_nomem(e);
	else if (s)
		f = judge_record(r, words.p, s, NULL, e);
	scan_free(s);
	buf_release(&words);
	return f;
}

/* Root failure, cost and verdict. Takes the logs over. */
static int diagnose(struct live_answer *a, const struct live_options *o,
    struct findings **logs, size_t n, struct err *e)
{
	struct diagnosis *d = &a->d;
	struct buf lookup = BUF_INIT(BUF_MAX);
	struct log_id id;
	char *said = NULL; /* of a command that has ended */
	int rc;

	if (layout_match(o->triage->layout, logs[0]->path, &id, e)) {
		for (size_t i = 0; i < n; i++)
			findings_free(logs[i]);
		free(logs);
		return -1;
	}
	rc = diagnosis_init(d, o->job ? o->job : id.job,
	    o->attempt ? o->attempt : id.attempt, logs, n, e);
	if (rc)
		goto out;
	a->diagnosed = true;
	if (n > 1)
		d->record = &a->record;
	a->record.id = d->job;
	d->key = layout_absolute(id.key, o->triage->base);
	d->placed = !o->job;
	if (o->triage->cluster)
		d->cluster = span_dup(span_of(o->triage->cluster));
	d->placed &= !d->cluster || !layout_is_number(span_of(d->job));
	if (!d->key || !d->cluster != !o->triage->cluster ||
	    buf_addf(&lookup, "%d %s", o->attempt, d->job) ||
	    !(d->lookup = buf_take(&lookup)))
		rc = err_nomem(e);
	if (!rc && n > 1)
		said = reason_file_read(a->record.started / 1000000);
	rc = rc || reason_file_tell(d, o->triage->taxonomy, said, e) ||
	    judge_job(d, o->triage->taxonomy, o->triage->redact, e);
	free(said);
	if (rc)
		answer_release(a);
out:
	buf_release(&lookup);
	layout_id_release(&id);
	return rc ? -1 : 0;
}

int answer_make(struct live_answer *a, const struct live_options *o,
    struct findings *f, const struct answer_end *end, struct err *e)
{
	struct findings **logs = calloc(2, sizeof(struct findings *));
	size_t n = 0;

	if (!logs) {
		findings_free(f);
		return err_nomem(e);
	}
	logs[n++] = f;
	if (end) {
		fill_record(&a->record, o, end);
		logs[n] = record_findings(&a->record, o, end, e);
		if (!logs[n]) {
			findings_free(f);
			free(logs);
			return -1;
		}
		n++;
	}
	return diagnose(a, o, logs, n, e);
}
