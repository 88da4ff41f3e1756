/*
 * The report as one long table: what a row is about (section, key, label), of
 * which period, and the same figures for each. Cells that do not apply are
 * empty.
 */
#include "base/buf.h"
#include "base/err.h"
#include "base/when.h"
#include "reports/output/csv.h"
#include "reports/period/goodput.h"
#include "reports/period/mttf.h"
#include "reports/period/study_write.h"
#include "reports/period/unnamed.h"

struct row {
	const char *section, *key, *label, *period;
	const struct sums *sums;              /* or NULL */
	int64_t attempts, jobs, users, nodes; /* when no sums; -1: empty */
	int64_t failed, gpu_seconds, failed_gpu_seconds, lost;
	int64_t first, last;
	const char *user, *node;
	const struct entry *sample;
	const char *text;  /* NULL: the sample's */
	const char *state; /* of a failure: new, came_back, or NULL */
};

static int add_string(struct buf *b, const char *s)
{
	return s ? csv_field(b, span_of(s), ",") : buf_addc(b, ',');
}

static int add_number(struct buf *b, int64_t n)
{
	return n < 0 ? buf_addc(b, ',') : buf_addf(b, "%lld,", (long long)n);
}

static int add_time(struct buf *b, int64_t t)
{
	char text[32];

	if (t == ENVELOPE_NO_TIME)
		return buf_addc(b, ',');
	when_format(t, text);
	return csv_field(b, span_of(text), ",");
}

static int add_sums(struct buf *b, const struct row *row)
{
	const struct sums *s = row->sums;

	if (!s)
		return add_number(b, row->attempts) ||
		    add_number(b, row->jobs) || add_number(b, row->failed) ||
		    buf_adds(b, ",,") || add_number(b, row->gpu_seconds) ||
		    add_number(b, row->failed_gpu_seconds) ||
		    add_number(b, row->lost) || buf_adds(b, ",");
	return buf_addf(b, "%llu,%llu,%llu,%llu,%llu,%lld,%lld,%lld,%lld,",
	    (unsigned long long)s->attempts, (unsigned long long)s->jobs,
	    (unsigned long long)s->failed, (unsigned long long)s->unmeasured,
	    (unsigned long long)s->estimated, (long long)s->gpu_seconds,
	    (long long)s->failed_gpu_seconds, (long long)s->lost,
	    (long long)s->avoidable);
}

/* The last cells */
static int add_cpus(struct buf *b, const struct sums *s)
{
	return s ? buf_addf(b, "%lld,%lld\r\n",
		       (long long)s->failed_cpu_seconds, (long long)s->cpu_lost)
		 : buf_adds(b, ",\r\n");
}

static int add_row(struct buf *b, const struct row *row)
{
	const struct entry *en = row->sample;
	const char *text = row->text;

	if (en && !text)
		text = report_said(en) ? report_said(en) : en->reason;
	return add_string(b, row->section) || add_string(b, row->key) ||
	    add_string(b, row->label) || add_string(b, row->period) ||
	    add_sums(b, row) || add_number(b, row->users) ||
	    add_number(b, row->nodes) || add_time(b, row->first) ||
	    add_time(b, row->last) || add_string(b, row->user) ||
	    add_string(b, row->node) || add_string(b, en ? en->job : NULL) ||
	    add_string(b, text) || add_string(b, row->state) ||
	    csv_field(b, span_of(en ? entry_log(en) : NULL), ",") ||
	    add_cpus(b, row->sums);
}

/* A row of which nothing is known yet. */
static struct row row_of(const char *section, const char *key)
{
	return (struct row){
		.section = section,
		.key = key,
		.period = "now",
		.attempts = -1,
		.jobs = -1,
		.users = -1,
		.nodes = -1,
		.failed = -1,
		.gpu_seconds = -1,
		.failed_gpu_seconds = -1,
		.lost = -1,
		.first = ENVELOPE_NO_TIME,
		.last = ENVELOPE_NO_TIME,
	};
}

static int add_both(struct buf *b, const struct report *r, struct row row,
    const struct sums *now, const struct sums *before)
{
	row.sums = now;
	if (add_row(b, &row))
		return -1;
	if (!r->has_before)
		return 0;
	row.sums = before;
	row.period = "before";
	return add_row(b, &row);
}

static int add_total(struct buf *b, const struct report *r)
{
	struct report_count counts[REPORT_COUNTS];
	struct row row = row_of("total", "all");
	int rc;

	row.first = r->first;
	row.last = r->last;
	rc = add_both(b, r, row, &r->now, &r->before);
	report_counts(r, counts);
	for (size_t i = 0; i < REPORT_COUNTS && !rc; i++) {
		row = row_of("count", counts[i].key);
		row.attempts = (int64_t)counts[i].n;
		rc = add_row(b, &row);
	}
	return rc;
}

static int add_groups(struct buf *b, const struct report *r)
{
	int rc = 0;

	for (size_t k = 0; k < BREAKDOWN_COUNT && !rc; k++) {
		const struct breakdown *d = &r->breakdowns[k];

		for (size_t i = 0; i < d->n && !rc; i++) {
			struct row row = row_of(d->id, d->v[i].key);

			row.label = d->v[i].label;
			rc = add_both(b, r, row, &d->v[i].now, &d->v[i].before);
		}
	}
	return rc;
}

static int add_incidents(struct buf *b, const struct report *r)
{
	int rc = 0;

	for (size_t i = 0; i < r->n_incidents && !rc; i++) {
		const struct incident *inc = &r->incidents[i];
		struct row row = row_of("incident", inc->fingerprint);

		row.label = report_scope_name(inc->scope);
		row.sums = &inc->sums;
		row.users = (int64_t)inc->users;
		row.nodes = (int64_t)inc->nodes;
		row.first = inc->first;
		row.last = inc->last;
		row.user = inc->user;
		row.node = inc->node;
		row.sample = inc->sample;
		rc = add_row(b, &row);
	}
	return rc;
}

static int add_nodes(struct buf *b, const struct report *r)
{
	int rc = 0;

	for (size_t i = 0; i < r->n_nodes && !rc; i++) {
		const struct node_row *n = &r->nodes[i];
		struct row row = row_of("died_first", n->node);

		row.label = n->suspect ? "suspect" : "";
		row.attempts = (int64_t)n->first;
		row.jobs = (int64_t)n->jobs;
		row.node = n->node;
		row.sample = n->sample;
		rc = add_row(b, &row);
	}
	return rc;
}

static int add_failures(struct buf *b, const struct report *r)
{
	int rc = 0;

	for (size_t i = 0; i < r->n_failures && !rc; i++) {
		const struct failure *f = &r->failures[i];
		struct row row = row_of("failure", f->fingerprint);

		row.label = f->sample->category;
		row.sums = &f->sums;
		row.users = (int64_t)f->users;
		row.first = f->first;
		row.last = f->last;
		row.sample = f->sample;
		row.text = f->message;
		row.state = f->fresh ? "new" : f->silent ? "came_back" : NULL;
		rc = add_row(b, &row);
	}
	return rc;
}

/* One row for each part of the time. */
static int add_time_of(struct buf *b, const char *section, const char *key,
    const struct goodput_sums *s)
{
	int rc = 0;

	for (int k = 0; k < GOODPUT_PARTS && !rc; k++) {
		struct row row = row_of(section, key);

		row.label = goodput_part_name(k);
		row.attempts = (int64_t)s->attempts;
		row.jobs = (int64_t)s->jobs;
		row.gpu_seconds = s->spent[k];
		rc = add_row(b, &row);
	}
	return rc;
}

/* Failures are those of the infrastructure. */
static int add_sizes(struct buf *b, const struct report *r)
{
	struct mttf m;
	char gpus[24];
	int rc = 0;

	mttf_find(&m, r);
	for (size_t i = 0; i < m.n && !rc; i++) {
		const struct mttf_size *v = &m.v[i];
		struct row row = row_of("mttf_gpus_up_to", gpus);

		snprintf(gpus, sizeof gpus, "%lld", (long long)v->gpus);
		row.attempts = (int64_t)v->attempts;
		row.failed = (int64_t)v->failures;
		row.gpu_seconds = v->gpu_seconds;
		rc = add_row(b, &row);
	}
	return rc;
}

static int add_goodput(struct buf *b, const struct report *r)
{
	const struct report_goodput *g = r->goodput;
	char section[32];
	int rc = g ? add_time_of(b, "goodput", "all", &g->all) : 0;

	for (int by = 0; g && by < GOODPUT_BY_COUNT; by++) {
		snprintf(section, sizeof section, "goodput_%s",
		    goodput_by_name((enum goodput_by)by));
		for (size_t i = 0; i < g->n[by] && !rc; i++)
			rc = add_time_of(b, section, g->rows[by][i].key,
			    &g->rows[by][i].sums);
	}
	return rc || (g && add_sizes(b, r)) ? -1 : 0;
}

static int add_recent(struct buf *b, const struct report *r)
{
	char section[32];
	int rc = 0;

	for (size_t i = 0; i < r->n_recent && !rc; i++) {
		const struct recent *v = &r->recent[i];
		struct row row = row_of(section, "all");

		snprintf(section, sizeof section, "last_%u_days", v->days);
		row.attempts = (int64_t)v->failed;
		row.jobs = (int64_t)v->jobs;
		row.lost = v->lost;
		row.first = v->since;
		rc = add_row(b, &row);
		for (size_t k = 0; k < v->n_categories && !rc; k++) {
			const struct recent_category *c = &v->categories[k];

			row = row_of(section, c->category);
			row.label = c->label;
			row.attempts = (int64_t)c->failed;
			row.jobs = (int64_t)c->jobs;
			row.lost = c->lost;
			rc = add_row(b, &row);
		}
	}
	return rc;
}

static int add_news(
    struct buf *b, const char *section, const struct news *v, size_t n)
{
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		struct row row = row_of(section, v[i].fingerprint);

		row.label = v[i].sample->category;
		row.attempts = (int64_t)v[i].attempts;
		row.jobs = (int64_t)v[i].jobs;
		row.users = (int64_t)v[i].users;
		row.failed_gpu_seconds = v[i].failed_gpu_seconds;
		row.first = v[i].first;
		row.sample = v[i].sample;
		rc = add_row(b, &row);
	}
	return rc;
}

/* The place and the words of the latest job. */
static int add_unnamed(struct buf *b, const struct report *r)
{
	int rc = 0;

	for (size_t i = 0; i < r->unnamed.n && !rc; i++) {
		const struct failure_group *g = &r->unnamed.v[i];
		struct row row = row_of("unnamed", g->id);

		if (!unnamed_shown(g))
			continue;
		row.label = g->name ? g->name : g->template;
		row.attempts = (int64_t)g->now.attempts;
		row.jobs = (int64_t)g->now.jobs;
		row.users = (int64_t)g->users;
		row.failed_gpu_seconds = g->now.gpu_seconds;
		row.first = g->first;
		row.last = g->last;
		row.sample = g->samples[0];
		rc = add_row(b, &row);
	}
	return rc;
}

static int add_rules(struct buf *b, const struct report *r)
{
	int rc = 0;

	for (size_t i = 0; i < r->n_rules && !rc; i++) {
		const struct rule_row *v = &r->rules[i];
		const struct {
			const char *section;
			uint64_t n;
		} counts[] = {
			{ "rule_won", v->won },
			{ "rule_seen", v->seen },
			{ "rule_on_good", v->on_good },
			{ "rule_judged_right", v->right },
			{ "rule_judged_wrong", v->wrong },
			{ "rule_stops", v->stops },
			{ "rule_stops_refuted", v->refuted },
			{ "rule_retries", v->retries },
			{ "rule_retries_helped", v->helped },
		};
		size_t n = sizeof counts / sizeof *counts;

		for (size_t k = 0; k < n && !rc; k++) {
			struct row row = row_of(counts[k].section, v->id);

			row.label = v->rule ? v->rule->title : NULL;
			row.attempts = (int64_t)counts[k].n;
			rc = add_row(b, &row);
		}
	}
	for (size_t i = 0; i < r->n_mend && !rc; i++) {
		struct row row = row_of("rule_to_mend", r->mend[i]->id);

		row.attempts = (int64_t)r->mend[i]->answered;
		row.failed_gpu_seconds = r->mend[i]->cost;
		rc = add_row(b, &row);
	}
	for (size_t i = 0; i < r->n_never && !rc; i++) {
		struct row row = row_of("rule_seen", r->never[i]);

		row.attempts = 0;
		rc = add_row(b, &row);
	}
	return rc;
}

static int write_csv(const struct report *r, const struct report_style *style,
    FILE *f, struct err *e)
{
	struct buf b = BUF_INIT(BUF_MAX);
	int rc;

	if (style->study)
		return study_csv(r, style->study, f, e);
	rc = buf_adds(&b,
		 "section,key,label,period,attempts,jobs,failed,unmeasured,"
		 "estimated,gpu_seconds,failed_gpu_seconds,lost,avoidable,"
		 "users,nodes,first,last,user,node,job,text,state,log,"
		 "failed_cpu_seconds,cpu_lost\r\n") ||
	    add_total(&b, r) || add_groups(&b, r) || add_incidents(&b, r) ||
	    add_nodes(&b, r) || add_goodput(&b, r) || add_failures(&b, r) ||
	    add_recent(&b, r) || add_news(&b, "new", r->fresh, r->n_fresh) ||
	    add_news(&b, "unexplained", r->unknown, r->n_unknown) ||
	    add_unnamed(&b, r) || add_rules(&b, r);
	if (!rc)
		fwrite(b.p, 1, b.len, f);
	buf_release(&b);
	return rc ? err_nomem(e) : 0;
}

const struct report_format report_csv = { "csv",
	"one long table for a spreadsheet", true, false, write_csv };
