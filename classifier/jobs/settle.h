/*
 * Waiting for logs: the scheduler says that a job has ended before its last
 * lines are in place, or, on a network's file system, before they are seen.
 */
#ifndef JOBS_SETTLE_H
#define JOBS_SETTLE_H

#include "base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What lies under some paths at a moment. */
struct settle {
	struct hash_value state; /* of all names, sizes and times */
	uint64_t bytes;          /* of the files, as stored */
	int64_t newest; /* the last change, microseconds UTC; or INT64_MIN */
	size_t missing; /* index of the first path that is not there, or n */
	size_t files;   /* standard input and pipes included */
	bool endless;   /* one of them has no size that could be looked at */
};

/* follow: links, as the reading does. Standard input counts as a file that is
 * there. */
void settle_look(
    const char *const *paths, size_t n, bool follow, struct settle *out);

/*
 * Look, and wait for at most so many seconds until every path is there, the
 * files are not all empty, and they have not changed for a second (half the
 * time, if that is less). Does not wait when that is so already, and with 0
 * seconds only looks. Whether it became so; *out is the last look.
 */
bool settle_wait(const char *const *paths, size_t n, bool follow,
    double seconds, struct settle *out);

#endif
