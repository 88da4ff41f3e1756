/*
 * The logs of one unit on all threads that have nothing to do: the unit's own
 * thread reads them, keeps the small ones in memory, and takes them back, with
 * their findings, in the order it has put them. Private to jobs/.
 */
#ifndef JOBS_UNIT_CREW_H
#define JOBS_UNIT_CREW_H

#include "jobs/unit_log.h"

struct engine;
struct unit_crew;

/* What all of it borrows. */
struct unit_crew_options {
	const struct engine *engine;
	const struct limits *limits;
	bool hash_content;
	_Atomic int *spare; /* threads that may be started; each that works is
			     * off it, and back on it when it rests */
};

/* NULL: out of memory. */
struct unit_crew *unit_crew_new(const struct unit_crew_options *o);
/* End the threads, and forget what was not taken back. */
void unit_crew_free(struct unit_crew *c);

/* Whether somebody would look at a log that is put. */
bool unit_crew_helps(struct unit_crew *c);
bool unit_crew_empty(const struct unit_crew *c);

/* A log, at the end of the line; NULL when there is no room. Borrowed until it
 * is taken back. Nobody else touches it until it is put. */
struct unit_log *unit_crew_add(struct unit_crew *c);
enum unit_crew_room { UNIT_CREW_KEPT, UNIT_CREW_FULL, UNIT_CREW_TOO_LARGE };
/* Keep more bytes of the log added last. FULL: when others have been looked at,
 * there will be room; TOO_LARGE: there never is. */
enum unit_crew_room unit_crew_keep(
    struct unit_crew *c, const char *p, size_t n);
/* Bytes kept of it; its caller goes on with them, and without the crew. */
struct span unit_crew_kept(struct unit_crew *c);
/* The log added last is complete. scanned: by the caller. */
void unit_crew_put(struct unit_crew *c, bool scanned);

/* The first log in line, if it has been scanned, or else NULL. */
struct unit_log *unit_crew_first(struct unit_crew *c);
/* Release it. */
void unit_crew_drop(struct unit_crew *c);
/* Scan the first that nobody has begun, or wait for one that somebody has.
 * Only when not all that was put has been scanned. */
void unit_crew_work(struct unit_crew *c, const struct unit_reader *r);

#endif
