/*
 * What is watched for in a live log: each act of the options fires at most
 * once. Times are seconds of live_clock. Private to live/.
 */
#ifndef LIVE_WATCH_H
#define LIVE_WATCH_H

#include "base/text.h"
#include "diagnose/findings.h"
#include "live/live.h"

struct watch;

/* NULL with e set: what is asked for is not known, or out of memory. */
struct watch *watch_new(
    const struct live_options *o, double now, struct err *e);
void watch_free(struct watch *w);

/* Output has come. */
void watch_output(struct watch *w, struct span bytes, double now);
/* What was found so far; may be told again and again. */
void watch_findings(struct watch *w, const struct findings *f, double now);
/* What the end of the log looks like; the same, and how far the job is. */
void watch_peeked(struct watch *w, const struct findings *f, double now);
/* Time has passed. */
void watch_tick(struct watch *w, double now);
/* The next event that has not been taken; false: none. */
bool watch_take(struct watch *w, struct live_event *ev);
/* The seconds of the shortest TIME, or 0: none is given. */
double watch_shortest(const struct watch *w);

#endif
