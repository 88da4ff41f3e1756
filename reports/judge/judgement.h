/*
 * What a person said of an attempt: its category, its verdict, a note. All of
 * it is kept in the store, beside what the program had answered then; of
 * several words about one thing the newest holds. The diagnosis itself stays as
 * it was answered.
 */
#ifndef REPORTS_JUDGE_JUDGEMENT_H
#define REPORTS_JUDGE_JUDGEMENT_H

#include "reports/store/entry.h"

struct buf;
struct err;
struct store;

/* Bytes of a note and of a name. */
#define JUDGEMENT_NOTE ((size_t)1000)
#define JUDGEMENT_NAME ((size_t)80)

struct judgement {
	const char *job;
	int64_t attempt;
	struct entry_owner owner;       /* whose job it is */
	const char *account;            /* or NULL, as are all of these: */
	const char *category, *verdict; /* as the person says */
	const char *note, *by;
	/* what the program had answered */
	const char *rule, *answer, *answer_verdict;
	int64_t at; /* microseconds UTC */
};

/* In order of job, attempt, time. */
struct judgements {
	struct judgement *v;
	size_t n, cap;
	struct arena *arena; /* of the strings */
	bool sorted;
};

/* Written at once. -1 with e set. */
int judgement_put(struct store *s, const struct judgement *j, struct err *e);
/* Forget one. */
int judgement_remove(struct store *s, const struct judgement *j, struct err *e);
/* All that the store has, added to *all, which is empty at first. -1 with e
 * set. Release in every case. */
int judgements_read(struct judgements *all, struct store *s, struct err *e);
void judgements_release(struct judgements *all);

/* What holds of an attempt. */
struct judged {
	const char *category, *verdict, *note, *by; /* each may be NULL */
	int64_t at;     /* when the newest of it was said */
	uint64_t words; /* judgements of this attempt */
};

/* false: nobody said anything of it. all may be NULL. */
bool judgements_find(struct judgements *all, const char *job, int64_t attempt,
    const struct entry_owner *owner, struct judged *out);

/* One as a line of JSON ("jobtriage.judgement/1"), appended, without its end.
 * -1: out of memory. */
int judgement_line(const struct judgement *j, struct buf *out);
/* Whether a line of an export is such a one. */
bool judgement_is_line(struct span line);
/* Add it to *all. 1 with e set: it is none; -1 with e set: out of memory. */
int judgements_add_line(
    struct judgements *all, struct span line, struct err *e);

#endif
