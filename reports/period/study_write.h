/* The study's view of a report in each format that has one; which: as in
 * study.h. */
#ifndef REPORTS_STUDY_WRITE_H
#define REPORTS_STUDY_WRITE_H

#include "reports/period/sheet.h"
#include "reports/period/study.h"

struct json;

/* 0; -1 with e set. */
int study_sheet(
    const struct report *r, const char *which, struct sheet *s, struct err *e);
int study_csv(
    const struct report *r, const char *which, FILE *f, struct err *e);
/* NULL: out of memory. Free with json_free. */
struct json *study_json(const struct report *r, const char *which);

#endif
