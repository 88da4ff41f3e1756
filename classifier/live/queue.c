/*
 * Small pieces are put together while they wait, so that a program that writes
 * line by line does not fill the queue with them.
 */
#include "live/queue.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct piece *first, *last; /* filled */
	struct piece *empty;
	size_t made, most;
	uint64_t lost;
	bool closed;
	bool gap[QUEUE_STREAMS]; /* before the stream's next piece */
};

struct queue *queue_new(size_t pieces)
{
	struct queue *q = calloc(1, sizeof *q);
	pthread_condattr_t how;

	if (!q)
		return NULL;
	q->most = pieces < 4 ? 4 : pieces;
	pthread_mutex_init(&q->lock, NULL);
	pthread_condattr_init(&how);
	pthread_condattr_setclock(&how, CLOCK_MONOTONIC);
	pthread_cond_init(&q->changed, &how);
	pthread_condattr_destroy(&how);
	return q;
}

static void free_list(struct piece *p)
{
	while (p) {
		struct piece *next = p->next;

		free(p);
		p = next;
	}
}

void queue_free(struct queue *q)
{
	if (!q)
		return;
	free_list(q->first);
	free_list(q->empty);
	pthread_cond_destroy(&q->changed);
	pthread_mutex_destroy(&q->lock);
	free(q);
}

/* The oldest filled piece, emptied; what follows it knows of the gap. */
static struct piece *steal(struct queue *q)
{
	struct piece *p = q->first, *next;

	if (!p)
		return NULL;
	q->first = p->next;
	if (!q->first)
		q->last = NULL;
	q->lost += p->n;
	for (next = q->first; next; next = next->next)
		if (next->stream == p->stream)
			break;
	if (next)
		next->gap = true;
	else
		q->gap[p->stream] = true;
	return p;
}

struct piece *queue_take(struct queue *q)
{
	struct piece *p;

	pthread_mutex_lock(&q->lock);
	p = q->empty;
	if (p) {
		q->empty = p->next;
	} else if (q->made < q->most && (p = malloc(sizeof *p))) {
		q->made++;
	} else {
		p = steal(q);
	}
	pthread_mutex_unlock(&q->lock);
	if (p) {
		p->next = NULL;
		p->gap = false;
		p->n = 0;
	}
	return p;
}

static void put_empty(struct queue *q, struct piece *p)
{
	p->next = q->empty;
	q->empty = p;
}

void queue_put(struct queue *q, struct piece *p)
{
	struct piece *last;

	pthread_mutex_lock(&q->lock);
	last = q->last;
	if (p->n == 0) {
		put_empty(q, p);
	} else if (last && last->stream == p->stream &&
	    sizeof last->data - last->n >= p->n) {
		memcpy(last->data + last->n, p->data, p->n);
		last->n += p->n;
		last->at = p->at;
		put_empty(q, p);
	} else {
		if (last)
			last->next = p;
		else
			q->first = p;
		q->last = p;
		p->gap = q->gap[p->stream];
		q->gap[p->stream] = false;
		pthread_cond_signal(&q->changed);
	}
	pthread_mutex_unlock(&q->lock);
}

void queue_close(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->closed = true;
	pthread_cond_signal(&q->changed);
	pthread_mutex_unlock(&q->lock);
}

static struct timespec from_now(double seconds)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	seconds += (double)t.tv_nsec / 1e9;
	t.tv_sec += (time_t)seconds;
	t.tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9);
	return t;
}

struct piece *queue_get(struct queue *q, double seconds, bool *closed)
{
	struct timespec until = from_now(seconds);
	struct piece *p;
	int rc = 0;

	pthread_mutex_lock(&q->lock);
	while (!q->first && !q->closed && rc != ETIMEDOUT)
		rc = pthread_cond_timedwait(&q->changed, &q->lock, &until);
	p = q->first;
	if (p) {
		q->first = p->next;
		if (!q->first)
			q->last = NULL;
		p->next = NULL;
	}
	*closed = q->closed && !p;
	pthread_mutex_unlock(&q->lock);
	return p;
}

void queue_return(struct queue *q, struct piece *p)
{
	pthread_mutex_lock(&q->lock);
	put_empty(q, p);
	pthread_mutex_unlock(&q->lock);
}

uint64_t queue_lost(struct queue *q)
{
	uint64_t lost;

	pthread_mutex_lock(&q->lock);
	lost = q->lost;
	pthread_mutex_unlock(&q->lock);
	return lost;
}
