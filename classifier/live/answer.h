/* From the findings of a live log to its diagnosis. Private to live/. */
#ifndef LIVE_ANSWER_H
#define LIVE_ANSWER_H

#include "live/live.h"

struct findings;

/* How a command ended. */
struct answer_end {
	int exit_code, signal;  /* or -1 */
	int64_t started, ended; /* microseconds UTC */
	bool out_of_memory;     /* the kernel killed some of it */
	const char *stopped;    /* why we did, or NULL */
};

/* Diagnose; f is taken over in every case. end NULL: not known, and a->record
 * is not used. 0 with a->diagnosed set, or -1 with e set: out of memory. */
int answer_make(struct live_answer *a, const struct live_options *o,
    struct findings *f, const struct answer_end *end, struct err *e);

#endif
