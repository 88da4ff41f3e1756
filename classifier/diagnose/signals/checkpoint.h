/*
 * Which checkpoint of a log is durable: the last one that the log proves
 * written. A line in the past tense proves its own; one that announces is
 * proved by what comes after it: a step further, another checkpoint, a good
 * end. What fails, or where the log ends before that, is none.
 */
#ifndef DIAGNOSE_CHECKPOINT_H
#define DIAGNOSE_CHECKPOINT_H

#include "diagnose/findings.h"

struct diagnosis;
struct log_line;
struct taxonomy;

/* Whether checkpoint_line has something to read on a line. */
bool checkpoint_about(const struct taxonomy *tax, struct span line);

/* What a line tells of checkpoints. */
struct checkpoint_reading {
	unsigned bits;      /* of checkpoint.c */
	int told;           /* 1: of one, -1: that one failed, 0: of none */
	struct span path;   /* of the line; or empty */
	struct progress at; /* when told is 1 */
};

void checkpoint_read(const struct taxonomy *tax, struct span line,
    struct checkpoint_reading *out);
/* Take a line into account. True: it tells of a checkpoint, but not when; the
 * caller may know, and call checkpoint_date while checkpoint_undated says so.
 */
bool checkpoint_line(struct findings *f, const struct log_line *l,
    const struct checkpoint_reading *r);
/* Whether a line proves a checkpoint. */
bool checkpoint_proves(const struct checkpoint_reading *r);
/* Whether the run goes on while it is written. */
bool checkpoint_meanwhile(const struct checkpoint_reading *r);
/* Whether a line proves a checkpoint of a known step: what was pending before
 * it is not any more, whatever it was. */
bool checkpoint_settled(const struct checkpoint_reading *r);
bool checkpoint_undated(const struct findings *f, uint64_t line);
void checkpoint_date(struct findings *f, uint64_t line, int64_t time);

/* The log has ended: what is pending is proved, or stays pending. */
void checkpoint_end(struct findings *f);

/* The position that a checkpoint's path, or the line about it, names. */
struct progress checkpoint_position(
    const struct taxonomy *tax, const char *what);

/* The log with the latest durable checkpoint of a job, or NULL. */
const struct findings *checkpoint_last(const struct diagnosis *d);

#endif
