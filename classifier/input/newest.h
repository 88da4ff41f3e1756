/*
 * A log whose newest lines are the first, as viewers of logs export it: its
 * events are turned round, each with the lines without a time behind its first
 * one. It is one where times go down and, to its end, never up. What becomes of
 * lines is undone before (shape.h), and the log is held to its end, as long as
 * it may be one: others are told by their first times.
 */
#ifndef INPUT_NEWEST_H
#define INPUT_NEWEST_H

#include "input/held.h"

#include <stdbool.h>

struct unwrap;
struct prefixes;

/* What times said so far. */
struct newest_order {
	int64_t last;
	uint64_t writer; /* of the line that it was of */
	bool timed;      /* there was one */
	bool up;         /* one was later than that before it */
	unsigned down;   /* were earlier, of the same writer */
};

struct newest {
	bool on; /* the log is held: it may be one */
	struct newest_order order;
	struct held held;
	size_t line;      /* where the first line begins that was not read */
	struct buf event; /* where events begin, as of size_t */
};

/* Where text goes; 0 or -1, as of decode_feed. */
struct newest_next {
	int (*add)(void *ctx, struct piece t, struct err *e);
	void *ctx;
	struct unwrap *unwrap; /* reads the times of records */
	const struct prefixes *prefixes;
};

void newest_begin(struct newest *n);
void newest_release(struct newest *n);
/* Clean text of the first bytes of a new log; or empty, of which nothing is
 * known yet. -1: out of memory. */
int newest_tell(struct newest *n, struct span head,
    const struct newest_next *next, struct err *e);
/* Whether text goes on as it is. */
static inline bool newest_none(const struct newest *n)
{
	return !n->on;
}
/* Clean text of a log that may be one, in order. */
int newest_feed(struct newest *n, struct piece t,
    const struct newest_next *next, struct err *e);
/* The log's end: what is held goes on. *turned: the other way round. */
int newest_end(struct newest *n, const struct newest_next *next, bool *turned,
    struct err *e);

#endif
