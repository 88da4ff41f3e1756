/*
 * Every bound in one table: name, default, range, and what happens when it is
 * reached. `--limit NAME=VALUE` sets one.
 */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

struct err;

enum limit {
	LIMIT_ARCHIVE_DEPTH,   /* containers inside each other */
	LIMIT_ARCHIVE_MEMBERS, /* members of one top-level container */
	LIMIT_ARCHIVE_BYTES,   /* expanded bytes of one top-level container */
	LIMIT_ARCHIVE_RATIO,   /* expanded / compressed, once past 64 MiB */
	LIMIT_NESTED_SEEK,     /* bytes held for a nested 7z, which must seek */
	LIMIT_PATH,            /* bytes of a path, archives included */
	LIMIT_RECORD,          /* bytes of a job record, of a line of JSON */
	LIMIT_RECORDS,         /* bytes of memory for all job records */
	LIMIT_LINE,            /* bytes of a line before it is cut in pieces */
	LIMIT_BLOCK,           /* bytes kept of a traceback or other block */
	LIMIT_OPEN_BLOCKS,     /* tracebacks open at once in one log */
	LIMIT_EVIDENCE,        /* pieces of evidence kept from one log */
	LIMIT_RULE_HITS,  /* pieces of evidence kept for one rule and log */
	LIMIT_CONFIRM,    /* PCRE2 runs for one rule and log */
	LIMIT_MATCH,      /* PCRE2 match limit */
	LIMIT_GIVE_UPS,   /* times a rule may reach LIMIT_MATCH in a log */
	LIMIT_MATCH_TIME, /* milliseconds of PCRE2 for one job */
	LIMIT_JOB_TIME,   /* milliseconds to read one job; --timeout */
	LIMIT_OWNER_TIME, /* milliseconds to read the files of one owner */
	LIMIT_RUN_TIME,   /* milliseconds for all that a run reads */
	LIMIT_PENDING,    /* bytes of findings held for an archive's jobs */
	LIMIT_SPOOL,      /* bytes put aside for a store */
	LIMIT_COUNT
};

struct limits {
	uint64_t v[LIMIT_COUNT];
};

struct limit_row {
	const char *name;
	uint64_t standard, min, max;
	/* Reaching it leaves something out: it is told, and the exit status is
	 * 3. Otherwise only less of the same is kept. */
	bool loses;
	const char *help; /* what it bounds, and what happens when reached */
};

extern const struct limit_row limit_table[LIMIT_COUNT];

void limits_init(struct limits *l);

/* "name=value"; value may end in K, M or G (1024s). */
int limits_set(struct limits *l, const char *text, struct err *e);

#endif
