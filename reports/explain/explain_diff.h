/*
 * What a run printed that a good run of the same job did not. Lines are
 * compared without what differs between any two runs (numbers, times, hex,
 * temporary names); a value of a setting or a version is compared for itself.
 * Memory is bounded: beyond that, lines of the good run are forgotten, which
 * the answer tells.
 */
#ifndef REPORTS_EXPLAIN_DIFF_H
#define REPORTS_EXPLAIN_DIFF_H

#include "reports/explain/explain.h"

struct explain_diff;

/* tax must outlive it. NULL: out of memory. */
struct explain_diff *explain_diff_new(const struct taxonomy *tax);
void explain_diff_free(struct explain_diff *df);

/* Lines without their envelope; all of the good run first. -1: no memory. */
int explain_diff_good(struct explain_diff *df, struct span line);
/* number: of the line; f: of its log, or NULL. warning: by its level. */
int explain_diff_bad(struct explain_diff *df, struct span line, uint64_t number,
    const struct findings *f, bool warning);

/* -1 with e set: out of memory. */
int explain_diff_write(
    struct explain_diff *df, const struct explain *x, FILE *f, struct err *e);

#endif
