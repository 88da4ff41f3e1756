/*
 * What tells a job from others is decided here: its cluster and its id where
 * these are known, else the place of its logs, too.
 */
#include "jobs/unit_job.h"

#include "base/buf.h"
#include "base/err.h"
#include "jobs/accounting.h"
#include "jobs/judge.h"
#include "jobs/layout.h"
#include "jobs/nodes.h"
#include "jobs/reason_file.h"
#include "jobs/unit.h"

#include <stdlib.h>

void unit_job_release(struct job *j)
{
	for (size_t i = 0; i < j->n_logs; i++)
		findings_free(j->logs[i]);
	free(j->logs);
	free(j->key);
	free(j->name);
	free(j->cluster);
}

int unit_job_add(struct job *j, struct findings *f)
{
	struct findings **v = realloc(j->logs, (j->n_logs + 1) * sizeof *v);

	if (!v) {
		findings_free(f);
		return -1;
	}
	j->logs = v;
	v[j->n_logs++] = f;
	j->bytes += findings_size(f);
	return 0;
}

const char *unit_job_cluster(
    const struct job *j, const struct triage_options *o)
{
	return j->cluster ? j->cluster : o->cluster;
}

/* Whose id it is. A number that a cluster has given is one job's. */
static int identify(
    struct diagnosis *d, const struct job *j, const struct triage_options *o)
{
	const char *cluster = d->record && d->record->cluster
	    ? d->record->cluster
	    : unit_job_cluster(j, o);

	if (!cluster)
		return 0;
	d->cluster = span_dup(span_of(cluster));
	d->placed &= !layout_is_number(span_of(d->job));
	return d->cluster ? 0 : -1;
}

int unit_job_diagnose(struct job *j, const struct job_record *rec,
    const struct triage_options *o, struct diagnosis *d, struct err *e)
{
	size_t n = j->n_logs;

	j->n_logs = 0;
	if (diagnosis_init(d, rec ? rec->id : j->name,
		rec ? rec->attempt : j->attempt, j->logs, n, e)) {
		j->logs = NULL;
		return -1;
	}
	j->logs = NULL;
	d->record = rec;
	d->usual = o->usual;
	d->key = layout_absolute(j->key, o->base);
	d->placed = !j->named;
	if (!d->key || identify(d, j, o))
		err_nomem(e);
	else if (o->nodes && nodes_join(o->nodes, d, o->records, e))
		;
	else if (!reason_file_tell(d, o->taxonomy, o->declared, e) &&
	    !judge_job(d, o->taxonomy, o->redact, e))
		return 0;
	diagnosis_release(d);
	return -1;
}

int unit_job_record(struct job *j, const struct job_record *rec,
    const struct unit_reader *reader, struct err *e)
{
	struct findings *f =
	    judge_record(rec, NULL, reader->scan, reader->memory, e);

	if (!f)
		return -1;
	return unit_job_add(j, f) ? err_nomem(e) : 0;
}

int unit_record(struct diagnosis *d, const struct job_record *rec,
    const struct triage_options *o, const struct unit_reader *reader,
    struct err *e)
{
	struct job j = { .named = true };
	const char *cluster = rec->cluster;
	struct buf key = BUF_INIT(BUF_MAX);
	int rc = unit_job_record(&j, rec, reader, e);

	if (!rc &&
	    (buf_addf(&key, "record|%s%s%s", cluster ? cluster : "",
		 cluster ? "|" : "", rec->id) ||
		!(j.key = buf_take(&key))))
		rc = err_nomem(e);
	if (!rc)
		rc = unit_job_diagnose(&j, rec, o, d, e);
	unit_job_release(&j);
	buf_release(&key);
	return rc;
}

/* The end that was told, where the record does not know it or is older. */
static void told_end(struct job_record *r, const struct triage_job *t)
{
	static char well[] = "COMPLETED", failed[] = "FAILED";
	bool bad = t->exit_code > 0 || t->signal > 0;

	if (r->end != JOB_END_WELL && r->end != JOB_END_FAILED) {
		r->state = bad ? failed : well;
		r->end = bad ? JOB_END_FAILED : JOB_END_WELL;
	}
	if (r->exit_code < 0)
		r->exit_code = t->exit_code;
	if (r->signal < 0)
		r->signal = t->signal < 0 ? 0 : t->signal;
}

const struct job_record *unit_job_own_record(
    struct triage_job *t, struct job *j, const struct triage_options *o)
{
	const struct accounting *records = o->records;
	const char *cluster = unit_job_cluster(j, o);
	const struct job_record *rec = NULL;

	if (records)
		rec = accounting_find(records, cluster, j->name, t->attempt);
	/* accounts often keep the last attempt alone, and so as the first */
	if (!rec && records && t->attempt > 1) {
		rec = accounting_find(records, cluster, j->name, 0);
		if (rec &&
		    (rec->attempt > 1 ||
			(rec->requeues >= 0 &&
			    rec->requeues + 1 != t->attempt)))
			rec = NULL;
	}
	t->recorded = rec != NULL;
	t->named |= t->recorded;
	j->named = t->recorded || t->id;
	if (!rec && t->exit_code < 0 && t->signal < 0)
		return NULL;
	t->record = rec ? *rec
			: (struct job_record){
				  .path = "exit status",
				  .line = 1,
				  .id = j->name,
				  .attempt = j->attempt,
				  .requeues = -1,
				  .exit_code = -1,
				  .signal = -1,
				  .submitted = ENVELOPE_NO_TIME,
				  .started = ENVELOPE_NO_TIME,
				  .ended = ENVELOPE_NO_TIME,
				  .seconds = USAGE_UNKNOWN,
				  .gpus = USAGE_UNKNOWN,
				  .gpu_seconds = USAGE_UNKNOWN,
				  .cpus = USAGE_UNKNOWN,
			  };
	if (t->attempt)
		t->record.attempt = t->attempt;
	if (t->exit_code >= 0 || t->signal >= 0)
		told_end(&t->record, t);
	return &t->record;
}
