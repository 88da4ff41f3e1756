/* What became of the GPU time, in the formats that need more than a row. */
#ifndef REPORTS_GOODPUT_WRITE_H
#define REPORTS_GOODPUT_WRITE_H

#include "reports/period/goodput.h"
#include "reports/period/sheet.h"

struct json;

/* Nothing where nothing was asked for. */
void goodput_sheet(struct sheet *s, const struct report *r, size_t top);
/* null likewise; NULL: out of memory. */
struct json *goodput_json(const struct report *r);

#endif
