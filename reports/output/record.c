/*
 * Keys are stable; unknown values are null. What is written remembers a failed
 * allocation, so nothing is lost in silence.
 */
#include "reports/output/record.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/jsontext.h"
#include "base/when.h"
#include "diagnose/signals/checkpoint.h"
#include "diagnose/signals/collective.h"
#include "diagnose/signals/facts.h"
#include "diagnose/evidence/inputs.h"
#include "diagnose/job_record.h"
#include "diagnose/signals/memory.h"
#include "diagnose/signals/stage.h"
#include "diagnose/decision/trends.h"
#include "reports/output/record_trends.h"

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

/* ISO 8601; ENVELOPE_NO_TIME gives null. */
static void put_time(struct jsontext *t, const char *key, int64_t time)
{
	char text[32];

	if (time != ENVELOPE_NO_TIME)
		when_format(time, text);
	jsontext_string(t, key, time != ENVELOPE_NO_TIME ? text : NULL);
}

static void put_proof(
    struct jsontext *t, const char *key, const struct proof *p)
{
	const struct evidence *ev = p->evidence;

	jsontext_open(t, key, '{');
	jsontext_string(t, "path", p->log->path);
	jsontext_count(t, "line", (int64_t)line_of(p));
	jsontext_count(
	    t, "offset", (int64_t)(ev ? ev->offset : p->event->offset));
	jsontext_count(t, "rank", rank_of(p));
	jsontext_string(t, "node", proof_node(p));
	put_time(t, "time", time_of(p));
	jsontext_string(t, "rule", ev ? ev->rule->id : NULL);
	jsontext_string(t, "role", ev ? role_name(ev->rule->role) : NULL);
	jsontext_span(t, "text", text_of(p));
	jsontext_string(t, "meaning", proof_meaning(p));
	jsontext_string(t, "why", p->why);
	jsontext_count(t, "count", (int64_t)p->count);
	if (ev && ev->n_captures) {
		jsontext_open(t, "captures", '{');
		for (size_t i = 0; i < ev->n_captures; i++)
			jsontext_string(
			    t, ev->captures[i].name, ev->captures[i].value);
		jsontext_close(t, '}');
	}
	jsontext_close(t, '}');
}

static void put_proofs(
    struct jsontext *t, const char *key, const struct proofs *p)
{
	jsontext_open(t, key, '[');
	for (size_t i = 0; i < p->n; i++)
		put_proof(t, NULL, &p->v[i]);
	jsontext_close(t, ']');
}

static void put_strings(
    struct jsontext *t, const char *key, char *const *v, size_t n)
{
	jsontext_open(t, key, '[');
	for (size_t i = 0; i < n; i++)
		jsontext_string(t, NULL, v[i]);
	jsontext_close(t, ']');
}

/* ---- the parts of a diagnosis ---- */

static void put_paths(
    struct jsontext *t, const char *key, const struct diagnosis *d)
{
	jsontext_open(t, key, '[');
	for (size_t i = 0; i < d->n_logs; i++) {
		if (!d->logs[i]->of_record)
			jsontext_string(t, NULL, d->logs[i]->path);
	}
	jsontext_close(t, ']');
}

/* What the scheduler's accounting says, and where. */
static void put_job_record(
    struct jsontext *t, const char *key, const struct job_record *r)
{
	if (!r) {
		jsontext_null(t, key);
		return;
	}
	jsontext_open(t, key, '{');
	jsontext_string(t, "path", r->path);
	jsontext_count(t, "line", (int64_t)r->line);
	jsontext_string(t, "id", r->id);
	jsontext_string(t, "name", r->name);
	jsontext_string(t, "state", r->state);
	jsontext_string(t, "reason", r->reason);
	jsontext_count(t, "exit_code", r->exit_code);
	jsontext_count(t, "signal", r->signal);
	put_time(t, "submitted", r->submitted);
	jsontext_string(t, "partition", r->partition);
	jsontext_string(t, "image", r->image);
	jsontext_count(t, "requeues", r->requeues);
	jsontext_close(t, '}');
}

static void put_factor(struct jsontext *t, const char *key, double v)
{
	if (v > 0)
		jsontext_real(t, key, v);
	else
		jsontext_null(t, key);
}

static void put_adjust(
    struct jsontext *t, const char *key, const struct diagnosis *d)
{
	const struct adjust *a = &d->adjust;

	if (d->verdict != VERDICT_ADJUST) {
		jsontext_null(t, key);
		return;
	}
	jsontext_open(t, key, '{');
	jsontext_open(t, "exclude_nodes", '[');
	if (a->exclude_node)
		jsontext_string(t, NULL, a->exclude_node);
	jsontext_close(t, ']');
	put_factor(t, "memory_factor", a->memory_factor);
	put_factor(t, "time_factor", a->time_factor);
	jsontext_string(t, "from_checkpoint", a->from_checkpoint);
	jsontext_count(t, "delay_seconds", a->delay_seconds);
	jsontext_close(t, '}');
}

static void put_frame(
    struct jsontext *t, const char *key, const struct diagnosis *d)
{
	const struct event *e = d->evidence.n ? d->evidence.v[0].event : NULL;

	if (!e || !e->frame.file) {
		jsontext_null(t, key);
		return;
	}
	jsontext_open(t, key, '{');
	jsontext_string(t, "file", e->frame.file);
	jsontext_count(t, "line", e->frame.line);
	jsontext_string(t, "function", e->frame.function);
	jsontext_string(t, "code", e->frame.code);
	jsontext_close(t, '}');
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

static void put_ranks(
    struct jsontext *t, const char *key, const int *v, size_t n)
{
	jsontext_open(t, key, '[');
	for (size_t i = 0; i < n; i++)
		jsontext_int(t, NULL, v[i]);
	jsontext_close(t, ']');
}

/* The collective in which ranks wait, and the ranks that never entered it. */
static void put_collective(
    struct jsontext *t, const char *key, const struct diagnosis *d)
{
	struct collective c;
	int rc = collective_find(d, &c);

	t->failed |= rc < 0;
	if (rc <= 0) {
		jsontext_null(t, key);
		return;
	}
	jsontext_open(t, key, '{');
	jsontext_string(t, "op", c.op[0] ? c.op : NULL);
	jsontext_count(t, "seq", c.seq);
	put_ranks(t, "waiting_ranks", c.waiting, c.n_waiting);
	put_ranks(t, "missing_ranks", c.missing, c.n_missing);
	collective_release(&c);
	jsontext_close(t, '}');
}

/* The figures of an out-of-memory message, in bytes. */
static void put_memory(
    struct jsontext *t, const char *key, const struct proof *root)
{
	struct memory m;

	if (!root || !root->evidence || !memory_read(root->evidence, &m)) {
		jsontext_null(t, key);
		return;
	}
	jsontext_open(t, key, '{');
	jsontext_count(t, "requested", m.requested);
	jsontext_count(t, "total", m.total);
	jsontext_count(t, "free", m.free);
	jsontext_count(t, "allocated", m.allocated);
	jsontext_count(t, "unallocated", m.unallocated);
	jsontext_count(t, "others", m.others);
	jsontext_bool(t, "fragmented", m.fragmented);
	jsontext_close(t, '}');
}

/* Those the scan kept: engine_keep. */
static void put_inputs(
    struct jsontext *t, const char *key, const struct diagnosis *d)
{
	const struct inputs *in = inputs_of(d);

	put_strings(t, key, in->v, in->n);
}

static void put_facts(struct jsontext *t, const char *key,
    const struct diagnosis *d, const struct taxonomy *tax)
{
	const struct proof *root = d->evidence.n ? d->evidence.v : NULL;
	const struct findings *saved = checkpoint_last(d);
	const char *framework = NULL;
	struct progress last = { -1, -1 };
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
	jsontext_open(t, key, '{');
	jsontext_string(t, "framework", framework);
	jsontext_string(t, "stage", stage_find(d));
	jsontext_count(t, "first_error_rank", root ? rank_of(root) : -1);
	jsontext_count(t, "last_epoch", last.epoch);
	jsontext_count(t, "last_step", last.step);
	jsontext_count(t, "first_nan_step", first_lasting_step(d, root));
	jsontext_string(t, "first_nan_metric", record_nan_metric(d, tax));
	jsontext_string(t, "last_checkpoint", saved ? saved->checkpoint : NULL);
	put_inputs(t, "last_inputs", d);
	put_frame(t, "user_frame", d);
	put_memory(t, "memory", root);
	put_collective(t, "stuck_collective", d);
	jsontext_count(t, "exit_code", exit_code);
	jsontext_count(t, "signal", signal);
	jsontext_close(t, '}');
}

static void put_usage(
    struct jsontext *t, const char *key, const struct usage *u)
{
	jsontext_open(t, key, '{');
	jsontext_count(t, "gpus", u->gpus);
	jsontext_count(t, "runtime_seconds", u->runtime_seconds);
	jsontext_count(t, "gpu_seconds", u->gpu_seconds);
	jsontext_count(t, "gpu_seconds_lost", u->gpu_seconds_lost);
	jsontext_bool(t, "estimated", u->estimated);
	jsontext_close(t, '}');
}

static void put_remedies(
    struct jsontext *t, const char *key, const struct diagnosis *d)
{
	const struct strings *own = d->rule ? &d->rule->remedies : NULL;
	size_t n = own ? own->n : 0;
	size_t m = d->category ? d->category->remedies.n : 0;

	jsontext_open(t, key, '[');
	for (size_t i = 0; i < n + m; i++) {
		const char *s =
		    i < n ? own->v[i] : d->category->remedies.v[i - n];

		jsontext_string(t, NULL, s);
	}
	jsontext_close(t, ']');
}

static void put_identity(struct jsontext *t, const struct diagnosis *d)
{
	const struct job_record *r = d->record;

	jsontext_string(t, "schema", "jobtriage.diagnosis/1");
	jsontext_string(t, "job", d->job);
	jsontext_count(t, "attempt", d->attempt);
	jsontext_string(t, "user", r ? r->user : NULL);
	jsontext_string(t, "group", r ? r->group : NULL);
	if (r && r->n_nodes)
		put_strings(t, "nodes", r->nodes, r->n_nodes);
	else
		jsontext_null(t, "nodes");
	put_paths(t, "paths", d);
	put_time(t, "started", d->usage.started);
	put_time(t, "ended", d->usage.ended);
	put_job_record(t, "record", r);
}

void record_put(
    struct jsontext *t, const struct diagnosis *d, const struct taxonomy *tax)
{
	const struct category *c = d->category;

	put_identity(t, d);
	if (d->failed < 0)
		jsontext_null(t, "failed");
	else
		jsontext_bool(t, "failed", d->failed == 1);
	jsontext_string(t, "category", diagnosis_category(d));
	jsontext_string(t, "dimension", c ? c->dimension : NULL);
	jsontext_string(t, "category_name", c ? c->name : NULL);
	jsontext_string(t, "family", c ? c->family : NULL);
	jsontext_string(t, "confidence", confidence_name(d->confidence));
	jsontext_string(t, "verdict", verdict_name(d->verdict));
	put_adjust(t, "adjust", d);
	jsontext_string(t, "reason", d->reason);
	jsontext_string(t, "rule", d->rule ? d->rule->id : NULL);
	jsontext_string(
	    t, "fingerprint", d->fingerprint[0] ? d->fingerprint : NULL);
	put_proofs(t, "evidence", &d->evidence);
	put_proofs(t, "consequences", &d->consequences);
	put_proofs(t, "rejected", &d->rejected);
	put_facts(t, "facts", d, tax);
	put_remedies(t, "remedies", d);
	put_usage(t, "usage", &d->usage);
	put_strings(t, "notes", d->notes, d->n_notes);
	record_trends(t, d, tax);
	jsontext_string(t, "taxonomy", tax->hash);
	jsontext_string(t, "version", JOBTRIAGE_VERSION);
}

int record_text(const struct diagnosis *d, const struct taxonomy *tax,
    struct buf *out, struct err *e)
{
	struct jsontext t = { out, false };

	jsontext_open(&t, NULL, '{');
	record_put(&t, d, tax);
	jsontext_close(&t, '}');
	return t.failed ? err_nomem(e) : 0;
}

struct json *record_json(
    const struct diagnosis *d, const struct taxonomy *tax, struct err *e)
{
	struct buf text = BUF_INIT(BUF_MAX);
	struct json *whole = NULL;

	if (!record_text(d, tax, &text, e))
		whole = json_parse(
		    (struct span){ text.p, text.len }, JSON_PARSE, e);
	buf_release(&text);
	return whole;
}
