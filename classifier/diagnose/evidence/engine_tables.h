/*
 * Which rules and readers a block of text may concern, by the words in it. For
 * the built-in taxonomy this is a part of the program: making it takes longer
 * than diagnosing a log of usual size. Private to diagnose/.
 */
#ifndef DIAGNOSE_ENGINE_TABLES_H
#define DIAGNOSE_ENGINE_TABLES_H

#include "rules/prefilter.h"
#include "rules/taxonomy.h"

/* What hits nominate, by id: patterns by their number, then signals by theirs,
 * whose kind is their extra. The words of an end count in the last lines of a
 * log only. */
struct engine_tables {
	const struct prefilter *prefilter;
	const struct prefilter *raised; /* in the text of an exception: of the
					 * patterns for these, and no other */
	size_t n_patterns;
	const unsigned *extra; /* kind of id n_patterns + i */
	size_t n_extra;
	const size_t *uncovered; /* patterns the prefilter cannot nominate */
	size_t n_uncovered;
	const size_t *last; /* patterns for the last line of a log */
	size_t n_last;
	unsigned always; /* kinds of signals that it cannot, as bits */
	bool
	    every_line; /* of a line rule or a signal: no line may be skipped */
	struct engine_made *made; /* what to free, or NULL */
};

/* built_in: the tables of the built-in taxonomy, if they are there already, or
 * NULL. 0, or -1 with e set; then, too, to be released. */
int engine_tables_make(struct engine_tables *t, const struct taxonomy *tax,
    const struct engine_tables *built_in, struct err *e);
void engine_tables_release(struct engine_tables *t);

/* Those of the built-in taxonomy, as engine_image_make.c wrote them. */
extern const struct engine_tables engine_image;

#endif
