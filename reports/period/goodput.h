/*
 * What the GPU time of the attempts whose logs tell it (scan --goodput) went
 * into: by job, user and cluster. In GPU-seconds; the parts of a row add up to
 * what it was given.
 *
 * A step that an earlier attempt of the job had made is recomputed. Training is
 * lost when no durable checkpoint has it and nobody made it again: work that is
 * made twice counts once.
 */
#ifndef REPORTS_GOODPUT_H
#define REPORTS_GOODPUT_H

#include "reports/period/report.h"

/* What is told of: the phases, but training is what was kept. */
enum goodput_part {
	GOODPUT_LOST = PHASE_COUNT, /* training that was not */
	GOODPUT_QUEUED,             /* not a part of what it was given */
	GOODPUT_PARTS
};
/* "training", "lost", ... Static; and for people. */
const char *goodput_part_name(int part);
const char *goodput_part_words(int part);

struct goodput_sums {
	uint64_t attempts, jobs;
	int64_t given; /* allocated */
	int64_t spent[GOODPUT_PARTS];
};

struct goodput_row {
	const char *key;            /* job, user or cluster; never NULL */
	const struct entry *sample; /* of a job: its last attempt */
	struct goodput_sums sums;
};

enum goodput_by {
	GOODPUT_BY_JOB,
	GOODPUT_BY_USER,
	GOODPUT_BY_CLUSTER,
	GOODPUT_BY_COUNT
};
const char *goodput_by_name(enum goodput_by by); /* "job", ... */

struct report_goodput {
	struct goodput_sums all;
	struct goodput_row *rows[GOODPUT_BY_COUNT]; /* most not kept first */
	size_t n[GOODPUT_BY_COUNT];
	/* by part: the job with most of it, or NULL */
	const struct goodput_row *most[GOODPUT_PARTS];
	uint64_t unmeasured; /* attempts that nothing is known of */
	int64_t unmeasured_given;
};

struct report_builder;

/* Fill in the report's, if anything is known. 0, or -1: out of memory. */
int goodput_sum(struct report_builder *b);

/*
 * Training that was kept, of the time given: the runtime goodput of Google's ML
 * goodput ("productive, preserved training progress", ml-goodput-measurement;
 * like MegaScale's effective training time, NSDI 2024, but for the queue). In
 * hundredths of a per cent; -1: of nothing. What is unknown counts as not kept.
 */
int64_t goodput_share(const struct goodput_sums *s);
/*
 * Meta's effective training time ratio (Kokolis et al., Revisiting Reliability
 * in Large-Scale Machine Learning Research Clusters, HPCA 2025): productive
 * time of the time that the job ran or was queued. Not productive are restarts,
 * what is recomputed or lost, and hangs; checkpoints and evaluations are.
 * Likewise.
 */
int64_t goodput_ettr(const struct goodput_sums *s);
/* All that was given, and is not kept training. */
int64_t goodput_not_kept(const struct goodput_sums *s);
/* Parts by their GPU time, most first, without training and what is 0. Returns
 * how many. */
size_t goodput_losses(const struct goodput_sums *s, int parts[GOODPUT_PARTS]);

#endif
