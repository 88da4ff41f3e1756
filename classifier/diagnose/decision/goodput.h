/*
 * What the time of one attempt went into. The phases are told by the log
 * (phases.h), the time itself by the record where there is one, and they add up
 * to it: what neither tells is PHASE_UNKNOWN. Whole seconds.
 *
 * What is good of it is for the reports to say (the report of a period): they
 * know the job's other attempts.
 */
#ifndef DIAGNOSE_GOODPUT_H
#define DIAGNOSE_GOODPUT_H

#include "diagnose/signals/phases.h"

struct diagnosis;

struct goodput {
	bool known;     /* it was asked for, and the run time is known */
	int64_t queued; /* from its submission to its start; or -1 */
	int64_t spent[PHASE_COUNT]; /* together the run time */
	int64_t unsaved; /* of the training: what no durable checkpoint has, if
			  * the attempt did not end well; else 0 */
	struct progress first, last; /* of the steps it printed */
	int64_t epoch_steps;         /* as in struct phases */
};

/* d's facts, usage and end must be known. */
void goodput_find(struct goodput *g, const struct diagnosis *d);

#endif
