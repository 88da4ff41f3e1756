/* The health of rules over a store, for who looks at the rules. */
#ifndef REPORTS_PERIOD_HEALTH_H
#define REPORTS_PERIOD_HEALTH_H

#include "reports/period/report.h"

/* A table of the rules that answered or gave evidence, those that most speaks
 * against first; id: of this rule alone, with its months, or NULL. -1 with e
 * set: out of memory. */
int health_text(const struct report *r, const char *id,
    const struct report_style *style, FILE *f, struct err *e);
/* [{rule, seen, on_good, health}], of all of them. */
int health_json(const struct report *r, FILE *f, struct err *e);

#endif
