/*
 * Lines x rules -> evidence. An engine is made once from a taxonomy and shared
 * by threads; a scan is one thread's scratch memory and reads one log after
 * the other. The bytes may come in pieces of any size: from a file, a member
 * of an archive, or a live pipe.
 */
#ifndef DIAGNOSE_SCAN_H
#define DIAGNOSE_SCAN_H

#include "base/limits.h"
#include "diagnose/findings.h"

struct err;
struct taxonomy;
struct engine;
struct pool;
struct scan;

/* prefilter: false runs every rule on every line (slow; the answers are the
 * same). The taxonomy and limits must outlive the engine. NULL with e set. */
struct engine *engine_new(const struct taxonomy *tax,
    const struct limits *limits, bool prefilter, struct err *e);
void engine_free(struct engine *en);
/* Have what stands around evidence kept, too, for a person to read: see
 * excerpt.h. Before the first scan; the answers stay the same. */
void engine_excerpts(struct engine *en);
/* Have the numbers of a training kept as curves: see metrics.h. Likewise. */
void engine_trends(struct engine *en);
/* Have what the time of a training goes into read: see phases.h. Likewise. */
void engine_goodput(struct engine *en);

/* The engine must outlive the scan. NULL with e set: out of memory. */
struct scan *scan_new(const struct engine *en, struct err *e);
void scan_free(struct scan *s);
const struct taxonomy *scan_taxonomy(const struct scan *s);

/* The time that the logs of one job may take together. */
struct scan_time {
	int64_t matching; /* microseconds left for regular expressions */
	int64_t until;    /* by scan_clock; then no more rules are run */
};

/* Microseconds of a clock that only goes forward. */
int64_t scan_clock(void);
/* For the logs that begin from now on; borrowed. NULL: each log by itself. */
void scan_within(struct scan *s, struct scan_time *t);

/* The threads that may help with a large log. Borrowed; NULL: none. */
void scan_use_pool(struct scan *s, struct pool *pool);
/* Leave the log in progress, if there is one: nobody works on it any more. */
void scan_leave(struct scan *s);

/* Begin a log. rank and node as its path tells, or -1 and NULL. */
int scan_begin(struct scan *s, const char *path, int rank, const char *node,
    struct err *e);
int scan_feed(struct scan *s, const char *p, size_t n, struct err *e);
/* Look at the whole lines that have come so far: for live logs. */
int scan_flush(struct scan *s, struct err *e);
/* End the log. whole: its end was reached. The caller owns the findings;
 * NULL with e set: out of memory. */
struct findings *scan_end(struct scan *s, bool whole, struct err *e);
/* What was found so far in the log in progress, when all that was fed has been
 * looked at; borrowed, or NULL. */
struct findings *scan_findings(struct scan *s);

#endif
