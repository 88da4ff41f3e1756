/*
 * The store's schema and statements in SQLite's SQL; text only.
 */
#ifndef REPORTS_STORE_SQL_H
#define REPORTS_STORE_SQL_H

struct buf;

#define STORE_SQL_SCHEMA 7
/* Step i makes schema i + 1 out of schema i. */
extern const char *const store_sql_steps[STORE_SQL_SCHEMA];

enum store_sql {
	/* ?N is the N-th column of an item */
	SQL_MET,
	SQL_ADD, /* this and SQL_PUT: their text is made of the columns */
	SQL_BLOCKED,
	SQL_SUPERSEDE_KEY,
	SQL_SUPERSEDE_RECORD,
	SQL_PUT,
	SQL_OPENED,
	SQL_ADD_ROW,
	/* ? is counted */
	SQL_ADD_ADDED,
	SQL_FORGET_READING,
	SQL_ADD_READING,
	SQL_BY_TIME, /* this and the next five are in the order of enum
			store_order */
	SQL_BRIEFS,
	SQL_BY_JOB,
	SQL_OF_READING,
	SQL_OF_JOB,
	SQL_NAMED,
	/* ?1 to ?7: job, attempt, verdict, given, reason, shadow, at; ?8, ?9:
	 * cluster, place */
	SQL_PUT_ANSWER,
	SQL_PAST, /* this and the next are in the order of enum
			store_question; numbers come first */
	SQL_SUMS,
	SQL_INFO,
	SQL_PRUNE,
	SQL_PRUNE_READINGS,
	SQL_PRUNE_ANSWERS,
	SQL_PRUNE_GOOD_RUNS,
	SQL_COUNT
};

/* Append the statement's text. -1: out of memory. */
int store_sql(enum store_sql which, struct buf *out);

#endif
