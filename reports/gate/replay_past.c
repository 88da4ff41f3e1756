/*
 * The store keeps what scan printed, not the findings. The few things that a
 * policy and a history look at (the last progress, the last checkpoint, what
 * the winning rule read out) are put back into a diagnosis with one log, so
 * that the very functions that serve the gate serve here, too.
 */
#include "reports/gate/replay_past.h"

#include "base/err.h"
#include "base/json.h"
#include "diagnose/decision/verdict.h"
#include "diagnose/signals/stage.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* What the winning rule read out. A rule that is no longer known gives none. */
static int put_evidence(
    struct diagnosis *d, const struct json *proof, const struct rule *rule)
{
	const struct json *captures = json_get(proof, "captures");
	struct findings *log = d->logs[0];
	struct evidence *ev = findings_evidence(log);
	struct span text = json_get_text(proof, "text");

	if (!ev)
		return -1;
	ev->rule = rule;
	ev->event = EVENT_NONE;
	ev->rank = -1;
	ev->time = ENVELOPE_NO_TIME;
	ev->before = log->last;
	ev->count = 1;
	ev->text = span_dup(text);
	ev->text_len = ev->text ? text.n : 0;
	ev->captures = calloc(rule->extract.n + 1, sizeof *ev->captures);
	if (!ev->text || !ev->captures)
		return -1;
	for (size_t i = 0; i < rule->extract.n; i++) {
		const char *name = rule->extract.v[i];
		struct span value = json_get_text(captures, name);

		if (!value.p)
			continue;
		ev->captures[ev->n_captures].name = name;
		ev->captures[ev->n_captures].value = span_dup(value);
		if (!ev->captures[ev->n_captures++].value)
			return -1;
	}
	return proofs_add(&d->evidence,
	    (struct proof){ .log = log, .evidence = ev, .count = 1 });
}

/* What the job itself had said. */
static int put_declared(struct declared *d, const struct json *said)
{
	struct span reason = json_get_text(said, "reason");
	struct span category = json_get_text(said, "category");
	const struct json *retry = json_get(said, "retry");

	if (!reason.p)
		return 0;
	d->reason = span_dup(reason);
	d->category = category.p ? span_dup(category) : NULL;
	if (json_is(retry, JSON_IS_BOOL))
		d->retry = json_true_value(retry) ? DECLARED_YES : DECLARED_NO;
	return !d->reason || (category.p && !d->category) ? -1 : 0;
}

static struct findings **one_log(
    const struct entry *en, const struct json *record)
{
	const struct json *facts = json_get(record, "facts");
	struct findings **logs = calloc(1, sizeof *logs);
	struct findings *f =
	    findings_new(en->path ? en->path : en->job, -1, NULL);

	if (!logs || !f)
		goto bad;
	logs[0] = f;
	f->of_record = !en->has_log;
	f->last.step = en->last_step;
	(void)json_int(json_get(facts, "last_epoch"), &f->last.epoch);
	if (put_declared(&f->declared, json_get(facts, "declared")))
		goto bad;
	if (!en->checkpoint)
		return logs;
	f->checkpoint = span_dup(span_of(en->checkpoint));
	if (f->checkpoint)
		return logs;
bad:
	findings_free(f);
	free(logs);
	return NULL;
}

static int put_back(struct diagnosis *d, const struct entry *en,
    const struct json *record, const struct taxonomy *tax, struct err *e)
{
	const struct json *root = json_at(json_get(record, "evidence"), 0);
	const struct json *declared =
	    json_get(json_get(record, "facts"), "declared");
	struct findings **logs = one_log(en, record);

	if (!logs)
		return err_nomem(e);
	if (diagnosis_init(d, en->job, (int)en->attempt, logs, 1, e))
		return -1;
	d->failed = en->failed;
	d->confidence = en->confidence;
	d->category = taxonomy_category(tax, en->category);
	d->rule = en->rule ? taxonomy_rule(tax, en->rule) : NULL;
	d->usage.gpu_seconds = en->gpu_seconds;
	if (en->fingerprint && strlen(en->fingerprint) < sizeof d->fingerprint)
		memcpy(
		    d->fingerprint, en->fingerprint, strlen(en->fingerprint));
	if (d->rule && root && put_evidence(d, root, d->rule)) {
		err_nomem(e);
		goto bad;
	}
	if (job_facts_find(d, tax, e))
		goto bad;
	if (en->stage && d->evidence.n)
		d->facts.stage = stage_named(en->stage);
	/* what the job said is to decide anew */
	if (json_true_value(json_get(declared, "decides"))) {
		d->facts.declared = d->logs[0];
		d->category = NULL;
		d->rule = NULL;
	}
	/* for the policy row, and with it the budgets */
	if (verdict_job(d, tax, e))
		goto bad;
	free(d->reason);
	d->reason = span_dup(span_of(en->reason));
	d->verdict = en->verdict;
	if (d->reason)
		return 0;
	err_nomem(e);
bad:
	diagnosis_release(d);
	return -1;
}

static int put_owner(struct past *p, const struct entry *en, struct arena *to)
{
	const char *const from[] = { en->cluster, en->user, en->place };
	const char **const at[] = { &p->owner.cluster, &p->owner.user,
		&p->owner.place };

	for (size_t i = 0; i < 3; i++)
		if (from[i] && !(*at[i] = arena_string(to, span_of(from[i]))))
			return -1;
	return 0;
}

int replay_past_read(struct past *p, const struct json *record,
    const struct taxonomy *tax, struct arena *users, struct err *e)
{
	struct arena *scratch = arena_new();
	struct entry en;
	int rc;

	*p = (struct past){ 0 };
	if (!scratch)
		return err_nomem(e);
	rc = entry_read(&en, record, scratch, e) ? 1 : 0;
	if (!rc && en.attempt > INT_MAX) {
		err_set(e, "attempt: expected a smaller number");
		rc = 1;
	}
	if (!rc)
		rc = put_owner(p, &en, users) ? err_nomem(e) : 0;
	if (!rc)
		rc = put_back(&p->d, &en, record, tax, e);
	if (!rc) {
		p->when = entry_counted(&en);
		p->has_log = en.has_log;
	}
	arena_free(scratch);
	return rc;
}

void replay_past_release(struct past *p)
{
	diagnosis_release(&p->d);
}

int replay_past_judge(struct past *p, const struct taxonomy *tax,
    const struct attempt *before, size_t n, struct err *e)
{
	return history_apply(&p->d, tax, before, n, e);
}
