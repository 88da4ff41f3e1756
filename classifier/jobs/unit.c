/*
 * Logs come one after the other (the members of an archive in its order); the
 * findings of each are put to its job, and the jobs are diagnosed at the end,
 * or early, oldest first, when an archive holds so many that their findings
 * would not fit the limit.
 */
#include "jobs/unit.h"

#include "base/buf.h"
#include "base/err.h"
#include "diagnose/scan.h"
#include "jobs/accounting.h"
#include "jobs/judge.h"
#include "jobs/stamp.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct job {
	char *key; /* first: what the tree compares */
	char *name;
	int attempt; /* from 1 */
	bool told;   /* by the path */
	struct findings **logs;
	size_t n_logs;
	size_t bytes;            /* held by the findings */
	int64_t spent;           /* microseconds of reading its logs */
	struct scan_time time;   /* until: of the log in progress */
	struct job *next, *prev; /* in the order of their first logs */
};

struct run {
	struct unit *u;
	const struct triage_options *o;
	struct scan *scan;
	struct triage_counters *counters;
	const struct unit_sink *sink;
	struct err *e;
	struct hash *content; /* of the log in progress, or NULL */
	void *tree;
	struct job *first, *last, *current;
	size_t held;   /* bytes of findings */
	int64_t began; /* the log in progress, or the unit; by scan_clock */
	bool failed;   /* out of memory, or the sink said stop */
	bool full;     /* one job's findings are over the limit */
};

/* ---- units ---- */

struct unit *unit_new(void)
{
	return calloc(1, sizeof(struct unit));
}

void unit_free(struct unit *u)
{
	if (!u)
		return;
	for (size_t i = 0; i < u->n_paths; i++)
		free(u->paths[i]);
	for (size_t i = 0; i < u->n_notes; i++) {
		free(u->notes[i].path);
		free(u->notes[i].text);
	}
	for (size_t i = 0; i < u->n_done; i++)
		diagnosis_release(&u->done[i]);
	free(u->done);
	free(u->notes);
	free(u->paths);
	free(u->key);
	free(u->job);
	free(u);
}

int unit_add_path(struct unit *u, const char *path)
{
	if (u->n_paths == u->cap_paths) {
		size_t cap = u->cap_paths ? u->cap_paths * 2 : 2;
		char **v = realloc(u->paths, cap * sizeof *v);

		if (!v)
			return err_nomem(NULL);
		u->paths = v;
		u->cap_paths = cap;
	}
	u->paths[u->n_paths] = span_dup(span_of(path));
	return u->paths[u->n_paths] ? (u->n_paths++, 0) : -1;
}

int unit_add_note(
    struct unit *u, const char *path, enum input_note kind, const char *text)
{
	struct unit_note *v = realloc(u->notes, (u->n_notes + 1) * sizeof *v);

	if (!v)
		return err_nomem(NULL);
	u->notes = v;
	v += u->n_notes++;
	*v = (struct unit_note){ span_dup(span_of(path)),
		span_dup(span_of(text)), kind };
	return v->path && v->text ? 0 : -1;
}

/* ---- jobs ---- */

static int by_key(const void *a, const void *b)
{
	const struct job *x = a, *y = b;

	return strcmp(x->key, y->key);
}

static void job_free(struct job *j)
{
	for (size_t i = 0; i < j->n_logs; i++)
		findings_free(j->logs[i]);
	free(j->logs);
	free(j->key);
	free(j->name);
	free(j);
}

static void unlink_job(struct run *r, struct job *j)
{
	tdelete(j, &r->tree, by_key);
	if (j->prev)
		j->prev->next = j->next;
	else
		r->first = j->next;
	if (j->next)
		j->next->prev = j->prev;
	else
		r->last = j->prev;
	r->held -= j->bytes;
}

static int add_log(struct job *j, struct findings *f)
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

/* Root failure, cost and verdict of a job whose logs have all been read. Takes
 * the job's logs over. */
static int diagnose(struct job *j, const struct job_record *rec,
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
	d->key = j->key;
	j->key = NULL;
	if (judge_job(d, o->taxonomy, o->redact, e)) {
		diagnosis_release(d);
		return -1;
	}
	return 0;
}

int unit_record(struct diagnosis *d, const struct job_record *rec,
    const struct triage_options *o, struct scan *s, struct err *e)
{
	struct job j = { 0 };
	struct buf key = BUF_INIT(BUF_MAX);
	struct findings *f = judge_record(rec, NULL, s, e);
	int rc = -1;

	if (!f)
		goto out;
	if (add_log(&j, f) || buf_addf(&key, "record|%s", rec->id) ||
	    !(j.key = buf_take(&key))) {
		err_nomem(e);
		goto out;
	}
	rc = diagnose(&j, rec, o, d, e);
out:
	for (size_t i = 0; i < j.n_logs; i++)
		findings_free(j.logs[i]);
	free(j.logs);
	free(j.key);
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

/* The record of the one job, in its own copy. NULL: nothing is known. */
static const struct job_record *own_record(
    struct triage_job *t, struct job *j, const struct accounting *records)
{
	const struct job_record *rec = NULL;

	if (records)
		rec = accounting_find(records, j->name, t->attempt);
	/* accounts often keep the last attempt alone, and so as the first */
	if (!rec && records && t->attempt > 1) {
		rec = accounting_find(records, j->name, 0);
		if (rec &&
		    (rec->attempt > 1 ||
			(rec->requeues >= 0 &&
			    rec->requeues + 1 != t->attempt)))
			rec = NULL;
	}
	t->recorded = rec != NULL;
	t->named |= t->recorded;
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
			  };
	if (t->attempt)
		t->record.attempt = t->attempt;
	if (t->exit_code >= 0 || t->signal >= 0)
		told_end(&t->record, t);
	return &t->record;
}

/* Diagnose a job and send the answer on; the job is gone afterwards. */
static int finish_job(struct run *r, struct job *j)
{
	const struct accounting *records = r->o->records;
	struct buf lookup = BUF_INIT(BUF_MAX);
	const struct job_record *rec = NULL;
	struct findings *f;
	struct diagnosis d = { 0 };
	int rc = 0;

	unlink_job(r, j);
	if (buf_addf(&lookup, "%d %s", j->told ? j->attempt : 0, j->name))
		rc = err_nomem(r->e);
	if (r->u->one) {
		rec = own_record(r->u->one, j, records);
	} else if (!rc && records) {
		rec = accounting_lookup(records, lookup.p);
		if (rec)
			accounting_use(records, rec);
	}
	if (rec) {
		f = judge_record(rec, NULL, r->scan, r->e);
		if (!f)
			rc = -1;
		else if (add_log(j, f))
			rc = err_nomem(r->e);
	}
	if (!rc)
		rc = diagnose(j, rec, r->o, &d, r->e);
	job_free(j);
	if (!rc && r->u->one && !r->u->one->recorded)
		r->u->one->record.id = d.job;
	if (!rc)
		d.lookup = buf_take(&lookup);
	buf_release(&lookup);
	if (rc)
		return -1;
	r->counters->jobs++;
	return r->sink->job(r->sink->ctx, r->u, &d);
}

/* The job a log belongs to, made when it is new. */
static struct job *job_for(struct run *r, const struct log_id *id)
{
	const char *key = !r->u->job ? id->key : r->u->key ? r->u->key : "";
	const char *name = r->u->job ? r->u->job : id->job;
	const struct triage_job *one = r->u->one;
	struct job want = { .key = (char *)(uintptr_t)key }, *j;
	void *at = tfind(&want, &r->tree, by_key);

	if (at)
		return *(struct job **)at;
	j = calloc(1, sizeof *j);
	if (!j)
		return NULL;
	j->key = span_dup(span_of(key));
	j->name = span_dup(span_of(name));
	j->attempt = !r->u->job   ? id->attempt
	    : one && one->attempt ? one->attempt
				  : 1;
	j->time.matching = (int64_t)r->o->limits->v[LIMIT_MATCH_TIME] * 1000;
	j->told =
	    r->u->job ? one && (one->attempt || one->id) : id->attempt_told;
	if (!j->key || !j->name || !tsearch(j, &r->tree, by_key)) {
		job_free(j);
		return NULL;
	}
	j->prev = r->last;
	if (r->last)
		r->last->next = j;
	else
		r->first = j;
	r->last = j;
	return j;
}

/* ---- the input's sink ---- */

static void on_note(
    void *ctx, const char *path, enum input_note kind, const char *text);

/* Microseconds that reading the logs of a job may take. */
static int64_t job_time(const struct run *r)
{
	return (int64_t)r->o->limits->v[LIMIT_JOB_TIME] * 1000;
}

/* The job's time is over, which ends this log. */
static int too_late(struct run *r, const char *path)
{
	char text[120];

	snprintf(text, sizeof text,
	    "the rest is not read: %g seconds are over (limit job-time)",
	    (double)job_time(r) / 1e6);
	on_note(r, path, NOTE_LIMIT, text);
	return -1;
}

static int on_begin(void *ctx, const char *path)
{
	struct run *r = ctx;
	struct log_id id;

	if (r->failed)
		return -1;
	if (r->full)
		return 1;
	r->failed = true;
	if (layout_match(r->o->layout, path, &id, r->e))
		return -1;
	r->current = job_for(r, &id);
	if (!r->current) {
		err_nomem(r->e);
		goto out;
	}
	if (scan_begin(r->scan, path, id.rank, id.node, r->e))
		goto out;
	r->began = scan_clock();
	r->current->time.until = r->began + job_time(r) - r->current->spent;
	scan_within(r->scan, &r->current->time);
	if (r->content)
		hash_reset(r->content);
	r->failed = false;
out:
	log_id_release(&id);
	return r->failed ? -1 : 0;
}

static int on_data(void *ctx, const char *p, size_t n)
{
	struct run *r = ctx;

	r->counters->log_bytes += n;
	if (r->content)
		hash_add(r->content, p, n);
	if (scan_feed(r->scan, p, n, r->e))
		r->failed = true;
	if (!r->failed && scan_clock() >= r->current->time.until)
		return too_late(r, scan_findings(r->scan)->path);
	return r->failed ? -1 : 0;
}

/* What was lost after a log had been read. */
static void tell_limit(struct run *r, const char *path, const char *text)
{
	r->counters->notes[NOTE_LIMIT]++;
	unit_add_note(r->u, path, NOTE_LIMIT, text);
}

static void on_end(void *ctx, bool whole)
{
	struct run *r = ctx;
	struct findings *f;

	if (r->failed || !r->current) {
		scan_leave(r->scan);
		return;
	}
	f = scan_end(r->scan, whole, r->e);
	scan_within(r->scan, NULL);
	r->current->spent += scan_clock() - r->began;
	if (f && r->content)
		f->content = hash_end(r->content);
	if (f && f->limited) {
		tell_limit(r, f->path,
		    "rules were left out: see the notes of the diagnosis");
	}
	if (!f || add_log(r->current, f)) {
		if (f)
			err_nomem(r->e);
		r->failed = true;
		return;
	}
	r->held += findings_size(f);
	r->current = NULL;
	r->counters->logs++;
	if (r->u->one && r->held > r->o->limits->v[LIMIT_PENDING]) {
		tell_limit(r, f->path,
		    "the logs after it are not read (limit pending)");
		r->full = true;
	}
	while (!r->u->one && r->held > r->o->limits->v[LIMIT_PENDING] &&
	    !r->failed) {
		tell_limit(r, r->first->name,
		    "reported before its archive was read to the end (limit "
		    "pending)");
		if (finish_job(r, r->first))
			r->failed = true;
	}
}

static void on_note(
    void *ctx, const char *path, enum input_note kind, const char *text)
{
	struct run *r = ctx;
	struct findings *f = scan_findings(r->scan);
	char line[512];

	r->counters->notes[kind]++;
	if (unit_add_note(r->u, path, kind, text))
		r->failed = true;
	if (f && r->current) {
		snprintf(
		    line, sizeof line, "%s: %s", input_note_name(kind), text);
		findings_note(f, line);
	}
}

/* What a log that is a pipe may still take; before it has begun, a job. */
static int on_patience(void *ctx)
{
	const struct run *r = ctx;
	int64_t until =
	    r->current ? r->current->time.until : r->began + job_time(r);
	int64_t left = (until - scan_clock()) / 1000;

	return left < 0 ? 0 : left > 1000000000 ? 1000000000 : (int)left;
}

static void on_progress(void *ctx, uint64_t bytes)
{
	struct run *r = ctx;

	r->counters->bytes += bytes;
}

/* Whether the memory knows u's files: then it need not be read. -1: error. */
static int recall(struct unit *u, const struct triage_options *o, struct err *e)
{
	if (u->stamp.low == 0 && u->stamp.high == 0)
		return 0;
	return o->memory->recall(o->memory->ctx, u->stamp, &u->recalled, e);
}

int unit_run(struct unit *u, const struct triage_options *o, struct scan *s,
    struct triage_counters *counters, const struct unit_sink *sink,
    struct err *e)
{
	struct run r = { .u = u,
		.o = o,
		.scan = s,
		.counters = counters,
		.sink = sink,
		.e = e,
		.began = scan_clock() };
	const struct input_sink in = { &r, on_begin, on_data, on_end, on_note,
		on_progress, on_patience, &counters->idle };
	const struct log_id no_log = { .rank = -1 };
	int rc = 0;

	if (o->memory) {
		u->stamp = stamp_files(u->paths, u->n_paths);
		rc = recall(u, o, e);
		if (rc)
			return rc < 0 ? -1 : 0;
	}
	if (o->memory || o->hash_content) {
		r.content = hash_new();
		if (!r.content)
			return err_nomem(e);
	}
	scan_spare(s, &counters->idle);
	for (size_t i = 0; i < u->n_paths && !rc; i++) {
		rc = input_read(u->paths[i], o->limits, &in, e);
		if (r.failed)
			rc = -1;
		counters->files++;
	}
	scan_leave(s);
	scan_spare(s, NULL);
	if (!rc && u->one && !r.first && !job_for(&r, &no_log))
		rc = err_nomem(e);
	while (!rc && r.first)
		rc = finish_job(&r, r.first);
	while (r.first) {
		struct job *j = r.first;

		unlink_job(&r, j);
		job_free(j);
	}
	hash_free(r.content);
	return rc;
}
