/*
 * Secrets hidden in a diagnosis, once and in place, between finding the root
 * failure and telling anybody of it: whatever shows a diagnosis shows what is
 * left. The category, the rule and the fingerprint have been found by then, and
 * are not touched.
 */
#ifndef DIAGNOSE_REDACTION_H
#define DIAGNOSE_REDACTION_H

struct diagnosis;
struct err;
struct redactor;

/* -1 with e set: out of memory; what is left may still hold secrets. */
int redaction_apply(
    struct diagnosis *d, const struct redactor *r, struct err *e);

#endif
