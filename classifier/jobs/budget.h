/*
 * What the files of one owner may cost together, and all files of a run: of a
 * folder that many write to, nobody's logs keep those of the others from being
 * read. Private to jobs/.
 */
#ifndef JOBS_BUDGET_H
#define JOBS_BUDGET_H

#include "base/limits.h"

struct budget;
struct budget_owner;

/* Whether one of the limits is lower than what none is. */
bool budget_bounds(const struct limits *limits);

/* The run begins. NULL: out of memory. */
struct budget *budget_new(const struct limits *limits);
void budget_free(struct budget *b); /* accepts NULL */

/* Whose file it is, an archive's of what is in it; borrowed. What cannot be
 * told of has one owner. NULL: out of memory. The rest is safe from several
 * threads, as this is. */
struct budget_owner *budget_owner(struct budget *b, const char *path);

/* Microseconds that are left for the owner's files. */
int64_t budget_left(const struct budget *b, const struct budget_owner *o);
void budget_spend(struct budget_owner *o, int64_t microseconds);
/* "1 second of its owner is over (limit owner-time)": why none is left;
 * borrowed. */
const char *budget_why(const struct budget *b, const struct budget_owner *o);
/* A file of the owner is left out. */
void budget_leave(struct budget_owner *o);

/* For the run and each owner of whom files were left out: who ("owner 1001")
 * and how many. */
void budget_each(const struct budget *b,
    void (*tell)(void *ctx, const char *who, const char *text), void *ctx);

#endif
