/* Points put into curves. Private to metrics*.c. */
#ifndef DIAGNOSE_METRICS_CURVE_H
#define DIAGNOSE_METRICS_CURVE_H

#include "diagnose/signals/metrics.h"

struct metrics_point {
	double value;
	struct metric_place here;
	uint32_t segment;
	bool placed; /* the line itself tells the step */
};

/* Put a point into the curve of this key. */
void metrics_add(struct metrics *m, const struct metrics_point *p,
    size_t metric, uint64_t key, const char *name);
/* Steps were reported at a time. */
void metrics_time(
    struct metric_pace *pace, int64_t time, const struct metric_place *here);
/* No curve and no times. */
void metrics_clear(struct metrics *m);

#endif
