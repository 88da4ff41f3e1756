/*
 * A progress line on standard error: files, bytes, rate and time left, for
 * work over a second. A thread of its own counts what there is to do and draws.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "jobs/triage.h"

struct progress_bar;

/* NULL when there is nothing to draw on (or no memory: it is only talk). */
struct progress_bar *progress_start(const struct triage_options *o,
    const struct triage_counters *c, const char *const *paths, size_t n);
/* Take the line off the terminal; it comes back at the next turn. */
void progress_clear(struct progress_bar *p);
/* Take it off for good. NULL is fine. */
void progress_stop(struct progress_bar *p);

#endif
