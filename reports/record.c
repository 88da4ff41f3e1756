/*
 * Keys are stable; unknown values are null. Every member goes through one
 * function that remembers a failed allocation, so nothing is lost in silence.
 */
#include "reports/record.h"

#include "base/err.h"
#include "base/when.h"
#include "diagnose/checkpoint.h"
#include "diagnose/collective.h"
#include "diagnose/facts.h"
#include "diagnose/inputs.h"
#include "diagnose/job_record.h"
#include "diagnose/memory.h"
#include "diagnose/stage.h"
#include "diagnose/trends.h"
#include "reports/object.h"
#include "reports/record_trends.h"

#include <string.h>

#ifndef JOBTRIAGE_VERSION
#define JOBTRIAGE_VERSION "unknown"
#endif

/* ---- what a proof says ---- */

static int rank_of(const struct proof *p)
{
	int rank = p->evidence ? p->evidence->rank : p->event->rank;

	return rank >= 0 ? rank : p->log->rank;
}

static int64_t time_of(const struct proof *p)
{
	return p->evidence ? p->evidence->time : p->event->time;
}

static uint64_t line_of(const struct proof *p)
{
	if (p->evidence)
		return p->evidence->line;
	return p->event->message_line ? p->event->message_line
				      : p->event->first_line;
}

static struct span text_of(const struct proof *p)
{
	if (p->evidence)
		return (
		    struct span){ p->evidence->text, p->evidence->text_len };
	if (p->event->exception)
		return span_of(p->event->exception);
	return span_of("a traceback that was cut off");
}

static struct json *proof_json(const struct proof *p)
{
	const struct evidence *ev = p->evidence;
	struct object o = object_new(), groups;

	object_string(&o, "path", p->log->path);
	object_count(&o, "line", (int64_t)line_of(p));
	object_count(
	    &o, "offset", (int64_t)(ev ? ev->offset : p->event->offset));
	object_count(&o, "rank", rank_of(p));
	object_string(&o, "node", proof_node(p));
	object_time(&o, "time", time_of(p));
	object_string(&o, "rule", ev ? ev->rule->id : NULL);
	object_string(&o, "role", ev ? role_name(ev->rule->role) : NULL);
	object_put(&o, "text", json_new_text(text_of(p)));
	object_string(&o, "meaning", proof_meaning(p));
	object_string(&o, "why", p->why);
	object_count(&o, "count", (int64_t)p->count);
	if (ev && ev->n_captures) {
		groups = object_new();
		for (size_t i = 0; i < ev->n_captures; i++)
			object_string(&groups, ev->captures[i].name,
			    ev->captures[i].value);
		object_put(&o, "captures", object_done(&groups));
	}
	return object_done(&o);
}

static struct json *proofs_json(const struct proofs *p)
{
	struct object a = object_new_array();

	for (size_t i = 0; i < p->n; i++)
		object_add(&a, proof_json(&p->v[i]));
	return object_done(&a);
}

static struct json *strings_json(char *const *v, size_t n)
{
	struct object a = object_new_array();

	for (size_t i = 0; i < n; i++)
		object_add(&a, json_new_string(v[i]));
	return object_done(&a);
}

/* ---- the parts of a diagnosis ---- */

static struct json *paths_json(const struct diagnosis *d)
{
	struct object a = object_new_array();

	for (size_t i = 0; i < d->n_logs; i++) {
		if (!d->logs[i]->of_record)
			object_add(&a, json_new_string(d->logs[i]->path));
	}
	return object_done(&a);
}

/* What the scheduler's accounting says, and where. */
static struct json *job_record_json(const struct job_record *r)
{
	struct object o;

	if (!r)
		return json_new_null();
	o = object_new();
	object_string(&o, "path", r->path);
	object_count(&o, "line", (int64_t)r->line);
	object_string(&o, "id", r->id);
	object_string(&o, "name", r->name);
	object_string(&o, "state", r->state);
	object_string(&o, "reason", r->reason);
	object_count(&o, "exit_code", r->exit_code);
	object_count(&o, "signal", r->signal);
	object_time(&o, "submitted", r->submitted);
	object_string(&o, "partition", r->partition);
	object_string(&o, "image", r->image);
	object_count(&o, "requeues", r->requeues);
	return object_done(&o);
}

static struct json *adjust_json(const struct diagnosis *d)
{
	const struct adjust *a = &d->adjust;
	struct object o = object_new();
	struct object nodes = object_new_array();

	if (a->exclude_node)
		object_add(&nodes, json_new_string(a->exclude_node));
	object_put(&o, "exclude_nodes", object_done(&nodes));
	object_put(&o, "memory_factor",
	    a->memory_factor > 0 ? json_new_real(a->memory_factor)
				 : json_new_null());
	object_put(&o, "time_factor",
	    a->time_factor > 0 ? json_new_real(a->time_factor)
			       : json_new_null());
	object_string(&o, "from_checkpoint", a->from_checkpoint);
	object_count(&o, "delay_seconds", a->delay_seconds);
	return object_done(&o);
}

static struct json *frame_json(const struct diagnosis *d)
{
	const struct event *e = d->evidence.n ? d->evidence.v[0].event : NULL;
	struct object o;

	if (!e || !e->frame.file)
		return json_new_null();
	o = object_new();
	object_string(&o, "file", e->frame.file);
	object_count(&o, "line", e->frame.line);
	object_string(&o, "function", e->frame.function);
	object_string(&o, "code", e->frame.code);
	return object_done(&o);
}

/* The step at which a fault that lasts (a loss that is not a number) was first
 * printed: by the curves, if they were kept; else its rule names the step, or
 * the log does just before. */
static int64_t first_lasting_step(
    const struct diagnosis *d, const struct proof *root)
{
	struct trend_nan nan = trends_nan(trends_log(d));
	struct progress here;
	const char *step;

	if (!root || !root->evidence || !root->evidence->rule->lasting)
		return -1;
	if (nan.series && nan.at.at.step >= 0)
		return nan.at.at.step;
	step = evidence_capture(root->evidence, "step");
	if (step)
		return span_number(span_of(step));
	/* the line itself says more than the one before it */
	if (facts_progress(
		(struct span){ root->evidence->text, root->evidence->text_len },
		&here) &&
	    here.step >= 0)
		return here.step;
	return root->evidence->before.step;
}

static struct json *ranks_json(const int *v, size_t n)
{
	struct object a = object_new_array();

	for (size_t i = 0; i < n; i++)
		object_add(&a, json_new_int(v[i]));
	return object_done(&a);
}

/* The collective in which ranks wait, and the ranks that never entered it. */
static struct json *collective_json(const struct diagnosis *d)
{
	struct collective c;
	struct object o;
	int rc = collective_find(d, &c);

	if (rc <= 0)
		return rc ? NULL : json_new_null();
	o = object_new();
	object_string(&o, "op", c.op[0] ? c.op : NULL);
	object_count(&o, "seq", c.seq);
	object_put(&o, "waiting_ranks", ranks_json(c.waiting, c.n_waiting));
	object_put(&o, "missing_ranks", ranks_json(c.missing, c.n_missing));
	collective_release(&c);
	return object_done(&o);
}

/* The figures of an out-of-memory message, in bytes. */
static struct json *memory_json(const struct proof *root)
{
	struct object o;
	struct memory m;

	if (!root || !root->evidence || !memory_read(root->evidence, &m))
		return json_new_null();
	o = object_new();
	object_count(&o, "requested", m.requested);
	object_count(&o, "total", m.total);
	object_count(&o, "free", m.free);
	object_count(&o, "allocated", m.allocated);
	object_count(&o, "unallocated", m.unallocated);
	object_count(&o, "others", m.others);
	object_put(&o, "fragmented", json_new_bool(m.fragmented));
	return object_done(&o);
}

/* Those the scan kept: engine_keep. */
static struct json *inputs_json(const struct diagnosis *d)
{
	const struct inputs *in = inputs_of(d);

	return strings_json(in->v, in->n);
}

static struct json *facts_json(
    const struct diagnosis *d, const struct taxonomy *tax)
{
	const struct proof *root = d->evidence.n ? d->evidence.v : NULL;
	const struct findings *saved = checkpoint_last(d);
	const char *framework = NULL;
	struct progress last = { -1, -1 };
	struct object o = object_new();
	int exit_code = d->record ? d->record->exit_code : -1;
	int signal = d->record ? d->record->signal : -1;

	for (size_t i = 0; i < d->n_logs; i++) {
		const struct findings *f = d->logs[i];

		if (!framework)
			framework = f->framework;
		if (f->exit_code >= 0)
			exit_code = f->exit_code;
		if (f->signal >= 0)
			signal = f->signal;
		if (last.step < 0 || progress_after(f->last, last))
			last = f->last;
	}
	object_string(&o, "framework", framework);
	object_string(&o, "stage", stage_find(d));
	object_count(&o, "first_error_rank", root ? rank_of(root) : -1);
	object_count(&o, "last_epoch", last.epoch);
	object_count(&o, "last_step", last.step);
	object_count(&o, "first_nan_step", first_lasting_step(d, root));
	object_string(&o, "first_nan_metric", record_nan_metric(d, tax));
	object_string(&o, "last_checkpoint", saved ? saved->checkpoint : NULL);
	object_put(&o, "last_inputs", inputs_json(d));
	object_put(&o, "user_frame", frame_json(d));
	object_put(&o, "memory", memory_json(root));
	object_put(&o, "stuck_collective", collective_json(d));
	object_count(&o, "exit_code", exit_code);
	object_count(&o, "signal", signal);
	return object_done(&o);
}

static struct json *usage_json(const struct usage *u)
{
	struct object o = object_new();

	object_count(&o, "gpus", u->gpus);
	object_count(&o, "runtime_seconds", u->runtime_seconds);
	object_count(&o, "gpu_seconds", u->gpu_seconds);
	object_count(&o, "gpu_seconds_lost", u->gpu_seconds_lost);
	object_put(&o, "estimated", json_new_bool(u->estimated));
	return object_done(&o);
}

static struct json *remedies_json(const struct diagnosis *d)
{
	const struct strings *own = d->rule ? &d->rule->remedies : NULL;
	struct object a = object_new_array();
	size_t n = own ? own->n : 0;
	size_t m = d->category ? d->category->remedies.n : 0;

	for (size_t i = 0; i < n + m; i++) {
		const char *s =
		    i < n ? own->v[i] : d->category->remedies.v[i - n];

		object_add(&a, json_new_string(s));
	}
	return object_done(&a);
}

static void put_identity(struct object *o, const struct diagnosis *d)
{
	const struct job_record *r = d->record;

	object_string(o, "schema", "jobtriage.diagnosis/1");
	object_string(o, "job", d->job);
	object_count(o, "attempt", d->attempt);
	object_string(o, "user", r ? r->user : NULL);
	object_string(o, "group", r ? r->group : NULL);
	object_put(o, "nodes",
	    r && r->n_nodes ? strings_json(r->nodes, r->n_nodes)
			    : json_new_null());
	object_put(o, "paths", paths_json(d));
	object_time(o, "started", d->usage.started);
	object_time(o, "ended", d->usage.ended);
	object_put(o, "record", job_record_json(r));
}

struct json *record_json(
    const struct diagnosis *d, const struct taxonomy *tax, struct err *e)
{
	const struct category *c = d->category;
	struct object o = object_new();
	struct json *whole;

	put_identity(&o, d);
	object_put(&o, "failed",
	    d->failed < 0 ? json_new_null() : json_new_bool(d->failed == 1));
	object_string(&o, "category", diagnosis_category(d));
	object_string(&o, "dimension", c ? c->dimension : NULL);
	object_string(&o, "category_name", c ? c->name : NULL);
	object_string(&o, "family", c ? c->family : NULL);
	object_string(&o, "confidence", confidence_name(d->confidence));
	object_string(&o, "verdict", verdict_name(d->verdict));
	object_put(&o, "adjust",
	    d->verdict == VERDICT_ADJUST ? adjust_json(d) : json_new_null());
	object_string(&o, "reason", d->reason);
	object_string(&o, "rule", d->rule ? d->rule->id : NULL);
	object_string(
	    &o, "fingerprint", d->fingerprint[0] ? d->fingerprint : NULL);
	object_put(&o, "evidence", proofs_json(&d->evidence));
	object_put(&o, "consequences", proofs_json(&d->consequences));
	object_put(&o, "rejected", proofs_json(&d->rejected));
	object_put(&o, "facts", facts_json(d, tax));
	object_put(&o, "remedies", remedies_json(d));
	object_put(&o, "usage", usage_json(&d->usage));
	object_put(&o, "notes", strings_json(d->notes, d->n_notes));
	record_trends(&o, d, tax);
	object_string(&o, "taxonomy", tax->hash);
	object_string(&o, "version", JOBTRIAGE_VERSION);
	whole = object_done(&o);
	if (!whole)
		err_nomem(e);
	return whole;
}
