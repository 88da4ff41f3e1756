/*
 * Keys are stable; unknown values are null. Every member goes through one
 * function that remembers a failed allocation, so nothing is lost in silence.
 */
#include "reports/record.h"

#include "base/err.h"
#include "base/json.h"
#include "base/when.h"
#include "diagnose/checkpoint.h"
#include "diagnose/collective.h"
#include "diagnose/facts.h"
#include "diagnose/job_record.h"
#include "diagnose/memory.h"
#include "diagnose/stage.h"

#include <string.h>

#ifndef JOBTRIAGE_VERSION
#define JOBTRIAGE_VERSION "unknown"
#endif

struct object {
	struct json *o;
	bool failed;
};

static struct object object_new(void)
{
	struct json *o = json_new_object();

	return (struct object){ o, o == NULL };
}

static void put(struct object *to, const char *key, struct json *v)
{
	if (to->failed)
		json_free(v);
	else if (json_set(to->o, key, v))
		to->failed = true;
}

static void put_string(struct object *to, const char *key, const char *s)
{
	put(to, key, json_new_string(s));
}

/* A negative number is an unknown one. */
static void put_count(struct object *to, const char *key, int64_t v)
{
	put(to, key, v < 0 ? json_new_null() : json_new_int(v));
}

static void put_time(struct object *to, const char *key, int64_t t)
{
	char text[32];

	if (t == ENVELOPE_NO_TIME) {
		put(to, key, json_new_null());
		return;
	}
	when_format(t, text);
	put_string(to, key, text);
}

/* The object for put(): NULL when anything failed. */
static struct json *done(struct object *o)
{
	if (o->failed) {
		json_free(o->o);
		return NULL;
	}
	return o->o;
}

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

	put_string(&o, "path", p->log->path);
	put_count(&o, "line", (int64_t)line_of(p));
	put_count(&o, "offset", (int64_t)(ev ? ev->offset : p->event->offset));
	put_count(&o, "rank", rank_of(p));
	put_string(&o, "node", proof_node(p));
	put_time(&o, "time", time_of(p));
	put_string(&o, "rule", ev ? ev->rule->id : NULL);
	put_string(&o, "role", ev ? role_name(ev->rule->role) : NULL);
	put(&o, "text", json_new_text(text_of(p)));
	put_string(&o, "meaning", proof_meaning(p));
	put_string(&o, "why", p->why);
	put_count(&o, "count", (int64_t)p->count);
	if (ev && ev->n_captures) {
		groups = object_new();
		for (size_t i = 0; i < ev->n_captures; i++)
			put_string(&groups, ev->captures[i].name,
			    ev->captures[i].value);
		put(&o, "captures", done(&groups));
	}
	return done(&o);
}

static struct json *proofs_json(const struct proofs *p)
{
	struct json *a = json_new_array();

	for (size_t i = 0; a && i < p->n; i++) {
		if (json_append(a, proof_json(&p->v[i]))) {
			json_free(a);
			return NULL;
		}
	}
	return a;
}

static struct json *strings_json(char *const *v, size_t n)
{
	struct json *a = json_new_array();

	for (size_t i = 0; a && i < n; i++) {
		if (json_append(a, json_new_string(v[i]))) {
			json_free(a);
			return NULL;
		}
	}
	return a;
}

/* ---- the parts of a diagnosis ---- */

static struct json *paths_json(const struct diagnosis *d)
{
	struct json *a = json_new_array();

	for (size_t i = 0; a && i < d->n_logs; i++) {
		if (!d->logs[i]->of_record &&
		    json_append(a, json_new_string(d->logs[i]->path))) {
			json_free(a);
			return NULL;
		}
	}
	return a;
}

/* What the scheduler's accounting says, and where. */
static struct json *job_record_json(const struct job_record *r)
{
	struct object o;

	if (!r)
		return json_new_null();
	o = object_new();
	put_string(&o, "path", r->path);
	put_count(&o, "line", (int64_t)r->line);
	put_string(&o, "id", r->id);
	put_string(&o, "name", r->name);
	put_string(&o, "state", r->state);
	put_string(&o, "reason", r->reason);
	put_count(&o, "exit_code", r->exit_code);
	put_count(&o, "signal", r->signal);
	put_time(&o, "submitted", r->submitted);
	put_string(&o, "partition", r->partition);
	put_string(&o, "image", r->image);
	put_count(&o, "requeues", r->requeues);
	return done(&o);
}

static struct json *adjust_json(const struct diagnosis *d)
{
	const struct adjust *a = &d->adjust;
	struct object o = object_new();
	struct json *nodes = json_new_array();

	if (nodes && a->exclude_node &&
	    json_append(nodes, json_new_string(a->exclude_node))) {
		json_free(nodes);
		nodes = NULL;
	}
	put(&o, "exclude_nodes", nodes);
	put(&o, "memory_factor",
	    a->memory_factor > 0 ? json_new_real(a->memory_factor)
				 : json_new_null());
	put(&o, "time_factor",
	    a->time_factor > 0 ? json_new_real(a->time_factor)
			       : json_new_null());
	put_string(&o, "from_checkpoint", a->from_checkpoint);
	put_count(&o, "delay_seconds", a->delay_seconds);
	return done(&o);
}

static struct json *frame_json(const struct diagnosis *d)
{
	const struct event *e = d->evidence.n ? d->evidence.v[0].event : NULL;
	struct object o;

	if (!e || !e->frame.file)
		return json_new_null();
	o = object_new();
	put_string(&o, "file", e->frame.file);
	put_count(&o, "line", e->frame.line);
	put_string(&o, "function", e->frame.function);
	put_string(&o, "code", e->frame.code);
	return done(&o);
}

/* The step at which a fault that lasts (a loss that is not a number) was first
 * printed: its rule names the step, or the log does just before. */
static int64_t first_lasting_step(const struct proof *root)
{
	struct progress here;
	const char *step;

	if (!root || !root->evidence || !root->evidence->rule->lasting)
		return -1;
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
	struct json *a = json_new_array();

	for (size_t i = 0; a && i < n; i++) {
		if (json_append(a, json_new_int(v[i]))) {
			json_free(a);
			return NULL;
		}
	}
	return a;
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
	put_string(&o, "op", c.op[0] ? c.op : NULL);
	put_count(&o, "seq", c.seq);
	put(&o, "waiting_ranks", ranks_json(c.waiting, c.n_waiting));
	put(&o, "missing_ranks", ranks_json(c.missing, c.n_missing));
	collective_release(&c);
	return done(&o);
}

/* The figures of an out-of-memory message, in bytes. */
static struct json *memory_json(const struct proof *root)
{
	struct object o;
	struct memory m;

	if (!root || !root->evidence || !memory_read(root->evidence, &m))
		return json_new_null();
	o = object_new();
	put_count(&o, "requested", m.requested);
	put_count(&o, "total", m.total);
	put_count(&o, "free", m.free);
	put_count(&o, "allocated", m.allocated);
	put_count(&o, "unallocated", m.unallocated);
	put_count(&o, "others", m.others);
	put(&o, "fragmented", json_new_bool(m.fragmented));
	return done(&o);
}

static struct json *facts_json(const struct diagnosis *d)
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
	put_string(&o, "framework", framework);
	put_string(&o, "stage", stage_find(d));
	put_count(&o, "first_error_rank", root ? rank_of(root) : -1);
	put_count(&o, "last_epoch", last.epoch);
	put_count(&o, "last_step", last.step);
	put_count(&o, "first_nan_step", first_lasting_step(root));
	put_string(&o, "last_checkpoint", saved ? saved->checkpoint : NULL);
	put(&o, "last_inputs", json_new_array());
	put(&o, "user_frame", frame_json(d));
	put(&o, "memory", memory_json(root));
	put(&o, "stuck_collective", collective_json(d));
	put_count(&o, "exit_code", exit_code);
	put_count(&o, "signal", signal);
	return done(&o);
}

static struct json *usage_json(const struct usage *u)
{
	struct object o = object_new();

	put_count(&o, "gpus", u->gpus);
	put_count(&o, "runtime_seconds", u->runtime_seconds);
	put_count(&o, "gpu_seconds", u->gpu_seconds);
	put_count(&o, "gpu_seconds_lost", u->gpu_seconds_lost);
	put(&o, "estimated", json_new_bool(u->estimated));
	return done(&o);
}

static struct json *remedies_json(const struct diagnosis *d)
{
	const struct strings *own = d->rule ? &d->rule->remedies : NULL;
	struct json *a = json_new_array();
	size_t n = own ? own->n : 0;
	size_t m = d->category ? d->category->remedies.n : 0;

	for (size_t i = 0; a && i < n + m; i++) {
		const char *s =
		    i < n ? own->v[i] : d->category->remedies.v[i - n];

		if (json_append(a, json_new_string(s))) {
			json_free(a);
			return NULL;
		}
	}
	return a;
}

static void put_identity(struct object *o, const struct diagnosis *d)
{
	const struct job_record *r = d->record;

	put_string(o, "schema", "jobtriage.diagnosis/1");
	put_string(o, "job", d->job);
	put_count(o, "attempt", d->attempt);
	put_string(o, "user", r ? r->user : NULL);
	put_string(o, "group", r ? r->group : NULL);
	put(o, "nodes",
	    r && r->n_nodes ? strings_json(r->nodes, r->n_nodes)
			    : json_new_null());
	put(o, "paths", paths_json(d));
	put_time(o, "started", d->usage.started);
	put_time(o, "ended", d->usage.ended);
	put(o, "record", job_record_json(r));
}

struct json *record_json(
    const struct diagnosis *d, const struct taxonomy *tax, struct err *e)
{
	const struct category *c = d->category;
	struct object o = object_new();
	struct json *whole;

	put_identity(&o, d);
	put(&o, "failed",
	    d->failed < 0 ? json_new_null() : json_new_bool(d->failed == 1));
	put_string(&o, "category", diagnosis_category(d));
	put_string(&o, "dimension", c ? c->dimension : NULL);
	put_string(&o, "category_name", c ? c->name : NULL);
	put_string(&o, "family", c ? c->family : NULL);
	put_string(&o, "confidence", confidence_name(d->confidence));
	put_string(&o, "verdict", verdict_name(d->verdict));
	put(&o, "adjust",
	    d->verdict == VERDICT_ADJUST ? adjust_json(d) : json_new_null());
	put_string(&o, "reason", d->reason);
	put_string(&o, "rule", d->rule ? d->rule->id : NULL);
	put_string(
	    &o, "fingerprint", d->fingerprint[0] ? d->fingerprint : NULL);
	put(&o, "evidence", proofs_json(&d->evidence));
	put(&o, "consequences", proofs_json(&d->consequences));
	put(&o, "rejected", proofs_json(&d->rejected));
	put(&o, "facts", facts_json(d));
	put(&o, "remedies", remedies_json(d));
	put(&o, "usage", usage_json(&d->usage));
	put(&o, "notes", strings_json(d->notes, d->n_notes));
	put_string(&o, "taxonomy", tax->hash);
	put_string(&o, "version", JOBTRIAGE_VERSION);
	whole = done(&o);
	if (!whole)
		err_nomem(e);
	return whole;
}
