/* Where the lines of a text begin and end. */
#ifndef DIAGNOSE_AROUND_H
#define DIAGNOSE_AROUND_H

#include "base/text.h"

/* How many '\n' there are in n bytes. */
uint64_t around_count(const char *p, size_t n);
/* Whether c ends one: '\n' or '\r'. */
bool around_end(char c);
/* The line around pos, not before least; '\r' ends one, too. */
void around_line(
    struct span text, size_t least, size_t pos, size_t *from, size_t *to);

#endif
