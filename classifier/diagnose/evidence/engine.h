/*
 * The part of scanning that threads share. Private to diagnose/.
 */
#ifndef DIAGNOSE_ENGINE_H
#define DIAGNOSE_ENGINE_H

#include "base/limits.h"
#include "diagnose/evidence/engine_tables.h"

struct engine {
	const struct taxonomy *tax;
	const struct limits *limits;
	struct engine_tables tables;
	const struct prefilter *prefilter; /* NULL: nominate all, always */
	bool excerpts;   /* what stands around evidence; see excerpt.h */
	bool trends;     /* the numbers of a training; see metrics.h */
	bool goodput;    /* what its time goes into; see phases.h */
	bool every_line; /* no line may be skipped */
};

#endif
