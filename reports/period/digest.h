/*
 * A period for each owner of jobs, a user or an account: what failed, mostly
 * of what, what it cost, whether to retry, and where the logs lie.
 */
#ifndef REPORTS_DIGEST_H
#define REPORTS_DIGEST_H

#include "reports/period/report.h"

/* by: BY_USER or BY_GROUP. Owners without a failure are left out; top: jobs of
 * each that are listed, the dearest first. -1 with e set: out of memory. */
int digest_text(const struct report *r, enum breakdown_id by, size_t top,
    FILE *f, struct err *e);
/* "jobtriage.digest/1", with all jobs. */
int digest_json(
    const struct report *r, enum breakdown_id by, FILE *f, struct err *e);

#endif
