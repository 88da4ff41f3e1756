/*
 * The calling thread walks and fills a queue of units; a pool works on them;
 * answers leave in the order of the walk. A finished unit whose turn has not
 * come waits in a list; a unit with very many answers waits for its turn
 * instead of keeping them. The number of units under way is bounded, so the
 * walk stops while they are.
 */
#include "jobs/triage.h"

#include "base/array.h"
#include "base/err.h"
#include "base/pool.h"
#include "input/below.h"
#include "jobs/accounting.h"
#include "jobs/budget.h"
#include "jobs/unit.h"

#include <errno.h>
#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#define UNDER_WAY                                                            \
	1024         /* units handed out and not yet told; when there are so \
		      * many, the walk waits until there are half as many */
#define MOST_DONE 64 /* answers of one unit that wait for its turn */

struct triage {
	const struct triage_options *o;
	const struct triage_sink *sink;
	struct triage_counters *counters;
	struct pool *pool;
	struct pool_task task; /* as many calls as units in the queue */
	struct unit_readers readers;
	struct unit_work work;
	pthread_mutex_t lock;
	pthread_cond_t turn;  /* for threads: next_seq is another */
	pthread_cond_t fewer; /* for the walk: units are under way */
	/* under lock: */
	struct unit *queue, **queue_end;
	struct unit *waiting; /* done, by seq */
	uint64_t next_seq;    /* whose turn it is */
	uint64_t last_seq;    /* given to the newest unit, plus one */
	unsigned in_line;     /* threads that wait for their turn */
	bool telling;         /* a thread is, without the lock */
	bool walk_waits;
	bool stop; /* an error, or the sink said so */
	bool failed;
	struct err err;
	/* the walk's own: */
	void *tree;            /* pending units by key */
	struct unit **pending; /* in the order of their first files */
	size_t n_pending, cap_pending;
	size_t first_here;   /* of those of a folder with very many files */
	struct unit *newest; /* that the last file was put to, or NULL */
	size_t given;        /* of the path that is walked, see struct below */
};

/* ---- telling ---- */

static void stop(struct triage *t, const struct err *e)
{
	if (e && !t->failed) {
		t->failed = true;
		t->err = *e;
	}
	t->stop = true;
	pthread_cond_broadcast(&t->turn);
	pthread_cond_signal(&t->fewer);
}

/* Of the walk, which holds no lock. */
static void stop_for_memory(struct triage *t)
{
	struct err e;

	err_nomem(&e);
	pthread_mutex_lock(&t->lock);
	stop(t, &e);
	pthread_mutex_unlock(&t->lock);
}

/* Tell what a unit has; it is its turn. Not 0: the sink said stop. */
static int tell(const struct triage *t, struct unit *u, bool stopped)
{
	for (size_t i = 0; i < u->notes.n; i++)
		t->sink->note(t->sink->ctx, u->notes.v[i].path,
		    u->notes.v[i].kind, u->notes.v[i].text);
	for (size_t i = 0; i < u->n_done && !stopped; i++)
		if (t->sink->job(t->sink->ctx, &u->done[i]))
			return -1;
	if (!t->o->memory || u->n_paths == 0 || stopped)
		return 0;
	/* notes are told anew each time, so what has some is read anew */
	return u->recalled
	    ? t->sink->recalled(t->sink->ctx, u->recalled)
	    : t->sink->read(t->sink->ctx,
		  u->notes.n ? (struct hash_value){ 0, 0 } : u->stamp,
		  u->opened, u->n_opened);
}

static void drop(struct triage *t, struct unit *u)
{
	if (u->recalled)
		t->o->memory->drop(u->recalled);
	unit_free(u);
}

/* u is finished: tell it and all that waited for it, or let it wait. Others
 * finish theirs meanwhile, which then is told, too. The lock is held. */
static void finish(struct triage *t, struct unit *u)
{
	struct unit **at = &t->waiting;

	while (*at && (*at)->seq < u->seq)
		at = &(*at)->next;
	u->next = *at;
	*at = u;
	while (!t->telling && t->waiting && t->waiting->seq == t->next_seq) {
		struct unit *head = t->waiting;
		bool stopped = t->stop;
		int rc;

		t->waiting = head->next;
		t->telling = true;
		pthread_mutex_unlock(&t->lock);
		rc = tell(t, head, stopped);
		drop(t, head);
		pthread_mutex_lock(&t->lock);
		t->telling = false;
		if (rc)
			stop(t, NULL);
		t->next_seq++;
		if (t->walk_waits && t->last_seq - t->next_seq <= UNDER_WAY / 2)
			pthread_cond_signal(&t->fewer);
	}
	if (t->in_line)
		pthread_cond_broadcast(&t->turn);
}

/* An answer of a unit that a thread works on. */
static int on_job(void *ctx, struct unit *u, struct diagnosis *d)
{
	struct triage *t = ctx;
	struct diagnosis *v;
	int rc = 0;

	if (u->n_done < MOST_DONE) {
		v = realloc(u->done, (u->n_done + 1) * sizeof *v);
		if (!v) {
			diagnosis_release(d);
			return -1;
		}
		u->done = v;
		v[u->n_done++] = *d;
		return 0;
	}
	pthread_mutex_lock(&t->lock);
	t->in_line++;
	while (t->next_seq != u->seq && !t->stop)
		pthread_cond_wait(&t->turn, &t->lock);
	t->in_line--;
	/* its turn: what was kept goes first, then this one directly */
	if (!t->stop) {
		for (size_t i = 0; i < u->n_done; i++)
			if (!t->stop && t->sink->job(t->sink->ctx, &u->done[i]))
				stop(t, NULL);
		if (!t->stop && t->sink->job(t->sink->ctx, d))
			stop(t, NULL);
	}
	rc = t->stop ? -1 : 0;
	pthread_mutex_unlock(&t->lock);
	for (size_t i = 0; i < u->n_done; i++)
		diagnosis_release(&u->done[i]);
	u->n_done = 0;
	diagnosis_release(d);
	return rc;
}

/* The next unit in the queue, on a thread of the pool. */
static void work(void *ctx, unsigned thread)
{
	struct triage *t = ctx;
	struct err e = { .text = "out of memory", .lack = true };
	struct unit_reader *r = unit_readers_get(&t->readers, thread, &e);
	struct unit *u;

	pthread_mutex_lock(&t->lock);
	if (!r)
		stop(t, &e);
	if (!t->stop) {
		u = t->queue;
		t->queue = u->next;
		if (!t->queue)
			t->queue_end = &t->queue;
		u->next = NULL;
		pthread_mutex_unlock(&t->lock);
		int rc = unit_run(u, &t->work, r, &e);

		pthread_mutex_lock(&t->lock);
		if (rc && !t->stop)
			stop(t, &e);
		finish(t, u);
	}
	pthread_mutex_unlock(&t->lock);
}

/* ---- the walk ---- */

static int by_key(const void *a, const void *b)
{
	const struct unit *x = a, *y = b;

	return strcmp(x->key, y->key);
}

/* Hand a unit to the threads; waits while too many are under way. */
static int hand_out(struct triage *t, struct unit *u)
{
	struct err e;
	int rc;

	pthread_mutex_lock(&t->lock);
	t->walk_waits = t->last_seq - t->next_seq >= UNDER_WAY;
	while (t->walk_waits && t->last_seq - t->next_seq > UNDER_WAY / 2 &&
	    !t->stop)
		pthread_cond_wait(&t->fewer, &t->lock);
	t->walk_waits = false;
	rc = t->stop ? -1 : 0;
	if (rc) {
		unit_free(u);
	} else {
		u->seq = t->last_seq++;
		u->next = NULL;
		*t->queue_end = u;
		t->queue_end = &u->next;
		rc = pool_call(t->pool, &t->task, &e);
		if (rc)
			stop(t, &e);
	}
	pthread_mutex_unlock(&t->lock);
	return rc;
}

/* A folder has ended (NULL: everything has): units whose logs all lie in it
 * are complete. */
static int on_leave(void *ctx, const char *dir)
{
	struct triage *t = ctx;
	size_t n = dir ? strlen(dir) : 0, first = t->n_pending, kept;
	int rc = 0;

	/* those of this folder stand at the end of the list */
	while (first > 0) {
		const struct unit *u = t->pending[first - 1];

		/* without a path: there was no memory for it */
		if (dir &&
		    (!u->n_paths || strncmp(u->paths[0], dir, n) != 0 ||
			u->paths[0][n] != '/'))
			break;
		first--;
	}
	kept = first;
	for (size_t i = first; i < t->n_pending; i++) {
		struct unit *u = t->pending[i];

		if (rc || (dir && u->scope < n + 1)) {
			t->pending[kept++] = u;
			continue;
		}
		tdelete(u, &t->tree, by_key);
		rc = hand_out(t, u);
	}
	t->n_pending = kept;
	return rc;
}

static struct unit *unit_for(struct triage *t, struct log_id *id)
{
	struct unit want = { .key = id->key }, *u;
	void *at = tfind(&want, &t->tree, by_key);

	if (at)
		return *(struct unit **)at;
	if (array_grow(
		&t->pending, t->n_pending, &t->cap_pending, sizeof *t->pending))
		return NULL;
	u = unit_new();
	if (!u)
		return NULL;
	u->key = id->key;
	id->key = NULL;
	u->scope = id->scope;
	if (!tsearch(u, &t->tree, by_key)) {
		unit_free(u);
		return NULL;
	}
	t->pending[t->n_pending++] = u;
	return u;
}

static int on_file(void *ctx, const char *path, int64_t size)
{
	struct triage *t = ctx;
	struct log_id id;
	struct err e;
	struct unit *u;
	int rc = 0;

	(void)size;
	if (!files_wanted(&t->o->files, t->o->taxonomy, path, t->given)) {
		t->counters->others++;
		t->newest = NULL;
		return 0;
	}
	if (layout_match(t->o->layout, path, &id, &e)) {
		rc = -1;
	} else if (!shard_splits(t->o, path) && !shard_has_log(t->o, &id)) {
		t->newest = NULL;
	} else {
		u = unit_for(t, &id);
		t->newest = u;
		if (!u || unit_add_path(u, path, t->given))
			rc = -1;
	}
	layout_id_release(&id);
	if (rc)
		stop_for_memory(t);
	return rc;
}

static int on_group(void *ctx, const char *path, uint64_t *group)
{
	struct triage *t = ctx;
	struct log_id id;
	struct err e;

	t->first_here = t->n_pending;
	if (layout_match(t->o->layout, path, &id, &e)) {
		pthread_mutex_lock(&t->lock);
		stop(t, &e);
		pthread_mutex_unlock(&t->lock);
		return -1;
	}
	*group = hash_of(id.key, strlen(id.key)).low;
	layout_id_release(&id);
	return 0;
}

/* No more files for the unit of the last one: units leave in the order of
 * their first files, and before the folder ends if that is possible. */
static int on_last(void *ctx, const char *path)
{
	struct triage *t = ctx;
	size_t k = t->first_here, rest = k;
	int rc = 0;

	if (!t->newest || !t->newest->scope ||
	    path[t->newest->scope - 1] != '/' ||
	    strchr(path + t->newest->scope, '/'))
		return 0; /* other folders may have some */
	t->newest->complete = true;
	for (; k < t->n_pending && t->pending[k]->complete; k++) {
		tdelete(t->pending[k], &t->tree, by_key);
		if (rc)
			unit_free(t->pending[k]);
		else
			rc = hand_out(t, t->pending[k]);
	}
	memmove(t->pending + rest, t->pending + k,
	    (t->n_pending - k) * sizeof *t->pending);
	t->n_pending -= k - rest;
	return rc;
}

/* A note of the walk is a unit of its own, so that it keeps its place. */
static void on_note(
    void *ctx, const char *path, enum input_note kind, const char *text)
{
	struct triage *t = ctx;
	struct unit *u = unit_new();

	t->counters->notes[kind]++;
	if (u && !unit_notes_add(&u->notes, path, kind, text)) {
		(void)hand_out(t, u);
		return;
	}
	unit_free(u);
	stop_for_memory(t);
}

/* job_per_path: everything below a path is one unit and one job. */
struct gather {
	struct triage *t;
	struct unit *u;
	size_t given; /* of the path that is walked, as in struct below */
	bool failed;  /* out of memory */
};

static int gather_file(void *ctx, const char *path, int64_t size)
{
	struct gather *g = ctx;
	const struct triage_options *o = g->t->o;

	(void)size;
	if (!files_wanted(&o->files, o->taxonomy, path, g->given)) {
		g->t->counters->others++;
		return 0;
	}
	g->failed |= unit_add_path(g->u, path, g->given) != 0;
	return g->failed ? -1 : 0;
}

static int gather_leave(void *ctx, const char *dir)
{
	(void)ctx;
	(void)dir;
	return 0;
}

static void gather_note(
    void *ctx, const char *path, enum input_note kind, const char *text)
{
	struct gather *g = ctx;

	g->t->counters->notes[kind]++;
	g->failed |= unit_notes_add(&g->u->notes, path, kind, text) != 0;
}

/* An error's text without the place, which a note has already. */
static const char *without_path(const char *text, const char *path)
{
	size_t n = strlen(path);

	return strncmp(text, path, n) == 0 && text[n] == ':'
	    ? text + n + 1 + strspn(text + n + 1, " ")
	    : text;
}

/* Everything below a path becomes part of a unit. -1 with err set: out of
 * memory. */
static int gather(
    struct triage *t, struct unit *u, const char *path, struct err *err)
{
	struct gather g = { t, u, below_given(path), false };
	const struct walk_sink sink = {
		.ctx = &g,
		.file = gather_file,
		.leave = gather_leave,
		.note = gather_note,
		.follow = t->o->follow,
	};
	struct err e;

	if (walk_path(path, &sink, &e))
		gather_note(
		    &g, path, NOTE_UNREADABLE, without_path(e.text, path));
	return g.failed ? err_nomem(err) : 0;
}

static int walk_one(struct triage *t, const char *path, struct err *e)
{
	const struct walk_sink grouped = {
		.ctx = t,
		.file = on_file,
		.leave = on_leave,
		.note = on_note,
		.group = on_group,
		.last = on_last,
		.follow = t->o->follow,
	};
	struct unit *u;
	int rc;

	t->given = below_given(path);
	if (!t->o->job_per_path) {
		rc = walk_path(path, &grouped, e);
		if (rc)
			on_note(t, path, NOTE_UNREADABLE,
			    without_path(e->text, path));
		return 0;
	}
	u = unit_new();
	if (!u)
		return err_nomem(e);
	u->job = span_dup(span_of(path));
	if (!u->job) {
		unit_free(u);
		return err_nomem(e);
	}
	if (gather(t, u, path, e)) {
		unit_free(u);
		return -1;
	}
	(void)hand_out(t, u);
	return 0;
}

/* ---- one job ---- */

/* There is one answer. */
static int take(void *ctx, struct unit *u, struct diagnosis *d)
{
	struct diagnosis *out = ctx;

	(void)u;
	*out = *d;
	return 0;
}

/* What the job is called, and by what its logs are told from others. */
static int name_one(const struct triage_options *o, struct unit *u,
    struct triage_job *job, struct err *e)
{
	const char *first = u->n_paths ? u->paths[0]
	    : job->n_paths             ? job->paths[0]
				       : "unknown";
	struct log_id id;

	if (layout_match(o->layout, first, &id, e))
		return -1;
	u->key = id.key;
	id.key = NULL;
	u->job = span_dup(span_of(job->id ? job->id : id.job));
	job->named = job->id || id.attempt_named;
	if (!job->attempt && id.attempt_named)
		job->attempt = id.attempt;
	layout_id_release(&id);
	return u->job ? 0 : err_nomem(e);
}

/* What works on units: a pool, and something to read with for each of its
 * threads and for so many others. */
static int begin(struct triage *t, unsigned threads, unsigned others,
    int (*job)(void *ctx, struct unit *u, struct diagnosis *d), struct err *e)
{
	t->readers = (struct unit_readers){ .engine = t->o->engine,
		.limits = t->o->limits,
		.hash_content = t->o->memory || t->o->hash_content };
	t->pool = pool_new(threads, e);
	if (!t->pool || unit_readers_init(&t->readers, threads + others, e))
		return -1;
	t->work = (struct unit_work){ .o = t->o,
		.counters = t->counters,
		.pool = t->pool,
		.readers = &t->readers,
		.job = job,
		.ctx = t };
	return 0;
}

static void end(struct triage *t)
{
	pool_free(t->pool);
	unit_readers_release(&t->readers);
}

int triage_one(const struct triage_options *o, struct triage_job *job,
    const struct triage_sink *sink, struct diagnosis *out, struct err *e)
{
	const unsigned helpers = o->threads ? o->threads - 1 : 0;
	struct triage_counters counters = { 0 };
	struct triage t = { .o = o, .counters = &counters };
	struct unit *u = unit_new();
	struct unit_reader *r;
	int rc = -1;

	*out = (struct diagnosis){ 0 };
	if (!u) {
		err_nomem(e);
		goto out;
	}
	for (size_t i = 0; i < job->n_paths; i++)
		if (gather(&t, u, job->paths[i], e))
			goto out;
	if (name_one(o, u, job, e))
		goto out;
	u->one = job;
	if (begin(&t, helpers, 1, take, e))
		goto out;
	t.work.ctx = out;
	r = unit_readers_get(&t.readers, helpers, e);
	if (!r)
		goto out;
	rc = unit_run(u, &t.work, r, e);
	for (size_t i = 0; i < u->notes.n; i++)
		sink->note(sink->ctx, u->notes.v[i].path, u->notes.v[i].kind,
		    u->notes.v[i].text);
out:
	if (rc)
		diagnosis_release(out);
	end(&t);
	unit_free(u);
	return rc;
}

/* ---- the whole ---- */

static void walk_all(struct triage *t, const char *const *paths, size_t n)
{
	struct err e = { 0 };
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++)
		rc = walk_one(t, paths[i], &e);
	if (!rc)
		rc = on_leave(t, NULL) ? 1 : 0;
	for (size_t i = 0; i < t->n_pending; i++) {
		tdelete(t->pending[i], &t->tree, by_key);
		unit_free(t->pending[i]);
	}
	free(t->pending);
	if (rc < 0) {
		pthread_mutex_lock(&t->lock);
		stop(t, &e);
		pthread_mutex_unlock(&t->lock);
	}
}

static void free_list(struct triage *t, struct unit *u)
{
	while (u) {
		struct unit *next = u->next;

		drop(t, u);
		u = next;
	}
}

/* Whether the caller wants to hear of a record that no log belongs to. */
static bool wanted(const struct triage_options *o, const struct job_record *r)
{
	return shard_has_record(&o->shard, r) &&
	    !accounting_used(o->records, r) &&
	    (o->which_records == RECORDS_ALL ||
		(o->which_records == RECORDS_FAILED &&
		    r->end == JOB_END_FAILED));
}

/* All logs have been told; the threads have nothing to do. */
static void records_without_logs(struct triage *t)
{
	struct err e = { .text = "out of memory", .lack = true };
	const struct unit_reader *reader = unit_readers_get(&t->readers, 0, &e);

	if (!reader)
		stop(t, &e);
	for (size_t i = 0; !t->stop && i < accounting_count(t->o->records);
	     i++) {
		const struct job_record *r = accounting_at(t->o->records, i);
		struct diagnosis d;

		if (!wanted(t->o, r))
			continue;
		if (unit_record(&d, r, t->o, reader, &e)) {
			stop(t, &e);
			break;
		}
		t->counters->jobs++;
		if (t->sink->job(t->sink->ctx, &d) ||
		    (t->o->memory &&
			t->sink->read(t->sink->ctx, (struct hash_value){ 0, 0 },
			    NULL, 0)))
			stop(t, NULL);
		diagnosis_release(&d);
	}
}

static void tell_left_out(void *ctx, const char *who, const char *text)
{
	struct triage *t = ctx;

	t->counters->notes[NOTE_LIMIT]++;
	t->sink->note(t->sink->ctx, who, NOTE_LIMIT, text);
}

int triage_run(const struct triage_options *o, const char *const *paths,
    size_t n, const struct triage_sink *sink, struct triage_counters *counters,
    struct err *e)
{
	struct triage t = { .o = o, .sink = sink, .counters = counters };

	t.queue_end = &t.queue;
	t.task = (struct pool_task){ .run = work, .ctx = &t };
	pthread_mutex_init(&t.lock, NULL);
	pthread_cond_init(&t.turn, NULL);
	pthread_cond_init(&t.fewer, NULL);
	if (begin(&t, o->threads, 0, on_job, &t.err)) {
		t.failed = true;
	} else if (budget_bounds(o->limits) &&
	    !(t.work.budget = budget_new(o->limits))) {
		t.failed = true;
		err_nomem(&t.err);
	} else {
		walk_all(&t, paths, n);
		pool_wait(t.pool, &t.task);
		if (t.work.budget)
			budget_each(t.work.budget, tell_left_out, &t);
		if (!t.stop && o->records)
			records_without_logs(&t);
	}
	free_list(&t, t.queue);
	free_list(&t, t.waiting);
	end(&t);
	budget_free(t.work.budget);
	pthread_cond_destroy(&t.turn);
	pthread_cond_destroy(&t.fewer);
	pthread_mutex_destroy(&t.lock);
	if (t.failed && e)
		*e = t.err;
	return t.failed ? -1 : 0;
}
