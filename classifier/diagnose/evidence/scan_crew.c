/*
 * A ring of blocks. Their text stays where the decoder has put it: instead of
 * moving what it still needs down in its memory, it goes on in another piece
 * of memory, and gets the first one back when its last block has been looked
 * at. So nothing is copied that would not be without a thread.
 */
#include "diagnose/evidence/scan_crew.h"

#include "base/err.h"
#include "diagnose/evidence/scan_private.h"
#include "input/ahead.h"
#include "input/blocks.h"
#include "rules/prefilter.h"

#include <pthread.h>
#include <stdatomic.h>
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

struct crew {
	struct scan *s;
	_Atomic int *spare;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* under lock: */
	uint64_t put, done; /* blocks */
	bool stop, failed;
	/* the caller's: */
	struct memory {
		char *p;
		uint64_t until; /* blocks put when the decoder left it */
	} memory[MEMORIES];
	unsigned oldest;
	/* slot i is the thread's from its put until it is done */
	struct slot slots[BLOCKS];
};

static void *work(void *ctx)
{
	struct crew *c = ctx;

	pthread_mutex_lock(&c->lock);
	for (;;) {
		struct slot *t = &c->slots[c->done % BLOCKS];
		int rc = -1;

		if (c->done == c->put) {
			if (c->stop)
				break;
			pthread_cond_wait(&c->changed, &c->lock);
			continue;
		}
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
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

static void release(struct crew *c)
{
	for (size_t i = 0; i < BLOCKS; i++) {
		free(c->slots[i].places.v);
		prefilter_hits_release(&c->slots[i].hits);
	}
	for (size_t i = 0; i < MEMORIES; i++)
		free(c->memory[i].p);
	pthread_cond_destroy(&c->changed);
	pthread_mutex_destroy(&c->lock);
	atomic_fetch_add(c->spare, 1);
	free(c);
}

struct crew *crew_new(struct scan *s, _Atomic int *spare)
{
	struct crew *c;

	if (!ahead_spare(spare, 1))
		return NULL;
	c = calloc(1, sizeof *c);
	if (!c) {
		atomic_fetch_add(spare, 1);
		return NULL;
	}
	c->s = s;
	c->spare = spare;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->changed, NULL);
	if (pthread_create(&c->thread, NULL, work, c)) {
		release(c);
		return NULL;
	}
	return c;
}

/* Until n blocks are done. */
static void wait_for(struct crew *c, uint64_t n)
{
	pthread_mutex_lock(&c->lock);
	while (c->done < n)
		pthread_cond_wait(&c->changed, &c->lock);
	pthread_mutex_unlock(&c->lock);
}

int crew_put(struct crew *c, const struct decode_block *b)
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
	rc = anchors_copy(&t->places, b->places) ? err_nomem(NULL) : 0;
	if (!rc && t->found)
		rc = prefilter_find(pf, b->text, &t->hits);
	pthread_mutex_lock(&c->lock);
	if (!rc)
		c->put++;
	c->failed |= rc != 0;
	rc = c->failed ? -1 : 0;
	pthread_cond_signal(&c->changed);
	pthread_mutex_unlock(&c->lock);
	return rc;
}

int crew_swap(struct crew *c, char **memory, size_t cap)
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

void crew_wait(struct crew *c)
{
	wait_for(c, c->put);
}

int crew_end(struct crew *c)
{
	int rc;

	pthread_mutex_lock(&c->lock);
	c->stop = true;
	pthread_cond_signal(&c->changed);
	pthread_mutex_unlock(&c->lock);
	pthread_join(c->thread, NULL);
	rc = c->failed ? -1 : 0;
	release(c);
	return rc;
}
