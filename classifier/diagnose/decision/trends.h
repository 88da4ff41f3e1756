/*
 * What the curves of a training tell, by the taxonomy's trend rules. Warnings
 * for a person: a verdict does not depend on them.
 */
#ifndef DIAGNOSE_TRENDS_H
#define DIAGNOSE_TRENDS_H

#include "diagnose/signals/metrics.h"

struct diagnosis;

#define TRENDS_TEXT 240

struct trend_warning {
	const struct trend *rule;
	const struct metric_series *series; /* NULL: it is about times */
	double from, to;
	struct metric_place at; /* where it shows */
	uint64_t points;        /* reports that were looked at */
	char text[TRENDS_TEXT]; /* one sentence; nothing of the log in it */
	const struct metric_rank *rank; /* that is slow; NULL: it is of none */
	const struct findings *log; /* whose it is; NULL: that of the curves */
};

/* Points to what the diagnosis' logs and the taxonomy own. */
struct trends {
	bool asked;                 /* curves were read */
	const struct findings *log; /* whose curves these are; NULL: none */
	struct trend_warning *v;    /* owned; in the order of the rules */
	size_t n;
};

/* The warnings of a job. -1: out of memory. */
int trends_find(
    const struct diagnosis *d, const struct taxonomy *tax, struct trends *out);
void trends_release(struct trends *t);

/* The log whose curves count: that of the lowest rank that prints metrics; of
 * several the one with the most points. NULL: none. */
const struct findings *trends_log(const struct diagnosis *d);

/* The curve of a metric that has the most points; or NULL. */
const struct metric_series *trends_series(
    const struct findings *log, size_t metric);

/* Where the rank runs that a warning is about; NULL: it is about none, or that
 * is not known. */
const char *trends_node(const struct trend_warning *w);

/* Whether a warning is about a metric. */
bool trends_warned(const struct trends *t, size_t metric);
/* Whether a person wants to see it plotted: what is warned of, and the loss, by
 * which most of it is seen. */
bool trends_wanted(
    const struct trends *t, const struct taxonomy *tax, size_t metric);

/* A curve in few points: the means of its buckets. NaN and infinite values
 * have none. */
#define TRENDS_POINTS 60
struct trend_curve {
	double values[TRENDS_POINTS];
	int64_t steps[TRENDS_POINTS]; /* or -1 */
	size_t n;
};

void trends_curve(const struct metric_series *s, struct trend_curve *out);
/* The same in one bucket: its first and last, least and greatest value. */
struct metric_bucket trends_whole(const struct metric_series *s);

/* The first value for good that is no number: of the curve where this began,
 * at its first such value. */
struct trend_nan {
	const struct metric_series *series; /* NULL: all values are finite */
	struct metric_place at;
	/* The gradient's, where that is another one and went before; or NULL.
	 */
	const struct metric_series *before;
	struct metric_place before_at;
	bool infinite, before_infinite;
};

struct trend_nan trends_nan(const struct findings *log);

#endif
