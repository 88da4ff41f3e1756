/*
 * A ring of logs, and a few large pieces of memory that take their bytes one
 * after the other: a log lies in one of them, and one whose logs have all been
 * looked at is used anew. What is put is looked at in that order, by whoever
 * comes first. Threads are called when more waits than the ones at work will
 * soon have done; they leave when there is nothing to do, or when other units
 * need them.
 */
#include "jobs/unit_queue.h"

#include "base/err.h"
#include "base/pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define LOGS 256                  /* in the queue */
#define PIECE ((size_t)1 << 20)   /* bytes; larger logs are not stored */
#define PIECES 4                  /* of memory */
#define SHARE ((size_t)256 << 10) /* of what waits, for one thread */
#define FEED ((size_t)256 << 10)  /* bytes given to a scan at once */

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

struct unit_queue {
	struct pool *pool;
	struct unit_readers *readers;
	struct pool_task task;
	pthread_mutex_t lock;
	pthread_cond_t done; /* for the unit's own thread */
	/* under lock: */
	uint64_t next, put; /* logs begun, logs put, from the start */
	size_t waiting;     /* bytes of those between */
	unsigned threads;   /* called, or at work */
	bool stop;
	/* the unit's own: */
	uint64_t first, added;
	struct piece *last; /* that the log added last lies in */
	struct piece pieces[PIECES];
	/* an entry is its scanner's from next until it is done */
	struct entry ring[LOGS];
};

static struct entry *entry(struct unit_queue *q, uint64_t i)
{
	return &q->ring[i % LOGS];
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
static void look_at_next(struct unit_queue *q, const struct unit_reader *r)
{
	struct entry *t = entry(q, q->next++);

	if (t->done)
		return;
	q->waiting -= t->n;
	pthread_mutex_unlock(&q->lock);
	look(t, r);
	pthread_mutex_lock(&q->lock);
	t->done = true;
	if (t->piece)
		t->piece->logs--;
	pthread_cond_signal(&q->done);
}

/* A thread of the pool. */
static void work(void *ctx, unsigned thread)
{
	struct unit_queue *q = ctx;
	struct unit_reader *r = unit_readers_get(q->readers, thread, NULL);

	pthread_mutex_lock(&q->lock);
	while (r && !q->stop && q->next < q->put && pool_spare(q->pool) >= 0)
		look_at_next(q, r);
	q->threads--;
	pthread_mutex_unlock(&q->lock);
}

struct unit_queue *unit_queue_new(
    struct pool *pool, struct unit_readers *readers)
{
	struct unit_queue *q = calloc(1, sizeof *q);

	if (!q)
		return NULL;
	q->pool = pool;
	q->readers = readers;
	q->task = (struct pool_task){ .run = work, .ctx = q };
	pthread_mutex_init(&q->lock, NULL);
	pthread_cond_init(&q->done, NULL);
	return q;
}

void unit_queue_free(struct unit_queue *q)
{
	if (!q)
		return;
	pthread_mutex_lock(&q->lock);
	q->stop = true;
	pthread_mutex_unlock(&q->lock);
	pool_cancel(q->pool, &q->task);
	for (; q->first < q->added; q->first++)
		unit_log_release(&entry(q, q->first)->log);
	for (size_t i = 0; i < PIECES; i++)
		free(q->pieces[i].p);
	pthread_cond_destroy(&q->done);
	pthread_mutex_destroy(&q->lock);
	free(q);
}

/* ---- the unit's own thread ---- */

bool unit_queue_helps(struct unit_queue *q)
{
	bool yes;

	pthread_mutex_lock(&q->lock);
	yes = q->threads || pool_spare(q->pool) > 0;
	pthread_mutex_unlock(&q->lock);
	return yes;
}

bool unit_queue_empty(const struct unit_queue *q)
{
	return q->first == q->added;
}

struct unit_log *unit_queue_add(struct unit_queue *q)
{
	struct entry *t = entry(q, q->added);

	if (q->added - q->first == LOGS)
		return NULL;
	*t = (struct entry){ .log.rank = -1 };
	q->added++;
	return &t->log;
}

/* A piece of memory without a log; NULL: there is none. The lock is held. */
static struct piece *free_piece(struct unit_queue *q)
{
	for (size_t i = 0; i < PIECES; i++)
		if (!q->pieces[i].logs)
			return &q->pieces[i];
	return NULL;
}

/* Make room for n more bytes of t, which may have to lie elsewhere then. */
static enum unit_queue_room make_room(
    struct unit_queue *q, struct entry *t, size_t n)
{
	struct piece *b = q->last;
	bool full;

	if (t->n + n > PIECE)
		return UNIT_QUEUE_TOO_LARGE;
	if (t->piece && PIECE - b->used >= n)
		return UNIT_QUEUE_STORED;
	pthread_mutex_lock(&q->lock);
	if (b && !b->logs)
		b->used = 0;
	if (!b || PIECE - b->used < n) {
		b = free_piece(q);
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
	pthread_mutex_unlock(&q->lock);
	if (full)
		return UNIT_QUEUE_FULL;
	if (!b->p)
		return UNIT_QUEUE_TOO_LARGE;
	q->last = b;
	if (t->n)
		memcpy(b->p, t->piece->p + t->at, t->n);
	t->piece = b;
	t->at = b->used;
	b->used += t->n;
	return UNIT_QUEUE_STORED;
}

enum unit_queue_room unit_queue_store(
    struct unit_queue *q, const char *p, size_t n)
{
	struct entry *t = entry(q, q->added - 1);
	enum unit_queue_room room = make_room(q, t, n);

	if (room != UNIT_QUEUE_STORED)
		return room;
	memcpy(t->piece->p + t->at + t->n, p, n);
	t->piece->used += n;
	t->n += n;
	return room;
}

struct span unit_queue_stored(struct unit_queue *q)
{
	const struct entry *t = entry(q, q->added - 1);

	return t->n ? (struct span){ t->piece->p + t->at, t->n }
		    : (struct span){ NULL, 0 };
}

void unit_queue_put(struct unit_queue *q, bool scanned)
{
	struct entry *t = entry(q, q->added - 1);

	pthread_mutex_lock(&q->lock);
	t->done = scanned;
	if (scanned && t->piece)
		t->piece->logs--;
	if (!scanned)
		q->waiting += t->n;
	q->put++;
	if (q->waiting >= SHARE * (q->threads + 1) &&
	    pool_offer(q->pool, &q->task, 1))
		q->threads++;
	pthread_mutex_unlock(&q->lock);
}

struct unit_log *unit_queue_first(struct unit_queue *q)
{
	struct entry *t = entry(q, q->first);
	bool done;

	pthread_mutex_lock(&q->lock);
	done = q->first < q->put && t->done;
	pthread_mutex_unlock(&q->lock);
	return done ? &t->log : NULL;
}

void unit_queue_drop(struct unit_queue *q)
{
	pthread_mutex_lock(&q->lock);
	/* its caller has scanned it, and nobody has looked at the line since */
	if (q->next == q->first)
		q->next++;
	pthread_mutex_unlock(&q->lock);
	unit_log_release(&entry(q, q->first)->log);
	q->first++;
}

void unit_queue_work(struct unit_queue *q, const struct unit_reader *r)
{
	pthread_mutex_lock(&q->lock);
	if (q->next < q->put)
		look_at_next(q, r);
	else
		while (q->first < q->put && !entry(q, q->first)->done)
			pthread_cond_wait(&q->done, &q->lock);
	pthread_mutex_unlock(&q->lock);
}
