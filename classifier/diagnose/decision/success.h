/*
 * A run whose work was done before it ended badly: it said so, and then hung,
 * was ended from outside, or broke while it was torn down.
 */
#ifndef DIAGNOSE_SUCCESS_H
#define DIAGNOSE_SUCCESS_H

#include "diagnose/decision/candidates.h"

/* Why a candidate is but a stumble at the tear-down of a run whose work is
 * done, and no failure; or NULL. Static. */
const char *success_torn_down(const struct candidate *c);

/* Whether the last that a log tells of is that the work was done. */
bool success_told(const struct findings *f);

/* The log that says that the work was done before what is the answer, or NULL:
 * d->evidence is written. */
const struct findings *success_before(const struct diagnosis *d);

#endif
