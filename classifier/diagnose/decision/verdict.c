/*
 * The policy decides, most particular first: a policy row for the rule, the
 * rule's own verdict, a policy row for the category, the category's default.
 */
#include "diagnose/decision/verdict.h"

#include "base/buf.h"
#include "base/err.h"
#include "diagnose/diagnosis.h"
#include "diagnose/job_record.h"

#include <string.h>

/* Whether the failure came before the first step of training, as far as the
 * logs tell: the step before it is the first one, or none was ever printed. */
static bool at_start(const struct diagnosis *d)
{
	const struct proof *p = d->evidence.n ? d->evidence.v : NULL;
	struct progress at = { -1, -1 };

	if (p)
		at = proof_before(p);
	if (at.step >= 0 || at.epoch >= 0)
		return at.step >= 0 && at.step <= 1 && at.epoch <= 1;
	for (size_t i = 0; i < d->n_logs; i++)
		if (d->logs[i]->last.step >= 0 || d->logs[i]->last.epoch >= 0)
			return false;
	return true;
}

/* Whether a rule matched what followed from the root: peers that lost the one
 * that died. */
static bool followed(const struct diagnosis *d, const struct rule *r)
{
	for (size_t i = 0; i < d->consequences.n; i++)
		if (d->consequences.v[i].evidence &&
		    d->consequences.v[i].evidence->rule == r)
			return true;
	return false;
}

/* Whether the root can have come of it: what a process told before its end it
 * did not tell for it. */
static bool before(const struct diagnosis *d, const struct findings *log,
    const struct evidence *ev)
{
	const struct proof *root = d->evidence.n ? d->evidence.v : NULL;

	if (!root || root->log != log)
		return !followed(d, ev->rule);
	return ev->line < proof_line(root) &&
	    (!log->parallel || !followed(d, ev->rule));
}

/* Whether the logs tell a cause of a category that the root can have come of.
 */
static bool seen(
    const struct taxonomy *tax, const struct diagnosis *d, const char *category)
{
	const struct category *want = taxonomy_category(tax, category);

	for (size_t i = 0; i < d->n_logs; i++)
		for (size_t k = 0; k < d->logs[i]->n_evidence; k++) {
			const struct evidence *ev = &d->logs[i]->evidence[k];
			const struct rule *r = ev->rule;

			if (r->category != TAXONOMY_NO_CATEGORY &&
			    &tax->categories[r->category] == want &&
			    r->role == ROLE_ROOT && before(d, d->logs[i], ev))
				return true;
		}
	return false;
}

static const struct policy_row *row_for(const struct taxonomy *tax,
    const struct diagnosis *d, const char *rule, const char *category)
{
	for (size_t i = 0; i < tax->n_policy; i++) {
		const struct policy_row *p = &tax->policy[i];
		bool fits = p->rule ? rule && strcmp(p->rule, rule) == 0
				    : category && p->category &&
			(strcmp(p->category, category) == 0 ||
			    strcmp(p->category, POLICY_ANY) == 0);

		if (fits && (!p->at_start || at_start(d)) &&
		    (!p->held_by_others || d->facts.memory.held_by_others) &&
		    (!p->after_success || d->facts.done) &&
		    (!p->seen_with || seen(tax, d, p->seen_with)))
			return p;
	}
	return NULL;
}

/* What is asked of a job whose work was done comes before all else. */
static const struct policy_row *row_done(
    const struct taxonomy *tax, const struct diagnosis *d)
{
	const struct policy_row *p =
	    d->rule ? row_for(tax, d, d->rule->id, NULL) : NULL;

	if (!p || !p->after_success)
		p = row_for(tax, d, NULL, diagnosis_category(d));
	return p && p->after_success ? p : NULL;
}

enum verdict verdict_of_rule(
    const struct taxonomy *tax, const struct rule *rule)
{
	const struct category *c = &tax->categories[rule->category];
	const struct policy_row *own = NULL, *all = NULL;

	for (size_t i = 0; i < tax->n_policy; i++) {
		const struct policy_row *p = &tax->policy[i];

		if (taxonomy_policy_conditional(p))
			continue;
		if (!own && p->rule && strcmp(p->rule, rule->id) == 0)
			own = p;
		if (!all && p->category && strcmp(p->category, c->id) == 0)
			all = p;
	}
	if (own)
		return own->verdict;
	if (rule->verdict >= 0)
		return (enum verdict)rule->verdict;
	return all ? all->verdict : c->verdict;
}

static void apply(struct diagnosis *d, const struct policy_row *p)
{
	d->adjust.memory_factor = p->memory_factor;
	d->adjust.time_factor = p->time_factor;
	d->adjust.delay_seconds = p->delay_seconds;
	if (p->exclude_nodes && d->evidence.n)
		d->adjust.exclude_node = proof_node(&d->evidence.v[0]);
	/* of a job on one node it can only be that one */
	if (p->exclude_nodes && !d->adjust.exclude_node && d->record &&
	    d->record->n_nodes == 1)
		d->adjust.exclude_node = d->record->nodes[0];
	/* what broke it is still there, whoever starts it anew */
	if (d->verdict == VERDICT_RETRY && d->evidence.n &&
	    d->evidence.v[0].log->of_node) {
		d->adjust.exclude_node = proof_node(&d->evidence.v[0]);
		d->verdict = VERDICT_ADJUST;
	}
	if (p->from_checkpoint && d->facts.saved)
		d->adjust.from_checkpoint = d->facts.saved->checkpoint;
}

/* Whether only the job's record is known. */
static bool unlogged(const struct diagnosis *d)
{
	for (size_t i = 0; i < d->n_logs; i++)
		if (!d->logs[i]->of_record)
			return false;
	return d->record != NULL;
}

/* How the logs end, when no failure is seen in them. */
static int write_ending(struct buf *b, const struct diagnosis *d)
{
	const struct findings *cut;

	switch (d->ending) {
	case ENDING_PROVEN:
		return buf_adds(
		    b, "nothing in the logs says that the job failed");
	case ENDING_UNPROVEN:
		return buf_adds(b,
		    "nothing in the logs says that the job failed, and nothing "
		    "that it ended well");
	case ENDING_RUNNING:
		return buf_adds(
		    b, "the log is still written, and tells no failure so far");
	case ENDING_CUT:
		cut = ending_cut_log(d);
		return cut
		    ? buf_addf(b, "a log stops %s, and nothing tells a failure",
			  ending_cut_words(cut->cut))
		    : buf_adds(b,
			  "a log was not read to its end, and what was "
			  "read tells no failure");
	case ENDING_UNKNOWN:
	case ENDING_COUNT:
		break;
	}
	if (d->failed == 1)
		return buf_adds(
		    b, "the job ended with an error that the logs do not name");
	for (size_t i = 0; i < d->n_logs; i++)
		if (d->logs[i]->no_text)
			return buf_adds(b, "what was read is no text");
	return buf_adds(b, "the logs are empty");
}

/* What is to be said when no rule or exception names the failure. */
static int write_outcome(struct buf *b, const struct diagnosis *d)
{
	if (unlogged(d))
		return buf_addf(b,
		    "the scheduler's record says %s, and there is no log",
		    d->record->state ? d->record->state : "nothing");
	if (d->record && d->record->state && d->failed != 0)
		return buf_addf(b,
		    "the scheduler's record says %s, and the logs do not tell "
		    "why",
		    d->record->state);
	return write_ending(b, d);
}

/* A sentence is put together from what was found and what the policy says. */
static int write_reason(struct diagnosis *d, const char *policy, struct err *e)
{
	struct buf b = BUF_INIT(BUF_MAX);
	const char *meaning =
	    d->evidence.n ? proof_meaning(&d->evidence.v[0]) : NULL;
	int rc;

	if (d->rule)
		rc = buf_adds(&b, d->rule->title);
	else if (d->evidence.n && d->failed == 1)
		rc = buf_adds(
		    &b, "the job ended in an exception that no rule explains");
	else
		rc = write_outcome(&b, d);
	while (!rc && b.len && b.p[b.len - 1] == '.')
		b.p[--b.len] = '\0';
	if (!rc && meaning)
		rc = buf_addf(&b, " (%s)", meaning);
	if (!rc && policy && *policy) {
		size_t at = b.len + 2;

		rc = buf_addf(&b, "; %s", policy);
		/* "A file", "The job" go on a sentence here, "GPU" does not */
		if (!rc && b.p[at] >= 'A' && b.p[at] <= 'Z' &&
		    (b.p[at + 1] == ' ' ||
			(b.p[at + 1] >= 'a' && b.p[at + 1] <= 'z')))
			b.p[at] = (char)(b.p[at] | 0x20);
	}
	while (!rc && b.len && b.p[b.len - 1] == '.')
		b.p[--b.len] = '\0';
	d->reason = rc ? NULL : buf_take(&b);
	buf_release(&b);
	return d->reason ? 0 : err_nomem(e);
}

/* ---- what the job says of its end ---- */

static bool declared_decides(
    const struct diagnosis *d, const struct taxonomy *tax)
{
	const struct findings *log = d->facts.declared;

	if (!log || tax->declared == DECLARED_IGNORE ||
	    (tax->declared == DECLARED_HINT && d->category))
		return false;
	return log->declared.retry != DECLARED_UNSAID ||
	    (log->declared.category &&
		taxonomy_category(tax, log->declared.category));
}

void verdict_declared_end(struct diagnosis *d, const struct taxonomy *tax)
{
	if (d->failed >= 0 || d->ending == ENDING_RUNNING ||
	    !declared_decides(d, tax))
		return;
	d->failed = 1;
	d->ending = ENDING_UNKNOWN;
	d->confidence = CONFIDENCE_LOW;
}

/* Its category and verdict. No policy row goes with it: whoever could write the
 * line could ask for one that knows no bound, so the budgets of all hold. */
static int verdict_declared(
    struct diagnosis *d, const struct taxonomy *tax, struct err *e)
{
	const struct declared *said = &d->facts.declared->declared;
	const struct category *c =
	    said->category ? taxonomy_category(tax, said->category) : NULL;
	const struct policy_row *p;
	struct buf b = BUF_INIT(BUF_MAX);

	d->facts.declared_decides = true;
	if (c) {
		d->category = c;
		d->rule = NULL;
	}
	p = row_for(
	    tax, d, d->rule ? d->rule->id : NULL, diagnosis_category(d));
	d->verdict = p    ? p->verdict
	    : d->category ? d->category->verdict
			  : VERDICT_UNDECIDED;
	if (said->retry != DECLARED_UNSAID)
		d->verdict =
		    said->retry == DECLARED_YES ? VERDICT_RETRY : VERDICT_STOP;
	else if (p)
		apply(d, p);
	if (tax->declared == DECLARED_TRUST &&
	    d->confidence < CONFIDENCE_MEDIUM)
		d->confidence = CONFIDENCE_MEDIUM;
	if (!buf_addf(&b, "the job itself says: %s", said->reason))
		d->reason = buf_take(&b);
	buf_release(&b);
	return d->reason ? 0 : err_nomem(e);
}

int verdict_job(struct diagnosis *d, const struct taxonomy *tax, struct err *e)
{
	const struct policy_row *p = NULL;
	const char *policy = NULL;
	int needs;

	if (d->failed == 1 && declared_decides(d, tax))
		return verdict_declared(d, tax, e);

	if (d->failed == 0) {
		d->verdict = VERDICT_NONE;
		return write_reason(d, NULL, e);
	}
	if (d->failed < 0 || (!d->category && unlogged(d))) {
		d->verdict = VERDICT_UNDECIDED;
		return write_reason(d,
		    d->ending == ENDING_UNKNOWN || d->ending == ENDING_CUT
			? "no verdict without evidence"
			: NULL,
		    e);
	}
	if (d->facts.done)
		p = row_done(tax, d);
	if (!p && d->rule)
		p = row_for(tax, d, d->rule->id, NULL);
	if (!p && d->rule && d->rule->verdict >= 0) {
		d->verdict = (enum verdict)d->rule->verdict;
		p = row_for(tax, d, NULL, diagnosis_category(d));
		/* the category's adjustments and words go with its verdict */
		if (p && p->verdict != d->verdict)
			p = NULL;
	} else {
		if (!p)
			p = row_for(tax, d, NULL, diagnosis_category(d));
		d->verdict = p    ? p->verdict
		    : d->category ? d->category->verdict
				  : VERDICT_UNDECIDED;
	}
	d->policy = p;
	if (p) {
		policy = p->reason;
		apply(d, p);
	}
	needs = p && p->stop_needs >= 0 ? p->stop_needs : tax->stop_needs;
	d->unsure_stop =
	    d->verdict == VERDICT_STOP && (int)d->confidence < needs;
	if (d->unsure_stop) {
		d->verdict = VERDICT_RETRY;
		policy = "that is not sure enough for a stop, so one retry";
	}
	return write_reason(d, policy, e);
}
