/* How sure the answer is, and why. */
#ifndef DIAGNOSE_CERTAINTY_H
#define DIAGNOSE_CERTAINTY_H

#include "diagnose/decision/candidates.h"

/* Fill in r->d's confidence and because for the answer. */
void certainty_judge(struct ranking *r, const struct candidate *win);

#endif
