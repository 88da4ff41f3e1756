/*
 * Job records: what schedulers and published traces say of jobs, read from
 * files whose format is recognised by their content, and joined with logs by
 * the job's id.
 *
 * Nothing in a file is dropped in silence: a row that cannot be used is a note
 * with its place, a value that makes no sense is left unknown with a note, and
 * the row is kept.
 */
#ifndef JOBS_ACCOUNTING_H
#define JOBS_ACCOUNTING_H

#include "diagnose/job_record.h"

struct err;
struct limits;
struct taxonomy;
struct accounting;

struct accounting_options {
	/* A column map (YAML) for CSV or JSON lines that no built-in map
	 * knows; or NULL. */
	const char *map;
	/* About a row or value; called while loading. Each kind of trouble is
	 * told for the first 5 rows of a file, the rest counted in one note
	 * at its end. */
	void (*note)(
	    void *ctx, const char *path, uint64_t line, const char *text);
	void *ctx;
	const struct limits *limits; /* or NULL: as they are without option */
	const char *cluster; /* of records that do not name theirs; or NULL */
};

/* NULL: out of memory. tax is borrowed: the words of states. */
struct accounting *accounting_new(const struct taxonomy *tax);
void accounting_free(struct accounting *a);

/* Read one file ("-": standard input); any compression that libarchive knows.
 * May be called for several files, before accounting_settle. -1 with e set:
 * cannot be read, or no format fits ("PATH: ..."). */
int accounting_load(struct accounting *a, const char *path,
    const struct accounting_options *o, struct err *e);

/*
 * After all files: rows of one attempt (same cluster, id and start) become one,
 * the latest state wins; but rows of one file that have all ended are attempts;
 * the parts of a heterogeneous job (123+0, 123+1) become one record; attempts
 * of one id are numbered by their start; states become enum job_end; digests
 * are made. A row that names no cluster is of the one cluster that has its id.
 * -1 with e set: out of memory.
 */
int accounting_settle(struct accounting *a, struct err *e);

/* How many rows were not usable (notes at the level of a lost row). */
uint64_t accounting_lost(const struct accounting *a);

size_t accounting_count(const struct accounting *a);
/* In order of id (numbers by value), cluster, then attempt. */
const struct job_record *accounting_at(const struct accounting *a, size_t i);

/*
 * The record of a job as a log's path calls it: "123", "123_4", "logs/job-123",
 * a pod's name. Tried in turn: the whole name as id or raw id; its last
 * component; the numbers in its last component that are a known id, when there
 * is exactly one. attempt 0: the path names none, so the last attempt's record
 * is meant. cluster: whose id it is; a record of another cluster is none. NULL:
 * not told, so an id that several clusters have names none. NULL: none.
 */
const struct job_record *accounting_find(const struct accounting *a,
    const char *cluster, const char *job, int attempt);

/* The same by the text that a diagnosis keeps as its lookup: the attempt, a
 * blank and the job, and for a cluster that was told a newline and its name.
 * -1: out of memory. */
struct buf;
int accounting_lookup_text(
    const char *cluster, const char *job, int attempt, struct buf *out);
const struct job_record *accounting_lookup(
    const struct accounting *a, const char *lookup);

/* Mark a record as joined with a log; safe from several threads. */
void accounting_use(const struct accounting *a, const struct job_record *r);
bool accounting_used(const struct accounting *a, const struct job_record *r);

/* What the rules get to see of a record: one line, "JobState=OUT_OF_MEMORY
 * Reason=OOMKilled ExitCode=1:9 ...". -1: out of memory. */
int accounting_words(
    const struct taxonomy *tax, const struct job_record *r, struct buf *out);

#endif
