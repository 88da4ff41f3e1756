/*
 * Failures that no rule names, over jobs and nights: those of one template are
 * one group. A person may have said that two are one, or how one is called
 * (decision.h). What nobody has spoken of is joined here when it differs in a
 * word or two: that is for the eye, and what a template is called by stays.
 */
#ifndef REPORTS_GROUPS_GROUP_H
#define REPORTS_GROUPS_GROUP_H

#include "reports/store/entry.h"

struct decisions;

/* A failed attempt with a template. */
struct group_item {
	const struct entry *en; /* borrowed */
	int64_t when;           /* counted at, or ENVELOPE_NO_TIME */
	size_t job;             /* number of its job */
	bool now;               /* in the period, not in the one before */
};

struct group_sums {
	uint64_t attempts, jobs; /* jobs: distinct */
	int64_t gpu_seconds;
};

#define GROUP_SAMPLES 3

struct failure_group {
	const char *id;       /* of the template it is called by */
	const char *template; /* its text */
	const char *frames;   /* innermost ones, or NULL */
	const char *name;     /* that it was given, or NULL */
	bool ignored;
	struct group_sums now, before;
	uint64_t users;      /* distinct, of those that are known; now */
	int64_t first, last; /* seen now or before, or ENVELOPE_NO_TIME */
	const struct entry *samples[GROUP_SAMPLES]; /* of different jobs, the
						     * latest first */
	size_t n_samples;
	const char **others; /* ids of the other templates in it */
	size_t n_others;
};

/* In the arena; most GPU time in the period first, what has none of it last. */
struct groups {
	struct failure_group *v;
	size_t n;
};

/* said: or NULL. The items are sorted. -1: out of memory. */
int groups_make(struct groups *g, struct arena *p, struct group_item *items,
    size_t n, const struct decisions *said);

/* The group with this id, or of which one template has it; a beginning of 4
 * characters or more counts where only one fits. *several: more do. */
const struct failure_group *groups_find(
    const struct groups *g, const char *id, bool *several);

#endif
