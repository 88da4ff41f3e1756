/*
 * Diagnoses kept over nights, addressed by URL: "sqlite:PATH", or
 * "postgresql://..." as libpq has it, for many machines.
 *
 * A diagnosis is one job, one attempt and one content, which its cluster is a
 * part of. The same again adds nothing; newer rules or records replace its
 * answer; a log that has changed (same job, attempt and key, other content)
 * takes the place of the old, unless it was seen before it. A job known by its
 * record alone takes the place of what such a record said before, and gives way
 * to the one with logs; both in its cluster only. Which diagnoses of equal job
 * names are of one job is for readers to say, who see them all: see entry_same.
 *
 * Several processes may write at once; a process killed at any moment leaves
 * a whole store. One struct store may be used from several threads. After what
 * could not be written, every further call gives the same error: what the
 * store has is what was written before.
 */
#ifndef REPORTS_STORE_H
#define REPORTS_STORE_H

#include "base/hash.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct entry;
struct entry_whose;
struct err;
struct store;
struct store_item;

enum store_mode {
	STORE_READ,
	STORE_WRITE, /* made when it is missing */
	STORE_CHANGE /* written, but not made */
};

/* NULL with e set: "URL: what" (no such scheme, cannot be opened, made by a
 * newer version, damaged). An older schema is brought up to date. */
struct store *store_open(const char *url, enum store_mode mode, struct err *e);
/* The same, but wait at most so long for others that are busy with it, now and
 * later (store_open: 30 seconds). */
struct store *store_open_within(
    const char *url, enum store_mode mode, int milliseconds, struct err *e);
/* The mode of a store's file that others than its owner and its group may read
 * or write; else 0. Only of one that is open for writing. */
unsigned store_open_to_all(const struct store *s);
/* The path of the file that a URL names, which is no server's. */
const char *store_path(const char *url);
/* The port of the server that a URL names, or -1: the store is a file. */
int store_port(const char *url);
/* What is pending is written first. -1 with e set: it could not be. s may be
 * NULL. */
int store_close(struct store *s, struct err *e);

/* One diagnosis to keep; borrowed. */
struct store_row {
	const struct entry *entry;
	struct span record; /* its JSON object on one line, as scan prints it */
	struct hash_value content;
	const char *key;    /* of the job, absolute; see struct diagnosis */
	const char *lookup; /* how its record is looked up; both may be NULL */
	struct hash_value joined; /* digest of that record; zero: none */
};

/* The same taken apart and packed, for store_put. NULL with e set: out of
 * memory. */
struct store_item *store_pack(
    struct store *s, const struct store_row *row, struct err *e);
void store_item_free(struct store_item *it); /* accepts NULL */
/* For store_put, beside the n items of the same reading: an archive could be
 * opened. What was kept of it by its own key, as of a log that could not be
 * read and tells no failure, goes, unless one of the items has that key. *out:
 * NULL where that is so. 0, or -1: out of memory. */
int store_pack_opened(struct store *s, const char *key,
    struct store_item *const *items, size_t n, struct store_item **out);

/*
 * Keep the diagnoses of one reading: of files that belong together and are
 * read together. stamp tells the files' state and everything else that the
 * answers depend on but the records; zero: do not remember the reading (it
 * cannot be recalled). A reading is kept whole or not at all. Written in
 * batches: after 256 diagnoses, with the first call that comes a second later,
 * by store_flush and by store_close. now: microseconds UTC, kept as the time
 * they were first seen. The items are taken in every case. -1 with e set: what
 * is pending could not be written.
 */
int store_put(struct store *s, struct hash_value stamp,
    struct store_item *const *items, size_t n, int64_t now, struct err *e);
int store_flush(struct store *s, struct err *e);

/* What an unchanged reading gave. */
struct store_recalled {
	char *record, *lookup; /* owned, never NULL */
	struct hash_value joined;
};

/* 1: it is known, *rows (free with store_recalled_free) has its diagnoses in
 * their order; 0: not known, or still pending, or one of its diagnoses has been
 * replaced by another reading; -1 with e set. */
int store_recall(struct store *s, struct hash_value stamp,
    struct store_recalled **rows, size_t *n, struct err *e);
void store_recalled_free(struct store_recalled *rows, size_t n);

/* ---- reading ---- */

/* Diagnoses counted in [since, until), microseconds UTC, in order of time, job
 * and attempt. Counted at: end, else start, else first seen. each: 0, or -1 to
 * stop (then store_each is -1, too). */
int store_each(struct store *s, int64_t since, int64_t until,
    int (*each)(void *ctx, struct span record, int64_t seen, struct err *e),
    void *ctx, struct err *e);

/* The same, but each gets what a report needs (entry_brief.h), or, where the
 * store has none of this form, brief empty and the record. */
int store_each_brief(struct store *s, int64_t since, int64_t until,
    int (*each)(void *ctx, struct span brief, struct span record, int64_t seen,
	struct err *e),
    void *ctx, struct err *e);

/* The diagnoses of a job in order of attempt, but for those of a log whose
 * attempt nobody told. each: as above. */
int store_attempts(struct store *s, const char *job,
    int (*each)(void *ctx, struct span record, struct err *e), void *ctx,
    struct err *e);

/* The same with these, for who asks by the job's name. */
int store_named(struct store *s, const char *job,
    int (*each)(void *ctx, struct span record, struct err *e), void *ctx,
    struct err *e);

/* The first and the last time before that at which a failure with this
 * fingerprint was counted. 1; 0: none was; -1. */
struct store_past {
	int64_t first, last;
};
int store_past(struct store *s, const char *fingerprint, int64_t before,
    struct store_past *out, struct err *e);

/* The failed attempts of a time, all of them and those of a category. */
struct store_sum {
	const char *category; /* see entry_category; NULL: all, the first one */
	int64_t attempts, jobs, lost; /* distinct jobs; GPU-seconds */
	int64_t since; /* what the store has begins then, of all; or
			* ENVELOPE_NO_TIME */
};
/* Counted in [since, until), in order of category. each: 0, or -1 to stop with
 * e set; borrowed. whose may be NULL. */
int store_sums(struct store *s, const int64_t period[2],
    const struct entry_whose *whose,
    int (*each)(void *ctx, const struct store_sum *sum, struct err *e),
    void *ctx, struct err *e);

/* ---- what was answered ---- */

struct store_answer {
	const char *job;
	int64_t attempt;
	const char *verdict; /* the gate's word */
	const char *given;   /* what was answered: another one in shadow */
	const char *reason;
	bool shadow;
	int64_t at;                  /* microseconds UTC */
	const char *cluster, *place; /* see struct entry; NULL or "": none */
};

/* One a cluster, place, job and attempt: the latest, by its time. Written at
 * once. */
int store_put_answer(
    struct store *s, const struct store_answer *a, struct err *e);
/* In order of job, attempt, cluster and place; strings are borrowed for the
 * call, none is NULL. each: 0, or
 * -1 to stop (then this is -1, too). */
int store_answers(struct store *s,
    int (*each)(void *ctx, const struct store_answer *a, struct err *e),
    void *ctx, struct err *e);

/* ---- keeping house ---- */

struct store_info {
	const char *kind; /* "SQLite 3.40.1" */
	int schema;       /* version */
	uint64_t diagnoses, jobs, failed, readings, bytes;
	int64_t first, last; /* counted at, or ENVELOPE_NO_TIME */
};

int store_info(struct store *s, struct store_info *out, struct err *e);
/* Forget what is counted before the time, and older answers; gives space back.
 * *n: how many diagnoses. */
int store_prune(struct store *s, int64_t before, uint64_t *n, struct err *e);
/* The diagnoses, of whose jobs (NULL: all), in order of job, attempt and
 * content; one JSON object a line,
 * without its end: {"schema": "jobtriage.store/1", "content", "key",
 * "lookup", "joined", "seen", "record": {...}}. */
int store_export(struct store *s, const struct entry_whose *whose,
    int (*line)(void *ctx, struct span text, struct err *e), void *ctx,
    struct err *e);
/* The diagnosis in a line of an export, nothing for one of an answer; a line
 * that is of no export is returned as it is. */
struct span store_line_record(struct span line);
/* Such a line of what is in no store yet, and one of an answer, appended,
 * without the end. seen: when it was first seen. -1: out of memory. */
int store_line(const struct store_row *row, int64_t seen, struct buf *out);
int store_answer_line(const struct store_answer *a, struct buf *out);
/* One such line, or a bare diagnosis as scan prints it. 1 with e set: the line
 * is none of these; -1 with e set: it could not be kept. */
int store_import(struct store *s, struct span line, int64_t now, struct err *e);

#endif
