/*
 * What a log says beside its failure: how far the run was, the checkpoints it
 * wrote, how its processes ended. Read from single lines, on demand.
 */
#ifndef DIAGNOSE_FACTS_H
#define DIAGNOSE_FACTS_H

#include "diagnose/findings.h"

/* Texts on whose lines facts_line has something to read. Ends with NULL. */
extern const char *const facts_triggers[];
/* Likewise, and each by itself tells that several processes run side by side.
 */
extern const char *const facts_parallel_triggers[];

/* The position a training line prints (step, iteration, epoch, progress bar):
 * false when it prints none. */
bool facts_progress(struct span line, struct progress *out);

/* The last position printed in text before offset end, looking back at most
 * as far as from; *at is set to the offset of its line. */
bool facts_progress_before(struct span text, size_t from, size_t end,
    struct progress *out, size_t *at);

/* Whether a line or traceback tells that several processes run side by side. */
bool facts_parallel(struct span text);

/* Checkpoints, exit codes and the number of ranks in one peeled line. */
void facts_line(struct findings *f, uint64_t number, struct span text);

/* The framework whose files a traceback names, or NULL. Static. */
const char *facts_framework(struct span trace);

#endif
