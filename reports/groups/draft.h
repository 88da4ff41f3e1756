/*
 * A rule drafted from a group of failures that no rule names, as YAML. What
 * the group has in common becomes the pattern, what differs its named groups;
 * what only a person can say, its category, is open, so that `taxonomy test`
 * refuses the file until it is filled in.
 */
#ifndef REPORTS_GROUPS_DRAFT_H
#define REPORTS_GROUPS_DRAFT_H

#include "base/text.h"
#include "reports/period/report.h"

struct buf;
struct draft;
struct err;

/* What stands in the place of the category. */
#define DRAFT_OPEN "fill_in_category"

/* Of one of the report's groups; both are borrowed. NULL with e set. */
struct draft *draft_new(
    const struct report *r, const struct failure_group *g, struct err *e);
void draft_free(struct draft *d); /* accepts NULL */
/* A line of a run that ended well, without secrets; place: for a person. -1:
 * out of memory. */
int draft_good(struct draft *d, struct span line, const char *place);
/* The file, appended. -1 with e set. */
int draft_write(const struct draft *d, struct buf *out, struct err *e);

#endif
