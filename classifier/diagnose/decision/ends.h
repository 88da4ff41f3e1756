/* What ended each process, and what it only lived through. */
#ifndef DIAGNOSE_ENDS_H
#define DIAGNOSE_ENDS_H

#include "diagnose/decision/candidates.h"

/* Let those lose that their process lived through: it ended of another
 * failure, or the scheduler, the kernel or a container's runtime ended it. */
void ends_settle(struct ranking *r);

/* Whether the failure of later is one that is known to follow from such as
 * first: its rule or category names that of first. */
bool ends_follows_from(const struct taxonomy *tax,
    const struct candidate *later, const struct candidate *first);

/* Whether the one failure can be what the other one, which came first, led to:
 * by the taxonomy's `follows`. other_step: they are of two programs of one
 * script. */
bool ends_follows(const struct taxonomy *tax, const struct candidate *later,
    const struct candidate *first, bool other_step);

/* Whether what came first explains the later one, and stands near enough. One
 * that states only a class follows an exception right before it. */
bool ends_explains(const struct taxonomy *tax, const struct candidate *first,
    const struct candidate *later);

/* Whether it can follow from any end of a program that the same script ran
 * before. */
bool ends_follows_step(const struct taxonomy *tax, const struct candidate *c);

#endif
