/* A diagnosis as JSON: the object of "jobtriage.diagnosis/1". */
#ifndef REPORTS_RECORD_H
#define REPORTS_RECORD_H

#include "diagnose/diagnosis.h"

struct err;
struct json;

/* Free with json_free. NULL with e set: out of memory. */
struct json *record_json(
    const struct diagnosis *d, const struct taxonomy *tax, struct err *e);

#endif
