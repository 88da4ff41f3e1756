/*
 * "jobtriage.report/1", as report.schema.json describes it: every figure of
 * the report, whole numbers, nothing left out.
 */
#include "base/err.h"
#include "base/when.h"
#include "reports/groups/group_json.h"
#include "reports/output/object.h"
#include "reports/period/goodput_write.h"
#include "reports/period/figure.h"
#include "reports/period/study_write.h"

/* A list of n things, each made by the function from its index. */
static struct json *list(const struct report *r, size_t n,
    struct json *(*each)(const struct report *r, size_t i))
{
	struct object a = object_new_array();

	for (size_t i = 0; i < n; i++)
		object_add(&a, each(r, i));
	return object_done(&a);
}

static struct json *sums_json(const struct sums *s)
{
	struct object o = object_new();

	object_total(&o, "attempts", s->attempts);
	object_total(&o, "jobs", s->jobs);
	object_total(&o, "failed", s->failed);
	object_total(&o, "unmeasured", s->unmeasured);
	object_total(&o, "estimated", s->estimated);
	object_int(&o, "gpu_seconds", s->gpu_seconds);
	object_int(&o, "failed_gpu_seconds", s->failed_gpu_seconds);
	object_int(&o, "lost", s->lost);
	object_int(&o, "avoidable", s->avoidable);
	object_int(&o, "failed_cpu_seconds", s->failed_cpu_seconds);
	object_int(&o, "cpu_lost", s->cpu_lost);
	return object_done(&o);
}

static struct json *before_json(const struct report *r, const struct sums *s)
{
	return r->has_before ? sums_json(s) : json_new_null();
}

static struct json *breakdown_json(
    const struct report *r, const struct breakdown *b)
{
	struct object a = object_new_array();

	for (size_t i = 0; i < b->n; i++) {
		struct object o = object_new();

		object_string(&o, "key", b->v[i].key);
		object_string(&o, "label", b->v[i].label);
		object_put(&o, "now", sums_json(&b->v[i].now));
		object_put(&o, "before", before_json(r, &b->v[i].before));
		object_add(&a, object_done(&o));
	}
	return object_done(&a);
}

static struct json *breakdowns_json(const struct report *r)
{
	struct object o = object_new();

	for (size_t k = 0; k < BREAKDOWN_COUNT; k++)
		object_put(&o, r->breakdowns[k].id,
		    breakdown_json(r, &r->breakdowns[k]));
	return object_done(&o);
}

/* Whose attempt it was, and of what it died. */
static void put_attempt(struct object *o, const struct entry *en)
{
	object_string(o, "job", en->job);
	object_int(o, "attempt", en->attempt);
	object_string(o, "cluster", en->cluster);
	object_string(o, "user", en->user);
	object_string(o, "category", en->category);
}

static struct json *sample_json(const struct entry *en)
{
	struct object o = object_new();

	put_attempt(&o, en);
	object_string(&o, "verdict", taxonomy_verdict_name(en->verdict));
	object_string(&o, "rule", en->rule);
	object_string(&o, "reason", en->reason);
	object_string(&o, "path", entry_log(en));
	object_count(&o, "line", entry_line(en));
	object_string(&o, "text", report_said(en));
	return object_done(&o);
}

static struct json *incident_json(const struct report *r, size_t i)
{
	const struct incident *inc = &r->incidents[i];
	struct object o = object_new();

	object_string(&o, "scope", report_scope_name(inc->scope));
	object_string(&o, "fingerprint", inc->fingerprint);
	object_time(&o, "first", inc->first);
	object_time(&o, "last", inc->last);
	object_total(&o, "jobs", inc->jobs);
	object_total(&o, "users", inc->users);
	object_total(&o, "nodes", inc->nodes);
	object_string(&o, "user", inc->user);
	object_string(&o, "node", inc->node);
	object_put(&o, "sums", sums_json(&inc->sums));
	object_put(&o, "sample", sample_json(inc->sample));
	return object_done(&o);
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

	object_string(&o, "node", n->node);
	object_bool(&o, "suspect", n->suspect);
	object_put(&o, "ran",
	    n->ran ? json_new_int((int64_t)n->ran) : json_new_null());
	object_total(&o, "first", n->first);
	object_total(&o, "jobs", n->jobs);
	object_total(&o, "node_log", n->node_log);
	object_total(&o, "elsewhere", n->elsewhere);
	object_put(&o, "ran_elsewhere",
	    n->ran ? json_new_int((int64_t)n->ran_elsewhere) : json_new_null());
	object_put(&o, "ratio_percent", ratio_json(n));
	object_string(&o, "category", n->category);
	object_put(&o, "sample", sample_json(n->sample));
	return object_done(&o);
}

/* Null where nothing is known of the time before. */
static struct json *fresh_or_null(const struct report *r, bool fresh)
{
	return r->compared ? json_new_bool(fresh) : json_new_null();
}

static struct json *failure_json(const struct report *r, size_t i)
{
	const struct failure *f = &r->failures[i];
	struct object o = object_new();

	object_string(&o, "fingerprint", f->fingerprint);
	object_string(&o, "category", f->sample->category);
	object_string(&o, "message", f->message);
	object_time(&o, "first", f->first);
	object_time(&o, "last", f->last);
	object_put(&o, "new", fresh_or_null(r, f->fresh));
	object_bool(&o, "came_back", f->silent > 0);
	object_put(&o, "silent_seconds",
	    f->silent ? json_new_int(f->silent / 1000000) : json_new_null());
	object_total(&o, "jobs", f->sums.jobs);
	object_total(&o, "users", f->users);
	object_put(&o, "sums", sums_json(&f->sums));
	object_put(&o, "sample", sample_json(f->sample));
	return object_done(&o);
}

static struct json *recent_json(const struct report *r, size_t i)
{
	const struct recent *v = &r->recent[i];
	struct object o = object_new(), all = object_new_array();

	for (size_t k = 0; k < v->n_categories; k++) {
		const struct recent_category *c = &v->categories[k];
		struct object one = object_new();

		object_string(&one, "category", c->category);
		object_string(&one, "label", c->label);
		object_total(&one, "failed", c->failed);
		object_total(&one, "jobs", c->jobs);
		object_int(&one, "lost", c->lost);
		object_add(&all, object_done(&one));
	}
	object_total(&o, "days", v->days);
	object_time(&o, "since", v->since);
	object_time(&o, "begins", v->begins);
	object_total(&o, "failed", v->failed);
	object_total(&o, "jobs", v->jobs);
	object_int(&o, "lost", v->lost);
	object_put(&o, "categories", object_done(&all));
	return object_done(&o);
}

static struct json *news_json(const struct news *v)
{
	struct object o = object_new();

	object_string(&o, "fingerprint", v->fingerprint);
	object_time(&o, "first", v->first);
	object_total(&o, "attempts", v->attempts);
	object_total(&o, "jobs", v->jobs);
	object_total(&o, "users", v->users);
	object_int(&o, "failed_gpu_seconds", v->failed_gpu_seconds);
	object_put(&o, "sample", sample_json(v->sample));
	return object_done(&o);
}

static struct json *fresh_json(const struct report *r, size_t i)
{
	return news_json(&r->fresh[i]);
}

static struct json *unknown_json(const struct report *r, size_t i)
{
	return news_json(&r->unknown[i]);
}

static struct json *unnamed_json(const struct report *r, size_t i)
{
	return group_json(&r->unnamed.v[i], r->has_before);
}

static struct json *months_json(const struct report *r, const char *rule)
{
	struct object a = object_new_array();
	size_t n;
	const struct rule_month *m = report_rule_months(r, rule, &n);
	char text[FIGURE];

	for (size_t i = 0; i < n; i++) {
		struct object o = object_new();

		object_string(&o, "month", figure_month(text, m[i].month));
		object_total(&o, "answered", m[i].answered);
		object_total(&o, "right", m[i].right);
		object_total(&o, "wrong", m[i].wrong);
		object_add(&a, object_done(&o));
	}
	return object_done(&a);
}

static struct json *health_json(
    const struct report *r, const struct rule_row *v)
{
	struct object o = object_new();

	object_total(&o, "answered", v->answered);
	object_total(&o, "right", v->right);
	object_total(&o, "wrong", v->wrong);
	object_total(&o, "stops", v->stops);
	object_total(&o, "stops_refuted", v->refuted);
	object_total(&o, "retries", v->retries);
	object_total(&o, "retries_helped", v->helped);
	object_bool(&o, "retries_vain", report_rule_vain(v));
	object_int(&o, "gpu_seconds", v->cost);
	object_put(&o, "months", months_json(r, v->id));
	return object_done(&o);
}

struct json *report_rule_json(const struct report *r, const struct rule_row *v)
{
	struct object o = object_new();

	object_string(&o, "rule", v->id);
	object_string(&o, "title", v->rule ? v->rule->title : NULL);
	object_total(&o, "won", v->won);
	object_total(&o, "seen", v->seen);
	object_total(&o, "on_good", v->on_good);
	object_put(&o, "health", health_json(r, v));
	return object_done(&o);
}

static struct json *rule_json(const struct report *r, size_t i)
{
	return report_rule_json(r, &r->rules[i]);
}

static struct json *mend_json(const struct report *r, size_t i)
{
	const struct rule_row *v = r->mend[i];
	struct object o = object_new();

	object_string(&o, "rule", v->id);
	object_put(&o, "health", health_json(r, v));
	return object_done(&o);
}

static struct json *never_json(const struct report *r, size_t i)
{
	return json_new_string(r->never[i]);
}

static struct json *avoidable_json(const struct report *r)
{
	struct object a = object_new_array();

	for (size_t i = 0; i < r->n_entries; i++) {
		const struct entry *en = r->entries[i];
		struct object o;

		if (r->avoidable[i] == 0)
			continue;
		o = object_new();
		put_attempt(&o, en);
		object_string(&o, "fingerprint", en->fingerprint);
		object_int(&o, "gpu_seconds", r->avoidable[i]);
		object_bool(&o, "estimated", en->estimated);
		object_add(&a, object_done(&o));
	}
	return object_done(&a);
}

static struct json *judged_json(const struct report *r)
{
	struct object a = object_new_array();

	for (size_t i = 0; i < r->n_entries; i++) {
		const struct entry *en = r->entries[i];
		const struct entry_judged *was = en->judged;
		struct object o, answer;

		if (!was)
			continue;
		o = object_new();
		answer = object_new();
		object_string(&answer, "category", was->category);
		object_string(
		    &answer, "verdict", taxonomy_verdict_name(was->verdict));
		object_string(&answer, "rule", en->rule);
		put_attempt(&o, en);
		object_string(
		    &o, "verdict", taxonomy_verdict_name(en->verdict));
		object_string(&o, "by", was->by);
		object_time(&o, "at", was->at);
		object_string(&o, "note", was->note);
		object_put(&o, "answer", object_done(&answer));
		object_add(&a, object_done(&o));
	}
	return object_done(&a);
}

static struct json *period_json(const struct report *r)
{
	struct object o = object_new();

	object_time(&o, "since", r->options.since);
	object_time(&o, "until", r->options.until);
	object_time(&o, "first", r->first);
	object_time(&o, "last", r->last);
	object_time(&o, "made", r->options.now);
	object_string(&o, "zone", r->options.zone);
	return object_done(&o);
}

static struct json *counts_json(const struct report *r)
{
	struct report_count counts[REPORT_COUNTS];
	struct object o = object_new();

	report_counts(r, counts);
	for (size_t i = 0; i < REPORT_COUNTS; i++)
		object_total(&o, counts[i].key, counts[i].n);
	object_total(&o, "failures", r->n_failures);
	object_total(&o, "failures_new", r->n_fresh);
	object_total(&o, "failures_came_back", r->n_back);
	return object_done(&o);
}

static void put_parts(struct object *o, const struct report *r)
{
	object_put(o, "breakdowns", breakdowns_json(r));
	object_put(o, "avoidable", avoidable_json(r));
	object_put(o, "judged", judged_json(r));
	object_put(o, "goodput", goodput_json(r));
	object_put(o, "incidents", list(r, r->n_incidents, incident_json));
	object_put(o, "nodes", list(r, r->n_nodes, node_json));
	object_put(o, "failures", list(r, r->n_failures, failure_json));
	object_put(o, "recent", list(r, r->n_recent, recent_json));
	object_bool(o, "history", r->history);
	object_put(o, "new", list(r, r->n_fresh, fresh_json));
	object_put(o, "unknown", list(r, r->n_unknown, unknown_json));
	object_put(o, "unnamed", list(r, r->unnamed.n, unnamed_json));
	object_put(o, "rules", list(r, r->n_rules, rule_json));
	object_put(o, "rules_to_mend", list(r, r->n_mend, mend_json));
	object_put(o, "rules_never", list(r, r->n_never, never_json));
}

static int write_json(const struct report *r, const struct report_style *style,
    FILE *f, struct err *e)
{
	struct object o = object_new();

	object_string(&o, "schema", "jobtriage.report/1");
	object_string(&o, "title", style->title);
	object_put(&o, "period", period_json(r));
	object_put(&o, "now", sums_json(&r->now));
	object_put(&o, "before", before_json(r, &r->before));
	object_put(&o, "counts", counts_json(r));
	if (style->study)
		object_put(&o, "study", study_json(r, style->study));
	else
		put_parts(&o, r);
	object_string(&o, "taxonomy", r->tax->hash);
	return object_print(&o, f, e);
}

const struct report_format report_json = { "json",
	"one object with every figure", true, false, write_json };
