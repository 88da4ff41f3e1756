/*
 * What scan keeps in a store, and how it recalls what was kept: a reading (the
 * files of one job, or an archive) that has not changed is not read again.
 */
#ifndef CLI_SCAN_STORE_H
#define CLI_SCAN_STORE_H

#include "cli/session.h"
#include "reports/store/entry.h"
#include "reports/store/store.h"

struct scan_store;

/* One diagnosis as its JSON text, from the scan or from the store. */
typedef int scan_store_line(void *ctx, struct span record);

/* With s->store; sets x->options.memory. NULL with e set: the store cannot be
 * opened. */
struct scan_store *scan_store_open(
    const struct settings *s, struct session *x, struct err *e);
/* Write what is pending. -1 with e set. Accepts NULL. */
int scan_store_close(struct scan_store *k, struct err *e);

/* What a store keeps of a diagnosis, with its JSON text, as a line that
 * store_import reads; appended, without its end. -1 with e set: out of memory.
 */
int scan_store_text(const struct diagnosis *d, struct span record,
    struct buf *out, struct err *e);

/* A diagnosis, its entry and JSON text, kept when scan_store_reading says so.
 * -1 with e set: out of memory. */
int scan_store_add(struct scan_store *k, const struct diagnosis *d,
    const struct entry *en, struct span record, struct err *e);
/* The diagnoses since the last call are those of one reading. opened: as in
 * struct triage_sink. */
int scan_store_reading(struct scan_store *k, struct hash_value stamp,
    char *const *opened, size_t n_opened, struct err *e);
/* Tell what was recalled, line by line. -1: line said stop. */
int scan_store_tell(const void *answer, scan_store_line *line, void *ctx);
/* All jobs have been told of: learn from the good ones, where --learn says so.
 * -1 with e set. */
int scan_store_learn(struct scan_store *k, struct err *e);
/* How many diagnoses were recalled, not read. */
uint64_t scan_store_recalled(const struct scan_store *k);

#endif
