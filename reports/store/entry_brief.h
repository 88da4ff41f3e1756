/*
 * An entry in a few bytes: what every report but the one for a browser needs of
 * it. To read it takes a small part of the time that its JSON takes. It lacks
 * remedies, notes, curves, the user's frame, the last checkpoint, and what
 * comes behind the first piece of evidence.
 */
#ifndef REPORTS_ENTRY_BRIEF_H
#define REPORTS_ENTRY_BRIEF_H

#include "reports/store/entry.h"

struct buf;

/* The byte that each begins with, as hexadecimal digits, and that of the oldest
 * form that is read as well, with those between: another one as soon as the
 * bytes mean something else; then stores fall back on the JSON. */
#define ENTRY_BRIEF_FIRST "05"
#define ENTRY_BRIEF_OLDEST "01"

/* Append it to out. -1: out of memory. */
int entry_brief_write(const struct entry *en, struct buf *out);
/* en: what was written, its strings in the arena. -1 with e set: damaged, or
 * out of memory. */
int entry_brief_read(
    struct entry *en, struct span s, struct arena *p, struct err *e);

#endif
