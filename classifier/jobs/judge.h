/*
 * From findings to an answer, and from a job record to findings: what every
 * way of asking about a job (a scan, the gate, a running command) shares.
 */
#ifndef JOBS_JUDGE_H
#define JOBS_JUDGE_H

#include "diagnose/diagnosis.h"

struct err;
struct job_record;
struct judge_memory;
struct redactor;
struct scan;

/* What was seen in records: there are many of them, and few ways to end. Of one
 * thread; the records must outlive it. NULL: out of memory. */
struct judge_memory *judge_memory_new(void);
void judge_memory_free(struct judge_memory *m); /* accepts NULL */

/* What the rules see in a record, as findings with its place. more: further
 * lines for the rules, or NULL. m: or NULL. No log may be in progress in s.
 * NULL with e set: out of memory. */
struct findings *judge_record(const struct job_record *r, const char *more,
    struct scan *s, struct judge_memory *m, struct err *e);

/* Root failure, cost and verdict of d, whose logs and record are in place; then
 * nothing in d is secret any more (redact NULL: all stays as it is). -1 with e
 * set: out of memory; d is still the caller's. */
int judge_job(struct diagnosis *d, const struct taxonomy *tax,
    const struct redactor *redact, struct err *e);

#endif
