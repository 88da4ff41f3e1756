/*
 * The sums are those of the report's breakdown; the jobs of an owner are found
 * by his name's pointer, since equal strings of a report are one.
 */
#include "reports/period/digest.h"

#include "base/buf.h"
#include "base/err.h"
#include "reports/output/object.h"
#include "reports/period/report_private.h"

#include <stdlib.h>

#define CAUSES 256 /* categories of one owner that are told apart */

/* What one owner has. */
struct digest {
	const struct group *who;
	const struct entry **v; /* failed attempts, the dearest first */
	size_t n;
	const struct entry *cause; /* one of the category that cost most */
	uint64_t of_cause;         /* its failed attempts */
	int64_t seconds;           /* that the failed attempts ran */
};

static int64_t cost(const struct entry *en)
{
	return en->gpu_seconds > 0 ? en->gpu_seconds : 0;
}

static int64_t time_of(const struct entry *en)
{
	return en->seconds > 0 ? en->seconds : 0;
}

static int by_cost(const void *a, const void *b)
{
	const struct entry *x = *(const struct entry *const *)a;
	const struct entry *y = *(const struct entry *const *)b;
	int c;

	if (cost(x) != cost(y))
		return cost(x) < cost(y) ? 1 : -1;
	if (time_of(x) != time_of(y))
		return time_of(x) < time_of(y) ? 1 : -1;
	c = report_compare(x->job, y->job);
	return c ? c : (x->attempt > y->attempt) - (x->attempt < y->attempt);
}

/* The category with most GPU time, then most attempts. */
static void find_cause(struct digest *d)
{
	struct {
		const struct entry *en;
		int64_t sum;
		uint64_t n;
	} all[CAUSES];
	size_t n = 0, best = 0;

	for (size_t i = 0; i < d->n; i++) {
		size_t k = 0;

		while (k < n && all[k].en->category != d->v[i]->category)
			k++;
		if (k == CAUSES)
			continue;
		if (k == n) {
			all[n].en = d->v[i];
			all[n].sum = 0;
			all[n++].n = 0;
		}
		all[k].sum += cost(d->v[i]);
		all[k].n++;
	}
	for (size_t k = 1; k < n; k++)
		if (all[k].sum > all[best].sum ||
		    (all[k].sum == all[best].sum && all[k].n > all[best].n))
			best = k;
	d->cause = n ? all[best].en : NULL;
	d->of_cause = n ? all[best].n : 0;
}

/* v has room for all entries. */
static void gather(struct digest *d, const struct report *r,
    enum breakdown_id by, const struct group *who)
{
	*d = (struct digest){ .who = who, .v = d->v };
	for (size_t i = 0; i < r->n_entries; i++) {
		const struct entry *en = r->entries[i];
		const char *owner = by == BY_USER ? en->user : en->group;

		if (en->failed != 1 || owner != who->key)
			continue;
		d->v[d->n++] = en;
		d->seconds += time_of(en);
	}
	qsort(d->v, d->n, sizeof *d->v, by_cost);
	find_cause(d);
}

/* Each owner with a failure. */
static int each(const struct report *r, enum breakdown_id by,
    int (*one)(void *ctx, const struct digest *d), void *ctx, struct err *e)
{
	const struct breakdown *b = &r->breakdowns[by];
	struct digest d = { .v = malloc((r->n_entries + 1) * sizeof *d.v) };
	int rc = d.v ? 0 : -1;

	for (size_t i = 0; i < b->n && !rc; i++) {
		if (!b->v[i].key[0] || !b->v[i].now.failed)
			continue;
		gather(&d, r, by, &b->v[i]);
		if (d.n)
			rc = one(ctx, &d);
	}
	free(d.v);
	return rc ? err_nomem(e) : 0;
}

/* ---- for people ---- */

struct text {
	struct buf b;
	size_t top;
};

static int put(struct buf *b, const char *before, const char *s)
{
	return buf_adds(b, before) || text_visible(b, span_of(s ? s : "?"));
}

static int put_job(struct buf *b, const struct entry *en)
{
	const char *log = entry_log(en);
	int64_t line = entry_line(en);
	int rc = put(b, "\n- job ", en->job);

	if (en->cluster)
		rc = rc || put(b, " of ", en->cluster);
	rc = rc || buf_addf(b, ", attempt %lld: ", (long long)en->attempt) ||
	    put(b, "", en->category_name ? en->category_name : en->category) ||
	    put(b, "; ", taxonomy_verdict_name(en->verdict)) ||
	    put(b, "\n  ", en->reason ? en->reason : "no reason is known");
	if (log)
		rc = rc || put(b, "\n  ", log) ||
		    (line > 0 && buf_addf(b, ":%lld", (long long)line));
	return rc;
}

static int add_text(void *ctx, const struct digest *d)
{
	struct text *t = ctx;
	const struct sums *s = &d->who->now;
	const char *name = d->cause->category_name ? d->cause->category_name
						   : d->cause->category;
	size_t n = d->n < t->top ? d->n : t->top;
	int rc = put(&t->b, t->b.len ? "\n\n" : "", d->who->label) ||
	    buf_addf(&t->b, ": %llu of %llu attempts failed",
		(unsigned long long)s->failed, (unsigned long long)s->attempts);

	if (s->failed_gpu_seconds > 0)
		rc = rc ||
		    buf_addf(&t->b, ", %.1f GPU-hours",
			(double)s->failed_gpu_seconds / 3600);
	else if (d->seconds > 0)
		rc = rc ||
		    buf_addf(&t->b, ", %.1f hours of run time",
			(double)d->seconds / 3600);
	rc = rc || put(&t->b, "\nmostly: ", name) ||
	    buf_addf(&t->b, " (%llu)", (unsigned long long)d->of_cause);
	for (size_t i = 0; i < n && !rc; i++)
		rc = put_job(&t->b, d->v[i]);
	if (!rc && d->n > n)
		rc = buf_addf(&t->b, "\n- and %zu more", d->n - n);
	return rc ? -1 : 0;
}

int digest_text(const struct report *r, enum breakdown_id by, size_t top,
    FILE *f, struct err *e)
{
	struct text t = { BUF_INIT(BUF_MAX), top };
	int rc = each(r, by, add_text, &t, e);

	if (!rc && t.b.len)
		fprintf(f, "%.*s\n", (int)t.b.len, t.b.p);
	else if (!rc)
		fputs("Nobody's job failed.\n", f);
	buf_release(&t.b);
	return rc;
}

/* ---- for programs ---- */

static struct json *job_json(const struct entry *en)
{
	struct object o = object_new();

	object_string(&o, "job", en->job);
	object_int(&o, "attempt", en->attempt);
	object_string(&o, "cluster", en->cluster);
	object_string(&o, "category", en->category);
	object_string(&o, "verdict", taxonomy_verdict_name(en->verdict));
	object_string(&o, "reason", en->reason);
	object_string(&o, "path", entry_log(en));
	object_count(&o, "line", entry_line(en));
	object_put(&o, "gpu_seconds",
	    en->gpu_seconds < 0 ? json_new_null()
				: json_new_int(en->gpu_seconds));
	return object_done(&o);
}

static int add_json(void *ctx, const struct digest *d)
{
	struct object *all = ctx;
	const struct sums *s = &d->who->now;
	struct object o = object_new(), jobs = object_new_array();

	object_string(&o, "owner", d->who->key);
	object_total(&o, "attempts", s->attempts);
	object_total(&o, "jobs", s->jobs);
	object_total(&o, "failed", s->failed);
	object_int(&o, "failed_gpu_seconds", s->failed_gpu_seconds);
	object_int(&o, "failed_seconds", d->seconds);
	object_int(&o, "avoidable", s->avoidable);
	object_string(&o, "main_cause", d->cause->category);
	object_total(&o, "of_main_cause", d->of_cause);
	for (size_t i = 0; i < d->n; i++)
		object_add(&jobs, job_json(d->v[i]));
	object_put(&o, "failures", object_done(&jobs));
	object_add(all, object_done(&o));
	return 0;
}

int digest_json(
    const struct report *r, enum breakdown_id by, FILE *f, struct err *e)
{
	struct object o = object_new(), owners = object_new_array();
	int rc = each(r, by, add_json, &owners, e);

	object_string(&o, "schema", "jobtriage.digest/1");
	object_string(&o, "by", by == BY_USER ? "user" : "account");
	object_time(&o, "since", r->options.since);
	object_time(&o, "until", r->options.until);
	object_put(&o, "owners", object_done(&owners));
	o.failed |= rc != 0;
	return object_print(&o, f, e);
}
