/*
 * The figures are added up where they are kept: to read the diagnoses of a
 * month would take thirty times as long as the report of the day.
 */
#include "reports/period/report_recent.h"

#include "base/err.h"
#include "reports/period/report_private.h"
#include "reports/store/store.h"

#include <string.h>

#define HOUR (INT64_C(3600) * 1000000)
#define DAY (24 * HOUR)
#define LONGEST (DAY + HOUR) /* a day on which clocks are set back */

struct reading {
	struct report *r;
	struct recent *to;
};

/* Its place among the categories, most frequent first; n: there is none. */
static size_t place_of(const struct recent *to, const struct store_sum *sum)
{
	size_t at = 0;

	while (at < to->n_categories &&
	    to->categories[at].failed >= (uint64_t)sum->attempts)
		at++;
	return at;
}

static const char *label_of(struct report *r, const char *id)
{
	const struct category *c = taxonomy_category(r->tax, id);

	if (strcmp(id, ENTRY_NO_LOG) == 0)
		return ENTRY_NO_LOG_WORDS;
	return c ? c->name : report_words(r->arena, id);
}

static int on_sum(void *ctx, const struct store_sum *sum, struct err *e)
{
	struct reading *d = ctx;
	struct recent *to = d->to;
	struct recent_category one;
	size_t at;

	if (!sum->category) {
		to->failed = (uint64_t)sum->attempts;
		to->jobs = (uint64_t)sum->jobs;
		to->lost = sum->lost;
		to->begins = sum->since;
		return 0;
	}
	at = place_of(to, sum);
	if (at == RECENT_CATEGORIES)
		return 0;
	one = (struct recent_category){
		.category = arena_string(d->r->arena, span_of(sum->category)),
		.label = label_of(d->r, sum->category),
		.failed = (uint64_t)sum->attempts,
		.jobs = (uint64_t)sum->jobs,
		.lost = sum->lost,
	};
	if (!one.category || !one.label)
		return err_nomem(e);
	if (to->n_categories < RECENT_CATEGORIES)
		to->n_categories++;
	memmove(&to->categories[at + 1], &to->categories[at],
	    (to->n_categories - 1 - at) * sizeof one);
	to->categories[at] = one;
	return 0;
}

int report_recent(struct report *r, struct store *s, struct err *e)
{
	static const unsigned days[RECENT] = { 1, 7, 30 };
	const struct report_options *o = &r->options;

	if (o->since == ENVELOPE_NO_TIME || o->until == ENVELOPE_NO_TIME ||
	    o->until - o->since > LONGEST)
		return 0;
	for (size_t i = 0; i < RECENT; i++) {
		struct recent *to = &r->recent[i];
		struct reading d = { r, to };
		int64_t period[2] = { i ? o->until - days[i] * DAY : o->since,
			o->until };

		*to = (struct recent){ .days = days[i], .since = period[0] };
		if (store_sums(s, period, &o->whose, on_sum, &d, e))
			return -1;
		/* nothing older than this day: nothing to set it beside */
		if (to->begins == ENVELOPE_NO_TIME || to->begins >= o->since)
			return 0;
	}
	r->n_recent = RECENT;
	return 0;
}
