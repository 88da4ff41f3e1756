/*
 * The words for how a job ended, of every scheduler that a reader is there
 * for. A word that no row has leaves the end unknown.
 */
#include "jobs/accounting_values.h"

#define PENDING JOB_END_PENDING
#define RUNNING JOB_END_RUNNING
#define WELL JOB_END_WELL
#define FAILED JOB_END_FAILED

static const struct accounting_state table[] = {
	/* Slurm; in the order in which a word cut short is looked up */
	{ "BOOT_FAIL", "BF", FAILED, true },
	{ "CANCELLED", "CA", FAILED, true },
	{ "COMPLETED", "CD", WELL, true },
	{ "COMPLETING", "CG", RUNNING, true },
	{ "CONFIGURING", "CF", RUNNING, true },
	{ "DEADLINE", "DL", FAILED, true },
	{ "FAILED", "F", FAILED, true },
	{ "LAUNCH_FAILED", NULL, FAILED, true },
	{ "NODE_FAIL", "NF", FAILED, true },
	{ "OUT_OF_MEMORY", "OOM", FAILED, true },
	{ "PENDING", "PD", PENDING, true },
	{ "POWER_UP_NODE", NULL, RUNNING, true },
	{ "PREEMPTED", "PR", FAILED, true },
	{ "RECONFIG_FAIL", NULL, FAILED, true },
	{ "REQUEUED", "RQ", FAILED, true },
	{ "REQUEUE_FED", "RF", PENDING, true },
	{ "REQUEUE_HOLD", "RH", PENDING, true },
	{ "RESIZING", "RS", RUNNING, true },
	{ "RESV_DEL_HOLD", "RD", PENDING, true },
	{ "REVOKED", "RV", FAILED, true },
	{ "RUNNING", "R", RUNNING, true },
	{ "SIGNALING", "SI", RUNNING, true },
	{ "SPECIAL_EXIT", "SE", FAILED, true },
	{ "STAGE_OUT", "SO", RUNNING, true },
	{ "STOPPED", "ST", RUNNING, true },
	{ "SUSPENDED", "S", RUNNING, true },
	{ "TIMEOUT", "TO", FAILED, true },
	/* Philly */
	{ "Pass", NULL, WELL, false },
	{ "Killed", NULL, FAILED, false },
	/* Kubernetes: phases of pods, conditions of jobs; Failed is above */
	{ "Succeeded", NULL, WELL, false },
	{ "Complete", NULL, WELL, false },
	{ "SuccessCriteriaMet", NULL, WELL, false },
	{ "FailureTarget", NULL, FAILED, false },
	{ "Unknown", NULL, JOB_END_UNKNOWN, false },
	/* usual ones of other schedulers and traces */
	{ "active", NULL, RUNNING, false },
	{ "aborted", NULL, FAILED, false },
	{ "canceled", NULL, FAILED, false },
	{ "crashed", NULL, FAILED, false },
	{ "done", NULL, WELL, false },
	{ "error", NULL, FAILED, false },
	{ "evicted", NULL, FAILED, false },
	{ "exit", NULL, FAILED, false },
	{ "fail", NULL, FAILED, false },
	{ "failure", NULL, FAILED, false },
	{ "finished", NULL, WELL, false },
	{ "held", NULL, PENDING, false },
	{ "interrupted", NULL, FAILED, false },
	{ "lost", NULL, FAILED, false },
	{ "ok", NULL, WELL, false },
	{ "oom", NULL, FAILED, false },
	{ "passed", NULL, WELL, false },
	{ "preempt", NULL, FAILED, false },
	{ "queued", NULL, PENDING, false },
	{ "run", NULL, RUNNING, false },
	{ "started", NULL, RUNNING, false },
	{ "stopped", NULL, FAILED, false },
	{ "submitted", NULL, PENDING, false },
	{ "success", NULL, WELL, false },
	{ "successful", NULL, WELL, false },
	{ "terminated", NULL, FAILED, false },
	{ "timed_out", NULL, FAILED, false },
	{ "timedout", NULL, FAILED, false },
	{ "waiting", NULL, PENDING, false },
};

struct span accounting_state_word(struct span v)
{
	size_t by = span_find(v, " by ");

	return span_trim(span_sub(v, 0, by));
}

const struct accounting_state *accounting_state(struct span word)
{
	bool cut = word.n > 2 && word.p[word.n - 1] == '+';

	if (cut)
		word.n--;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		const struct accounting_state *s = &table[i];

		if (cut && s->slurm &&
		    span_eq(span_sub(span_of(s->word), 0, word.n), word))
			return s;
		if (accounting_same(word, s->word))
			return s;
		if (s->brief && span_is(word, s->brief))
			return s;
	}
	return NULL;
}
