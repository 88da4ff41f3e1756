/* A day beside the week and the month that end with it. */
#ifndef REPORTS_REPORT_RECENT_H
#define REPORTS_REPORT_RECENT_H

#include "reports/period/report.h"

struct store;

/* Fill in the report's `recent`, when its period is a day or less and the store
 * has more than that. -1 with e set. */
int report_recent(struct report *r, struct store *s, struct err *e);

#endif
