/*
 * A line of logs, and a few large pieces of memory that take their bytes one
 * after the other: a log lies in one of them, and one whose logs have all been
 * looked at is used anew. What is put is looked at in that order, by whoever
 * comes first. Threads are called when more waits than the ones at work will
 * soon have done; without work, or when other units need the processor, they
 * rest.
 */
#include "jobs/unit_crew.h"

#include "base/err.h"
#include "input/ahead.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define LINE 256                  /* logs */
#define PIECE ((size_t)1 << 20)   /* bytes; larger logs are not kept */
#define PIECES 4                  /* of memory */
#define SHARE ((size_t)256 << 10) /* of what waits, for one thread */
#define FEED ((size_t)256 << 10)  /* bytes given to a scan at once */
#define THREADS 64

struct piece {
	char *p;
	size_t used;
	unsigned logs; /* under lock: not yet looked at */
};

struct entry {
	struct unit_log log;
	struct piece *piece; /* where its bytes are; NULL: it has none */
	size_t at, n;
	bool done;
};

struct unit_crew {
	struct unit_crew_options o;
	pthread_mutex_t lock;
	pthread_cond_t called; /* for threads */
	pthread_cond_t done;   /* for the unit's own */
	/* under lock: */
	uint64_t next, put; /* logs begun, logs put, from the start */
	size_t waiting;     /* bytes of those between */
	unsigned awake, asleep, calls;
	bool stop;
	/* the unit's own: */
	uint64_t first, added;
	struct piece *last; /* that the log added last lies in */
	struct piece pieces[PIECES];
	pthread_t threads[THREADS];
	unsigned n_threads;
	bool no_more; /* threads can be started */
	/* an entry is its scanner's from next until it is done */
	struct entry line[LINE];
};

static struct entry *entry(struct unit_crew *c, uint64_t i)
{
	return &c->line[i % LINE];
}

/* ---- looking at logs ---- */

static void look(struct entry *t, const struct unit_reader *r)
{
	struct unit_log *l = &t->log;
	size_t n;

	unit_log_begin(l, r);
	for (size_t i = 0; i < t->n; i += n) {
		n = t->n - i < FEED ? t->n - i : FEED;
		if (unit_log_data(l, r, t->piece->p + t->at + i, n))
			break;
	}
	unit_log_end(l, r);
}

/* The lock is held, also afterwards, and something waits. */
static void look_at_next(struct unit_crew *c, const struct unit_reader *r)
{
	struct entry *t = entry(c, c->next++);

	if (t->done)
		return;
	c->waiting -= t->n;
	pthread_mutex_unlock(&c->lock);
	look(t, r);
	pthread_mutex_lock(&c->lock);
	t->done = true;
	if (t->piece)
		t->piece->logs--;
	pthread_cond_signal(&c->done);
}

/* ---- the threads ---- */

/* Whether other work waits for this thread's place, which it has then. */
static bool needed_elsewhere(_Atomic int *spare)
{
	int n = atomic_load(spare);

	while (n < 0)
		if (atomic_compare_exchange_weak(spare, &n, n + 1))
			return true;
	return false;
}

/* Until it is called: true, or has to end: false. Its place was given back. */
static bool rest(struct unit_crew *c)
{
	c->awake--;
	c->asleep++;
	while (!c->calls && !c->stop)
		pthread_cond_wait(&c->called, &c->lock);
	c->asleep--;
	if (c->stop)
		return false;
	c->calls--;
	return true;
}

static void work_on(struct unit_crew *c, const struct unit_reader *r)
{
	for (;;) {
		bool idle = c->next == c->put;

		if (c->stop || idle)
			atomic_fetch_add(c->o.spare, 1);
		else if (!needed_elsewhere(c->o.spare)) {
			look_at_next(c, r);
			continue;
		}
		if (!rest(c))
			break;
	}
}

static void *work(void *ctx)
{
	struct unit_crew *c = ctx;
	struct unit_reader r = { .limits = c->o.limits };

	r.scan = scan_new(c->o.engine, NULL);
	r.content = c->o.hash_content ? hash_new() : NULL;
	pthread_mutex_lock(&c->lock);
	if (r.scan && (r.content || !c->o.hash_content)) {
		work_on(c, &r);
	} else {
		c->awake--;
		atomic_fetch_add(c->o.spare, 1);
	}
	pthread_mutex_unlock(&c->lock);
	scan_free(r.scan);
	hash_free(r.content);
	return NULL;
}

struct unit_crew *unit_crew_new(const struct unit_crew_options *o)
{
	struct unit_crew *c = calloc(1, sizeof *c);

	if (!c) {
		err_nomem(NULL);
		return NULL;
	}
	c->o = *o;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->called, NULL);
	pthread_cond_init(&c->done, NULL);
	return c;
}

void unit_crew_free(struct unit_crew *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&c->lock);
	c->stop = true;
	pthread_cond_broadcast(&c->called);
	pthread_mutex_unlock(&c->lock);
	for (unsigned i = 0; i < c->n_threads; i++)
		pthread_join(c->threads[i], NULL);
	/* called, but not come */
	atomic_fetch_add(c->o.spare, (int)c->calls);
	for (; c->first < c->added; c->first++)
		unit_log_release(&entry(c, c->first)->log);
	for (size_t i = 0; i < PIECES; i++)
		free(c->pieces[i].p);
	pthread_cond_destroy(&c->done);
	pthread_cond_destroy(&c->called);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

/* Have one more thread at work, if there is one. The lock is held. */
static void call(struct unit_crew *c)
{
	bool new = c->asleep <= c->calls;

	if ((new && (c->no_more || c->n_threads == THREADS)) ||
	    !ahead_spare(c->o.spare, 1))
		return;
	c->awake++;
	if (!new) {
		c->calls++;
		pthread_cond_signal(&c->called);
		return;
	}
	if (!pthread_create(&c->threads[c->n_threads], NULL, work, c)) {
		c->n_threads++;
		return;
	}
	c->no_more = true;
	c->awake--;
	atomic_fetch_add(c->o.spare, 1);
}

/* ---- the unit's own thread ---- */

bool unit_crew_helps(struct unit_crew *c)
{
	bool yes;

	pthread_mutex_lock(&c->lock);
	yes = c->awake || (!c->no_more && atomic_load(c->o.spare) > 0);
	pthread_mutex_unlock(&c->lock);
	return yes;
}

bool unit_crew_empty(const struct unit_crew *c)
{
	return c->first == c->added;
}

struct unit_log *unit_crew_add(struct unit_crew *c)
{
	struct entry *t = entry(c, c->added);

	if (c->added - c->first == LINE)
		return NULL;
	*t = (struct entry){ .log.rank = -1 };
	c->added++;
	return &t->log;
}

/* A piece of memory without a log; NULL: there is none. The lock is held. */
static struct piece *free_piece(struct unit_crew *c)
{
	for (size_t i = 0; i < PIECES; i++)
		if (!c->pieces[i].logs)
			return &c->pieces[i];
	return NULL;
}

/* Make room for n more bytes of t, which may have to lie elsewhere then. */
static enum unit_crew_room make_room(
    struct unit_crew *c, struct entry *t, size_t n)
{
	struct piece *b = c->last;
	bool full;

	if (t->n + n > PIECE)
		return UNIT_CREW_TOO_LARGE;
	if (t->piece && PIECE - b->used >= n)
		return UNIT_CREW_KEPT;
	pthread_mutex_lock(&c->lock);
	if (b && !b->logs)
		b->used = 0;
	if (!b || PIECE - b->used < n) {
		b = free_piece(c);
		if (b)
			b->used = 0;
	}
	full = !b;
	if (b && !b->p)
		b->p = malloc(PIECE);
	if (b && b->p) {
		b->logs++;
		if (t->piece)
			t->piece->logs--;
	}
	pthread_mutex_unlock(&c->lock);
	if (full)
		return UNIT_CREW_FULL;
	if (!b->p)
		return UNIT_CREW_TOO_LARGE;
	c->last = b;
	if (t->n)
		memcpy(b->p, t->piece->p + t->at, t->n);
	t->piece = b;
	t->at = b->used;
	b->used += t->n;
	return UNIT_CREW_KEPT;
}

enum unit_crew_room unit_crew_keep(struct unit_crew *c, const char *p, size_t n)
{
	struct entry *t = entry(c, c->added - 1);
	enum unit_crew_room room = make_room(c, t, n);

	if (room != UNIT_CREW_KEPT)
		return room;
	memcpy(t->piece->p + t->at + t->n, p, n);
	t->piece->used += n;
	t->n += n;
	return room;
}

struct span unit_crew_kept(struct unit_crew *c)
{
	const struct entry *t = entry(c, c->added - 1);

	return t->n ? (struct span){ t->piece->p + t->at, t->n }
		    : (struct span){ NULL, 0 };
}

void unit_crew_put(struct unit_crew *c, bool scanned)
{
	struct entry *t = entry(c, c->added - 1);

	pthread_mutex_lock(&c->lock);
	t->done = scanned;
	if (scanned && t->piece)
		t->piece->logs--;
	if (!scanned)
		c->waiting += t->n;
	c->put++;
	if (c->waiting >= SHARE * (c->awake + 1))
		call(c);
	pthread_mutex_unlock(&c->lock);
}

struct unit_log *unit_crew_first(struct unit_crew *c)
{
	struct entry *t = entry(c, c->first);
	bool done;

	pthread_mutex_lock(&c->lock);
	done = c->first < c->put && t->done;
	pthread_mutex_unlock(&c->lock);
	return done ? &t->log : NULL;
}

void unit_crew_drop(struct unit_crew *c)
{
	pthread_mutex_lock(&c->lock);
	/* its caller has scanned it, and nobody has looked at the line since */
	if (c->next == c->first)
		c->next++;
	pthread_mutex_unlock(&c->lock);
	unit_log_release(&entry(c, c->first)->log);
	c->first++;
}

void unit_crew_work(struct unit_crew *c, const struct unit_reader *r)
{
	pthread_mutex_lock(&c->lock);
	if (c->next < c->put)
		look_at_next(c, r);
	else
		while (c->first < c->put && !entry(c, c->first)->done)
			pthread_cond_wait(&c->done, &c->lock);
	pthread_mutex_unlock(&c->lock);
}
