/*
 * Philly's cluster_job_log: an array of jobs with their attempts. The status
 * is that of the last attempt; those before it failed, or there would be no
 * later one.
 */
#include "jobs/accounting_load.h"

#include "base/json.h"

#include <stdlib.h>

static bool fits(const struct taxonomy *tax, struct span head)
{
	(void)tax;
	return accounting_json_head(head, '[', "jobid") &&
	    (accounting_json_head(head, '[', "attempts") ||
		accounting_json_head(head, '[', "vc"));
}

static int set(struct load *l, struct draft *d, enum accounting_column c,
    const struct json *object, const char *key)
{
	return accounting_draft_set(l, d, c, json_get_text(object, key));
}

/* The machines of an attempt and their GPUs. */
static int set_detail(
    struct load *l, struct draft *d, const struct json *detail)
{
	size_t n = json_count(detail);

	if (!json_is(detail, JSON_IS_ARRAY) || !n)
		return 0;
	d->r.gpus = 0;
	d->r.nodes = accounting_pool_alloc(&l->a->pool, n * sizeof *d->r.nodes);
	if (!d->r.nodes)
		return -1;
	for (size_t i = 0; i < n; i++) {
		const struct json *node = json_at(detail, i);
		struct span ip = json_get_text(node, "ip");

		d->r.gpus += (int64_t)json_count(json_get(node, "gpus"));
		if (!ip.n)
			continue;
		d->r.nodes[d->r.n_nodes] =
		    accounting_pool_string(&l->a->pool, ip);
		if (!d->r.nodes[d->r.n_nodes++])
			return -1;
	}
	return 0;
}

static int add(struct load *l, const struct json *job,
    const struct json *attempt, struct draft *d)
{
	struct span status = json_get_text(job, "status");
	bool before = d->r.attempt > 0 &&
	    (size_t)d->r.attempt < json_count(json_get(job, "attempts"));

	if (set(l, d, COLUMN_ID, job, "jobid") ||
	    set(l, d, COLUMN_USER, job, "user") ||
	    set(l, d, COLUMN_GROUP, job, "vc") ||
	    set(l, d, COLUMN_SUBMIT, job, "submitted_time") ||
	    set(l, d, COLUMN_START, attempt, "start_time") ||
	    set(l, d, COLUMN_END, attempt, "end_time") ||
	    accounting_draft_set(
		l, d, COLUMN_STATE, before ? span_of("Failed") : status) ||
	    set_detail(l, d, json_get(attempt, "detail")))
		return -1;
	/* queued until it was killed */
	if (d->r.started == ENVELOPE_NO_TIME)
		d->elapsed = 0;
	return accounting_draft_add(l, d);
}

static int record(struct load *l, const struct json *job, uint64_t line)
{
	const struct json *attempts = json_get(job, "attempts");
	size_t n = json_count(attempts);
	struct draft d;

	if (!json_get_text(job, "jobid").n) {
		accounting_note(l, TROUBLE_ROW, line, "row lost: no jobid");
		return 0;
	}
	for (size_t i = 0; i < n || i == 0; i++) {
		accounting_draft_init(&d, l, NULL, line);
		d.r.attempt = (int)i + 1;
		if (add(l, job, json_at(attempts, i), &d))
			return err_nomem(l->e);
	}
	return 0;
}

static int read_philly(
    struct load *l, struct span text, bool last, size_t *used)
{
	static const struct accounting_elements what = { NULL, record };

	if (!l->state)
		l->state = calloc(1, sizeof(struct accounting_walk));
	if (!l->state)
		return err_nomem(l->e);
	return accounting_json_walk(l, l->state, &what, text, last, used);
}

const struct accounting_reader accounting_philly = {
	"Philly's cluster_job_log",
	fits,
	read_philly,
	free,
};
