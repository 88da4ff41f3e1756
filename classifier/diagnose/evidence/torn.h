/*
 * Text that did not come out as it was written: by several processes at once
 * into one stream, or as one field of a record.
 */
#ifndef DIAGNOSE_TORN_H
#define DIAGNOSE_TORN_H

#include "base/text.h"

#include <stddef.h>

#define TORN_MAX 1024 /* bytes of a mended line */

/* "KeyErrorKeyError: : 'a''a'": an exception line that several processes wrote
 * at once, as each of them wrote it. False: it is none. */
bool torn_exception(struct span s, char out[TORN_MAX], size_t *n);

/* Cut the first line off a text whose ends of lines are written as "\n", and
 * write it with its quotes as they were. False: there is none. */
bool torn_line(struct span *rest, char out[TORN_MAX], size_t *n);
/* Whether s has an end of line that is written so. */
bool torn_has_lines(struct span s);

/* What follows a progress bar on its line, or s where there is none. */
struct span torn_after_bar(struct span s);

#endif
