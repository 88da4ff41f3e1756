/*
 * How a job that is not known to have failed has ended, and how sure that is.
 */
#ifndef DIAGNOSE_ENDING_H
#define DIAGNOSE_ENDING_H

#include "diagnose/findings.h"

struct diagnosis;
struct err;

enum ending {
	ENDING_UNKNOWN, /* it failed, or there is nothing to tell it by */
	ENDING_PROVEN,  /* well: its record, its exit status or a log says so */
	ENDING_UNPROVEN, /* no failure is seen, nor a proof that there is none
			  */
	ENDING_CUT,      /* a log stops in the middle of something */
	ENDING_RUNNING,  /* not yet */
	ENDING_COUNT
};

/* "proven", ...; NULL for ENDING_UNKNOWN. */
const char *ending_name(enum ending e);

/* How sure it is that it did not fail: d->ending, and of a job that
 * rank_job did not find to have failed, failed and confidence. */
int ending_find(struct diagnosis *d, struct err *e);
/* The job is known to go on, whatever its logs say. */
void ending_running(struct diagnosis *d);
/* What a log stops in the middle of, for a sentence; "" for CUT_NO. */
const char *ending_cut_words(enum cut cut);
/* The first log that stops so, or NULL. */
const struct findings *ending_cut_log(const struct diagnosis *d);

#endif
