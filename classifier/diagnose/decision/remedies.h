/* What a person can do about a failure, by what the log shows. */
#ifndef DIAGNOSE_REMEDIES_H
#define DIAGNOSE_REMEDIES_H

#include "diagnose/diagnosis.h"

#define REMEDIES_MAX 32

/*
 * The remedies of d's rule, then those of its category whose words the cause
 * has: in the rule's id, the text of a proof, or "verdict=WORD". Of work that
 * is done nothing is to be mended. The texts are the taxonomy's. Returns how
 * many.
 */
size_t remedies_of(const struct diagnosis *d, const char *v[REMEDIES_MAX]);

#endif
