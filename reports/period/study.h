/*
 * The report as Zhang et al. lay out theirs (ICSE 2020): failures that are the
 * job's own, of the last attempt alone, in their categories, root-cause
 * families and stages, beside the paper's figures. The ids come from the
 * taxonomy, the paper's figures from study.tsv.
 *
 * Of other studies the classes of their failures, beside every failed attempt
 * of the categories that are nearest to each.
 */
#ifndef REPORTS_STUDY_H
#define REPORTS_STUDY_H

#include "reports/period/report.h"

#define STUDY_UNKNOWN (-1)

enum study_part {
	STUDY_DIMENSION,
	STUDY_CATEGORY,
	STUDY_FAMILY,
	STUDY_STAGE,
	STUDY_PART_COUNT
};

struct study_row {
	const char *id, *name; /* borrowed from the report or taxonomy; of
				* another study: its categories, or "-" */
	const char *dimension; /* of a category, else NULL */
	uint64_t failures;
	int64_t gpu_seconds;
	uint64_t unmeasured; /* failures whose GPU time is not known */
	/* of the paper, in hundredths of a per cent, or STUDY_UNKNOWN; a
	 * figure that several rows have together stands in each of them, with
	 * their number */
	int share, gpu_share;
	unsigned together, gpu_together;
};

struct study {
	const char *title; /* of another study than theirs; or NULL */
	uint64_t attempts; /* of the period */
	/* what is left out of them, in this order */
	uint64_t earlier;     /* not the last attempt of its job */
	uint64_t not_failed;  /* ended well, or cannot be told */
	uint64_t unexplained; /* category unknown */
	uint64_t outside;     /* category that the study does not have */
	uint64_t failures;    /* what remains */
	int64_t gpu_seconds;
	uint64_t unmeasured;
	struct study_row *rows[STUDY_PART_COUNT];
	size_t n[STUDY_PART_COUNT];
	struct study_row *left_out; /* categories of `outside` */
	size_t n_left_out;
};

#define STUDY_NAMES "zhang philly acme llama3"

/* The failures of r, whose arena it lives in; which: one of the names. 0 or -1:
 * out of memory. */
int study_init(struct study *s, const struct report *r, const char *which);

/* "dimension", "category", "family", "stage" */
const char *study_part_name(enum study_part part);

#endif
