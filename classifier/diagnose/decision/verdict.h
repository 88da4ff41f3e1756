/* What to do about a failure. */
#ifndef DIAGNOSE_VERDICT_H
#define DIAGNOSE_VERDICT_H

#include "rules/taxonomy.h"

struct diagnosis;

/* A job that says what it ends of, and of whose end nothing else tells, has
 * failed, as far as the policy lets its word go. Before verdict_job. */
void verdict_declared_end(struct diagnosis *d, const struct taxonomy *tax);
/* verdict, adjust and reason, by the policy; history.h judges again when
 * earlier attempts are known. -1 with e set: out of memory. */
int verdict_job(struct diagnosis *d, const struct taxonomy *tax, struct err *e);

/* What is to be done about a rule's failure when nothing else is known. */
enum verdict verdict_of_rule(
    const struct taxonomy *tax, const struct rule *rule);

#endif
