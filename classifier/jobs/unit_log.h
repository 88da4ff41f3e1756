/*
 * One log of a unit, from its first byte to its findings: scanned as its bytes
 * come, or later and by another thread, with the same outcome. Private to
 * jobs/.
 */
#ifndef JOBS_UNIT_LOG_H
#define JOBS_UNIT_LOG_H

#include "base/hash.h"
#include "base/limits.h"
#include "diagnose/evidence/scan.h"
#include "input/below.h"
#include "input/input.h"

#include <stdatomic.h>

struct engine;
struct job;
struct judge_memory;

/* What the logs of one job have left, which may be scanned side by side: each
 * begins with what those before it that are done have left. Microseconds. */
struct unit_time {
	_Atomic int64_t matching; /* for regular expressions */
	_Atomic int64_t reading;
};

struct unit_notes {
	struct unit_note {
		char *path, *text;
		enum input_note kind;
	} * v;
	size_t n;
};

/* 0 or -1: out of memory. */
int unit_notes_add(struct unit_notes *t, const char *path, enum input_note kind,
    const char *text);
void unit_notes_release(struct unit_notes *t);

/* What one thread reads logs with. */
struct unit_reader {
	struct below_folder folder; /* of the last file */
	struct scan *scan;
	struct judge_memory *memory; /* of records */
	struct hash *content; /* of the log in progress; NULL: not asked for */
	const struct limits *limits;
};

/* One for each thread, made when it is first needed. */
struct unit_readers {
	const struct engine *engine;
	const struct limits *limits;
	bool hash_content;
	struct unit_reader *v;
	unsigned n;
};

/* n: threads. 0, or -1 with e set: out of memory. */
int unit_readers_init(struct unit_readers *r, unsigned n, struct err *e);
void unit_readers_release(struct unit_readers *r);
/* That of a thread, from 0; only the thread itself asks. NULL with e set: out
 * of memory. */
struct unit_reader *unit_readers_get(
    struct unit_readers *r, unsigned thread, struct err *e);

struct unit_log {
	char *path; /* owned; NULL: only notes, about what gave no log */
	char *node; /* owned, or NULL */
	int rank;   /* or -1 */
	bool told;  /* the path names the job's attempt */
	bool whole; /* its end was reached */
	bool failed;
	const char *unread;      /* why it is left out, borrowed; or NULL */
	struct job *job;         /* borrowed */
	struct unit_time *time;  /* of the job; borrowed */
	struct unit_notes notes; /* told while it was read */
	struct findings *f;      /* when it has been scanned */
	int64_t took;            /* to read it before that; microseconds */
	/* while it is: */
	int64_t began; /* by scan_clock, less took */
	int64_t had;   /* of the job's time for regular expressions */
	struct scan_time left;
};

/* Free what the log has; it is as new then. */
void unit_log_release(struct unit_log *l);

/* Scan it: begin, data in pieces, end. What fails tells so in l->failed, which
 * is out of memory. */
void unit_log_begin(struct unit_log *l, const struct unit_reader *r);
/* 0, or -1: no more of it, as it failed or the time is over. */
int unit_log_data(
    struct unit_log *l, const struct unit_reader *r, const char *p, size_t n);
/* Sets l->f, or l->failed. */
void unit_log_end(struct unit_log *l, const struct unit_reader *r);

#endif
