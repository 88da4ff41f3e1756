/*
 * Nodes that fail more often than others do under the same users: lemons. Of
 * each node how long jobs had it, how often jobs failed by its fault, and
 * whether that is more than chance.
 *
 * What counts as a failure of a node is an attempt with a category of the
 * infrastructure whose root failure that node printed. A job counts once on a
 * node, and what comes within an hour on a node is one failure. An outage,
 * failures on several nodes at about the same time, is nobody's.
 *
 * Each failure of a user falls on the nodes that he had in proportion to the
 * time he had them, were all nodes alike: so a node is compared with the same
 * users' jobs elsewhere, and a user whose jobs fail everywhere makes no lemon.
 */
#ifndef REPORTS_LEMONS_H
#define REPORTS_LEMONS_H

#include "reports/period/report.h"

struct err;

#define LEMONS_SAMPLES 5
#define LEMONS_KINDS 4

struct lemons_options {
	int64_t since, until; /* as the report's, but both known */
	double level;         /* share of false ones among lemons, at most */
	int64_t hold;         /* microseconds that an exclusion holds */
};

/* How often one category was a node's failure. */
struct lemons_kind {
	const char *category;
	uint64_t n;
};

struct lemon {
	const char *node, *cluster; /* cluster NULL: not known */
	uint64_t attempts;          /* that had it */
	int64_t seconds;            /* that at least one of them had it */
	uint64_t failures;
	uint64_t victims;  /* attempts that died of them */
	uint64_t node_log; /* failures that the node's own log tells */
	uint64_t outages;  /* attempts that died there in an outage */
	uint64_t others;   /* attempts that failed of something else */
	uint64_t unplaced; /* attempts on several nodes that failed of the
			    * infrastructure, nobody tells where */
	double expected;   /* failures, were all nodes alike */
	double ratio;      /* rate here to the same users' elsewhere (Mantel and
			    * Haenszel); HUGE_VAL: none elsewhere; -1: unknown */
	double p;          /* of so many or more by chance; exact */
	double share;   /* of false ones, if it and all above it are lemons */
	double mttf[3]; /* hours: seconds / failures, and its 95 % limits;
			 * HUGE_VAL: no end */
	bool lemon;
	struct lemons_kind kinds[LEMONS_KINDS]; /* most frequent first */
	size_t n_kinds;
	const struct entry *samples[LEMONS_SAMPLES]; /* latest first */
	size_t n_samples;
};

struct lemons {
	struct lemons_options options;
	struct lemon *v; /* lemons first, then by p, failures and name */
	size_t n, n_lemons;
	struct lemon all;    /* their sums; its name is NULL */
	uint64_t unmeasured; /* attempts whose nodes or times nobody knows */
	int64_t holds_until;
	bool several_clusters;
	struct arena *arena; /* names */
};

/* r is borrowed, for as long as what is made. NULL with e set: out of memory.
 * Free with lemons_free. */
struct lemons *lemons_find(
    const struct report *r, const struct lemons_options *o, struct err *e);
void lemons_free(struct lemons *l);

/* ---- lemons_write.c ---- */

struct lemons_format {
	const char *name;
	int (*write)(const struct lemons *l, const struct report_style *s,
	    FILE *f, struct err *e);
};

/* Borrowed, or NULL. */
const struct lemons_format *lemons_format_find(const char *name);

#endif
