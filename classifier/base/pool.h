/*
 * The threads of a run: one budget, whatever they are used for. They are
 * started when there is work for them, and stay.
 *
 * Work is a task; a call asks for one thread to run it. A call that no thread
 * has answered can be taken back: who needs the outcome then does it himself,
 * so nobody ever waits for a thread to come free, and a pool without threads
 * is one like any other.
 */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stdbool.h>

struct err;
struct pool;

struct pool_task {
	/* Once for each call, also side by side. thread: from 0, below the
	 * number of the pool's; what there is one of for each needs no lock. */
	void (*run)(void *ctx, unsigned thread);
	void *ctx;
	/* the pool's: */
	struct pool_task *next;
	unsigned calls; /* not answered */
	unsigned runs;  /* under way */
};

/* At most so many threads, or 0. NULL with e set: out of memory. */
struct pool *pool_new(unsigned threads, struct err *e);
/* NULL is fine. Every task has ended. */
void pool_free(struct pool *p);

/* Have it run, in the order of the calls. -1 with e set: no thread could be
 * started, and none is there. */
int pool_call(struct pool *p, struct pool_task *t, struct err *e);
/* The same if at least so many threads have nothing to do; false: they have,
 * or there is no pool. */
bool pool_offer(struct pool *p, struct pool_task *t, int least);
/* Take back a call; false: there is none that no thread has answered. */
bool pool_recall(struct pool *p, struct pool_task *t);

/* Until all calls were answered and the runs are over. */
void pool_wait(struct pool *p, struct pool_task *t);
/* The same, but what was not answered is forgotten. Nothing of the task is
 * touched afterwards. */
void pool_cancel(struct pool *p, struct pool_task *t);

/* Threads with nothing to do, less the calls that wait: below 0, a task that
 * could go on for long should rather return. No pool: 0. */
int pool_spare(struct pool *p);
/* Threads that have been needed at once, so far. */
unsigned pool_started(struct pool *p);

#endif
