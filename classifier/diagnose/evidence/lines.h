/*
 * What the filters find in lines. A flood says the same again and again with
 * other numbers: a line that differs from an earlier one only in digits, none
 * of which a literal goes by, has the same hits. Private to diagnose/.
 */
#ifndef DIAGNOSE_LINES_H
#define DIAGNOSE_LINES_H

#include "diagnose/evidence/engine_tables.h"

struct lines;

/* Hits are at places of the line. */
struct line_found {
	const struct prefilter_hit *hits, *raised; /* for exceptions */
	size_t n_hits, n_raised;
	/* Of those who ask, 0 at first: the block in which such lines need not
	 * be looked at from there on back, and what to count for each. */
	uint32_t block, marked, reports;
};

/* t is borrowed. NULL: out of memory. */
struct lines *lines_new(const struct engine_tables *t);
void lines_free(struct lines *t);
/* What is in a line; good until the next call. *known: another one told.
 * NULL: out of memory. */
struct line_found *lines_find(struct lines *t, struct span line, bool *known);

#endif
