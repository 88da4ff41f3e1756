/*
 * One tree for several processes, each with the same paths, layout and job
 * records: which of them a job falls to. A hash of what the job is called says
 * so, and nothing else. So they need not know of each other, it is the same in
 * whatever order and whenever each of them walks, and a file that grows, comes
 * or goes meanwhile moves no other job.
 *
 * All logs of a job, those of its other attempts, and those that one job record
 * belongs to are one process's. A zip or an uncompressed tar is looked into by
 * all of them, since what is another's can be passed over without reading it;
 * any other archive is one process's as it is. Then its log and the record of
 * a job may be of two: a store puts them together; without a store, but with
 * records, all look into all archives.
 */
#ifndef JOBS_SHARD_H
#define JOBS_SHARD_H

#include "base/text.h"

struct log_id;
struct triage_options;

struct shard {
	unsigned i, n; /* the i-th of n, from 1; n 0: there is but one */
};

/* "3/16". false: it is no such thing. */
bool shard_read(struct span text, struct shard *out);

struct job_record;
bool shard_has_record(const struct shard *s, const struct job_record *r);
/* By what a log's path says. */
bool shard_has_log(const struct triage_options *o, const struct log_id *id);
/* Whether the members of the file, if it is an archive, fall to shards one by
 * one; by its name alone. */
bool shard_splits(const struct triage_options *o, const char *path);
/* Whether the file, or some of it, is to be read. 1, 0, or -1: out of memory.
 */
int shard_reads(const struct triage_options *o, const char *path);

#endif
