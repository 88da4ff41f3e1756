/*
 * What a store did not take, put aside on this machine until it does: a folder
 * with a file for each, which holds lines as store_import reads them. A file is
 * there whole or not at all, may be read by its owner alone, and is removed
 * when the store has all of it; sent twice, it changes nothing.
 */
#ifndef REPORTS_SPOOL_H
#define REPORTS_SPOOL_H

#include "base/text.h"

#include <stdint.h>

struct err;
struct store;

/* Make the folder, for its owner alone, unless it is there. -1 with e set. */
int spool_make(const char *folder, struct err *e);

/* Put text, whole lines, there as one file. The files count as the disk's
 * blocks that they take; more bytes than most are not put there, but for what
 * others put there at the same moment. -1 with e set: it is full, or cannot be
 * written. */
int spool_put(
    const char *folder, uint64_t most, struct span text, struct err *e);

struct spool_sent {
	uint64_t sent; /* files that are in the store now */
	uint64_t left; /* of others, or not read: told by bad */
	void (*bad)(void *ctx, const char *name, const char *why);
	void *ctx;
};

/* Put into the store what lies there, the oldest first, for so many
 * milliseconds at most (0: all). A folder that is not there is empty. -1 with e
 * set: the store failed, or the folder; what the store has not taken stays. */
int spool_send(const char *folder, struct store *s, int milliseconds,
    struct spool_sent *n, struct err *e);

#endif
