/*
 * jobtriage gate replay: what the gate would have said of the attempts in a
 * store, against what then happened.
 */
#include "base/err.h"
#include "cli/cli.h"
#include "cli/period.h"
#include "cli/sandbox.h"
#include "reports/gate/replay.h"
#include "reports/judge/judgement.h"
#include "reports/period/report.h"
#include "reports/store/store.h"

#include <string.h>

struct run {
	const struct settings *s;
	struct taxonomy *taxonomy;
	struct replay *replay;
	struct judgements judgements;
	uint64_t unread; /* records of the store that are no diagnosis */
};

static int on_record(void *ctx, struct span record, int64_t seen, struct err *e)
{
	struct run *r = ctx;
	struct err why;
	int rc = replay_add(r->replay, record, seen, &why);

	if (rc < 0)
		return err_pass(e, &why);
	if (rc > 0) {
		r->unread++;
		if (!r->s->quiet)
			screen_complain(
			    "%s: no diagnosis: %s", r->s->store, why.text);
	}
	return 0;
}

static int on_answer(void *ctx, const struct store_answer *a, struct err *e)
{
	struct run *r = ctx;

	const struct replay_given g = { a->job, a->cluster, a->place,
		a->attempt, a->verdict, a->reason };

	return replay_answer(r->replay, &g) ? err_nomem(e) : 0;
}

static int set_bound(const char *option, const char *text, int64_t now,
    int64_t *out, struct err *e)
{
	*out = ENVELOPE_NO_TIME;
	if (text && period_time(text, now, out, e))
		return err_prefix(e, "--%s %s", option, text);
	return 0;
}

/* What was asked for. -1 with e set: a mistake of the caller's. */
static int begin(struct run *r, struct err *e)
{
	const struct settings *s = r->s;
	int64_t now = period_now(), since, until;

	if (screen_text_or_json(s, e))
		return -1;
	if (s->arguments.n > 1)
		return err_set(e, "gate replay takes no paths");
	if (!s->store)
		return err_set(e, "gate replay: --store URL is missing");
	if (set_bound("since", s->since, now, &since, e) ||
	    set_bound("until", s->until, now, &until, e))
		return -1;
	if (since != ENVELOPE_NO_TIME && until != ENVELOPE_NO_TIME &&
	    since >= until)
		return err_set(e, "the period ends before it begins");
	r->taxonomy = taxonomy_load(s->taxonomy.v, s->taxonomy.n, e);
	if (!r->taxonomy)
		return -1;
	r->replay = replay_new(r->taxonomy, since, until, e);
	return r->replay ? 0 : -1;
}

static int read_store(struct run *r, struct err *e)
{
	struct store *st = store_open(r->s->store, STORE_READ, e);
	int rc;

	if (!st)
		return -1;
	rc = sandbox_enter(r->s, SANDBOX_STORE_OPEN, e) ||
	    store_each(st, INT64_MIN, INT64_MAX, on_record, r, e) ||
	    store_answers(st, on_answer, r, e) ||
	    judgements_read(&r->judgements, st, e);
	replay_judged(r->replay, &r->judgements);
	return store_close(st, rc ? NULL : e) || rc ? -1 : 0;
}

static int write_result(
    struct run *r, const struct replay_result *result, struct err *e)
{
	struct report_style style = { .top = r->s->top };
	struct outfile out;
	int rc = outfile_open(&out, r->s->output, e);

	if (!rc && screen_json(r->s)) {
		rc = replay_json(result, out.f, e);
	} else if (!rc) {
		style.colour = screen_colour(r->s, out.f);
		style.width = screen_width(out.f);
		rc = replay_text(result, &style, out.f, e);
	}
	if (!rc)
		return outfile_close(&out, e);
	outfile_abandon(&out);
	return -1;
}

enum exit_status cmd_gate_replay(const struct settings *s)
{
	const struct replay_result *result;
	enum exit_status status = STATUS_OK;
	struct run r = { .s = s };
	struct err e;

	if (begin(&r, &e)) {
		status = STATUS_USAGE;
	} else if (read_store(&r, &e)) {
		status = STATUS_DEGRADED;
	} else {
		result = replay_run(r.replay, &e);
		if (!result || write_result(&r, result, &e))
			status = STATUS_INTERNAL;
	}
	if (status != STATUS_OK)
		status = screen_failed(&e, status);
	else if (r.unread)
		status = STATUS_DEGRADED;
	replay_free(r.replay);
	judgements_release(&r.judgements);
	taxonomy_free(r.taxonomy);
	return status;
}
