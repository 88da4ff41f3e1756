/*
 * kubectl get pods|jobs -o json. A pod is a record, and what it says of the
 * run before its last restart is one more. A Job is a record only where none
 * of its pods is in the file, so jobs wait for the end of it.
 */
#include "jobs/accounting_load.h"

#include "base/json.h"

#include <stdlib.h>
#include <string.h>

struct cluster {
	struct accounting_walk walk;
	struct draft *jobs; /* r.id is the name that pods call their job */
	char **owners;      /* jobs of the pods seen, in the pool */
	size_t n_jobs, n_owners;
};

static bool fits(const struct taxonomy *tax, struct span head)
{
	(void)tax;
	return accounting_json_head(head, '{', "apiVersion") &&
	    span_find(head, "\"kind\"") != SIZE_MAX;
}

static const struct json *at(const struct json *v, const char *path)
{
	return accounting_json_find(v, span_of(path));
}

static struct span text_at(const struct json *v, const char *path)
{
	return json_text(at(v, path));
}

/* Extended resources that are whole accelerators, or parts that count as one.
 */
static const char *const resources[] = { "nvidia.com/gpu", "nvidia.com/mig-*",
	"amd.com/gpu", "google.com/tpu", "habana.ai/gaudi",
	"huawei.com/Ascend*", "gpu.intel.com/i915", "gpu.intel.com/xe",
	"aws.amazon.com/neuron", "aws.amazon.com/neurondevice" };

static bool is_resource(struct span key)
{
	for (size_t i = 0; i < sizeof resources / sizeof *resources; i++) {
		struct span r = span_of(resources[i]);

		if (span_ends(r, "*") ? span_eq(span_sub(key, 0, r.n - 1),
					    span_sub(r, 0, r.n - 1))
				      : span_eq(key, r))
			return true;
	}
	return false;
}

static int64_t container_gpus(const struct json *container)
{
	const struct json *limits = at(container, "resources.limits"), *v;
	int64_t sum = 0, n;
	struct span key;
	void *place = NULL;

	while (json_each(limits, &place, &key, &v))
		if (is_resource(key) && accounting_json_number(v, &n) &&
		    n > 0 && n <= ACCOUNTING_GPUS_MAX)
			sum += n;
	return sum;
}

/* As the scheduler counts: init containers run before, one by one. */
static int64_t spec_gpus(const struct json *spec)
{
	const struct json *all = json_get(spec, "containers");
	const struct json *init = json_get(spec, "initContainers");
	int64_t sum = 0;

	for (size_t i = 0; i < json_count(all); i++)
		sum += container_gpus(json_at(all, i));
	for (size_t i = 0; i < json_count(init); i++) {
		int64_t n = container_gpus(json_at(init, i));

		sum = n > sum ? n : sum;
	}
	return sum;
}

/* The first container with GPUs, or else the first. */
static const struct json *main_container(const struct json *spec)
{
	const struct json *all = json_get(spec, "containers");

	for (size_t i = 0; i < json_count(all); i++)
		if (container_gpus(json_at(all, i)) > 0)
			return json_at(all, i);
	return json_at(all, 0);
}

/* The status of the main container; of another that failed, if that did not. */
static const struct json *main_status(
    const struct json *status, struct span name)
{
	const struct json *all = json_get(status, "containerStatuses");
	const struct json *main = NULL, *failed = NULL;
	int64_t code;

	for (size_t i = 0; i < json_count(all); i++) {
		const struct json *s = json_at(all, i);

		if (span_eq(json_get_text(s, "name"), name))
			main = s;
		if (!failed &&
		    json_int(at(s, "state.terminated.exitCode"), &code) &&
		    code != 0)
			failed = s;
	}
	if (!main)
		main = json_at(all, 0);
	if (failed && json_int(at(main, "state.terminated.exitCode"), &code) &&
	    code == 0)
		return failed;
	return main;
}

static int set_owner(struct load *l, struct draft *d, const struct json *meta)
{
	static const char *const keys[] = { "user", "owner", "username",
		"created-by", "app.kubernetes.io/created-by", "submitted-by",
		"notebook-owner", "creator" };
	static const char *const maps[] = { "labels", "annotations" };

	for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
		for (size_t m = 0; m < 2; m++) {
			struct span s =
			    json_get_text(json_get(meta, maps[m]), keys[k]);

			if (s.n)
				return accounting_draft_set(
				    l, d, COLUMN_USER, s);
		}
	return 0;
}

/* What pods and jobs have in common. */
static int set_common(struct load *l, struct draft *d,
    const struct json *object, const struct json *spec)
{
	const struct json *meta = json_get(object, "metadata");
	const struct json *container = main_container(spec);
	const struct {
		enum accounting_column column;
		struct span value;
	} values[] = {
		{ COLUMN_ID, json_get_text(meta, "name") },
		{ COLUMN_RAW_ID, json_get_text(meta, "uid") },
		{ COLUMN_GROUP, json_get_text(meta, "namespace") },
		{ COLUMN_SUBMIT, json_get_text(meta, "creationTimestamp") },
		{ COLUMN_IMAGE, json_get_text(container, "image") },
		{ COLUMN_NODES, json_get_text(spec, "nodeName") },
	};

	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		if (accounting_draft_set(
			l, d, values[i].column, values[i].value))
			return -1;
	d->r.gpus = spec_gpus(spec);
	return set_owner(l, d, meta);
}

/* How one run of a container ended. */
static int set_terminated(struct load *l, struct draft *d, const struct json *t)
{
	int64_t code, signal;

	if (json_int(json_get(t, "exitCode"), &code) && code >= 0 &&
	    code <= INT32_MAX) {
		d->r.exit_code = (int)code;
		if (json_int(json_get(t, "signal"), &signal) && signal > 0 &&
		    signal < 128)
			d->r.signal = (int)signal;
		else
			d->r.signal =
			    code > 128 && code < 193 ? (int)code - 128 : 0;
	}
	if (accounting_draft_set(
		l, d, COLUMN_START, json_get_text(t, "startedAt")) ||
	    accounting_draft_set(
		l, d, COLUMN_END, json_get_text(t, "finishedAt")))
		return -1;
	return accounting_draft_set(
	    l, d, COLUMN_REASON, json_get_text(t, "reason"));
}

/* Why the pod had to go, where that is not the container's doing. */
static int set_disruption(
    struct load *l, struct draft *d, const struct json *status)
{
	const struct json *all = json_get(status, "conditions");
	struct span reason = json_get_text(status, "reason");

	for (size_t i = 0; i < json_count(all) && !reason.n; i++) {
		const struct json *c = json_at(all, i);

		if (span_is(json_get_text(c, "type"), "DisruptionTarget") &&
		    span_is(json_get_text(c, "status"), "True"))
			reason = json_get_text(c, "reason");
	}
	return reason.n ? accounting_draft_set(l, d, COLUMN_REASON, reason) : 0;
}

/* The run before the last restart. */
static int add_earlier(
    struct load *l, const struct draft *now, const struct json *terminated)
{
	struct draft d = *now;

	d.r.attempt--;
	d.r.started = d.r.ended = ENVELOPE_NO_TIME;
	d.r.exit_code = d.r.signal = -1;
	d.r.reason = d.r.state = NULL;
	if (set_terminated(l, &d, terminated) ||
	    accounting_draft_set(l, &d, COLUMN_STATE,
		span_of(d.r.exit_code == 0 ? "Succeeded" : "Failed")))
		return -1;
	return accounting_draft_add(l, &d);
}

static int set_run(struct load *l, struct draft *d, const struct json *status,
    const struct json *container)
{
	const struct json *over = at(container, "state.terminated");
	const struct json *before = at(container, "lastState.terminated");
	struct span start = text_at(container, "state.running.startedAt");
	struct span waiting = text_at(container, "state.waiting.reason");

	if (!start.n && before)
		start = json_get_text(before, "finishedAt");
	if (!start.n)
		start = json_get_text(status, "startTime");
	if (accounting_draft_set(l, d, COLUMN_START, start) ||
	    accounting_draft_set(l, d, COLUMN_REASON, waiting) ||
	    (over && set_terminated(l, d, over)))
		return -1;
	return set_disruption(l, d, status);
}

static int add_owner(struct load *l, struct cluster *c, struct span job)
{
	char **more;

	if (!job.n)
		return 0;
	if ((c->n_owners & (c->n_owners - 1)) == 0) {
		size_t cap = c->n_owners ? 2 * c->n_owners : 1;

		more = realloc(c->owners, cap * sizeof *more);
		if (!more)
			return -1;
		c->owners = more;
	}
	c->owners[c->n_owners] = accounting_pool_string(&l->a->pool, job);
	return c->owners[c->n_owners++] ? 0 : -1;
}

static int add_pod(struct load *l, const struct json *pod, uint64_t line)
{
	const struct json *spec = json_get(pod, "spec");
	const struct json *status = json_get(pod, "status");
	const struct json *meta = json_get(pod, "metadata");
	const struct json *labels = json_get(meta, "labels");
	const struct json *container =
	    main_status(status, json_get_text(main_container(spec), "name"));
	const struct json *before = at(container, "lastState.terminated");
	struct span job = json_get_text(labels, "job-name");
	struct draft d;
	int64_t restarts = 0;

	if (!job.n)
		job = json_get_text(labels, "batch.kubernetes.io/job-name");
	accounting_draft_init(&d, l, NULL, line);
	if (json_int(json_get(container, "restartCount"), &restarts) &&
	    restarts >= 0 && restarts < INT32_MAX)
		d.r.requeues = (int)restarts;
	d.r.attempt = d.r.requeues > 0 ? d.r.requeues + 1 : 1;
	if (add_owner(l, l->state, job) || set_common(l, &d, pod, spec))
		return -1;
	if (before && d.r.attempt > 1 && add_earlier(l, &d, before))
		return -1;
	if (accounting_draft_set(
		l, &d, COLUMN_STATE, json_get_text(status, "phase")) ||
	    set_run(l, &d, status, container))
		return -1;
	return accounting_draft_add(l, &d);
}

/* The condition of a Job that holds; empty: it runs. */
static const struct json *condition(const struct json *status)
{
	const struct json *all = json_get(status, "conditions"), *found = NULL;

	for (size_t i = 0; i < json_count(all); i++) {
		const struct json *c = json_at(all, i);
		struct span type = json_get_text(c, "type");

		if (span_is(json_get_text(c, "status"), "True") &&
		    (span_is(type, "Failed") || span_is(type, "Complete")))
			found = c;
	}
	return found;
}

static int add_job(struct load *l, const struct json *job, uint64_t line)
{
	const struct json *spec = json_get(job, "spec");
	const struct json *status = json_get(job, "status");
	const struct json *over = condition(status);
	struct span end = json_get_text(status, "completionTime");
	struct cluster *c = l->state;
	struct draft d, *more;
	int64_t pods = 1, active = 0;

	accounting_draft_init(&d, l, NULL, line);
	if (set_common(l, &d, job, at(spec, "template.spec")))
		return -1;
	if (json_int(json_get(spec, "parallelism"), &pods) && pods >= 0 &&
	    pods <= ACCOUNTING_GPUS_MAX)
		d.r.gpus *= pods;
	json_int(json_get(status, "active"), &active);
	if (!end.n)
		end = json_get_text(over, "lastTransitionTime");
	if (accounting_draft_set(l, &d, COLUMN_STATE,
		over             ? json_get_text(over, "type")
		    : active > 0 ? span_of("Running")
				 : span_of("Pending")) ||
	    accounting_draft_set(
		l, &d, COLUMN_REASON, json_get_text(over, "reason")) ||
	    accounting_draft_set(
		l, &d, COLUMN_START, json_get_text(status, "startTime")) ||
	    accounting_draft_set(l, &d, COLUMN_END, end))
		return -1;
	more = realloc(c->jobs, (c->n_jobs + 1) * sizeof *more);
	if (!more)
		return -1;
	c->jobs = more;
	c->jobs[c->n_jobs++] = d;
	l->held += sizeof d;
	return 0;
}

static int record(struct load *l, const struct json *v, uint64_t line)
{
	struct span kind = json_get_text(v, "kind");
	int rc = 0;

	if (!text_at(v, "metadata.name").n)
		accounting_note(l, TROUBLE_ROW, line,
		    "row lost: an object without metadata.name");
	else if (span_is(kind, "Pod"))
		rc = add_pod(l, v, line);
	else if (span_is(kind, "Job"))
		rc = add_job(l, v, line);
	else
		accounting_note(l, TROUBLE_FORMAT, line,
		    "an object of kind %.*s, neither Pod nor Job, is left out",
		    (int)(kind.n < 40 ? kind.n : 40), kind.n ? kind.p : "");
	return rc ? err_nomem(l->e) : 0;
}

static int by_address(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t) * (char *const *)a;
	uintptr_t y = (uintptr_t) * (char *const *)b;

	return x < y ? -1 : x > y;
}

static int finish(struct load *l, struct cluster *c)
{
	if (c->n_owners)
		qsort(c->owners, c->n_owners, sizeof *c->owners, by_address);
	for (size_t i = 0; i < c->n_jobs; i++) {
		if (c->n_owners &&
		    bsearch(&c->jobs[i].r.id, c->owners, c->n_owners,
			sizeof *c->owners, by_address))
			continue;
		if (accounting_draft_add(l, &c->jobs[i]))
			return err_nomem(l->e);
	}
	return 0;
}

static int read_kubernetes(
    struct load *l, struct span text, bool last, size_t *used)
{
	static const struct accounting_elements what = { "items", record };
	struct cluster *c = l->state;

	if (!c) {
		l->state = c = calloc(1, sizeof *c);
		if (!c)
			return err_nomem(l->e);
	}
	if (accounting_json_walk(l, &c->walk, &what, text, last, used))
		return -1;
	return last ? finish(l, c) : 0;
}

static void close_kubernetes(void *state)
{
	struct cluster *c = state;

	if (!c)
		return;
	free(c->jobs);
	free(c->owners);
	free(c);
}

const struct accounting_reader accounting_kubernetes = {
	"kubectl get pods -o json",
	fits,
	read_kubernetes,
	close_kubernetes,
};
