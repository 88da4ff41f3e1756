/*
 * "jobtriage.report/1", as report.schema.json describes it: every figure of
 * the report, whole numbers, nothing left out.
 */
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/when.h"
#include "reports/report_study.h"

/* Every member goes through one function that remembers a lack of memory. */
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

static struct json *done(struct object *o)
{
	if (!o->failed)
		return o->o;
	json_free(o->o);
	return NULL;
}

static void put_string(struct object *to, const char *key, const char *s)
{
	put(to, key, json_new_string(s));
}

static void put_count(struct object *to, const char *key, uint64_t n)
{
	put(to, key, json_new_int((int64_t)n));
}

static void put_time(struct object *to, const char *key, int64_t t)
{
	char text[32];

	if (t != ENVELOPE_NO_TIME)
		when_format(t, text);
	put_string(to, key, t != ENVELOPE_NO_TIME ? text : NULL);
}

/* A list of n things, each made by the function from its index. */
static struct json *list(const struct report *r, size_t n,
    struct json *(*each)(const struct report *r, size_t i))
{
	struct json *a = json_new_array();

	for (size_t i = 0; a && i < n; i++) {
		if (json_append(a, each(r, i))) {
			json_free(a);
			return NULL;
		}
	}
	return a;
}

static struct json *sums_json(const struct sums *s)
{
	struct object o = object_new();

	put_count(&o, "attempts", s->attempts);
	put_count(&o, "jobs", s->jobs);
	put_count(&o, "failed", s->failed);
	put_count(&o, "unmeasured", s->unmeasured);
	put_count(&o, "estimated", s->estimated);
	put(&o, "gpu_seconds", json_new_int(s->gpu_seconds));
	put(&o, "failed_gpu_seconds", json_new_int(s->failed_gpu_seconds));
	put(&o, "lost", json_new_int(s->lost));
	put(&o, "avoidable", json_new_int(s->avoidable));
	return done(&o);
}

static struct json *before_json(const struct report *r, const struct sums *s)
{
	return r->has_before ? sums_json(s) : json_new_null();
}

static struct json *breakdown_json(
    const struct report *r, const struct breakdown *b)
{
	struct json *a = json_new_array();

	for (size_t i = 0; a && i < b->n; i++) {
		struct object o = object_new();

		put_string(&o, "key", b->v[i].key);
		put_string(&o, "label", b->v[i].label);
		put(&o, "now", sums_json(&b->v[i].now));
		put(&o, "before", before_json(r, &b->v[i].before));
		if (json_append(a, done(&o))) {
			json_free(a);
			return NULL;
		}
	}
	return a;
}

static struct json *breakdowns_json(const struct report *r)
{
	struct object o = object_new();

	for (size_t k = 0; k < BREAKDOWN_COUNT; k++)
		put(&o, r->breakdowns[k].id,
		    breakdown_json(r, &r->breakdowns[k]));
	return done(&o);
}

static struct json *sample_json(const struct entry *en)
{
	const struct entry_proof *p = en->n_evidence ? en->evidence : NULL;
	struct object o = object_new();

	put_string(&o, "job", en->job);
	put(&o, "attempt", json_new_int(en->attempt));
	put_string(&o, "user", en->user);
	put_string(&o, "category", en->category);
	put_string(&o, "verdict", verdict_name(en->verdict));
	put_string(&o, "rule", en->rule);
	put_string(&o, "reason", en->reason);
	put_string(&o, "path", p ? p->path : en->path);
	put(&o, "line",
	    p && p->line > 0 ? json_new_int(p->line) : json_new_null());
	put_string(&o, "text", p ? p->text : NULL);
	return done(&o);
}

static struct json *incident_json(const struct report *r, size_t i)
{
	const struct incident *inc = &r->incidents[i];
	struct object o = object_new();

	put_string(&o, "scope", incident_scope_name(inc->scope));
	put_string(&o, "fingerprint", inc->fingerprint);
	put_time(&o, "first", inc->first);
	put_time(&o, "last", inc->last);
	put_count(&o, "jobs", inc->jobs);
	put_count(&o, "users", inc->users);
	put_count(&o, "nodes", inc->nodes);
	put_string(&o, "user", inc->user);
	put_string(&o, "node", inc->node);
	put(&o, "sums", sums_json(&inc->sums));
	put(&o, "sample", sample_json(inc->sample));
	return done(&o);
}

/* In per cent; null when it cannot be told, or nothing failed elsewhere. */
static struct json *ratio_json(const struct node_row *n)
{
	if (n->ratio <= 0 || n->elsewhere == 0)
		return json_new_null();
	return json_new_int(
	    n->ratio < 1e15 ? (int64_t)(n->ratio * 100 + 0.5) : INT64_MAX);
}

static struct json *node_json(const struct report *r, size_t i)
{
	const struct node_row *n = &r->nodes[i];
	struct object o = object_new();

	put_string(&o, "node", n->node);
	put(&o, "suspect", json_new_bool(n->suspect));
	put(&o, "ran",
	    n->ran ? json_new_int((int64_t)n->ran) : json_new_null());
	put_count(&o, "first", n->first);
	put_count(&o, "jobs", n->jobs);
	put_count(&o, "elsewhere", n->elsewhere);
	put(&o, "ran_elsewhere",
	    n->ran ? json_new_int((int64_t)n->ran_elsewhere) : json_new_null());
	put(&o, "ratio_percent", ratio_json(n));
	put_string(&o, "category", n->category);
	put(&o, "sample", sample_json(n->sample));
	return done(&o);
}

static struct json *news_json(const struct news *v)
{
	struct object o = object_new();

	put_string(&o, "fingerprint", v->fingerprint);
	put_time(&o, "first", v->first);
	put_count(&o, "attempts", v->attempts);
	put_count(&o, "jobs", v->jobs);
	put_count(&o, "users", v->users);
	put(&o, "failed_gpu_seconds", json_new_int(v->failed_gpu_seconds));
	put(&o, "sample", sample_json(v->sample));
	return done(&o);
}

static struct json *fresh_json(const struct report *r, size_t i)
{
	return news_json(&r->fresh[i]);
}

static struct json *unknown_json(const struct report *r, size_t i)
{
	return news_json(&r->unknown[i]);
}

static struct json *rule_json(const struct report *r, size_t i)
{
	const struct rule_row *v = &r->rules[i];
	struct object o = object_new();

	put_string(&o, "rule", v->id);
	put_string(&o, "title", v->rule ? v->rule->title : NULL);
	put_count(&o, "won", v->won);
	put_count(&o, "seen", v->seen);
	put_count(&o, "on_good", v->on_good);
	return done(&o);
}

static struct json *never_json(const struct report *r, size_t i)
{
	return json_new_string(r->never[i]);
}

static struct json *avoidable_json(const struct report *r)
{
	struct json *a = json_new_array();

	for (size_t i = 0; a && i < r->n_entries; i++) {
		const struct entry *en = r->entries[i];
		struct object o;

		if (r->avoidable[i] == 0)
			continue;
		o = object_new();
		put_string(&o, "job", en->job);
		put(&o, "attempt", json_new_int(en->attempt));
		put_string(&o, "user", en->user);
		put_string(&o, "category", en->category);
		put_string(&o, "fingerprint", en->fingerprint);
		put(&o, "gpu_seconds", json_new_int(r->avoidable[i]));
		put(&o, "estimated", json_new_bool(en->estimated));
		if (json_append(a, done(&o))) {
			json_free(a);
			return NULL;
		}
	}
	return a;
}

static struct json *period_json(const struct report *r)
{
	struct object o = object_new();

	put_time(&o, "since", r->options.since);
	put_time(&o, "until", r->options.until);
	put_time(&o, "first", r->first);
	put_time(&o, "last", r->last);
	put_time(&o, "made", r->options.now);
	put_string(&o, "zone", r->options.zone);
	return done(&o);
}

static struct json *counts_json(const struct report *r)
{
	struct object o = object_new();

	put_count(&o, "jobs_failed", r->jobs_failed);
	put_count(&o, "jobs_recovered", r->jobs_recovered);
	put_count(&o, "ended_well", r->ended_well);
	put_count(&o, "cannot_tell", r->cannot_tell);
	put_count(&o, "no_log", r->no_log);
	put_count(&o, "no_record", r->no_record);
	put_count(&o, "undated", r->undated);
	put_count(&o, "refused", r->refused);
	return done(&o);
}

static void put_parts(struct object *o, const struct report *r)
{
	put(o, "breakdowns", breakdowns_json(r));
	put(o, "avoidable", avoidable_json(r));
	put(o, "incidents", list(r, r->n_incidents, incident_json));
	put(o, "nodes", list(r, r->n_nodes, node_json));
	put(o, "history", json_new_bool(r->history));
	put(o, "new", list(r, r->n_fresh, fresh_json));
	put(o, "unknown", list(r, r->n_unknown, unknown_json));
	put(o, "rules", list(r, r->n_rules, rule_json));
	put(o, "rules_never", list(r, r->n_never, never_json));
}

static int write_json(const struct report *r, const struct report_style *style,
    FILE *f, struct err *e)
{
	struct buf b = BUF_INIT(BUF_MAX);
	struct object o = object_new();
	struct json *whole;
	int rc = -1;

	put_string(&o, "schema", "jobtriage.report/1");
	put_string(&o, "title", style->title);
	put(&o, "period", period_json(r));
	put(&o, "now", sums_json(&r->now));
	put(&o, "before", before_json(r, &r->before));
	put(&o, "counts", counts_json(r));
	if (style->study)
		put(&o, "study", study_json(r, e));
	else
		put_parts(&o, r);
	put_string(&o, "taxonomy", r->tax->hash);
	whole = done(&o);
	if (whole)
		rc = json_write_indented(whole, &b);
	if (!rc)
		fprintf(f, "%s\n", b.p);
	buf_release(&b);
	json_free(whole);
	return rc ? err_nomem(e) : 0;
}

const struct report_format report_json = { "json",
	"one object with every figure", true, write_json };
