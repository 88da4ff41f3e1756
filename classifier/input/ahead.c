/*
 * A ring of chunks. A thread of the pool fills what is free of it, the caller
 * takes them in order, and the end or the fault comes after the last one; when
 * there is none and no thread is at it, the caller fills one. What the streams
 * count while they are read (for the limits) is counted apart below, and comes
 * along with each chunk: so a limit is reached at the same byte with and
 * without a thread.
 */
#include "input/ahead.h"

#include "base/err.h"
#include "base/pool.h"
#include "input/source.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define AHEAD_FROM ((uint64_t)1 << 20)
#define CHUNKS 4

struct chunk {
	struct source_run run; /* as it was when the chunk had been read */
	ssize_t n;             /* of data; 0 at the end, -1: it failed */
	char *data;
};

struct ahead {
	struct source s; /* first: the two are one address */
	struct pool_task task;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* under lock: */
	unsigned full; /* chunks that wait to be taken, from next on */
	bool filling;  /* somebody fills, or has been called to */
	bool stop;
	/* the caller's: */
	int least; /* threads to spare */
	bool started, never;
	bool taken; /* the chunk before next is still in use */
	unsigned next;
	/* of who fills: */
	unsigned at;             /* the chunk to fill */
	struct source_run below; /* what up and all under it count in */
	struct span rest;        /* of a piece that is larger than a chunk */
	struct chunk chunks[CHUNKS];
	char *data; /* of all chunks */
};

/* ---- filling ---- */

static void fill(struct ahead *a, struct chunk *b)
{
	struct source *up = a->s.up;
	size_t n = a->rest.n;
	const char *p;

	b->n = 1;
	if (!n) {
		up->room = b->data;
		b->n = source_read(up, &p);
		up->room = NULL;
		if (b->n > 0 && p != b->data)
			a->rest = (struct span){ p, (size_t)b->n };
		n = a->rest.n;
	}
	if (n) {
		n = n < SOURCE_PIECE ? n : SOURCE_PIECE;
		memcpy(b->data, a->rest.p, n);
		a->rest = span_sub(a->rest, n, a->rest.n);
		b->n = (ssize_t)n;
	}
	b->run = a->below;
}

/* Fill at most so many chunks; the lock is held. */
static void fill_chunks(struct ahead *a, unsigned most)
{
	for (; most && a->full < CHUNKS && !a->stop; most--) {
		struct chunk *b = &a->chunks[a->at];

		pthread_mutex_unlock(&a->lock);
		fill(a, b);
		a->at = (a->at + 1) % CHUNKS;
		pthread_mutex_lock(&a->lock);
		a->full++;
		a->stop |= b->n <= 0;
		pthread_cond_signal(&a->changed);
	}
	a->filling = false;
}

static void read_ahead(void *ctx, unsigned thread)
{
	struct ahead *a = ctx;

	(void)thread;
	pthread_mutex_lock(&a->lock);
	fill_chunks(a, UINT_MAX);
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
}

/* ---- the caller ---- */

static void count_in(struct ahead *a, struct source_run *run)
{
	for (struct source *s = a->s.up; s; s = s->up)
		s->run = run;
}

static struct pool *pool(const struct ahead *a)
{
	return a->s.run->sink->pool;
}

static void start(struct ahead *a)
{
	int least = a->s.run->members ? a->least : 1;

	/* how long a pipe is waited for is asked on the caller's thread */
	if (a->s.run->piped || pool_spare(pool(a)) < least)
		return;
	a->data = malloc(CHUNKS * SOURCE_PIECE);
	if (!a->data) {
		a->never = true; /* then without */
		return;
	}
	for (size_t i = 0; i < CHUNKS; i++)
		a->chunks[i].data = a->data + i * SOURCE_PIECE;
	a->below = *a->s.run;
	count_in(a, &a->below);
	a->started = true;
}

static void finish(struct ahead *a)
{
	if (!a->started)
		return;
	pthread_mutex_lock(&a->lock);
	a->stop = true;
	pthread_mutex_unlock(&a->lock);
	pool_cancel(pool(a), &a->task);
	a->started = false;
	a->never = true;
	count_in(a, a->s.run);
}

/* What has been counted up to the end of b. */
static void count(struct ahead *a, const struct chunk *b)
{
	struct source_run *run = a->s.run;

	for (unsigned i = 0; i <= a->s.up->level; i++)
		run->expanded[i] = b->run.expanded[i];
	run->raw = b->run.raw;
	run->over |= b->run.over;
}

/* The next chunk; the one before can be filled again. */
static struct chunk *take(struct ahead *a)
{
	struct chunk *b = &a->chunks[a->next];

	pthread_mutex_lock(&a->lock);
	if (a->taken)
		a->full--;
	if (!a->filling && !a->stop && a->full <= CHUNKS / 2)
		a->filling = pool_offer(pool(a), &a->task, 1);
	while (!a->full) {
		if (!a->filling || pool_recall(pool(a), &a->task))
			fill_chunks(a, 1);
		else
			pthread_cond_wait(&a->changed, &a->lock);
	}
	pthread_mutex_unlock(&a->lock);
	a->taken = true;
	a->next = (a->next + 1) % CHUNKS;
	return b;
}

static ssize_t ahead_pull(struct source *s, const char **p)
{
	struct ahead *a = (struct ahead *)s;
	struct chunk *b;
	ssize_t n;

	if (!a->started && !a->never && s->out >= AHEAD_FROM)
		start(a);
	if (a->started) {
		b = take(a);
		count(a, b);
		*p = b->data;
		n = b->n;
		if (n <= 0)
			finish(a);
	} else {
		n = source_read(s->up, p);
	}
	return n < 0 ? source_fail(s, s->up->fault, "%s", s->up->why) : n;
}

static void ahead_close(struct source *s)
{
	struct ahead *a = (struct ahead *)s;

	finish(a);
	s->run->ahead = false;
	pthread_cond_destroy(&a->changed);
	pthread_mutex_destroy(&a->lock);
	free(a->data);
	free(a);
}

struct source *ahead_open(struct source *up, int least, struct err *e)
{
	struct ahead *a = calloc(1, sizeof *a);

	if (!a) {
		err_nomem(e);
		return NULL;
	}
	source_init(&a->s, up->run, up);
	a->s.pull = ahead_pull;
	a->s.close = ahead_close;
	a->task = (struct pool_task){ .run = read_ahead, .ctx = a };
	a->least = least;
	a->s.run->ahead = true;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->changed, NULL);
	return &a->s;
}
