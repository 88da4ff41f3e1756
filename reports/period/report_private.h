/* What the parts of the report's builder share. */
#ifndef REPORTS_REPORT_PRIVATE_H
#define REPORTS_REPORT_PRIVATE_H

#include "reports/period/report.h"

/* One diagnosis that counts, in the period or in the one before. */
struct item {
	struct entry *en;
	size_t position; /* in the order in which they came */
	size_t job;      /* number of its job */
	size_t failure;  /* number of its fingerprint from 1, 0: none */
	size_t category; /* number of its category, of a failed one */
	int64_t when;
	int64_t avoidable;
	bool now; /* in the period, not in the one before */
	/* When its user began to fail so: what comes within the window after
	 * such a failure, as the tasks of an array, belongs to it. */
	int64_t began;
};

struct report_builder {
	struct report *r;
	struct arena *arena; /* the report's */
	struct item *items;  /* from report_jobs on: by job, attempt */
	size_t n, cap;
	/* Failed ones of both periods: by fingerprint, time, job, attempt. */
	struct item **failures;
	size_t n_failures;
	size_t n_fingerprints, n_categories;
	struct judgements *judgements; /* borrowed; or NULL */
};

/* How one of their values is spread over some items. */
struct spread {
	size_t distinct;   /* values that are known */
	size_t most;       /* how often the most frequent comes */
	const char *value; /* that one, or NULL */
};

int report_spread(struct item *const *v, size_t n,
    const char *(*of)(const struct entry *en), struct spread *out);
/* Distinct jobs among them. -1: out of memory. */
int report_count_jobs(struct item *const *v, size_t n, uint64_t *out);

/* Orders by time; what has none comes last. */
int report_in_time(const struct item *a, const struct item *b);
/* Orders strings, NULL first; the same pointer is the same string. */
int report_compare(const char *a, const char *b);
/* Count an attempt, as failed or not; but not its job. */
void report_sum(struct sums *s, const struct item *it, bool failed);

/* An id for people: "dl_specific" is "DL specific". NULL: out of memory. */
const char *report_words(struct arena *p, const char *id);

/* One part each; 0 or -1: out of memory (report_failures: e says). */
int report_judged(struct report_builder *b);
int report_groups(struct report_builder *b);
int report_incidents(struct report_builder *b);
int report_nodes(struct report_builder *b);
int report_rules(struct report_builder *b);
int report_failures(
    struct report_builder *b, const struct report_past *past, struct err *e);
int report_months(struct report_builder *b);
/* Add an attempt to the health of the rule that was its answer; next: the one
 * that comes after it in the list, or NULL. */
void report_health(
    struct rule_row *row, const struct item *it, const struct item *next);
/* The rules to mend, of all that were counted. -1: out of memory. */
int report_mend(struct report *r);
int report_unknown(struct report_builder *b);

/* ---- a set of strings that are numbered as they come ---- */

struct numbers {
	struct {
		const char *s;
		size_t number;
	} * slots;
	size_t n_slots, n;
};

/* The number of s, by its pointer; SIZE_MAX: out of memory. */
size_t report_number_of(struct numbers *set, const char *s);
/* The same where each has an element of an array, by its number: makes room,
 * of zeros. */
size_t report_number_row(
    struct numbers *set, const char *s, void *array, size_t *cap, size_t size);
void report_numbers_release(struct numbers *set);

#endif
