/*
 * One piece of work for a thread: files that belong together. Usually the logs
 * of one job; an archive among them brings jobs of its own. Private to jobs/.
 */
#ifndef JOBS_UNIT_H
#define JOBS_UNIT_H

#include "jobs/layout.h"
#include "jobs/triage.h"
#include "jobs/unit_log.h"

struct budget;
struct pool;
struct scan;

struct unit {
	uint64_t seq;           /* its place in the walk */
	char *key;              /* of the job its files have, for grouping */
	size_t scope;           /* bytes of the first path; see struct log_id */
	bool complete;          /* its last file is known */
	char *job;              /* the job of everything in it; or NULL */
	struct triage_job *one; /* of triage_one; or NULL */
	char **paths;
	size_t *given; /* of each path, as in struct below */
	size_t n_paths, cap_paths;
	char **opened; /* see struct triage_sink */
	size_t n_opened, cap_opened;
	struct unit_notes notes;
	struct diagnosis *done; /* the answers, when they wait for their turn */
	size_t n_done;
	struct hash_value stamp; /* of its files as they were before reading */
	void *recalled;          /* by the memory, instead of answers */
	struct unit *next;
};

struct unit *unit_new(void);
void unit_free(struct unit *u);
/* given: as in struct below. 0 or -1: out of memory. */
int unit_add_path(struct unit *u, const char *path, size_t given);

/* What units are worked on with. */
struct unit_work {
	const struct triage_options *o;
	struct triage_counters *counters;
	struct budget *budget; /* or NULL: nothing is bounded by owner */
	struct pool *pool;
	struct unit_readers *readers; /* of the pool's threads */
	/* Where the answers go as they are made. Takes the diagnosis over. 0,
	 * or -1: stop. */
	int (*job)(void *ctx, struct unit *u, struct diagnosis *d);
	void *ctx;
};

/* The diagnosis of a record that no log belongs to. -1 with e set. */
int unit_record(struct diagnosis *d, const struct job_record *r,
    const struct triage_options *o, const struct unit_reader *reader,
    struct err *e);

/* Read and scan everything in u with what this thread reads with. */
int unit_run(struct unit *u, const struct unit_work *w,
    struct unit_reader *reader, struct err *e);

#endif
