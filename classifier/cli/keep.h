/*
 * What scan keeps in a store, and how it recalls what was kept: a reading (the
 * files of one job, or an archive) that has not changed is not read again.
 */
#ifndef CLI_KEEP_H
#define CLI_KEEP_H

#include "cli/session.h"
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

/* What a store keeps of a diagnosis, with its JSON text. -1 with e set: out of
 * memory; release in every case. */
int keep_row(const struct diagnosis *d, struct span record,
    struct store_row *row, struct err *e);
void keep_row_release(struct store_row *row);

/* A diagnosis and its JSON text: kept when keep_reading says so. */
int keep_add(struct keep *k, const struct diagnosis *d, struct span record,
    struct err *e);
/* The diagnoses since the last call are those of one reading. */
int keep_reading(struct keep *k, struct hash_value stamp, struct err *e);
/* Tell what was recalled, line by line. -1: line said stop. */
int keep_tell(const void *answer, keep_line *line, void *ctx);
/* How many diagnoses were recalled, not read. */
uint64_t keep_recalled(const struct keep *k);

#endif
