/* What to do about a failure. */
#ifndef DIAGNOSE_VERDICT_H
#define DIAGNOSE_VERDICT_H

struct diagnosis;
struct err;
struct taxonomy;

/* verdict, adjust and reason, by the policy; history.h judges again when
 * earlier attempts are known. -1 with e set: out of memory. */
int verdict_job(struct diagnosis *d, const struct taxonomy *tax, struct err *e);

#endif
