/* Where the lines of a text begin and end. */
#ifndef DIAGNOSE_AROUND_H
#define DIAGNOSE_AROUND_H

#include "base/text.h"

/* Whether c ends one: '\n' or '\r'. */
bool around_end(char c);
/* Where the first '\n' at or after pos is, or the end. */
size_t around_newline(struct span text, size_t pos);
/* The line around pos, not before least; '\r' ends one, too. */
void around_line(
    struct span text, size_t least, size_t pos, size_t *from, size_t *to);
/* The same, not before *from. *nl: what around_newline last gave, so that none
 * is looked for over many '\r', again and again. */
void around_near(
    struct span text, size_t pos, size_t *nl, size_t *from, size_t *to);

#endif
