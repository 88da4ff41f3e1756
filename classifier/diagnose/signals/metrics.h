/*
 * The numbers of a training that a log prints (loss, gradient norm, learning
 * rate, throughput, ...), as curves. Read by a scan whose engine says so
 * (engine_trends), while the text is at hand; which numbers these are is said
 * by the taxonomy's metrics. Bounded: METRICS_SERIES curves of METRICS_BUCKETS
 * buckets, whatever the length of the log.
 */
#ifndef DIAGNOSE_METRICS_H
#define DIAGNOSE_METRICS_H

#include "base/text.h"
#include "rules/taxonomy.h"

struct decode_block;
struct findings;
struct metric_rank;

#define METRICS_SERIES 24
#define METRICS_BUCKETS 512
#define METRICS_SLOTS 256 /* of a histogram */

/* Where in a run; -1: the log does not tell. An epoch may be a fraction. */
struct metric_at {
	double epoch;
	int64_t step;
};

struct metric_place {
	struct metric_at at;
	uint64_t line; /* 0: nowhere */
};

/* Points that follow each other. Values are finite. */
struct metric_bucket {
	double first, last, min, max, sum;
	struct metric_place begin, lowest, highest;
	uint32_t n;       /* points */
	uint32_t segment; /* a resumed run begins a new one */
};

/* One curve: a metric under one name. */
struct metric_series {
	size_t metric; /* index in the taxonomy */
	char *name;    /* owned: as the log calls it */
	uint64_t key;  /* of metric, name and what stands before it */
	struct metric_bucket *v;
	size_t n, cap;
	uint32_t per;         /* points that a full bucket stands for */
	uint64_t points;      /* finite ones */
	struct metric_at now; /* of the last point */
	uint64_t last_line;
	/* Values that are not finite: the first one ever, and the first of
	 * those without a finite one since. */
	struct metric_place bad_first, bad_since;
	bool nan_first, nan_since; /* that one is NaN, not infinite */
	uint64_t bad_points;
	uint64_t bad_run; /* of the last ones */
	/* How often values of a size came, past the first ones; of positive
	 * values: see metrics_slot. */
	uint32_t *slots; /* owned, METRICS_SLOTS */
};

/* Times at which steps were reported, in microseconds UTC, or
 * ENVELOPE_NO_TIME. */
struct metric_pace {
	int64_t first, last, before_gap;
	int64_t gap;                   /* the longest between two */
	struct metric_place at_gap;    /* what came after it */
	struct metric_place at_last;   /* the last one */
	uint64_t n;                    /* gaps */
	uint32_t slots[METRICS_SLOTS]; /* of their seconds */
};

struct metrics {
	struct metric_series *v[METRICS_SERIES];
	size_t n;
	bool failed; /* memory ran out: something is missing */
	int rank; /* whose they are: the lowest that prints any; 0: or none */
	struct metric_pace pace;
	struct metric_rank **ranks; /* owned: see metrics_ranks.h */
	size_t n_ranks, cap_ranks, last_rank;
};

struct metric_reader;

/* The taxonomy must outlive it. NULL: out of memory. */
struct metric_reader *metric_reader_new(const struct taxonomy *tax);
void metric_reader_free(struct metric_reader *r);
/* A new log: what is read goes to f->metrics. -1: out of memory. */
int metric_reader_begin(struct metric_reader *r, struct findings *f);
/* A lack of memory only makes the curves fewer. */
void metric_reader_block(struct metric_reader *r, const struct decode_block *b);

void metrics_free(struct metrics *m);
/* About how many bytes they hold. */
size_t metrics_size(const struct metrics *m);

/* The size that a slot of a histogram stands for, about. */
double metrics_slot_value(size_t slot);

#endif
