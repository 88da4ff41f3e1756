/*
 * What a scheduler's accounting says of one attempt of a job. Read by jobs/;
 * here because a diagnosis points to it. Strings are owned by the set of
 * records and valid UTF-8, NULL when not known.
 */
#ifndef DIAGNOSE_JOB_RECORD_H
#define DIAGNOSE_JOB_RECORD_H

#include "base/hash.h"
#include "diagnose/decision/usage.h"
#include "input/envelope.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the scheduler's state means, whatever it is called. */
enum job_end {
	JOB_END_UNKNOWN, /* a state that no table knows */
	JOB_END_PENDING, /* has not run */
	JOB_END_RUNNING,
	JOB_END_WELL,
	JOB_END_FAILED /* every other end: failed, cancelled, time-out, ... */
};

struct job_record {
	const char *path; /* the file it stands in */
	uint64_t line;    /* where, from 1 */
	char *id;         /* as people write it: "123", "123_4", a pod's name */
	char *raw_id;     /* another name of it (Slurm's raw id, a UID) */
	char *cluster;    /* whose ids these are */
	char *name, *user, *group, *partition, *image;
	char *state;  /* as the scheduler wrote it, without "by UID" */
	char *reason; /* the scheduler's: OOMKilled, NodeLost, ... */
	enum job_end end;
	int attempt;           /* from 1 */
	int requeues;          /* how often it was requeued, or -1 */
	int exit_code, signal; /* or -1 */
	int64_t submitted, started,
	    ended;           /* microseconds UTC, or ENVELOPE_NO_TIME */
	int64_t seconds;     /* it ran, or USAGE_UNKNOWN */
	int64_t gpus;        /* whole GPUs, or USAGE_UNKNOWN */
	int64_t gpu_seconds; /* GPUs x run time, or USAGE_UNKNOWN; not always
			      * the product: parts of a heterogeneous job,
			      * shares of a GPU */
	int64_t cpus;        /* that it was given, or USAGE_UNKNOWN */
	char **nodes;        /* expanded, in the record's order */
	size_t n_nodes;
	struct hash_value digest; /* of all the above but path and line */
};

/* Offsets of its texts, the path included. */
#define JOB_RECORD_TEXTS ((size_t)11)
extern const size_t job_record_texts[JOB_RECORD_TEXTS];

/* A copy that owns all its strings. NULL: out of memory. */
struct job_record *job_record_copy(const struct job_record *r);
/* Only for such a copy, or NULL. */
void job_record_free(struct job_record *r);

#endif
