/*
 * A ring of blocks. The thread fills them, the caller takes them in order, and
 * the end or the fault comes after the last one. What the streams count while
 * they are read (for the limits) is counted apart below, and comes along with
 * each block: so a limit is reached at the same byte with and without a
 * thread.
 */
#include "input/ahead.h"

#include "base/err.h"
#include "input/source.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define AHEAD_FROM ((uint64_t)1 << 20)
#define BLOCKS 4

struct block {
	struct source_run run; /* as it was when the block had been read */
	ssize_t n;             /* of data; 0 at the end, -1: it failed */
	char *data;
};

struct ahead {
	struct source s; /* first: the two are one address */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* under lock: */
	unsigned full; /* blocks that wait to be taken, from next on */
	bool stop;
	/* the caller's: */
	int least; /* threads to spare */
	bool started, never;
	bool taken; /* the block before next is still in use */
	unsigned next;
	/* the thread's: */
	struct source_run below; /* what up and all under it count in */
	struct span rest;        /* of a piece that is larger than a block */
	struct block blocks[BLOCKS];
	char *data; /* of all blocks */
};

/* ---- the thread ---- */

static void fill(struct ahead *a, struct block *b)
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

static void *read_ahead(void *ctx)
{
	struct ahead *a = ctx;
	struct block *b = a->blocks;

	pthread_mutex_lock(&a->lock);
	while (!a->stop) {
		if (a->full == BLOCKS) {
			pthread_cond_wait(&a->changed, &a->lock);
			continue;
		}
		pthread_mutex_unlock(&a->lock);
		fill(a, b);
		pthread_mutex_lock(&a->lock);
		a->full++;
		a->stop |= b->n <= 0;
		pthread_cond_signal(&a->changed);
		b = b + 1 < a->blocks + BLOCKS ? b + 1 : a->blocks;
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

/* ---- the caller ---- */

static void count_in(struct ahead *a, struct source_run *run)
{
	for (struct source *s = a->s.up; s; s = s->up)
		s->run = run;
}

bool ahead_spare(atomic_int *spare, int least)
{
	int n = spare ? atomic_load(spare) : 0;

	while (n >= least)
		if (atomic_compare_exchange_weak(spare, &n, n - 1))
			return true;
	return false;
}

static void start(struct ahead *a)
{
	atomic_int *spare = a->s.run->sink->spare;

	/* how long a pipe is waited for is asked on the caller's thread */
	if (a->s.run->piped ||
	    !ahead_spare(spare, a->s.run->members ? a->least : 1))
		return;
	a->data = malloc(BLOCKS * SOURCE_PIECE);
	for (size_t i = 0; a->data && i < BLOCKS; i++)
		a->blocks[i].data = a->data + i * SOURCE_PIECE;
	a->below = *a->s.run;
	count_in(a, &a->below);
	a->started =
	    a->data && !pthread_create(&a->thread, NULL, read_ahead, a);
	if (a->started)
		return;
	/* then without */
	a->never = true;
	count_in(a, a->s.run);
	atomic_fetch_add(spare, 1);
}

static void finish(struct ahead *a)
{
	if (!a->started)
		return;
	pthread_mutex_lock(&a->lock);
	a->stop = true;
	pthread_cond_signal(&a->changed);
	pthread_mutex_unlock(&a->lock);
	pthread_join(a->thread, NULL);
	a->started = false;
	a->never = true;
	count_in(a, a->s.run);
	atomic_fetch_add(a->s.run->sink->spare, 1);
}

/* What has been counted up to the end of b. */
static void count(struct ahead *a, const struct block *b)
{
	struct source_run *run = a->s.run;

	for (unsigned i = 0; i <= a->s.up->level; i++)
		run->expanded[i] = b->run.expanded[i];
	run->raw = b->run.raw;
	run->over |= b->run.over;
}

/* The next block; the one before goes back to the thread. */
static struct block *take(struct ahead *a)
{
	struct block *b = &a->blocks[a->next];

	pthread_mutex_lock(&a->lock);
	if (a->taken) {
		a->full--;
		pthread_cond_signal(&a->changed);
	}
	while (!a->full)
		pthread_cond_wait(&a->changed, &a->lock);
	pthread_mutex_unlock(&a->lock);
	a->taken = true;
	a->next = (a->next + 1) % BLOCKS;
	return b;
}

static ssize_t ahead_pull(struct source *s, const char **p)
{
	struct ahead *a = (struct ahead *)s;
	struct block *b;
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
	a->least = least;
	a->s.run->ahead = true;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->changed, NULL);
	return &a->s;
}
