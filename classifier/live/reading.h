/*
 * One log, read as it comes. Two streams may write it: their lines are kept
 * whole, in the order in which they end. Private to live/.
 */
#ifndef LIVE_READING_H
#define LIVE_READING_H

#include "base/text.h"
#include "jobs/triage.h"

struct findings;
struct reading;

#define READING_STREAMS 2

/* peek: reading_peek will be called. NULL with e set. */
struct reading *reading_new(
    const struct triage_options *o, bool peek, struct err *e);
void reading_free(struct reading *r);

/* Begin a log; forgets the one in progress. */
int reading_begin(struct reading *r, const char *path, struct err *e);
int reading_add(
    struct reading *r, int stream, struct span bytes, struct err *e);
/* Bytes of a stream are missing here. */
int reading_gap(struct reading *r, int stream, struct err *e);
/* What was found in the whole lines so far; borrowed until the next call. NULL
 * with e set. */
struct findings *reading_look(struct reading *r, struct err *e);
/* What would be found if the log ended here, by its last bytes alone: the
 * caller's. Changes nothing. NULL with e set. */
struct findings *reading_peek(struct reading *r, struct err *e);
/* The log has ended; the findings are the caller's. NULL with e set. */
struct findings *reading_end(struct reading *r, struct err *e);

#endif
