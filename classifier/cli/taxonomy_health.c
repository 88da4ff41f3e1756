/*
 * taxonomy health --store URL: how the rules fared on all that a store
 * holds.
 */
#include "cli/taxonomy_health.h"

#include "base/err.h"
#include "cli/period.h"
#include "reports/judge/judgement.h"
#include "reports/period/health.h"
#include "reports/store/store.h"

#include <string.h>

struct health {
	struct report_builder *b;
	struct judgements judgements;
};

/* What is no diagnosis is counted, and passed over. */
static int counted(
    struct health *h, int rc, const struct err *why, struct err *e)
{
	if (rc && why->lack)
		return err_pass(e, why);
	if (rc)
		report_refuse(h->b);
	return 0;
}

static int on_brief(void *ctx, struct span brief, struct span record,
    int64_t seen, struct err *e)
{
	struct health *h = ctx;
	struct err why = { 0 };
	int rc = brief.n ? report_add_brief(h->b, brief, seen, &why)
			 : report_add(h->b, record, seen, &why);

	return counted(h, rc, &why, e);
}

struct report *taxonomy_health(
    const struct settings *s, const struct taxonomy *tax, struct err *e)
{
	const struct report_options o = { .since = ENVELOPE_NO_TIME,
		.until = ENVELOPE_NO_TIME,
		.now = period_now(),
		.zone = period_zone_name(),
		.local = period_local };
	struct store *st = store_open(s->store, STORE_READ, e);
	struct report *r = NULL;
	struct health h = { 0 };
	int rc = -1;

	if (!st)
		return NULL;
	h.b = report_begin(tax, &o, e);
	if (h.b) {
		report_judge(h.b, &h.judgements);
		rc = judgements_read(&h.judgements, st, e) ||
		    store_each_brief(st, INT64_MIN, INT64_MAX, on_brief, &h, e);
		/* ended in every case: nothing else frees a builder */
		r = report_end(h.b, NULL, rc ? NULL : e);
	}
	judgements_release(&h.judgements);
	store_close(st, NULL);
	if (!rc)
		return r;
	report_free(r);
	return NULL;
}
