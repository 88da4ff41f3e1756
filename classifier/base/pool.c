/*
 * A list of the tasks with calls, and threads that take one after the other
 * from its head. A thread is started when there are more calls than threads
 * that could answer.
 */
#include "base/pool.h"

#include "base/err.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct worker {
	struct pool *pool;
	unsigned number;
	pthread_t thread;
};

struct pool {
	pthread_mutex_t lock;
	pthread_cond_t called; /* for threads */
	pthread_cond_t over;   /* for those who wait for a task */
	/* under lock: */
	struct pool_task *first, *last; /* with calls */
	unsigned calls;                 /* of all of them */
	unsigned most, started, busy;   /* threads */
	unsigned waiting;               /* for a task to be over */
	bool stop;
	struct worker workers[]; /* most */
};

/* One call less of a task; the lock is held. */
static void uncall(struct pool *p, struct pool_task *t)
{
	struct pool_task **at = &p->first, *before = NULL;

	p->calls--;
	if (--t->calls)
		return;
	for (; *at != t; at = &before->next)
		before = *at;
	*at = t->next;
	if (p->last == t)
		p->last = before;
}

static void *work(void *ctx)
{
	struct worker *w = ctx;
	struct pool *p = w->pool;
	struct pool_task *t;

	pthread_mutex_lock(&p->lock);
	while (!p->stop) {
		t = p->first;
		if (!t) {
			pthread_cond_wait(&p->called, &p->lock);
			continue;
		}
		uncall(p, t);
		t->runs++;
		p->busy++;
		pthread_mutex_unlock(&p->lock);
		t->run(t->ctx, w->number);
		pthread_mutex_lock(&p->lock);
		p->busy--;
		if (!--t->runs && p->waiting)
			pthread_cond_broadcast(&p->over);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

struct pool *pool_new(unsigned threads, struct err *e)
{
	struct pool *p = calloc(1, sizeof *p + threads * sizeof p->workers[0]);

	if (!p) {
		err_nomem(e);
		return NULL;
	}
	p->most = threads;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->called, NULL);
	pthread_cond_init(&p->over, NULL);
	return p;
}

void pool_free(struct pool *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->stop = true;
	pthread_cond_broadcast(&p->called);
	pthread_mutex_unlock(&p->lock);
	for (unsigned i = 0; i < p->started; i++)
		pthread_join(p->workers[i].thread, NULL);
	pthread_cond_destroy(&p->over);
	pthread_cond_destroy(&p->called);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

/* One more thread; 0, or what went wrong. The lock is held. */
static int start(struct pool *p)
{
	struct worker *w = &p->workers[p->started];
	int rc;

	*w = (struct worker){ .pool = p, .number = p->started };
	rc = pthread_create(&w->thread, NULL, work, w);
	if (rc)
		p->most = p->started; /* then with those there are */
	else
		p->started++;
	return rc;
}

/* 0, or why there is no thread at all. The lock is held. */
static int call(struct pool *p, struct pool_task *t)
{
	int rc = 0;

	if (p->busy + p->calls >= p->started && p->started < p->most)
		rc = start(p);
	if (!p->started)
		return rc ? rc : EAGAIN;
	p->calls++;
	if (t->calls++ == 0) {
		t->next = NULL;
		if (p->first)
			p->last->next = t;
		else
			p->first = t;
		p->last = t;
	}
	pthread_cond_signal(&p->called);
	return 0;
}

static int spare(const struct pool *p)
{
	return (int)p->most - (int)p->busy - (int)p->calls;
}

int pool_call(struct pool *p, struct pool_task *t, struct err *e)
{
	int rc;

	pthread_mutex_lock(&p->lock);
	rc = call(p, t);
	pthread_mutex_unlock(&p->lock);
	return rc ? err_set(e, "cannot start a thread: %s", strerror(rc)) : 0;
}

bool pool_offer(struct pool *p, struct pool_task *t, int least)
{
	bool yes;

	if (!p)
		return false;
	pthread_mutex_lock(&p->lock);
	yes = spare(p) >= least && !call(p, t);
	pthread_mutex_unlock(&p->lock);
	return yes;
}

bool pool_recall(struct pool *p, struct pool_task *t)
{
	bool yes;

	if (!p)
		return false;
	pthread_mutex_lock(&p->lock);
	yes = t->calls > 0;
	if (yes)
		uncall(p, t);
	pthread_mutex_unlock(&p->lock);
	return yes;
}

void pool_wait(struct pool *p, struct pool_task *t)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->waiting++;
	while (t->calls || t->runs)
		pthread_cond_wait(&p->over, &p->lock);
	p->waiting--;
	pthread_mutex_unlock(&p->lock);
}

void pool_cancel(struct pool *p, struct pool_task *t)
{
	while (pool_recall(p, t))
		;
	pool_wait(p, t);
}

int pool_spare(struct pool *p)
{
	int n;

	if (!p)
		return 0;
	pthread_mutex_lock(&p->lock);
	n = spare(p);
	pthread_mutex_unlock(&p->lock);
	return n;
}

unsigned pool_started(struct pool *p)
{
	unsigned n;

	pthread_mutex_lock(&p->lock);
	n = p->started;
	pthread_mutex_unlock(&p->lock);
	return n;
}
