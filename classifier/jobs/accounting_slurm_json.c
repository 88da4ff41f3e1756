/*
 * sacct --json, squeue --json, scontrol show job --json of Slurm 21.08 to 24:
 * the same facts under keys that moved between versions. Each fact is looked
 * up at all places it had.
 */
#include "jobs/accounting_load.h"

#include "base/buf.h"
#include "base/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool fits(const struct taxonomy *tax, struct span head)
{
	return accounting_json_head(head, '{', "jobs");
	(void)tax;
}

static const struct json *at(const struct json *job, const char *path)
{
	return accounting_json_find(job, span_of(path));
}

/* Texts that are set as they are; the first path that holds something. */
static const struct {
	enum accounting_column column;
	const char *path;
} texts[] = {
	{ COLUMN_NAME, "name" },
	{ COLUMN_CLUSTER, "cluster" },
	{ COLUMN_CLUSTER, "association.cluster" },
	{ COLUMN_USER, "user" },
	{ COLUMN_USER, "user_name" },
	{ COLUMN_USER, "association.user" },
	{ COLUMN_GROUP, "account" },
	{ COLUMN_GROUP, "association.account" },
	{ COLUMN_GROUP, "group" },
	{ COLUMN_PARTITION, "partition" },
	{ COLUMN_IMAGE, "container" },
	{ COLUMN_NODES, "nodes" },
	{ COLUMN_TRES, "tres_alloc_str" },
	{ COLUMN_REASON, "state.reason" },
	{ COLUMN_REASON, "state_reason" },
	{ COLUMN_REQUESTED_TRES, "tres_req_str" },
};

static int set_texts(struct load *l, struct draft *d, const struct json *job)
{
	unsigned done = 0;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct span s = json_text(at(job, texts[i].path));
		unsigned bit = 1U << texts[i].column;

		if (accounting_absent(s) || (done & bit))
			continue;
		done |= bit;
		if (accounting_draft_set(l, d, texts[i].column, s))
			return -1;
	}
	return 0;
}

/* "X", {"current": "X"}, {"current": ["X", flags...]}, ["X", ...] */
static struct span state_of(const struct json *job)
{
	const struct json *v = json_get(job, "state");

	if (!v)
		v = json_get(job, "job_state");
	if (json_is(v, JSON_IS_OBJECT))
		v = json_get(v, "current");
	if (json_is(v, JSON_IS_ARRAY))
		v = json_at(v, 0);
	return json_text(v);
}

/* The first of several paths that is a number. */
static bool number(
    const struct json *job, const char *const *paths, int64_t *out)
{
	for (; *paths; paths++)
		if (accounting_json_number(at(job, *paths), out))
			return true;
	return false;
}

#define NUMBER(job, out, ...) \
	number(job, (const char *const[]){ __VA_ARGS__, NULL }, out)

/* Numbers that are set as if they had been written in a column: those that
 * are absurd are refused and told there. 0 is how no time is written. */
static const struct {
	enum accounting_column column;
	int64_t least;
	const char *paths[3];
} times[] = {
	{ COLUMN_START, 1, { "time.start", "start_time" } },
	{ COLUMN_END, 1, { "time.end", "end_time" } },
	{ COLUMN_SUBMIT, 1, { "time.submission", "submit_time" } },
	{ COLUMN_SECONDS, 0, { "time.elapsed" } },
};

static int set_times(struct load *l, struct draft *d, const struct json *job)
{
	char text[32];
	int64_t n;

	for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
		if (!number(job, times[i].paths, &n) || n < times[i].least)
			continue;
		snprintf(text, sizeof text, "%" PRId64, n);
		if (accounting_draft_set(l, d, times[i].column, span_of(text)))
			return -1;
	}
	return 0;
}

/* A number here is what wait() gave, if it came from slurmctld. */
static void set_exit(const struct json *v, bool wait, int *code, int *signal)
{
	int64_t n;

	if (json_int(v, &n)) {
		if (n < 0 || n > 0xffff)
			return;
		*code = (int)(wait ? n >> 8 : n);
		if (wait)
			*signal = (int)(n & 0x7f);
		return;
	}
	if (NUMBER(v, &n, "return_code") && n >= 0 && n <= INT32_MAX)
		*code = (int)n;
	if (NUMBER(v, &n, "signal.id", "signal.signal_id") && n >= 0 && n < 256)
		*signal = (int)n;
	else if (*code >= 0)
		*signal = 0;
}

/* Of tres.allocated or tres.requested: [{type, name, count}]. cpus: or NULL */
static int64_t gpus_of(const struct json *list, int64_t *cpus)
{
	struct buf text = BUF_INIT(BUF_MAX);
	int64_t gpus = USAGE_UNKNOWN, count;

	for (size_t i = 0; i < json_count(list); i++) {
		const struct json *t = json_at(list, i);
		struct span type = json_get_text(t, "type");
		struct span name = json_get_text(t, "name");

		if (!accounting_json_number(json_get(t, "count"), &count) ||
		    buf_addf(&text, "%s%.*s%s%.*s=%lld", i ? "," : "",
			(int)type.n, type.n ? type.p : "", name.n ? "/" : "",
			(int)name.n, name.n ? name.p : "", (long long)count))
			continue;
	}
	if (text.len)
		accounting_gpus((struct span){ text.p, text.len }, 1, &gpus);
	if (text.len && cpus)
		*cpus = accounting_cpus((struct span){ text.p, text.len });
	buf_release(&text);
	return gpus;
}

/* squeue's gres_detail: a text for each node. */
static int64_t gpus_of_nodes(const struct json *list)
{
	int64_t sum = USAGE_UNKNOWN, n;

	for (size_t i = 0; i < json_count(list); i++)
		if (accounting_gpus(json_text(json_at(list, i)), 1, &n) &&
		    n != USAGE_UNKNOWN)
			sum = sum == USAGE_UNKNOWN ? n : sum + n;
	return sum;
}

static void set_ids(struct draft *d, const struct json *job)
{
	int64_t n;

	if (NUMBER(job, &n, "array.job_id", "array_job_id"))
		d->array_job = n;
	if (NUMBER(job, &n, "array.task_id", "array.task", "array_task_id"))
		d->array_task = n;
	if (NUMBER(job, &n, "het.job_id", "het_job_id"))
		d->het_job = n;
	if (NUMBER(job, &n, "het.job_offset", "het_job_offset"))
		d->het_offset = n;
	if (NUMBER(job, &n, "restart_cnt") && n >= 0 && n <= INT32_MAX)
		d->r.requeues = (int)n;
}

static void join_steps(const struct json *job, struct accounting_step *sum)
{
	const struct json *steps = json_get(job, "steps");

	for (size_t i = 0; i < json_count(steps); i++) {
		const struct json *step = json_at(steps, i);
		int64_t gpus = gpus_of(
		    accounting_json_find(step, span_of("tres.allocated")),
		    NULL);

		if (gpus > sum->gpus)
			sum->gpus = gpus;
		if (sum->exit_code <= 0 && sum->signal <= 0)
			set_exit(json_get(step, "exit_code"), false,
			    &sum->exit_code, &sum->signal);
		if (span_is(state_of(step), "OUT_OF_MEMORY"))
			sum->out_of_memory = true;
	}
}

static int add(struct load *l, struct draft *d, const struct json *job)
{
	struct accounting_step sum = {
		.gpus = USAGE_UNKNOWN, .exit_code = -1, .signal = -1
	};
	int64_t gpus;

	if (set_texts(l, d, job) || set_times(l, d, job) ||
	    accounting_draft_set(l, d, COLUMN_STATE, state_of(job)))
		return -1;
	set_ids(d, job);
	set_exit(json_get(job, "exit_code"), json_get(job, "job_state") != NULL,
	    &d->r.exit_code, &d->r.signal);
	gpus = gpus_of(at(job, "tres.allocated"), &d->r.cpus);
	if (gpus == USAGE_UNKNOWN && d->r.gpus == USAGE_UNKNOWN)
		gpus = gpus_of_nodes(json_get(job, "gres_detail"));
	if (gpus != USAGE_UNKNOWN)
		d->r.gpus = gpus;
	gpus = gpus_of(at(job, "tres.requested"), NULL);
	if (gpus != USAGE_UNKNOWN)
		d->requested = gpus;
	d->steps_follow = true;
	if (accounting_draft_add(l, d))
		return -1;
	join_steps(job, &sum);
	accounting_draft_step(l, &l->a->v[l->a->n - 1], &sum);
	accounting_draft_requested(l, &l->a->v[l->a->n - 1], d->requested);
	return 0;
}

static int record(struct load *l, const struct json *job, uint64_t line)
{
	char text[32];
	struct draft d;
	struct span id = accounting_json_words(json_get(job, "job_id"), text);

	if (!id.n) {
		accounting_note(l, TROUBLE_ROW, line, "row lost: no job_id");
		return 0;
	}
	accounting_draft_init(&d, l, NULL, line);
	if (accounting_draft_set(l, &d, COLUMN_ID, id) ||
	    accounting_draft_set(l, &d, COLUMN_RAW_ID, id) || add(l, &d, job))
		return err_nomem(l->e);
	return 0;
}

static int read_json(struct load *l, struct span text, bool last, size_t *used)
{
	static const struct accounting_elements what = { "jobs", record };

	if (!l->state)
		l->state = calloc(1, sizeof(struct accounting_walk));
	if (!l->state)
		return err_nomem(l->e);
	return accounting_json_walk(l, l->state, &what, text, last, used);
}

const struct accounting_reader accounting_slurm_json = {
	"sacct --json",
	fits,
	read_json,
	free,
};
