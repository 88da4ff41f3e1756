/*
 * Looking means to give the scan the whole lines so far, a few times a second
 * at most; peeking, at the end of the log as if it were over, is for blocks
 * that are not closed yet and happens when nothing comes for a while, or now
 * and then where a TIME runs.
 */
#define _DEFAULT_SOURCE /* setpriority */
#include "live/listener.h"

#include "diagnose/findings.h"

#include <sys/resource.h>
#include <unistd.h>

#define LOOK_SECONDS 0.2
#define PEEK_SECONDS 1.0
#define NICE 10

struct looks {
	double looked, peeked; /* when */
	double output;         /* when the last bytes came */
	bool fresh;            /* they were not peeked at yet */
};

static void tell_events(struct listener *l)
{
	ssize_t w;

	while (watch_take(l->watch, &l->events[l->n_events])) {
		l->n_events++;
		w = write(l->wake, "e", 1);
		(void)w;
	}
}

static void fail(struct listener *l)
{
	l->failed = true;
}

static void peek(struct listener *l, struct looks *t, double now)
{
	struct findings *f = reading_peek(l->reading, &l->e);

	t->peeked = now;
	t->fresh = false;
	if (!f) {
		fail(l);
		return;
	}
	watch_peeked(l->watch, f, now);
	findings_free(f);
}

static void look(struct listener *l, struct looks *t, bool end)
{
	double now = live_clock();
	const struct findings *f;

	if (l->failed || (!end && now - t->looked < LOOK_SECONDS))
		return;
	t->looked = now;
	f = reading_look(l->reading, &l->e);
	if (!f) {
		fail(l);
		return;
	}
	watch_findings(l->watch, f, now);
	if (t->fresh &&
	    (end || now - t->output >= PEEK_SECONDS ||
		(watch_shortest(l->watch) > 0 &&
		    now - t->peeked >= PEEK_SECONDS)))
		peek(l, t, now);
	/* a slow reader behind us is not the command's silence */
	for (int i = 0; i < l->n_pumps; i++)
		if (l->pumps[i].writing)
			watch_output(l->watch, (struct span){ "", 0 }, now);
	if (!end)
		watch_tick(l->watch, now);
	tell_events(l);
}

static void take(struct listener *l, struct piece *p, struct looks *t)
{
	struct span bytes = { p->data, p->n };

	if (l->failed)
		return;
	if ((p->gap && reading_gap(l->reading, p->stream, &l->e)) ||
	    reading_add(l->reading, p->stream, bytes, &l->e))
		fail(l);
	if (l->watch)
		watch_output(l->watch, bytes, p->at);
	t->output = p->at;
	t->fresh = true;
}

static void *run(void *arg)
{
	struct listener *l = arg;
	struct looks t = { .output = live_clock() };
	bool closed = false;
	ssize_t w;

	/* of this thread, as Linux has it: the passing on goes first */
	(void)setpriority(PRIO_PROCESS, 0, NICE);
	while (!closed) {
		struct piece *p = queue_get(
		    l->queue, l->watch ? LOOK_SECONDS : 3600, &closed);

		if (p) {
			take(l, p, &t);
			queue_return(l->queue, p);
		}
		if (l->watch)
			look(l, &t, closed);
	}
	l->done = true;
	w = write(l->wake, "l", 1);
	(void)w;
	return NULL;
}

int listener_start(struct listener *l)
{
	return pthread_create(&l->thread, NULL, run, l) ? -1 : 0;
}
