/* The trend warnings of a diagnosis, for the reports. Private to entry*.c. */
#ifndef REPORTS_ENTRY_TRENDS_H
#define REPORTS_ENTRY_TRENDS_H

#include "reports/store/entry.h"

/* Fill in en's trends, and the curves of what is warned of. -1 with e set: not
 * such a list, or out of memory. */
int entry_trends_read(struct entry *en, const struct json *record,
    struct arena *p, struct err *e);

#endif
