/*
 * The store's schema and statements in PostgreSQL's SQL; text only.
 */
#ifndef REPORTS_STORE_POSTGRES_SQL_H
#define REPORTS_STORE_POSTGRES_SQL_H

#include <stdbool.h>

struct buf;

#define STORE_POSTGRES_SCHEMA "jobtriage" /* the namespace of it all */
#define STORE_POSTGRES_VERSION 8
/* Step i makes schema i + 1 out of schema i; the functions come after. */
extern const char *const store_postgres_steps[STORE_POSTGRES_VERSION];
extern const char store_postgres_views[];             /* the third of them */
extern const char store_postgres_views_of_clusters[]; /* the fifth */
/* Append what makes them, and those who may call them what they were. -1: out
 * of memory. */
int store_postgres_functions(struct buf *out);

#define STORE_POSTGRES_TIME(column) "to_timestamp(" column " / 1000000.0)"
/* A row as people read it; more: columns that came later, at the end. */
#define STORE_POSTGRES_JOBS_VIEW(create, more)                                                                                    \
	create                                                                                                                    \
	    " VIEW jobs AS SELECT job, attempt, \"user\", grp AS \"group\","                                                      \
	    " node, CASE failed WHEN 1 THEN 'failed' WHEN 0 THEN 'well'"                                                          \
	    " ELSE 'unknown' END AS outcome,"                                                                                     \
	    " category, dimension, stage, verdict, confidence, rule,"                                                             \
	    " fingerprint, gpus, seconds, gpu_seconds / 3600.0 AS gpu_hours,"                                                     \
	    " gpu_seconds_lost / 3600.0 AS gpu_hours_lost, estimated, "                                                           \
	    "has_log, " STORE_POSTGRES_TIME(                                                                                      \
		"at") " AS "                                                                                                      \
		      "counted_at,"                                                                                               \
		      " " STORE_POSTGRES_TIME(                                                                                    \
			  "st"                                                                                                    \
			  "ar"                                                                                                    \
			  "te"                                                                                                    \
			  "d") " AS started_at, " STORE_POSTGRES_TIME("ended") " AS "                                             \
									       "ended_at,"                                        \
									       " " STORE_POSTGRES_TIME(                           \
										   "seen") " AS first_seen_at,"                   \
											   " encode(key, 'escape') AS place" more \
											   " FROM diagnosis;"

/* Whether there is a store; one process at a time makes it. */
#define STORE_POSTGRES_THERE \
	"SELECT to_regclass('" STORE_POSTGRES_SCHEMA ".store') IS NOT NULL"
#define STORE_POSTGRES_LOCK "SELECT pg_advisory_lock(74, 82)"
#define STORE_POSTGRES_UNLOCK "SELECT pg_advisory_unlock(74, 82)"

/* $1: hashes of jobs, until the transaction ends */
#define STORE_POSTGRES_JOBS "SELECT lock_jobs($1::bigint[])"
/* $1 the stamp, $2 when it was first seen */
#define STORE_POSTGRES_READING "SELECT add_reading($1::text, $2::bigint)"
/* Append the call that puts an item: $N its N-th column, then the stamp of its
 * reading, or null, and its place there. -1: out of memory. */
int store_postgres_put(struct buf *out);
/* $1 to $7: job, attempt, verdict, given, reason, shadow, at; then cluster,
 * place, or null */
#define STORE_POSTGRES_ANSWER                                         \
	"SELECT put_answer($1::text, $2::bigint, $3::text, $4::text," \
	" $5::text, $6::bigint, $7::bigint, $8::text, $9::text)"

extern const char *const store_postgres_select[]; /* by enum store_order */
/* Of what is older than $1 and of $2 or later a thousand, the diagnoses first:
 * how many are gone, how many were found, and the $2 to go on with. */
extern const char *const store_postgres_prune[];
/* By enum store_question. */
extern const char *const store_postgres_ask[];
#define STORE_POSTGRES_INFO                                                \
	"SELECT count(*), (SELECT count(*) FROM (SELECT 1 FROM diagnosis " \
	"GROUP BY job, cluster, place) j),"                                \
	" coalesce(sum((failed = 1)::int), 0)::bigint, min(at), max(at),"  \
	" (SELECT count(*) FROM reading),"                                 \
	" (SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c"      \
	" WHERE relkind = 'r' AND relnamespace = '" STORE_POSTGRES_SCHEMA  \
	"'::regnamespace)::bigint FROM diagnosis"

/* What a fault is of, by the first characters of its SQLSTATE. */
struct store_postgres_fault {
	const char *state;
	bool passes;       /* it may be gone in a moment */
	const char *means; /* to a person; NULL: the server's own words */
};
/* NULL: nothing is known of it. */
const struct store_postgres_fault *store_postgres_fault(const char *state);

#endif
