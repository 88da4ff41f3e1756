/*
 * The part of scanning that threads share: which rules and readers a block of
 * text may concern. Private to diagnose/.
 */
#ifndef DIAGNOSE_ENGINE_H
#define DIAGNOSE_ENGINE_H

#include "base/limits.h"
#include "rules/prefilter.h"
#include "rules/taxonomy.h"

/* What hits nominate, by id: rules by their index, then these;
 * facts_triggers[i] is of kind ENGINE_FACTS + i. */
enum engine_extra { ENGINE_TRACE, ENGINE_FACTS };

struct engine {
	const struct taxonomy *tax;
	const struct limits *limits;
	struct prefilter *prefilter; /* NULL: nominate everything, always */
	struct literals *sets;       /* the rules' (borrowed), then extras */
	size_t n_sets, n_borrowed;
	unsigned *extra;   /* kind of sets[n_borrowed + i] */
	size_t *uncovered; /* rules the prefilter cannot nominate */
	size_t n_uncovered;
	bool keep;       /* what stands around evidence; see excerpt.h */
	bool every_line; /* a line rule is uncovered: no line may be skipped */
};

#endif
