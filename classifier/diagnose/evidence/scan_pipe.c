/*
 * A ring of blocks. The caller puts them in; threads of the pool search them
 * with the prefilter, any block by any thread, and look at them in their order,
 * one thread at a time. The caller searches, too, once enough blocks wait, and
 * does all there is to do when the ring is full. The text of a block stays
 * where the decoder has put it: instead of moving what it still needs down in
 * its memory, it goes on in another piece of memory, and gets the first one
 * back when its last block has been looked at. So nothing is copied that would
 * not be without a thread.
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
#define BEHIND 4   /* blocks in wait from which on the caller helps */

struct slot {
	struct decode_block block;
	struct anchors places;
	struct scan_found found;
	bool searched; /* under lock */
};

struct scan_pipe {
	struct scan *s;
	struct pool *pool;
	struct pool_task task;
	pthread_mutex_t lock;
	pthread_cond_t changed; /* for the caller */
	/* under lock: */
	uint64_t put, claimed,
	    done;              /* blocks: there, with who searches, over */
	unsigned called, busy; /* threads; those with a block at hand */
	bool looking;
	bool failed;
	struct scan_ask ask;
	/* the caller's: */
	struct memory {
		char *p;
		uint64_t until; /* blocks put when the decoder left it */
	} memory[MEMORIES];
	unsigned oldest;
	/* slot i is of who searches or looks from its put until it is done */
	struct slot slots[BLOCKS];
};

/* Search the first block that nobody has; the lock is held. */
static void search(struct scan_pipe *c)
{
	struct slot *t = &c->slots[c->claimed++ % BLOCKS];
	struct scan_ask ask = c->ask;
	int rc;

	pthread_mutex_unlock(&c->lock);
	rc = scan_find(c->s, t->block.text, ask, &t->found);
	pthread_mutex_lock(&c->lock);
	t->searched = true;
	c->failed |= rc != 0;
	pthread_cond_signal(&c->changed);
}

/* Look at the first block, which has been searched; the lock is held. */
static void look(struct scan_pipe *c)
{
	struct slot *t = &c->slots[c->done % BLOCKS];
	int rc = -1;

	c->looking = true;
	if (!c->failed) {
		pthread_mutex_unlock(&c->lock);
		rc = scan_block(c->s, &t->block, &t->found);
		pthread_mutex_lock(&c->lock);
	}
	c->looking = false;
	scan_ask(c->s, &c->ask);
	c->failed |= rc != 0;
	c->done++;
	pthread_cond_signal(&c->changed);
}

/* Whether the first block can be looked at; the lock is held. */
static bool ready(const struct scan_pipe *c)
{
	return !c->looking && c->done < c->put &&
	    c->slots[c->done % BLOCKS].searched;
}

/* What comes next, if there is anything; the lock is held. */
static bool step(struct scan_pipe *c)
{
	if (ready(c))
		look(c);
	else if (c->claimed < c->put)
		search(c);
	else
		return false;
	return true;
}

static void run(void *ctx, unsigned thread)
{
	struct scan_pipe *c = ctx;

	(void)thread;
	pthread_mutex_lock(&c->lock);
	c->busy++;
	while (step(c))
		;
	c->busy--;
	c->called--;
	pthread_mutex_unlock(&c->lock);
}

/* As many threads as there is work for, if there are; the lock is held. */
static void call(struct scan_pipe *c)
{
	uint64_t work = c->put - c->claimed + ready(c);

	while (c->called - c->busy < work && pool_offer(c->pool, &c->task, 1))
		c->called++;
}

static void release(struct scan_pipe *c)
{
	for (size_t i = 0; i < BLOCKS; i++) {
		free(c->slots[i].places.v);
		prefilter_hits_release(&c->slots[i].found.hits);
		prefilter_hits_release(&c->slots[i].found.raised);
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

/* Until n blocks are done. When there is nothing to do, somebody is at it. */
static void wait_for(struct scan_pipe *c, uint64_t n)
{
	pthread_mutex_lock(&c->lock);
	while (c->done < n)
		if (!step(c))
			pthread_cond_wait(&c->changed, &c->lock);
	pthread_mutex_unlock(&c->lock);
}

int scan_pipe_put(struct scan_pipe *c, const struct decode_block *b)
{
	struct slot *t = &c->slots[c->put % BLOCKS];
	int rc;

	if (c->put >= BLOCKS)
		wait_for(c, c->put - BLOCKS + 1);
	t->block = *b;
	t->block.places = &t->places;
	t->searched = false;
	rc = anchors_copy(&t->places, b->places);
	pthread_mutex_lock(&c->lock);
	if (!rc)
		c->put++;
	c->failed |= rc != 0;
	call(c);
	while (c->put - c->done >= BEHIND && c->claimed < c->put)
		search(c);
	call(c);
	rc = c->failed ? -1 : 0;
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
