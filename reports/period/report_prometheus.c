/*
 * A file for node_exporter's textfile collector: gauges of the period, in base
 * units. Labels take few values (categories, verdicts, stages, partitions):
 * jobs, users and nodes are none, since a label's values are kept for ever.
 */
#include "base/buf.h"
#include "base/err.h"
#include "reports/period/goodput.h"
#include "reports/period/mttf.h"
#include "reports/period/report.h"

#include <stdlib.h>
#include <string.h>

#define MICROS 1000000
#define PARTITIONS_MAX 50

/* A label's value: what is no plain text is made visible first. */
static int add_label(struct buf *b, const char *name, const char *value)
{
	struct buf clean = BUF_INIT(BUF_MAX);
	int rc =
	    text_visible(&clean, span_of(value)) || buf_addf(b, "%s=\"", name);

	for (size_t i = 0; i < clean.len && !rc; i++) {
		if (strchr("\\\"", clean.p[i]))
			rc = buf_addc(b, '\\');
		rc = rc || buf_addc(b, clean.p[i]);
	}
	buf_release(&clean);
	return rc || buf_addc(b, '"');
}

static int add_help(struct buf *b, const char *name, const char *help)
{
	return buf_addf(b,
	    "# HELP jobtriage_%s %s\n# TYPE jobtriage_%s gauge\n", name, help,
	    name);
}

static int add_plain(
    struct buf *b, const char *name, const char *help, int64_t value)
{
	return add_help(b, name, help) ||
	    buf_addf(b, "jobtriage_%s %lld\n", name, (long long)value);
}

static int add_cpus(struct buf *b, const struct sums *n)
{
	return add_plain(b, "cpu_seconds_failed",
		   "CPU time used by failed attempts without GPUs.",
		   n->failed_cpu_seconds) ||
	    add_plain(b, "cpu_seconds_lost",
		"CPU time since the last checkpoint of failed attempts "
		"without GPUs.",
		n->cpu_lost);
}

static int add_totals(struct buf *b, const struct report *r)
{
	const struct report_options *o = &r->options;
	int64_t since = o->since != ENVELOPE_NO_TIME ? o->since : r->first;
	int64_t until = o->until != ENVELOPE_NO_TIME ? o->until : r->last;
	const struct sums *n = &r->now;
	const struct {
		const char *name, *help;
		int64_t value;
	} v[] = {
		{ "attempts", "Attempts of jobs that ended in the period.",
		    (int64_t)n->attempts },
		{ "jobs", "Jobs with an attempt in the period.",
		    (int64_t)n->jobs },
		{ "jobs_failed", "Jobs whose last attempt failed.",
		    (int64_t)r->jobs_failed },
		{ "jobs_recovered",
		    "Jobs that failed first and ended well in a later attempt.",
		    (int64_t)r->jobs_recovered },
		{ "attempts_ended_well", "Attempts whose good end is proven.",
		    (int64_t)r->ended_well },
		{ "attempts_unproven",
		    "Attempts without a failure and without a proof of a good "
		    "end.",
		    (int64_t)r->unproven },
		{ "attempts_cut",
		    "Attempts whose log stops in the middle of something.",
		    (int64_t)r->cut },
		{ "attempts_running", "Attempts that have not ended.",
		    (int64_t)r->running },
		{ "attempts_undated",
		    "Attempts whose log and record do not tell when they "
		    "were; counted by when they were first seen.",
		    (int64_t)r->undated },
		{ "attempts_unmeasured",
		    "Attempts whose GPU time is not known.",
		    (int64_t)n->unmeasured },
		{ "attempts_estimated",
		    "Attempts whose GPU time is estimated from the log.",
		    (int64_t)n->estimated },
		{ "gpu_seconds", "GPU time used by all attempts.",
		    n->gpu_seconds },
		{ "gpu_seconds_failed", "GPU time used by failed attempts.",
		    n->failed_gpu_seconds },
		{ "gpu_seconds_lost",
		    "GPU time since the last checkpoint of failed attempts.",
		    n->lost },
		{ "gpu_seconds_avoidable",
		    "GPU time of attempts after one with the same failure and "
		    "the verdict stop.",
		    n->avoidable },
		{ "failure_kinds", "Kinds of failure (fingerprints).",
		    (int64_t)r->n_failures },
		{ "failure_kinds_new",
		    "Kinds of failure not seen before the period.",
		    (int64_t)r->n_fresh },
		{ "failure_kinds_came_back",
		    "Kinds of failure seen again after a silence.",
		    (int64_t)r->n_back },
		{ "incidents", "Failures that hit many jobs at a time.",
		    (int64_t)r->n_incidents },
		{ "report_created_seconds", "When the report was made.",
		    o->now / MICROS },
	};
	int rc = add_cpus(b, n);

	for (size_t i = 0; i < sizeof v / sizeof *v && !rc; i++)
		rc = add_plain(b, v[i].name, v[i].help, v[i].value);
	if (!rc && since != ENVELOPE_NO_TIME)
		rc = add_plain(b, "report_period_start_seconds",
		    "Start of the period.", since / MICROS);
	if (!rc && until != ENVELOPE_NO_TIME)
		rc = add_plain(b, "report_period_end_seconds",
		    "End of the period.", until / MICROS);
	return rc;
}

/* ---- failures by category, dimension and verdict ---- */

struct cell {
	const char *category, *dimension;
	enum verdict verdict;
	uint64_t failures;
	int64_t gpu_seconds, lost;
};

static int by_labels(const void *a, const void *b)
{
	const struct cell *x = a, *y = b;
	int c = strcmp(x->category, y->category);

	if (!c)
		c = strcmp(x->dimension, y->dimension);
	return c ? c : (int)x->verdict - (int)y->verdict;
}

/* Equal labels become one cell. Returns how many. */
static size_t join(struct cell *v, size_t n)
{
	size_t k = 0;

	if (n == 0)
		return 0;
	qsort(v, n, sizeof *v, by_labels);
	for (size_t i = 1; i < n; i++) {
		if (by_labels(&v[k], &v[i]) != 0) {
			v[++k] = v[i];
			continue;
		}
		v[k].failures += v[i].failures;
		v[k].gpu_seconds += v[i].gpu_seconds;
		v[k].lost += v[i].lost;
	}
	return k + 1;
}

static int add_cells(struct buf *b, const struct cell *v, size_t n, int what)
{
	static const char *const names[] = { "failures", "failure_gpu_seconds",
		"failure_gpu_seconds_lost" };
	static const char *const help[] = { "Failed attempts.",
		"GPU time used by failed attempts.",
		"GPU time since the last checkpoint of failed attempts." };
	int rc = add_help(b, names[what], help[what]);

	for (size_t i = 0; i < n && !rc; i++) {
		const int64_t values[] = { (int64_t)v[i].failures,
			v[i].gpu_seconds, v[i].lost };

		rc = buf_addf(b, "jobtriage_%s{", names[what]) ||
		    add_label(b, "category", v[i].category) ||
		    buf_addc(b, ',') ||
		    add_label(b, "dimension", v[i].dimension) ||
		    buf_addc(b, ',') ||
		    add_label(
			b, "verdict", taxonomy_verdict_name(v[i].verdict)) ||
		    buf_addf(b, "} %lld\n", (long long)values[what]);
	}
	return rc;
}

static int add_failures(struct buf *b, const struct report *r)
{
	struct cell *v = malloc((r->n_entries + 1) * sizeof *v);
	size_t n = 0;
	int rc = v ? 0 : -1;

	for (size_t i = 0; i < r->n_entries && !rc; i++) {
		const struct entry *en = r->entries[i];

		if (en->failed == 1)
			v[n++] = (struct cell){ en->category,
				en->dimension ? en->dimension : "", en->verdict,
				1, en->gpu_seconds > 0 ? en->gpu_seconds : 0,
				en->lost > 0 ? en->lost : 0 };
	}
	if (!rc)
		n = join(v, n);
	for (int what = 0; what < 3 && !rc; what++)
		rc = add_cells(b, v, n, what);
	free(v);
	return rc;
}

/* ---- one label ---- */

static int add_groups(struct buf *b, const struct report *r,
    enum breakdown_id id, const char *name, const char *help)
{
	const struct breakdown *d = &r->breakdowns[id];
	int rc = add_help(b, name, help);

	for (size_t i = 0; i < d->n && i < PARTITIONS_MAX && !rc; i++)
		rc = buf_addf(b, "jobtriage_%s{", name) ||
		    add_label(b, d->id, d->v[i].key) ||
		    buf_addf(
			b, "} %llu\n", (unsigned long long)d->v[i].now.failed);
	return rc;
}

static int add_suspects(struct buf *b, const struct report *r)
{
	int64_t n = 0;

	for (size_t i = 0; i < r->n_nodes; i++)
		n += r->nodes[i].suspect;
	return add_plain(b, "nodes_suspect",
	    "Nodes on which jobs die first more often than by chance.", n);
}

static int add_ratio(
    struct buf *b, const char *name, const char *help, int64_t hundredths)
{
	return add_help(b, name, help) ||
	    buf_addf(b, "jobtriage_%s %lld.%04lld\n", name,
		(long long)hundredths / 10000, (long long)hundredths % 10000);
}

/* What the MTTF of each size is made of: run time and failures. */
static int add_sizes(struct buf *b, const struct report *r)
{
	struct mttf m;
	int rc = add_help(b, "size_run_seconds",
	    "Run time of attempts, by their GPUs, up to a power of two.");

	mttf_find(&m, r);
	for (size_t i = 0; i < m.n && !rc; i++)
		rc = buf_addf(b,
		    "jobtriage_size_run_seconds{gpus=\"%lld\"} %lld\n",
		    (long long)m.v[i].gpus, (long long)m.v[i].seconds);
	rc = rc ||
	    add_help(b, "size_failures",
		"Failures of the infrastructure among them.");
	for (size_t i = 0; i < m.n && !rc; i++)
		rc =
		    buf_addf(b, "jobtriage_size_failures{gpus=\"%lld\"} %llu\n",
			(long long)m.v[i].gpus,
			(unsigned long long)m.v[i].failures);
	return rc;
}

/* Of attempts whose logs tell it, where there are any. */
static int add_goodput(struct buf *b, const struct report *r)
{
	const struct report_goodput *g = r->goodput;
	int rc;

	if (!g)
		return 0;
	rc = add_ratio(b, "goodput_ratio",
		 "Training that was kept, of the GPU time given.",
		 goodput_share(&g->all)) ||
	    add_ratio(b, "ettr_ratio",
		"Productive GPU time, of that queued or running.",
		goodput_ettr(&g->all)) ||
	    add_help(b, "goodput_gpu_seconds",
		"What the GPU time went into, by the logs that tell it.");
	for (int k = 0; k < GOODPUT_PARTS && !rc; k++)
		rc = buf_addf(b,
		    "jobtriage_goodput_gpu_seconds{part=\"%s\"} %lld\n",
		    goodput_part_name(k), (long long)g->all.spent[k]);
	return rc || add_sizes(b, r);
}

static int write_prometheus(const struct report *r,
    const struct report_style *style, FILE *f, struct err *e)
{
	struct buf b = BUF_INIT(BUF_MAX);
	int rc;

	(void)style;
	rc = add_totals(&b, r) || add_suspects(&b, r) || add_goodput(&b, r) ||
	    add_failures(&b, r) ||
	    add_groups(&b, r, BY_STAGE, "failures_by_stage",
		"Failed attempts by the stage that they had reached.") ||
	    add_groups(&b, r, BY_FAMILY, "failures_by_family",
		"Failed attempts by their family of root causes.") ||
	    add_groups(&b, r, BY_PARTITION, "failures_by_partition",
		"Failed attempts by the scheduler's partition.") ||
	    add_groups(&b, r, BY_CLUSTER, "failures_by_cluster",
		"Failed attempts by the cluster they ran on.");
	if (!rc)
		fwrite(b.p, 1, b.len, f);
	buf_release(&b);
	return rc ? err_nomem(e) : 0;
}

const struct report_format report_prometheus = { "prometheus",
	"gauges for the textfile collector", false, false, write_prometheus };
