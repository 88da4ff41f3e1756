/*
 * What a job has cost: GPUs, run time, GPU-seconds, and how much of it is lost
 * because no checkpoint kept it. From the job's record when there is one,
 * otherwise estimated from its logs. Whole seconds.
 *
 * Consumed is GPUs x run time, the "GPU service time" of Zhang et al. (ICSE
 * 2020, section 3). Lost is what was consumed after the last checkpoint that
 * the log proves durable; all of it when there is none, 0 for a job that ended
 * well. Where there were no GPUs the same is told of CPUs.
 */
#ifndef DIAGNOSE_USAGE_H
#define DIAGNOSE_USAGE_H

#include <stdbool.h>
#include <stdint.h>

struct diagnosis;

#define USAGE_UNKNOWN INT64_C(-1)
/* No job takes so many (GPU-)seconds: what says so is wrong. Sums of them stay
 * in range. */
#define USAGE_SECONDS_END INT64_C(1000000000000)

struct usage {
	int64_t started, ended; /* microseconds UTC, or ENVELOPE_NO_TIME */
	int64_t gpus, runtime_seconds, gpu_seconds,
	    gpu_seconds_lost; /* or USAGE_UNKNOWN */
	/* Of a job whose record says that it had no GPUs; else, too, it is
	 * USAGE_UNKNOWN */
	int64_t cpus, cpu_seconds, cpu_seconds_lost;
	bool estimated; /* not from a record */
};

extern const struct usage usage_unknown; /* estimated */

/* From when to when a job ran, as its logs' clock shows it; what is not known
 * is ENVELOPE_NO_TIME. By the record where the logs fit it. */
struct usage_span {
	int64_t from, to;
};
struct usage_span usage_span(const struct diagnosis *d);

/* Fill in d->usage from d->record and d->logs; d->failed and d->facts must be
 * known. */
void usage_find(struct diagnosis *d);

#endif
