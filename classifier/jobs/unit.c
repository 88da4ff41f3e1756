/*
 * Logs come one after the other (the members of an archive in its order); the
 * findings of each are put to its job, and the jobs are diagnosed at the end,
 * or early, oldest first, when an archive holds many: those whose folder has
 * been left, or any when their findings would not fit the limit. While threads
 * have nothing else to do, they scan logs from a queue; the findings come back
 * in the order of the logs, so all that follows is as without.
 */
#include "jobs/unit.h"

#include "base/array.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/pool.h"
#include "diagnose/evidence/scan.h"
#include "input/below.h"
#include "jobs/budget.h"
#include "jobs/accounting.h"
#include "jobs/judge.h"
#include "jobs/nodes.h"
#include "jobs/stamp.h"
#include "jobs/unit_job.h"
#include "jobs/unit_queue.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The part of the limit for findings from which on jobs are let go. */
#define LET_GO 64

struct run {
	struct unit *u;
	const struct unit_work *w;
	const struct triage_options *o; /* its */
	struct unit_reader *reader;
	struct triage_counters *counters;
	struct err *e;
	const char *outer;          /* the file in progress */
	const char *opened;         /* the last that has shown a log in it */
	struct budget_owner *owner; /* whose it is; NULL: nobody asks */
	int64_t charged;            /* to the owner so far; by scan_clock */
	struct unit_queue *queue;
	struct unit_log own;  /* that is in no queue */
	struct unit_log *log; /* in progress, or NULL */
	bool stored;          /* it is stored in the queue */
	int64_t began;        /* the log, or the unit; by scan_clock */
	void *tree;           /* of all jobs */
	struct job *first, *last;
	void *gone;  /* hashes of the keys of those let go; the tree's own */
	size_t held; /* bytes of findings */
	bool failed; /* out of memory, or the sink said stop */
	bool full;   /* one job's findings are over the limit */
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
	for (size_t i = 0; i < u->n_opened; i++)
		free(u->opened[i]);
	free(u->opened);
	for (size_t i = 0; i < u->n_done; i++)
		diagnosis_release(&u->done[i]);
	free(u->done);
	unit_notes_release(&u->notes);
	free(u->paths);
	free(u->given);
	free(u->key);
	free(u->job);
	free(u);
}

int unit_add_path(struct unit *u, const char *path, size_t given)
{
	if (u->n_paths == u->cap_paths) {
		size_t cap = u->cap_paths ? u->cap_paths * 2 : 2;
		char **v = realloc(u->paths, cap * sizeof *v);
		size_t *g;

		if (!v)
			return -1;
		u->paths = v;
		g = realloc(u->given, cap * sizeof *g);
		if (!g)
			return -1;
		u->given = g;
		u->cap_paths = cap;
	}
	u->given[u->n_paths] = given;
	u->paths[u->n_paths] = span_dup(span_of(path));
	return u->paths[u->n_paths] ? (u->n_paths++, 0) : -1;
}

/* ---- jobs ---- */

static int by_key(const void *a, const void *b)
{
	const struct job *x = a, *y = b;

	return strcmp(x->key, y->key);
}

static void job_free(struct run *r, struct job *j)
{
	tdelete(j, &r->tree, by_key);
	unit_job_release(j);
	free(j);
}

/* What one job may take. */
static void give_time(const struct run *r, struct job *j)
{
	j->time.matching = (int64_t)r->o->limits->v[LIMIT_MATCH_TIME] * 1000;
	j->time.reading = (int64_t)r->o->limits->v[LIMIT_JOB_TIME] * 1000;
}

/* Move a job with all its logs to *out; it begins anew if more come. */
static int take_job(struct run *r, struct job *j, struct job *out)
{
	if (j->prev)
		j->prev->next = j->next;
	else
		r->first = j->next;
	if (j->next)
		j->next->prev = j->prev;
	else
		r->last = j->prev;
	r->held -= j->bytes;
	*out = (struct job){
		.key = j->key,
		.name = j->name,
		.cluster = j->cluster,
		.attempt = j->attempt,
		.told = j->told,
		.named = j->named,
		.logs = j->logs,
		.n_logs = j->n_logs,
	};
	if (!j->coming) {
		tdelete(j, &r->tree, by_key);
		free(j);
		return 0;
	}
	out->key = span_dup(span_of(j->key));
	out->name = span_dup(span_of(j->name));
	out->cluster = j->cluster ? span_dup(span_of(j->cluster)) : NULL;
	j->logs = NULL;
	j->n_logs = j->bytes = 0;
	j->listed = false;
	give_time(r, j);
	return out->key && out->name && !out->cluster == !j->cluster
	    ? 0
	    : err_nomem(r->e);
}

/* Diagnose the oldest job and send the answer on. */
static int finish_first(struct run *r)
{
	const struct accounting *records = r->o->records;
	struct buf lookup = BUF_INIT(BUF_MAX);
	const struct job_record *rec = NULL;
	struct diagnosis d = { 0 };
	struct job job, *j = &job;
	int rc = take_job(r, r->first, j);

	if (!rc &&
	    accounting_lookup_text(unit_job_cluster(j, r->o), j->name,
		j->told ? j->attempt : 0, &lookup))
		rc = err_nomem(r->e);
	if (r->u->one && !rc) {
		rec = unit_job_own_record(r->u->one, j, r->o);
	} else if (!rc && records) {
		rec = accounting_lookup(records, lookup.p);
		j->named |= rec != NULL;
		if (rec)
			accounting_use(records, rec);
	}
	if (!rc && rec)
		rc = unit_job_record(j, rec, r->reader, r->e);
	if (!rc)
		rc = unit_job_diagnose(j, rec, r->o, &d, r->e);
	unit_job_release(j);
	if (!rc && r->u->one && !r->u->one->recorded)
		r->u->one->record.id = d.job;
	if (!rc)
		d.lookup = buf_take(&lookup);
	buf_release(&lookup);
	if (rc)
		return -1;
	r->counters->jobs++;
	return r->w->job(r->w->ctx, r->u, &d);
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
	j->cluster = id->cluster ? span_dup(span_of(id->cluster)) : NULL;
	j->scope = r->u->job ? 0 : id->scope;
	j->named = r->u->job && !one;
	j->attempt = !r->u->job   ? id->attempt
	    : one && one->attempt ? one->attempt
				  : 1;
	give_time(r, j);
	if (!j->key || !j->name || !j->cluster != !id->cluster ||
	    !tsearch(j, &r->tree, by_key)) {
		unit_job_release(j);
		free(j);
		return NULL;
	}
	return j;
}

/* The job's first log, or it has none. */
static void list_job(struct run *r, struct job *j, bool told)
{
	j->told = r->u->job ? r->u->one && (r->u->one->attempt || r->u->one->id)
			    : told;
	j->listed = true;
	j->next = NULL;
	j->prev = r->last;
	if (r->last)
		r->last->next = j;
	else
		r->first = j;
	r->last = j;
}

/* ---- logs that have been read ---- */

static void out_of_memory(struct run *r)
{
	err_nomem(r->e);
	r->failed = true;
}

static void tell(
    struct run *r, const char *path, enum input_note kind, const char *text)
{
	r->counters->notes[kind]++;
	if (unit_notes_add(&r->u->notes, path, kind, text))
		out_of_memory(r);
}

/* What was lost after a log had been read. */
static void tell_limit(struct run *r, const char *path, const char *text)
{
	tell(r, path, NOTE_LIMIT, text);
}

static int by_value(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)a, y = (uintptr_t)b;

	return (x > y) - (x < y);
}

static void *mark_of(const struct job *j)
{
	return (void *)(uintptr_t)hash_of(j->key, strlen(j->key)).low;
}

/* Whether path lies outside of the folder that all logs of a job lie in. */
static bool has_left(const struct job *j, const char *path)
{
	return j->scope && strncmp(j->logs[0]->path, path, j->scope) != 0;
}

/* Of many jobs, the oldest need not wait for the archive's end when the log at
 * path is in another folder: an archive hardly comes back to one. */
static void let_go(struct run *r, const char *path)
{
	const uint64_t many = r->o->limits->v[LIMIT_PENDING] / LET_GO;

	while (!r->failed && r->held > many && has_left(r->first, path))
		if (!tsearch(mark_of(r->first), &r->gone, by_value))
			out_of_memory(r);
		else if (finish_first(r))
			r->failed = true;
}

/* Findings are over the limit: one job takes no more, of many the oldest are
 * finished. */
static void make_room(struct run *r, const char *path)
{
	const uint64_t limit = r->o->limits->v[LIMIT_PENDING];

	if (r->u->one && r->held > limit) {
		tell_limit(
		    r, path, "the logs after it are not read (limit pending)");
		r->full = true;
	}
	while (!r->u->one && r->held > limit && !r->failed) {
		tell_limit(r, r->first->name,
		    "reported before its archive was read to the end (limit "
		    "pending)");
		if (finish_first(r))
			r->failed = true;
	}
}

/* A log, or notes, whose turn has come. */
static void take_log(struct run *r, struct unit_log *l)
{
	struct findings *f = l->f;
	struct job *j = l->job;

	if (j)
		j->coming--;
	if (l->failed)
		out_of_memory(r);
	if (r->failed || (j && r->full))
		return;
	for (size_t i = 0; i < l->notes.n; i++)
		tell(r, l->notes.v[i].path, l->notes.v[i].kind,
		    l->notes.v[i].text);
	if (!j)
		return;
	l->f = NULL;
	if (f->limited)
		tell_limit(r, f->path,
		    "rules were left out: see the notes of the diagnosis");
	if (!j->listed && r->gone && tfind(mark_of(j), &r->gone, by_value))
		tell_limit(r, j->name,
		    "the archive comes back to its folder: told of without "
		    "the logs before (limit pending)");
	if (!j->listed)
		list_job(r, j, l->told);
	if (unit_job_add(j, f)) {
		out_of_memory(r);
		return;
	}
	r->held += findings_size(f);
	r->counters->logs++;
	let_go(r, f->path);
	make_room(r, f->path);
}

/* All whose turn has come. */
static void take_logs(struct run *r)
{
	struct unit_log *l;

	while (!r->failed && r->queue && (l = unit_queue_first(r->queue))) {
		take_log(r, l);
		unit_queue_drop(r->queue);
	}
}

/* Scan one, or wait for one, that there may be room for more. */
static void help(struct run *r)
{
	unit_queue_work(r->queue, r->reader);
	take_logs(r);
}

/* Where the next log, or a note in its place, goes. stored: in the queue. */
static struct unit_log *new_log(struct run *r, bool stored)
{
	struct unit_log *l = NULL;

	if (!stored && (!r->queue || unit_queue_empty(r->queue))) {
		unit_log_release(&r->own);
		return &r->own;
	}
	while (!r->failed && !(l = unit_queue_add(r->queue)))
		help(r);
	return l;
}

/* Whether a log is one of several, which other threads would help with. */
static bool for_queue(struct run *r, const char *path)
{
	if (r->u->n_paths == 1 && strcmp(path, r->outer) == 0)
		return false;
	if (!r->queue && pool_spare(r->w->pool) > 0)
		r->queue = unit_queue_new(r->w->pool, r->w->readers);
	return r->queue && unit_queue_helps(r->queue);
}

/* ---- what the owner of a file has left ---- */

/* Why no more of the file is to be read; NULL: it is. */
static const char *spend(struct run *r)
{
	int64_t now = scan_clock();

	if (!r->owner)
		return NULL;
	budget_spend(r->owner, now - r->charged);
	r->charged = now;
	return budget_left(r->w->budget, r->owner) > 0
	    ? NULL
	    : budget_why(r->w->budget, r->owner);
}

/* Of the file in progress, or of the log that it is. -1: no more of it. */
static int in_budget(struct run *r)
{
	const char *why = spend(r);
	char text[160];

	if (!why)
		return 0;
	snprintf(text, sizeof text, "the rest is not read: %s", why);
	if (!r->log)
		tell_limit(r, r->outer, text);
	else if (unit_notes_add(&r->log->notes, r->log->path, NOTE_LIMIT, text))
		out_of_memory(r);
	return -1;
}

/* ---- the input's sink ---- */

/* The file in progress shows what is in it: should a store know it as a log
 * that could not be read, it is none. */
static int note_opened(struct run *r)
{
	struct unit *u = r->u;
	struct log_id id;

	if (!r->o->memory || u->job || r->opened == r->outer)
		return 0;
	r->opened = r->outer;
	if (array_grow(
		&u->opened, u->n_opened, &u->cap_opened, sizeof *u->opened))
		return err_nomem(r->e);
	if (layout_match(r->o->layout, r->outer, &id, r->e))
		return -1;
	u->opened[u->n_opened] = layout_absolute(id.key, r->o->base);
	layout_id_release(&id);
	return u->opened[u->n_opened] ? (u->n_opened++, 0) : err_nomem(r->e);
}

static int on_begin(void *ctx, const char *path)
{
	struct run *r = ctx;
	struct log_id id;
	struct unit_log *l;
	struct job *j;

	take_logs(r);
	if (r->failed)
		return -1;
	if (r->full)
		return 1;
	if (strcmp(path, r->outer) != 0 &&
	    !files_wanted_member(&r->o->files, r->o->taxonomy, path)) {
		r->counters->others++;
		return 1;
	}
	/* one that is left out whole was asked about before */
	if (strcmp(path, r->outer) != 0 && in_budget(r))
		return r->failed ? -1 : 1;
	if ((strcmp(path, r->outer) != 0 && note_opened(r)) ||
	    layout_match(r->o->layout, path, &id, r->e)) {
		r->failed = true;
		return -1;
	}
	if (shard_splits(r->o, r->outer) && !shard_has_log(r->o, &id)) {
		layout_id_release(&id);
		return 1;
	}
	r->stored = for_queue(r, path);
	l = new_log(r, r->stored);
	j = l ? job_for(r, &id) : NULL;
	if (j) {
		j->coming++;
		l->job = j;
		l->time = &j->time;
		l->rank = id.rank;
		l->told = id.attempt_named;
		l->node = id.node;
		id.node = NULL;
		l->path = span_dup(span_of(path));
	}
	layout_id_release(&id);
	if (!j || !l->path) {
		if (!r->failed)
			out_of_memory(r);
		return -1;
	}
	r->log = l;
	r->began = scan_clock();
	if (!r->stored)
		unit_log_begin(l, r->reader);
	return 0;
}

/* The log in progress is too large to be stored: scan it as it comes. */
static int begin_late(struct run *r)
{
	struct span s = unit_queue_stored(r->queue);

	r->stored = false;
	r->log->took = scan_clock() - r->began;
	unit_log_begin(r->log, r->reader);
	return s.n ? unit_log_data(r->log, r->reader, s.p, s.n) : 0;
}

static int on_data(void *ctx, const char *p, size_t n)
{
	struct run *r = ctx;
	enum unit_queue_room room = UNIT_QUEUE_FULL;
	int64_t from;

	r->counters->log_bytes += n;
	if (in_budget(r))
		return -1;
	while (r->stored && !r->failed && room == UNIT_QUEUE_FULL) {
		room = unit_queue_store(r->queue, p, n);
		if (room == UNIT_QUEUE_STORED)
			return 0;
		if (room == UNIT_QUEUE_TOO_LARGE && begin_late(r))
			return -1;
		if (room == UNIT_QUEUE_FULL) {
			from = scan_clock();
			help(r);
			r->began += scan_clock() - from;
		}
	}
	return r->failed ? -1 : unit_log_data(r->log, r->reader, p, n);
}

static void on_end(void *ctx, bool whole)
{
	struct run *r = ctx;
	struct unit_log *l = r->log;

	r->log = NULL;
	l->whole = whole;
	if (r->stored)
		l->took = scan_clock() - r->began;
	else
		unit_log_end(l, r->reader);
	if (l == &r->own)
		take_log(r, l);
	else
		unit_queue_put(r->queue, !r->stored);
	take_logs(r);
}

static void on_note(
    void *ctx, const char *path, enum input_note kind, const char *text)
{
	struct run *r = ctx;
	struct unit_log *l = r->log ? r->log : new_log(r, false);

	if (!l)
		return;
	if (unit_notes_add(&l->notes, path, kind, text))
		out_of_memory(r);
	if (r->log)
		return;
	if (l == &r->own)
		take_log(r, l);
	else
		unit_queue_put(r->queue, true);
}

/* What a log that is a pipe may still take; before it has begun, a job. */
static int on_patience(void *ctx)
{
	const struct run *r = ctx;
	int64_t left = r->log ? r->log->time->reading
			      : (int64_t)r->o->limits->v[LIMIT_JOB_TIME] * 1000;

	left -= scan_clock() - r->began;
	if (r->owner && budget_left(r->w->budget, r->owner) < left)
		left = budget_left(r->w->budget, r->owner);
	left /= 1000;
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

/* A file that is not read, as the log that it may be: its job is told of. */
static int leave_out(struct run *r, const char *why)
{
	int rc;

	budget_leave(r->owner);
	r->u->stamp = (struct hash_value){ 0, 0 };
	rc = on_begin(r, r->outer);
	if (rc)
		return rc < 0 ? -1 : 0;
	r->log->unread = why;
	on_end(r, false);
	return 0;
}

static int read_file(
    struct run *r, const struct below *at, const struct input_sink *in)
{
	const char *why;
	int rc;

	if (r->w->budget && !(r->owner = budget_owner(r->w->budget, r->outer)))
		return err_nomem(r->e);
	r->charged = scan_clock();
	why = spend(r);
	if (why)
		return leave_out(r, why);
	rc = input_read_below(at, r->o->limits, in, r->e);
	(void)spend(r);
	return rc;
}

/* Read all files of the unit. */
static int read_files(struct run *r)
{
	const struct input_sink in = { .ctx = r,
		.begin = on_begin,
		.data = on_data,
		.end = on_end,
		.note = on_note,
		.progress = on_progress,
		.patience = on_patience,
		.pool = r->w->pool };
	struct unit *u = r->u;
	int rc = 0;

	scan_use_pool(r->reader->scan, r->w->pool);
	for (size_t i = 0; i < u->n_paths && !rc; i++) {
		const struct below at = { u->paths[i], u->given[i],
			r->o->follow, &r->reader->folder };

		r->outer = u->paths[i];
		rc = read_file(r, &at, &in);
		if (r->failed)
			rc = -1;
		r->counters->files++;
	}
	while (!rc && r->queue && !unit_queue_empty(r->queue)) {
		help(r);
		if (r->failed)
			rc = -1;
	}
	scan_leave(r->reader->scan);
	scan_use_pool(r->reader->scan, NULL);
	unit_queue_free(r->queue);
	unit_log_release(&r->own);
	return rc;
}

/* What is read of an archive depends on the shard, too. */
static void stamp(struct unit *u, const struct triage_options *o)
{
	bool split = false;

	u->stamp = stamp_files(u->paths, u->n_paths);
	for (size_t i = 0; i < u->n_paths && !split; i++)
		split = shard_splits(o, u->paths[i]);
	if (o->nodes && (u->stamp.low || u->stamp.high))
		hash_join(&u->stamp, nodes_stamp(o->nodes));
	if (split && (u->stamp.low || u->stamp.high))
		hash_join(&u->stamp, hash_of(&o->shard, sizeof o->shard));
}

int unit_run(struct unit *u, const struct unit_work *w,
    struct unit_reader *reader, struct err *e)
{
	const struct triage_options *o = w->o;
	struct run r = { .u = u,
		.w = w,
		.o = o,
		.reader = reader,
		.counters = w->counters,
		.e = e,
		.began = scan_clock() };
	const struct log_id no_log = { .rank = -1 };
	int rc = 0;

	if (o->memory) {
		stamp(u, o);
		rc = recall(u, o, e);
		if (rc)
			return rc < 0 ? -1 : 0;
	}
	rc = read_files(&r);
	if (!rc && u->one && !r.first) {
		struct job *j = job_for(&r, &no_log);

		if (j)
			list_job(&r, j, false);
		else
			rc = err_nomem(e);
	}
	while (!rc && r.first)
		rc = finish_first(&r);
	while (r.tree)
		job_free(&r, *(struct job **)r.tree);
	while (r.gone)
		tdelete(*(void **)r.gone, &r.gone, by_value);
	return rc;
}
