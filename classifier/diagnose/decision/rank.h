/* The root failure of a job, among all that was found. */
#ifndef DIAGNOSE_RANK_H
#define DIAGNOSE_RANK_H

struct diagnosis;
struct err;
struct taxonomy;

/* Fills in everything but the verdict. -1 with e set: out of memory. */
int rank_job(struct diagnosis *d, const struct taxonomy *tax, struct err *e);

#endif
