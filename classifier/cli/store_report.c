#include "cli/store_report.h"

#include "base/arena.h"
#include "base/err.h"
#include "cli/period.h"
#include "reports/groups/decision.h"
#include "reports/judge/judgement.h"
#include "reports/store/store.h"

#include <stdlib.h>

static int set_period(
    struct report_options *o, const struct settings *s, struct err *e)
{
	o->now = o->until = period_now();
	o->since = ENVELOPE_NO_TIME;
	if (s->since && period_time(s->since, o->now, &o->since, e))
		return err_prefix(e, "--since %s", s->since);
	if (s->until && period_time(s->until, o->now, &o->until, e))
		return err_prefix(e, "--until %s", s->until);
	if (o->since != ENVELOPE_NO_TIME && o->since >= o->until)
		return err_set(e, "the period ends before it begins");
	o->whose =
	    (struct entry_whose){ s->of_cluster, s->of_user, s->of_account };
	o->zone = period_zone_name();
	o->local = period_local;
	return 0;
}

enum exit_status store_report_open(
    struct store_report *x, const struct settings *s, int mode)
{
	struct err e = { 0 };

	*x = (struct store_report){ .taxonomy = NULL };
	if (!s->store) {
		screen_complain("--store URL is missing");
		return STATUS_USAGE;
	}
	if (set_period(&x->options, s, &e))
		return screen_failed(&e, STATUS_USAGE);
	x->taxonomy = taxonomy_load(s->taxonomy.v, s->taxonomy.n, &e);
	if (!x->taxonomy)
		return screen_failed(&e, STATUS_USAGE);
	x->store = store_open(s->store, (enum store_mode)mode, &e);
	if (!x->store)
		return screen_failed(&e, STATUS_INTERNAL);
	x->arena = arena_new();
	x->said = calloc(1, sizeof *x->said);
	x->judged = calloc(1, sizeof *x->judged);
	if (x->arena && x->said && x->judged)
		return STATUS_OK;
	err_nomem(&e);
	return screen_failed(&e, STATUS_INTERNAL);
}

static int on_brief(void *ctx, struct span brief, struct span record,
    int64_t seen, struct err *e)
{
	struct report_builder *b = ctx;
	struct err why = { 0 };
	int rc = brief.n ? report_add_brief(b, brief, seen, &why)
			 : report_add(b, record, seen, &why);

	if (rc && why.lack)
		return err_pass(e, &why);
	if (rc)
		report_refuse(b);
	return 0;
}

int store_report_read(struct store_report *x, struct err *e)
{
	struct report_options *o = &x->options;
	struct report_builder *b;
	int64_t from = o->since;
	int rc;

	/* and the period of equal length before */
	if (from != ENVELOPE_NO_TIME)
		from -= o->until - o->since;
	if (decisions_read(x->said, x->store, x->arena, e) ||
	    judgements_read(x->judged, x->store, e))
		return -1;
	o->said = x->said;
	b = report_begin(x->taxonomy, o, e);
	if (!b)
		return -1;
	rc = store_each_brief(x->store, from, o->until, on_brief, b, e);
	report_judge(b, x->judged);
	/* ended in every case: nothing else frees a builder */
	x->report = report_end(b, NULL, rc ? NULL : e);
	return rc || !x->report ? -1 : 0;
}

enum exit_status store_report_close(
    struct store_report *x, enum exit_status status)
{
	struct err e;

	report_free(x->report);
	taxonomy_free(x->taxonomy);
	if (x->said)
		decisions_release(x->said);
	free(x->said);
	if (x->judged)
		judgements_release(x->judged);
	free(x->judged);
	arena_free(x->arena);
	if (x->store && store_close(x->store, &e) && status == STATUS_OK)
		status = screen_failed(&e, STATUS_INTERNAL);
	return status;
}
