/*
 * A ring of blocks. A thread of the pool looks at those that are in it; when it
 * is full and none is at it, the caller does. Their text stays where the
 * decoder has put it: instead of moving what it still needs down in its memory,
 * it goes on in another piece of memory, and gets the first one back when its
 * last block has been looked at. So nothing is copied that would not be without
 * a thread.
 */
#include "diagnose/evidence/scan_pipe.h"

#include "base/pool.h"
#include "diagnose/evidence/scan_private.h"
#include "input/blocks.h"
#include "rules/prefilter.h"

#include <pthread.h>
#include <stdlib.h>

#define BLOCKS 8
#define MEMORIES 3 /* beside the decoder's; each holds two blocks or more */
#define BEHIND 5   /* blocks in wait from which on the caller helps */

struct slot {
	struct decode_block block;
	struct anchors places;
	struct prefilter_hits hits;
	bool found; /* hits are those of the block */
};

struct scan_pipe {
	struct scan *s;
	struct pool *pool;
	struct pool_task task;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* under lock: */
	uint64_t put, done; /* blocks */
	bool looking;       /* somebody looks, or has been called to */
	bool failed;
	/* the caller's: */
	struct memory {
		char *p;
		uint64_t until; /* blocks put when the decoder left it */
	} memory[MEMORIES];
	unsigned oldest;
	/* slot i is of who looks from its put until it is done */
	struct slot slots[BLOCKS];
};

/* Look at all that is there; the lock is held. */
static void look(struct scan_pipe *c)
{
	while (c->done < c->put) {
		struct slot *t = &c->slots[c->done % BLOCKS];
		int rc = -1;

		if (!c->failed) {
			pthread_mutex_unlock(&c->lock);
			rc = scan_block(
			    c->s, &t->block, t->found ? &t->hits : NULL);
			pthread_mutex_lock(&c->lock);
		}
		c->failed |= rc != 0;
		c->done++;
		pthread_cond_signal(&c->changed);
	}
	c->looking = false;
}

static void run(void *ctx, unsigned thread)
{
	struct scan_pipe *c = ctx;

	(void)thread;
	pthread_mutex_lock(&c->lock);
	look(c);
	pthread_mutex_unlock(&c->lock);
}

static void release(struct scan_pipe *c)
{
	for (size_t i = 0; i < BLOCKS; i++) {
		free(c->slots[i].places.v);
		prefilter_hits_release(&c->slots[i].hits);
	}
	for (size_t i = 0; i < MEMORIES; i++)
		free(c->memory[i].p);
	pthread_cond_destroy(&c->changed);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

struct scan_pipe *scan_pipe_new(struct scan *s, struct pool *pool)
{
	struct scan_pipe *c;

	if (pool_spare(pool) < 1)
		return NULL;
	c = calloc(1, sizeof *c);
	if (!c)
		return NULL;
	c->s = s;
	c->pool = pool;
	c->task = (struct pool_task){ .run = run, .ctx = c };
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->changed, NULL);
	return c;
}

/* Until n blocks are done. */
static void wait_for(struct scan_pipe *c, uint64_t n)
{
	pthread_mutex_lock(&c->lock);
	while (c->done < n) {
		if (!c->looking || pool_recall(c->pool, &c->task))
			look(c);
		else
			pthread_cond_wait(&c->changed, &c->lock);
	}
	pthread_mutex_unlock(&c->lock);
}

int scan_pipe_put(struct scan_pipe *c, const struct decode_block *b)
{
	const struct prefilter *pf = c->s->en->prefilter;
	struct slot *t = &c->slots[c->put % BLOCKS];
	bool behind;
	int rc;

	if (c->put >= BLOCKS)
		wait_for(c, c->put - BLOCKS + 1);
	pthread_mutex_lock(&c->lock);
	behind = c->put - c->done >= BEHIND;
	pthread_mutex_unlock(&c->lock);
	t->block = *b;
	t->block.places = &t->places;
	t->found = behind && pf;
	rc = anchors_copy(&t->places, b->places);
	if (!rc && t->found)
		rc = prefilter_find(pf, b->text, &t->hits);
	pthread_mutex_lock(&c->lock);
	if (!rc)
		c->put++;
	c->failed |= rc != 0;
	rc = c->failed ? -1 : 0;
	if (!c->looking)
		c->looking = pool_offer(c->pool, &c->task, 1);
	pthread_mutex_unlock(&c->lock);
	return rc;
}

int scan_pipe_swap(struct scan_pipe *c, char **memory, size_t cap)
{
	struct memory *m = &c->memory[c->oldest];
	char *p;

	wait_for(c, m->until);
	p = realloc(m->p, cap);
	if (!p)
		return -1;
	*m = (struct memory){ *memory, c->put };
	*memory = p;
	c->oldest = (c->oldest + 1) % MEMORIES;
	return 0;
}

void scan_pipe_wait(struct scan_pipe *c)
{
	wait_for(c, c->put);
}

int scan_pipe_end(struct scan_pipe *c)
{
	int rc;

	scan_pipe_wait(c);
	pool_cancel(c->pool, &c->task);
	rc = c->failed ? -1 : 0;
	release(c);
	return rc;
}
