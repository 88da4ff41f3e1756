/*
 * The store's schema and statements in PostgreSQL's SQL; text only.
 */
#ifndef REPORTS_STORE_POSTGRES_SQL_H
#define REPORTS_STORE_POSTGRES_SQL_H

struct buf;

#define STORE_POSTGRES_SCHEMA "jobtriage" /* the namespace of it all */
#define STORE_POSTGRES_VERSION 3
/* Step i makes schema i + 1 out of schema i; the functions come after. */
extern const char *const store_postgres_steps[STORE_POSTGRES_VERSION];
extern const char store_postgres_views[]; /* the third of them */
/* Append what makes them, and those who may call them what they were. -1: out
 * of memory. */
int store_postgres_functions(struct buf *out);

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
/* $N is the N-th member of a struct store_answer */
#define STORE_POSTGRES_ANSWER                                         \
	"SELECT put_answer($1::text, $2::bigint, $3::text, $4::text," \
	" $5::text, $6::bigint, $7::bigint)"

extern const char *const store_postgres_select[]; /* by enum store_order */
/* Of what is older than $1 and of $2 or later a thousand, the diagnoses first:
 * how many are gone, how many were found, and the $2 to go on with. */
extern const char *const store_postgres_prune[];
#define STORE_POSTGRES_ANSWERS                                    \
	"SELECT job, attempt, verdict, given, reason, shadow, at" \
	" FROM answer ORDER BY job, attempt"
#define STORE_POSTGRES_KNOWN                                   \
	"SELECT 1 FROM diagnosis WHERE fingerprint = $1::text" \
	" AND at < $2::bigint AND failed = 1 LIMIT 1"
#define STORE_POSTGRES_INFO                                                  \
	"SELECT count(*), (SELECT count(*) FROM (SELECT job FROM diagnosis " \
	"GROUP BY job) j),"                                                  \
	" coalesce(sum((failed = 1)::int), 0)::bigint, min(at), max(at),"    \
	" (SELECT count(*) FROM reading),"                                   \
	" (SELECT sum(pg_total_relation_size(c.oid)) FROM pg_class c"        \
	" WHERE relkind = 'r' AND relnamespace = '" STORE_POSTGRES_SCHEMA    \
	"'::regnamespace)::bigint FROM diagnosis"

#endif
