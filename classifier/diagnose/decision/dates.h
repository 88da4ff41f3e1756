/*
 * Dates without a year, as glog and syslog print them, in a job that also tells
 * of dates with one.
 */
#ifndef DIAGNOSE_DATES_H
#define DIAGNOSE_DATES_H

struct diagnosis;

/* Give each time in d's logs that has no year the one nearest to what else its
 * log tells, or the job's other logs, or its record. Without any, they stay as
 * of 1970: good for a difference only. */
void dates_settle(struct diagnosis *d);

#endif
