/*
 * The file in which a job says why it ends: named by JOBTRIAGE_REASON_FILE, for
 * the gate and for `run`.
 */
#ifndef JOBS_REASON_FILE_H
#define JOBS_REASON_FILE_H

#include "diagnose/diagnosis.h"

#include <stdint.h>

#define REASON_FILE "JOBTRIAGE_REASON_FILE"
#define REASON_FILE_MOST 4096 /* bytes that are read */

/* What it holds, which the caller frees; NULL: there is none, it is no plain
 * file, or it was written last before the time (seconds since 1970). */
char *reason_file_read(int64_t since);
/* Let d's first log say it, if text has it; NULL: nothing was said. Before the
 * judgement. -1 with e set: out of memory. */
int reason_file_tell(struct diagnosis *d, const struct taxonomy *tax,
    const char *text, struct err *e);

#endif
