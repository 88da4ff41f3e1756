/*
 * Keys are stable; unknown values are null. What is written remembers a failed
 * allocation, so nothing is lost in silence.
 */
#include "reports/output/diagnosis_json.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/jsontext.h"
#include "base/when.h"
#include "diagnose/decision/remedies.h"
#include "diagnose/decision/verdict.h"
#include "diagnose/job_record.h"
#include "diagnose/signals/calls.h"
#include "diagnose/signals/stage.h"
#include "reports/groups/headline.h"
#include "reports/output/diagnosis_json_trends.h"

#include <string.h>

#ifndef JOBTRIAGE_VERSION
#define JOBTRIAGE_VERSION "unknown"
#endif

#define LAUNCHES_SHOWN 50 /* of a log */

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
	jsontext_count(t, "line", (int64_t)proof_line(p));
	jsontext_count(
	    t, "offset", (int64_t)(ev ? ev->offset : p->event->offset));
	jsontext_count(t, "rank", proof_rank(p));
	jsontext_string(t, "node", proof_node(p));
	put_time(t, "time", proof_time(p));
	jsontext_string(t, "rule", ev ? ev->rule->id : NULL);
	if (ev && ev->rule->pattern.n > 1)
		jsontext_count(t, "pattern", (int64_t)ev->pattern + 1);
	jsontext_string(
	    t, "role", ev ? taxonomy_role_name(ev->rule->role) : NULL);
	jsontext_span(t, "text", proof_text(p));
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
		if (!d->logs[i]->of_record && !d->logs[i]->of_node)
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
    struct jsontext *t, const char *key, const struct frame *f)
{
	if (!f) {
		jsontext_null(t, key);
		return;
	}
	jsontext_open(t, key, '{');
	jsontext_string(t, "file", f->file);
	jsontext_count(t, "line", f->line);
	jsontext_string(t, "function", f->function);
	jsontext_string(t, "code", f->code);
	jsontext_close(t, '}');
}

static void put_ranks(
    struct jsontext *t, const char *key, const int *v, size_t n)
{
	jsontext_open(t, key, '[');
	for (size_t i = 0; i < n; i++)
		jsontext_int(t, NULL, v[i]);
	jsontext_close(t, ']');
}

/* What a rank called. */
static void put_call(struct jsontext *t, const char *key, const struct call *c)
{
	if (!c) {
		jsontext_null(t, key);
		return;
	}
	jsontext_open(t, key, '{');
	jsontext_string(t, "op", c->op[0] ? c->op : NULL);
	jsontext_count(t, "seq", c->seq);
	jsontext_string(t, "input", c->in[0] ? c->in : NULL);
	jsontext_string(t, "output", c->out[0] ? c->out : NULL);
	put_frame(t, "frame", c->frame.file ? &c->frame : NULL);
	jsontext_close(t, '}');
}

/* The ranks to look at, and where they stood. */
static void put_late(
    struct jsontext *t, const char *key, const struct collective *c)
{
	jsontext_open(t, key, '[');
	for (size_t i = 0; i < c->n_late; i++) {
		const struct late_rank *l = &c->late[i];
		const struct stand *s = l->stand;

		jsontext_open(t, NULL, '{');
		jsontext_int(t, "rank", l->rank);
		jsontext_string(t, "node", l->node ? *l->node : NULL);
		jsontext_string(t, "how", collective_late_name(l->how));
		jsontext_string(t, "differs_in", l->what);
		put_call(t, "called", l->call);
		put_frame(t, "stood", s && s->frame.file ? &s->frame : NULL);
		jsontext_string(t, "stood_in", s ? s->inner : NULL);
		jsontext_string(t, "stage", s ? stage_name(s->stage) : NULL);
		jsontext_close(t, '}');
	}
	jsontext_close(t, ']');
}

/* The collective in which ranks wait, and the ranks that never entered it. */
static void put_collective(
    struct jsontext *t, const char *key, const struct collective *c)
{
	if (c->seq < 0) {
		jsontext_null(t, key);
		return;
	}
	jsontext_open(t, key, '{');
	jsontext_string(t, "op", c->op[0] ? c->op : NULL);
	jsontext_count(t, "seq", c->seq);
	put_ranks(t, "waiting_ranks", c->waiting, c->n_waiting);
	put_ranks(t, "missing_ranks", c->missing, c->n_missing);
	jsontext_string(t, "by", collective_by_name(c->by));
	jsontext_string(t, "group", c->group ? *c->group : NULL);
	put_call(t, "called", c->call);
	put_late(t, "late_ranks", c);
	jsontext_bool(t, "deadlock", c->deadlock);
	jsontext_close(t, '}');
}

/* The figures of an out-of-memory message, in bytes. */
static void put_memory(
    struct jsontext *t, const char *key, const struct job_facts *f)
{
	const struct memory *m = &f->memory;

	if (!f->out_of_memory) {
		jsontext_null(t, key);
		return;
	}
	jsontext_open(t, key, '{');
	jsontext_count(t, "requested", m->requested);
	jsontext_count(t, "total", m->total);
	jsontext_count(t, "free", m->free);
	jsontext_count(t, "allocated", m->allocated);
	jsontext_count(t, "unallocated", m->unallocated);
	jsontext_count(t, "others", m->others);
	jsontext_bool(t, "fragmented", m->fragmented);
	jsontext_close(t, '}');
}

/* How it ended, by what it tells itself. */
static void put_launch_end(
    struct jsontext *t, const struct launch *l, const struct taxonomy *tax)
{
	const struct rule *r = l->rule;

	if (r || l->ended_well)
		jsontext_bool(t, "failed", r != NULL);
	else
		jsontext_null(t, "failed");
	jsontext_string(t, "rule", r ? r->id : NULL);
	jsontext_string(
	    t, "category", r ? tax->categories[r->category].id : NULL);
	jsontext_string(t, "verdict",
	    r ? taxonomy_verdict_name(verdict_of_rule(tax, r)) : NULL);
}

/* Of the logs that several launches wrote, the last few of each. */
static void put_launches(struct jsontext *t, const char *key,
    const struct diagnosis *d, const struct taxonomy *tax)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_logs; i++)
		n += d->logs[i]->n_launches;
	jsontext_count(t, "launch_count", n ? (int64_t)n : -1);
	if (!n) {
		jsontext_null(t, key);
		return;
	}
	jsontext_open(t, key, '[');
	for (size_t i = 0; i < d->n_logs; i++) {
		const struct findings *f = d->logs[i];
		size_t k = f->n_launches > LAUNCHES_SHOWN
		    ? f->n_launches - LAUNCHES_SHOWN
		    : 0;

		for (; k < f->n_launches; k++) {
			const struct launch *l = &f->launches[k];

			jsontext_open(t, NULL, '{');
			jsontext_string(t, "path", f->path);
			jsontext_count(t, "number", (int64_t)k + 1);
			jsontext_count(t, "line", (int64_t)l->first_line);
			jsontext_count(t, "last_line", (int64_t)l->last_line);
			put_time(t, "first_time", l->first_time);
			put_time(t, "last_time", l->last_time);
			jsontext_bool(t, "trial", l->trial);
			put_launch_end(t, l, tax);
			jsontext_close(t, '}');
		}
	}
	jsontext_close(t, ']');
}

static void put_declared(
    struct jsontext *t, const char *key, const struct job_facts *f)
{
	const struct declared *said =
	    f->declared ? &f->declared->declared : NULL;

	if (!said) {
		jsontext_null(t, key);
		return;
	}
	jsontext_open(t, key, '{');
	jsontext_string(t, "reason", said->reason);
	jsontext_string(t, "category", said->category);
	if (said->retry == DECLARED_UNSAID)
		jsontext_null(t, "retry");
	else
		jsontext_bool(t, "retry", said->retry == DECLARED_YES);
	jsontext_string(t, "path", said->line ? f->declared->path : NULL);
	jsontext_count(t, "line", said->line ? (int64_t)said->line : -1);
	jsontext_bool(t, "decides", f->declared_decides);
	jsontext_close(t, '}');
}

static void put_facts(struct jsontext *t, const char *key,
    const struct diagnosis *d, const struct taxonomy *tax)
{
	const struct job_facts *f = &d->facts;
	const struct metric_series *bad = f->nan.series;

	jsontext_open(t, key, '{');
	jsontext_string(t, "ending", ending_name(d->ending));
	jsontext_bool(t, "after_success", f->done != NULL);
	jsontext_bool(t, "node_log", diagnosis_by_node(d));
	jsontext_string(t, "framework", f->framework);
	jsontext_string(t, "stage", stage_name(f->stage));
	jsontext_count(t, "first_error_rank", f->first_error_rank);
	jsontext_count(t, "last_epoch", f->last.epoch);
	jsontext_count(t, "last_step", f->last.step);
	jsontext_count(t, "first_nan_step", f->first_nan_step);
	jsontext_string(
	    t, "first_nan_metric", bad ? tax->metrics[bad->metric].id : NULL);
	jsontext_string(
	    t, "last_checkpoint", f->saved ? f->saved->checkpoint : NULL);
	put_strings(t, "last_inputs", f->inputs ? f->inputs->v : NULL,
	    f->inputs ? f->inputs->n : 0);
	put_frame(t, "user_frame", f->frame);
	put_memory(t, "memory", f);
	put_collective(t, "stuck_collective", &f->collective);
	put_launches(t, "launches", d, tax);
	jsontext_count(t, "exit_code", f->exit_code);
	jsontext_count(t, "signal", f->signal);
	put_declared(t, "declared", f);
	jsontext_close(t, '}');
}

/* Nothing where nobody looked for them. */
static void put_leads(
    struct jsontext *t, const char *key, const struct lead_list *l)
{
	if (!l->v)
		return;
	jsontext_open(t, key, '{');
	jsontext_int(t, "good_runs", (int64_t)l->runs);
	jsontext_int(t, "count", (int64_t)l->lines);
	jsontext_open(t, "lines", '[');
	for (size_t i = 0; i < l->n; i++) {
		jsontext_open(t, NULL, '{');
		jsontext_string(t, "path", l->v[i].path);
		jsontext_int(t, "line", (int64_t)l->v[i].line);
		jsontext_count(t, "rank", l->v[i].rank);
		jsontext_string(t, "text", l->v[i].text);
		jsontext_close(t, '}');
	}
	jsontext_close(t, ']');
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
	jsontext_count(t, "cpus", u->cpus);
	jsontext_count(t, "cpu_seconds", u->cpu_seconds);
	jsontext_count(t, "cpu_seconds_lost", u->cpu_seconds_lost);
	jsontext_bool(t, "estimated", u->estimated);
	jsontext_close(t, '}');
}

/* Only where it was asked for. */
static void put_goodput(
    struct jsontext *t, const char *key, const struct goodput *g)
{
	if (!g->known)
		return;
	jsontext_open(t, key, '{');
	jsontext_count(t, "queued", g->queued);
	for (int k = 0; k < PHASE_COUNT; k++)
		jsontext_count(t, phase_name((enum phase)k), g->spent[k]);
	jsontext_count(t, "unsaved", g->unsaved);
	jsontext_count(t, "first_epoch", g->first.epoch);
	jsontext_count(t, "first_step", g->first.step);
	jsontext_count(t, "last_epoch", g->last.epoch);
	jsontext_count(t, "last_step", g->last.step);
	jsontext_count(t, "epoch_steps", g->epoch_steps);
	jsontext_close(t, '}');
}

static void put_remedies(
    struct jsontext *t, const char *key, const struct diagnosis *d)
{
	const char *v[REMEDIES_MAX];
	size_t n = remedies_of(d, v);

	jsontext_open(t, key, '[');
	for (size_t i = 0; i < n; i++)
		jsontext_string(t, NULL, v[i]);
	jsontext_close(t, ']');
}

static void put_identity(struct jsontext *t, const struct diagnosis *d)
{
	const struct job_record *r = d->record;
	struct span place = diagnosis_place(d);

	jsontext_string(t, "schema", "jobtriage.diagnosis/1");
	jsontext_string(t, "job", d->job);
	jsontext_count(t, "attempt", d->attempt);
	jsontext_string(t, "cluster", d->cluster);
	if (place.p)
		jsontext_span(t, "place", place);
	else
		jsontext_null(t, "place");
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

/* By what it is found among failures that no rule names. */
static void put_template(
    struct jsontext *t, const char *key, const struct diagnosis *d)
{
	struct headline h;

	if (headline_of(d, &h))
		t->failed = true;
	if (!h.id[0]) {
		jsontext_null(t, key);
	} else {
		jsontext_open(t, key, '{');
		jsontext_string(t, "id", h.id);
		jsontext_string(t, "text", h.text);
		jsontext_string(t, "frames", h.frames);
		jsontext_close(t, '}');
	}
	headline_release(&h);
}

void diagnosis_json_put(
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
	jsontext_string(
	    t, "confidence", diagnosis_confidence_name(d->confidence));
	jsontext_string(t, "verdict", taxonomy_verdict_name(d->verdict));
	put_adjust(t, "adjust", d);
	jsontext_string(t, "reason", d->reason);
	jsontext_open(t, "because", '[');
	for (size_t i = 0; i < d->n_because; i++)
		jsontext_string(t, NULL, d->because[i]);
	jsontext_close(t, ']');
	jsontext_string(t, "rule", d->rule ? d->rule->id : NULL);
	jsontext_string(
	    t, "fingerprint", d->fingerprint[0] ? d->fingerprint : NULL);
	put_template(t, "template", d);
	put_proofs(t, "evidence", &d->evidence);
	put_proofs(t, "consequences", &d->consequences);
	put_proofs(t, "rejected", &d->rejected);
	put_facts(t, "facts", d, tax);
	put_remedies(t, "remedies", d);
	put_usage(t, "usage", &d->usage);
	put_goodput(t, "goodput", &d->goodput);
	put_strings(t, "notes", d->notes, d->n_notes);
	put_leads(t, "leads", &d->leads);
	diagnosis_json_trends(t, d, tax);
	jsontext_string(t, "taxonomy", tax->hash);
	jsontext_string(t, "version", JOBTRIAGE_VERSION);
}

int diagnosis_json_text(const struct diagnosis *d, const struct taxonomy *tax,
    struct buf *out, struct err *e)
{
	struct jsontext t = { out, false };

	jsontext_open(&t, NULL, '{');
	diagnosis_json_put(&t, d, tax);
	jsontext_close(&t, '}');
	return t.failed ? err_nomem(e) : 0;
}
