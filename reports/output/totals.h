/* Sums over many diagnoses. */
#ifndef REPORTS_TOTALS_H
#define REPORTS_TOTALS_H

#include "reports/store/entry.h"

struct totals {
	const struct taxonomy *tax;
	uint64_t jobs, failed;
	uint64_t endings[ENDING_COUNT]; /* of the others */
	uint64_t unknown;               /* failed, and no category is known */
	uint64_t no_log;                /* likewise, by the record alone */
	uint64_t
	    verdicts[VERDICT_COUNT]; /* of those that failed, or may have */
	uint64_t confidence[3];      /* of the failed ones */
	uint64_t *categories;        /* by index in the taxonomy */
};

/* 0 or -1: out of memory. */
int totals_init(struct totals *t, const struct taxonomy *tax);
void totals_release(struct totals *t);
void totals_add(struct totals *t, const struct entry *en);

#endif
