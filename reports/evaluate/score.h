/*
 * Diagnoses against labels: accuracy, macro-F1, precision and recall, the
 * confusion matrix, verdicts, and what each rule had to do with it.
 */
#ifndef REPORTS_SCORE_H
#define REPORTS_SCORE_H

#include "rules/taxonomy.h"

#include <stdint.h>
#include <stdio.h>

struct diagnosis;
struct err;
struct json;

/* One labelled job and what was answered. Strings are owned by the case. */
struct score_case {
	char *path;
	char *category;       /* labelled: an id, "none" or "unknown" */
	char *accept;         /* other ids that count as right, by commas */
	enum verdict verdict; /* labelled, or VERDICT_COUNT: not labelled */
	char *difficulty;     /* "plain", "hard" or "" */
	bool answered;
	char *got;  /* category */
	char *rule; /* or "" */
	char *reason;
	enum verdict got_verdict;
	int confidence; /* enum confidence */
	bool stops;     /* what the policy answers, however sure it is */
	int sure;       /* enum confidence, for stop_needs */
};

/* What one rule did. A job counts once, however often the rule matched. */
struct score_rule {
	const struct rule *rule;
	uint64_t hits;         /* jobs in which it gave evidence */
	uint64_t right, wrong; /* of these, the answers that it won */
	uint64_t last_job;     /* the newest job counted, from 1 */
};

struct score_rules {
	struct score_rule *v; /* of each rule, in the taxonomy's order */
	size_t n;             /* 0: not asked for */
	uint64_t *patterns;   /* of each pattern: jobs in which it was seen */
	uint64_t *pattern_job;
	uint64_t jobs;
};

struct score {
	struct score_case *v;
	size_t n, cap;
	struct score_rules rules;
};

/* A new empty case at the end, or NULL: no memory. */
struct score_case *score_add(struct score *s);
void score_release(struct score *s);

/* Whether the category is right. */
bool score_right(const struct score_case *c);

struct score_class {
	const char *id;
	uint64_t labelled, answered, right;
	double precision, recall, f1;
};

struct score_sums {
	uint64_t jobs, right;
	double accuracy, macro_f1;
	uint64_t verdicts, verdicts_right, wrong_stops;
	double verdict_accuracy, wrong_stop_rate;
	uint64_t plain, plain_right, hard, hard_right;
	uint64_t band[3], band_right[3]; /* by confidence */
	/* By what stop_needs may be: stops of jobs that a retry would have
	 * helped or that had not failed, and jobs that are dead and would be
	 * retried once. */
	uint64_t stop_wrong[3], stop_spared[3];
	struct score_class *classes; /* of all ids that occur, by id */
	size_t n_classes;
	uint64_t *matrix; /* [labelled * n_classes + answered] */
};

/* 0, or -1 with e set: out of memory. */
int score_sum(const struct score *s, struct score_sums *out, struct err *e);
void score_sums_release(struct score_sums *s);

/* The taxonomy must outlive s. -1 with e set: out of memory. */
int score_rules_init(
    struct score_rules *s, const struct taxonomy *tax, struct err *e);
void score_rules_release(struct score_rules *s);
/* Count an answer. */
void score_rules_add(
    struct score_rules *s, const struct diagnosis *d, bool right);
/* A table of the rules that gave evidence, those that won most first, and a
 * list of those that never did. Context rules give none and are left out. */
int score_rules_text(const struct score_rules *s, FILE *f, struct err *e);
/* {id, hits, right, wrong} of each rule. NULL: out of memory. */
struct json *score_rules_json(const struct score_rules *s);

/* Write the result, with the rules if they were counted. 0, or -1 with e
 * set. */
int score_text(const struct score *s, const struct score_sums *sums,
    bool list_wrong, FILE *f, struct err *e);
int score_json(const struct score *s, const struct score_sums *sums,
    bool list_wrong, FILE *f, struct err *e);

#endif
