/*
 * Whether a log stops in the middle of something: a process that is killed
 * outright says nothing, but seldom dies between two lines.
 */
#ifndef DIAGNOSE_CUT_H
#define DIAGNOSE_CUT_H

#include "base/text.h"
#include "diagnose/findings.h"

/* all: the last of a log's text, at least its last lines. CUT_BAR, CUT_LINE,
 * CUT_OPEN or CUT_NO. */
enum cut cut_of_end(struct span all);

/* What CUT_OPEN is of a log of so many bytes; any other stays. */
enum cut cut_by_length(enum cut cut, uint64_t bytes);

/* Whether a line is a progress bar that is not at its end. */
bool cut_bar(struct span line);

/* How many bytes of s are control characters that neither lay out text nor
 * colour it: no text in any encoding holds many. */
size_t cut_odd_bytes(struct span s);

#define CUT_SHORT 256 /* bytes: too few to count rare ones by shares */

/* Of the first bytes of a log. */
struct cut_bytes {
	size_t seen; /* that were looked at, or more */
	size_t odd;  /* of them, as cut_odd_bytes counts */
	size_t bad;  /* of CUT_SHORT: no UTF-8 */
};

/* Whether a log of so many bytes, of which some are NUL, is no text. most: of
 * those that were looked at. */
bool cut_no_text(
    const struct cut_bytes *b, size_t most, uint64_t bytes, uint64_t nul);

#endif
