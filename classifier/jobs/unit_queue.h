/*
 * The logs of one unit on all threads that have nothing to do: the unit's own
 * thread reads them, stores the small ones in memory, and takes them back,
 * with their findings, in the order it has put them. Private to jobs/.
 */
#ifndef JOBS_UNIT_QUEUE_H
#define JOBS_UNIT_QUEUE_H

#include "jobs/unit_log.h"

struct pool;
struct unit_queue;

/* Both borrowed. NULL: out of memory; then it goes without. */
struct unit_queue *unit_queue_new(
    struct pool *pool, struct unit_readers *readers);
/* No thread works on it any more; what was not taken back is forgotten. */
void unit_queue_free(struct unit_queue *q);

/* Whether somebody would look at a log that is put. */
bool unit_queue_helps(struct unit_queue *q);
bool unit_queue_empty(const struct unit_queue *q);

/* A log, at the end of the queue; NULL when there is no room. Borrowed until it
 * is taken back. Nobody else touches it until it is put. */
struct unit_log *unit_queue_add(struct unit_queue *q);
enum unit_queue_room {
	UNIT_QUEUE_STORED,
	UNIT_QUEUE_FULL,
	UNIT_QUEUE_TOO_LARGE
};
/* Store more bytes of the log added last. FULL: when others have been looked
 * at, there will be room; TOO_LARGE: there never is. */
enum unit_queue_room unit_queue_store(
    struct unit_queue *q, const char *p, size_t n);
/* Bytes stored of it; its caller goes on with them, and without the queue. */
struct span unit_queue_stored(struct unit_queue *q);
/* The log added last is complete. scanned: by the caller. */
void unit_queue_put(struct unit_queue *q, bool scanned);

/* The first log, if it has been scanned, or else NULL. */
struct unit_log *unit_queue_first(struct unit_queue *q);
/* Release it. */
void unit_queue_drop(struct unit_queue *q);
/* Scan the first that nobody has begun, or wait for one that somebody has.
 * Only when not all that was put has been scanned. */
void unit_queue_work(struct unit_queue *q, const struct unit_reader *r);

#endif
