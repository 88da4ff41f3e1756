/* How a report shows the groups of failures that no rule names. */
#ifndef REPORTS_UNNAMED_H
#define REPORTS_UNNAMED_H

#include "reports/period/figure.h"
#include "reports/period/sheet.h"

#define UNNAMED_TITLE "Failures nobody has named yet"
#define UNNAMED_ID 8 /* digits of an id that are shown */

struct report_builder;

/* Find them. -1: out of memory. */
int unnamed_find(struct report_builder *b);
/* Whether it is listed: it is of the period, and nobody ignores it. */
bool unnamed_shown(const struct failure_group *g);
/* How many are. */
uint64_t unnamed_count(const struct report *r);
/* "+12 %" in attempts against the period before; "" where there is none. */
const char *unnamed_growth(
    char out[FIGURE], const struct report *r, const struct failure_group *g);
/* The same under a heading; how many there are, 0: nothing was written. */
uint64_t unnamed_section(struct sheet *s, const struct report *r, size_t top);
/* The table of the first few. */
void unnamed_sheet(struct sheet *s, const struct report *r, size_t top);

#endif
