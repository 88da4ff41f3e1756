/*
 * What a job says of its own end: by a line of its log, or in a file that it
 * was told of. How far that goes is the policy's to say.
 */
#ifndef DIAGNOSE_DECLARED_H
#define DIAGNOSE_DECLARED_H

#include "diagnose/findings.h"
#include "diagnose/signals/signals.h"

/* A line that tells it; number 0: of no log. What was said before is forgotten.
 * A lack of memory is kept in f. */
void declared_told(struct findings *f, const struct taxonomy *tax,
    const struct signal_told *told, uint64_t number);
/* The last of the lines of text that tells it, if any; what stands in front of
 * it in a log ("jobtriage: ") may be missing. -1 with e set: out of memory. */
int declared_read(struct findings *f, const struct taxonomy *tax,
    struct span text, struct err *e);

#endif
