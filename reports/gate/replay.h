/*
 * What the gate would have said of past attempts, against what then happened.
 *
 * Every failed attempt that another one followed is judged for itself: by its
 * stored verdict and the attempts before it, as the gate does. The attempt
 * that followed says whether that was right. Answers that the gate has really
 * given are compared in the same way.
 *
 * A stop after which the next attempt got further counts as wrong, although
 * somebody may have repaired the cause in between: no store knows. A person
 * may: whose word about an attempt's verdict is kept (judge/judgement.h) has
 * told whether the verdict was right, also of an attempt that none followed,
 * and an attempt counts under the category he says.
 */
#ifndef REPORTS_REPLAY_H
#define REPORTS_REPLAY_H

#include "base/text.h"
#include "rules/taxonomy.h"

#include <stdio.h>

struct err;
struct judgements;
struct report_style;

/* How the attempt that followed ended, seen from the one before it. */
enum replay_outcome {
	REPLAY_RECOVERED,  /* it ended well */
	REPLAY_PROGRESSED, /* it failed at a later step or after a new
			    * checkpoint */
	REPLAY_AGAIN,      /* the same failure, no further */
	REPLAY_OTHERWISE,  /* another failure, no further */
	REPLAY_UNTOLD,     /* cannot be told, or attempts between are missing */
	REPLAY_OUTCOMES
};

/* GPU-seconds count an attempt once, however many verdicts speak of it. */
struct replay_sums {
	uint64_t attempts;
	uint64_t judged;                   /* of these, by a person's word */
	uint64_t right_stops, wrong_stops; /* again; recovered, progressed */
	uint64_t right_retries, wrong_retries; /* the other way round */
	uint64_t otherwise_stops, otherwise_retries;
	uint64_t undecided, untold;
	uint64_t later;      /* of right_stops: the job got further after all */
	int64_t saved;       /* by right stops: until something changed */
	int64_t lost;        /* by wrong stops: the next attempts */
	int64_t burnt;       /* by wrong retries: the next attempts */
	uint64_t unmeasured; /* of these attempts */
};

/* A stop that was wrong. */
struct replay_wrong {
	const char *job, *user; /* user: or NULL */
	int64_t attempt;
	const char *category, *rule; /* rule: or NULL */
	const char *reason;
	bool judged;    /* by a person; else by the next attempt */
	const char *by; /* who that is, or NULL */
	enum replay_outcome outcome;
	int64_t gpu_seconds; /* of the next attempt, or USAGE_UNKNOWN */
};

struct replay_wrongs {
	struct replay_wrong *v; /* in order of job and attempt */
	size_t n, cap;
};

struct replay_category {
	const char *id;
	struct replay_sums sums;
};

/* Everything lives as long as the replay. */
struct replay_result {
	int64_t since, until; /* or ENVELOPE_NO_TIME */
	uint64_t jobs;        /* with an attempt that was judged */
	uint64_t unclear;     /* attempts that may be of one of several users
			       * or clusters */
	struct replay_sums all;
	struct replay_category *categories; /* in order of their ids */
	size_t n_categories;
	struct replay_wrongs wrong;
	uint64_t answers; /* that the gate has given; compared: given.attempts
			   */
	struct replay_sums given;
	struct replay_wrongs given_wrong;
};

struct replay;

/* Judges attempts counted in [since, until), microseconds UTC or
 * ENVELOPE_NO_TIME: no bound. tax is borrowed. NULL with e set: no memory. */
struct replay *replay_new(
    const struct taxonomy *tax, int64_t since, int64_t until, struct err *e);
void replay_free(struct replay *r);
/* A diagnosis; all of the store are needed, also those out of the period. 1
 * with e set: it is none; -1 with e set: out of memory. */
int replay_add(
    struct replay *r, struct span record, int64_t seen, struct err *e);
/* An answer of the gate: its own verdict, as taxonomy_verdict_name calls it;
 * another word is not compared. -1: out of memory. */
struct replay_given {
	const char *job, *cluster, *place; /* the latter NULL or "": not told */
	int64_t attempt;
	const char *verdict, *reason; /* reason: or NULL */
};
int replay_answer(struct replay *r, const struct replay_given *g);
/* What persons said; borrowed. */
void replay_judged(struct replay *r, struct judgements *all);
/* Borrowed from r; NULL with e set. Once, after everything was added. */
const struct replay_result *replay_run(struct replay *r, struct err *e);

const char *replay_outcome_name(enum replay_outcome o);
/* -1 with e set: out of memory; whether f took it all is the caller's to ask.
 */
int replay_text(const struct replay_result *r, const struct report_style *style,
    FILE *f, struct err *e);
int replay_json(const struct replay_result *r, FILE *f, struct err *e);

#endif
