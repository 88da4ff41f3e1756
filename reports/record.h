/* A diagnosis as JSON: the object of "jobtriage.diagnosis/1". */
#ifndef REPORTS_RECORD_H
#define REPORTS_RECORD_H

#include "diagnose/diagnosis.h"

struct err;
struct json;

/* Free with json_free. NULL with e set: out of memory. */
struct json *record_json(
    const struct diagnosis *d, const struct taxonomy *tax, struct err *e);

/* What the answer rests on, for a row of a table: the rank and first time of
 * the root failure. Unknown: -1, ENVELOPE_NO_TIME. */
int record_rank(const struct proof *p);
int64_t record_time(const struct proof *p);
/* Its line, 0 when there is none, and its text (borrowed). */
uint64_t record_line(const struct proof *p);
struct span record_text(const struct proof *p);

#endif
