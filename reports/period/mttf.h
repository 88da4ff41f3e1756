/*
 * The mean time to failure of jobs by their size, as Kokolis et al. have it
 * (Revisiting Reliability in Large-Scale Machine Learning Research Clusters,
 * HPCA 2025): run time over failures of the infrastructure, observed, beside
 * what a constant rate of failures per GPU makes of it, 1 / (rate x GPUs). Of
 * the report's attempts whose run time and GPUs are known.
 */
#ifndef REPORTS_MTTF_H
#define REPORTS_MTTF_H

#include "reports/period/report.h"

#define MTTF_SIZES 32

/* Jobs of more than half of `gpus`, and up to it. */
struct mttf_size {
	int64_t gpus; /* a power of two */
	uint64_t attempts, failures;
	int64_t seconds, gpu_seconds; /* that they ran, together */
	/* In seconds; HUGE_VAL: no failure. The limits are exact, 90 %. */
	double observed, low, high;
	double modelled;
};

struct mttf {
	struct mttf_size v[MTTF_SIZES]; /* small ones first */
	size_t n;
	uint64_t failures;
	int64_t gpu_seconds; /* in which they came */
};

void mttf_find(struct mttf *m, const struct report *r);

#endif
