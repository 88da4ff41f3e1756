/* Writing the answer down: how sure it is, its fingerprint, the evidence. */
#ifndef DIAGNOSE_CONCLUSION_H
#define DIAGNOSE_CONCLUSION_H

#include "diagnose/decision/candidates.h"

/* The job failed of win. NULL: of nothing that is known; then only what lost
 * is listed. 0, or -1: no memory. */
int conclusion_write(struct ranking *r, const struct candidate *win);

#endif
