#include "reports/period/mttf.h"

#include "base/chance.h"

#include <math.h>
#include <string.h>

#define GPUS_MOST (INT64_C(1) << 20) /* so that sums stay in range */
#define OUTSIDE 0.05                 /* of the chance, at each limit */

static bool of_infrastructure(const struct entry *en)
{
	return en->failed == 1 && en->family &&
	    strcmp(en->family, "infrastructure") == 0;
}

/* The size that so many GPUs fall to. */
static size_t size_of(int64_t gpus)
{
	size_t k = 0;

	while (k + 1 < MTTF_SIZES && INT64_C(1) << k < gpus)
		k++;
	return k;
}

static void finish(struct mttf_size *s, double rate)
{
	double low, high;

	chance_poisson_bounds(s->failures, OUTSIDE, &low, &high);
	s->observed =
	    s->failures ? (double)s->seconds / (double)s->failures : HUGE_VAL;
	s->low = (double)s->seconds / high;
	s->high = s->failures ? (double)s->seconds / low : HUGE_VAL;
	s->modelled = rate > 0
	    ? (double)s->seconds / (rate * (double)s->gpu_seconds)
	    : HUGE_VAL;
}

void mttf_find(struct mttf *m, const struct report *r)
{
	struct mttf_size all[MTTF_SIZES] = { { 0 } };

	*m = (struct mttf){ .n = 0 };
	for (size_t i = 0; i < r->n_entries; i++) {
		const struct entry *en = r->entries[i];
		struct mttf_size *s;

		if (en->gpus <= 0 || en->gpus > GPUS_MOST || en->seconds <= 0 ||
		    en->estimated)
			continue;
		s = &all[size_of(en->gpus)];
		s->attempts++;
		s->failures += of_infrastructure(en);
		s->seconds += en->seconds;
		s->gpu_seconds += en->gpus * en->seconds;
		m->failures += of_infrastructure(en);
		m->gpu_seconds += en->gpus * en->seconds;
	}
	for (size_t k = 0; k < MTTF_SIZES; k++) {
		if (!all[k].attempts)
			continue;
		all[k].gpus = INT64_C(1) << k;
		finish(&all[k],
		    m->gpu_seconds
			? (double)m->failures / (double)m->gpu_seconds
			: 0);
		m->v[m->n++] = all[k];
	}
}
