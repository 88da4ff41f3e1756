/* Ranks are few thousand at most: a table by rank is enough. */
#include "diagnose/signals/collective.h"

#include "diagnose/diagnosis.h"

#include <stdlib.h>
#include <string.h>

/* The ranks that the job had: what a log says of the world's size, or the
 * highest rank that one of its logs belongs to. 0: not known. */
static int world_of(const struct diagnosis *d)
{
	int world = 0;

	for (size_t i = 0; i < d->n_logs; i++) {
		const struct findings *f = d->logs[i];

		if (f->world_size > world)
			world = f->world_size;
		if (f->rank + 1 > world)
			world = f->rank + 1;
	}
	return world < COLLECTIVE_RANKS ? world : 0;
}

static const struct wait *earliest(const struct diagnosis *d)
{
	const struct wait *first = NULL;

	for (size_t i = 0; i < d->n_logs; i++)
		for (size_t k = 0; k < d->logs[i]->n_waits; k++) {
			const struct wait *w = &d->logs[i]->waits[k];

			if (!first || w->seq < first->seq)
				first = w;
		}
	return first;
}

int collective_find(const struct diagnosis *d, struct collective *out)
{
	const struct wait *first = earliest(d);
	bool waits[COLLECTIVE_RANKS];
	int world = world_of(d), end = world;

	*out = (struct collective){ .seq = -1 };
	if (!first)
		return 0;
	out->seq = first->seq;
	memcpy(out->op, first->op, sizeof out->op);
	memset(waits, 0, sizeof waits);
	for (size_t i = 0; i < d->n_logs; i++)
		for (size_t k = 0; k < d->logs[i]->n_waits; k++) {
			const struct wait *w = &d->logs[i]->waits[k];

			if (w->seq != first->seq || w->rank < 0 ||
			    w->rank >= COLLECTIVE_RANKS)
				continue;
			waits[w->rank] = true;
			if (w->rank >= end)
				end = w->rank + 1;
		}
	out->waiting = calloc((size_t)end + 1, sizeof *out->waiting);
	out->missing = calloc((size_t)end + 1, sizeof *out->missing);
	if (!out->waiting || !out->missing) {
		collective_release(out);
		return -1;
	}
	for (int r = 0; r < end; r++) {
		if (waits[r])
			out->waiting[out->n_waiting++] = r;
		else if (r < world)
			out->missing[out->n_missing++] = r;
	}
	/* when few waited, the others' watchdogs were just not heard */
	if (out->n_missing > out->n_waiting)
		out->n_missing = 0;
	return 1;
}

void collective_release(struct collective *c)
{
	free(c->waiting);
	free(c->missing);
	c->waiting = c->missing = NULL;
	c->n_waiting = c->n_missing = 0;
}
