/* Exceptions that are tied to one another: "during handling", "the direct
 * cause", "Original Traceback". */
#ifndef DIAGNOSE_CHAINS_H
#define DIAGNOSE_CHAINS_H

#include "diagnose/decision/candidates.h"

/* Of each chain only the exception that states the cause goes on. */
void chains_settle(struct ranking *r);

#endif
