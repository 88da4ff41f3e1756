/*
 * What scan keeps in a store, and how it recalls what was kept: a reading (the
 * files of one job, or an archive) that has not changed is not read again.
 */
#ifndef CLI_KEEP_H
#define CLI_KEEP_H

#include "cli/session.h"
#include "reports/store/entry.h"
#include "reports/store/store.h"

struct keep;

/* One diagnosis as its JSON text, from the scan or from the store. */
typedef int keep_line(void *ctx, struct span record);

/* With s->store; sets x->options.memory. NULL with e set: the store cannot be
 * opened. */
struct keep *keep_open(
    const struct settings *s, struct session *x, struct err *e);
/* Write what is pending. -1 with e set. Accepts NULL. */
int keep_close(struct keep *k, struct err *e);

/* What a store keeps of a diagnosis, with its entry and JSON text. NULL with e
 * set: out of memory. */
struct store_item *keep_pack(struct store *s, const struct diagnosis *d,
    const struct entry *en, struct span record, struct err *e);

/* The same, kept when keep_reading says so. -1 with e set: out of memory. */
int keep_add(struct keep *k, const struct diagnosis *d, const struct entry *en,
    struct span record, struct err *e);
/* The diagnoses since the last call are those of one reading. */
int keep_reading(struct keep *k, struct hash_value stamp, struct err *e);
/* Tell what was recalled, line by line. -1: line said stop. */
int keep_tell(const void *answer, keep_line *line, void *ctx);
/* How many diagnoses were recalled, not read. */
uint64_t keep_recalled(const struct keep *k);

#endif
