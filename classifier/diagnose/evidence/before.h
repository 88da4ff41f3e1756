/*
 * What was printed before a line: the last step, the stage that words name,
 * the last time. Found by looking back from the line, only when it matters; so
 * it does not depend on how the log was split into blocks.
 */
#ifndef DIAGNOSE_BEFORE_H
#define DIAGNOSE_BEFORE_H

#include "diagnose/findings.h"
#include "input/decode.h"

#define BEFORE_REACH (32u << 10) /* bytes that are looked back */

/* The last answers, so that a run of errors does not search the same text
 * again. Offsets are of clean bytes in the log. */
struct before {
	const struct taxonomy *tax; /* borrowed */
	struct progress progress;
	enum stage stage;     /* by the words since then */
	uint64_t at;          /* where progress stands; */
	bool known;           /* near enough to count */
	uint64_t searched_to; /* for both of them */
	int64_t time;         /* or ENVELOPE_NO_TIME */
	uint64_t time_at;     /* where its line begins */
	uint64_t timed_to;    /* as searched_to */
};

/* A new log. */
void before_begin(struct before *k, const struct taxonomy *tax);

/* Bring progress and stage up to the line at pos of the block's text. Returns
 * the progress, or the unknown one. */
struct progress before_progress(
    struct before *k, const struct decode_block *b, size_t pos);

/* The first time that a line of text begins with, or ENVELOPE_NO_TIME. */
int64_t before_first_time(const struct taxonomy *tax, struct span text);

/* The last time that a line of text begins with, or ENVELOPE_NO_TIME. */
int64_t before_last_time(const struct taxonomy *tax, struct span text);

/* Whether the line before that one, of which env tells, is a record of its
 * program's logger that speaks of trouble. */
bool before_logged(const struct before *k, const struct decode_block *b,
    size_t pos, const struct envelope *env);

/* The last time before that line, or ENVELOPE_NO_TIME. */
int64_t before_time(struct before *k, const struct decode_block *b, size_t pos);

#endif
