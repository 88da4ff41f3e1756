/* A diagnosis as JSON: the object of "jobtriage.diagnosis/1". */
#ifndef REPORTS_DIAGNOSIS_JSON_H
#define REPORTS_DIAGNOSIS_JSON_H

#include "diagnose/diagnosis.h"

struct buf;
struct err;
struct jsontext;

/* Append it to out, without a line end. -1 with e set: out of memory. */
int diagnosis_json_text(const struct diagnosis *d, const struct taxonomy *tax,
    struct buf *out, struct err *e);
/* Its members, into the object at hand. */
void diagnosis_json_put(
    struct jsontext *t, const struct diagnosis *d, const struct taxonomy *tax);

#endif
