/* The nodes for people, for programs, and for a scheduler. */
#include "base/buf.h"
#include "base/err.h"
#include "base/when.h"
#include "reports/nodes/lemons.h"
#include "reports/output/csv.h"
#include "reports/output/object.h"
#include "reports/period/figure.h"
#include "reports/period/sheet.h"

#include <math.h>
#include <string.h>

#define TOP 10 /* rows, where nobody says how many */

static const char *time_text(char out[32], int64_t micros)
{
	if (micros == ENVELOPE_NO_TIME)
		return "-";
	when_format(micros - micros % 1000000, out);
	return out;
}

static const char *number(char out[FIGURE], double v)
{
	if (v < 0)
		return "-";
	if (v >= HUGE_VAL)
		return "only here";
	snprintf(out, FIGURE, v < 1000 ? "%.3g" : "%.0f", v);
	return out;
}

static const char *hours(char out[FIGURE], double v)
{
	return v < HUGE_VAL ? figure_hours(out, (int64_t)(v * 3600)) : "-";
}

/* What a failure's log says, or else the reason. */
static const char *said(const struct entry *en)
{
	const char *text = report_said(en);

	return text ? text : en->reason ? en->reason : "";
}

/* ---- sentences, for people and for comments ---- */

/* "9 failures in 412.0 node-hours, ..."; one line. */
static int add_proof(struct buf *b, const struct lemon *row)
{
	char f[6][FIGURE];

	return buf_addf(b,
	    "%s failures in %s node-hours, %s expected of the same users' "
	    "jobs; %s%s; by chance %s, share of false ones %s",
	    figure_count(f[0], row->failures), figure_hours(f[1], row->seconds),
	    number(f[2], row->expected), number(f[3], row->ratio),
	    row->ratio < HUGE_VAL ? " times their rate elsewhere" : "",
	    number(f[4], row->p), number(f[5], row->share));
}

static int add_more(struct buf *b, const struct lemon *row)
{
	char f[3][FIGURE];
	int rc = buf_addf(b, "MTTF %s h (95 %%: %s to %s);",
	    hours(f[0], row->mttf[0]), hours(f[1], row->mttf[1]),
	    hours(f[2], row->mttf[2]));

	for (size_t i = 0; i < row->n_kinds && !rc; i++)
		rc = buf_addf(b, "%s %llu ", i ? "," : "",
			 (unsigned long long)row->kinds[i].n) ||
		    text_visible(b, span_of(row->kinds[i].category));
	if (!rc && row->node_log)
		rc = buf_addf(b, "; the node's own log tells %llu",
		    (unsigned long long)row->node_log);
	return rc;
}

static int add_sample(struct buf *b, const struct entry *en)
{
	char at[32];
	int rc = buf_addf(b, "%s job ", time_text(at, entry_when(en))) ||
	    text_visible(b, span_of(en->job)) ||
	    buf_addf(b, ", attempt %lld", (long long)en->attempt);

	if (en->user)
		rc = rc || buf_adds(b, ", ") ||
		    text_visible(b, span_of(en->user));
	return rc || buf_adds(b, ": ") ||
	    text_visible(b, span_of(en->category)) || buf_adds(b, ": ") ||
	    text_visible(b, span_of(said(en)));
}

/* All of it, each line with something before it. */
static int add_lemon(struct buf *b, const struct lemon *row, const char *before)
{
	int rc = buf_adds(b, before) || text_visible(b, span_of(row->node)) ||
	    buf_adds(b, ": ") || add_proof(b, row) || buf_addc(b, '\n') ||
	    buf_adds(b, before) || buf_adds(b, "  ") || add_more(b, row) ||
	    buf_addc(b, '\n');

	for (size_t i = 0; i < row->n_samples && !rc; i++)
		rc = buf_adds(b, before) || buf_adds(b, "  ") ||
		    add_sample(b, row->samples[i]) || buf_addc(b, '\n');
	return rc ? -1 : 0;
}

/* ---- for a scheduler ---- */

/* A name that needs no quotes anywhere. */
static bool plain(const char *node)
{
	return *node != '-' &&
	    !node[strspn(node,
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
		"0123456789._-")];
}

static int add_slurm(struct buf *b, const struct lemons *l)
{
	char a[32], z[32], until[32];
	char f[4][FIGURE];
	const char *before = "--exclude=";
	int rc = buf_addf(b,
	    "# jobtriage report nodes: %s lemons of %s nodes, %s to %s\n"
	    "# of the lemons at most %s %% are false ones\n"
	    "# holds until %s\n",
	    figure_count(f[0], l->n_lemons), figure_count(f[1], l->n),
	    time_text(a, l->options.since), time_text(z, l->options.until),
	    number(f[2], 100 * l->options.level),
	    time_text(until, l->holds_until));

	for (size_t i = 0; i < l->n_lemons && !rc; i++) {
		const struct lemon *row = &l->v[i];

		rc = buf_adds(b, "#\n") || add_lemon(b, row, "# ");
		if (!rc && !plain(row->node))
			rc = buf_adds(b, "# left out: no name of Slurm's\n");
		else if (!rc)
			rc = buf_addf(b,
			    "NodeName=%s State=DRAIN Reason=\"jobtriage: "
			    "%llu failures in %s h, %s expected, holds until "
			    "%s\"\n",
			    row->node, (unsigned long long)row->failures,
			    figure_hours(f[2], row->seconds),
			    number(f[3], row->expected), until);
	}
	for (size_t i = 0; i < l->n_lemons && !rc; i++)
		if (plain(l->v[i].node)) {
			rc = buf_adds(b, before) || buf_adds(b, l->v[i].node);
			before = ",";
		}
	return rc || (*before == ',' && buf_addc(b, '\n')) ? -1 : 0;
}

static int write_slurm(const struct lemons *l, const struct report_style *s,
    FILE *f, struct err *e)
{
	struct buf b = BUF_INIT(BUF_MAX);
	int rc;

	(void)s;
	if (l->several_clusters)
		return err_set(e,
		    "report nodes: nodes of several clusters; --cluster NAME "
		    "chooses one");
	rc = add_slurm(&b, l);
	if (!rc)
		fwrite(b.p, 1, b.len, f);
	buf_release(&b);
	return rc ? err_nomem(e) : 0;
}

/* ---- for people ---- */

static void write_row(
    struct sheet *s, const struct lemons *l, const struct lemon *row)
{
	char a[FIGURE], z[FIGURE];

	if (l->several_clusters)
		sheet_text(s, row->cluster);
	sheet_text(s, row->node);
	sheet_text(s, row->lemon ? "lemon" : "");
	sheet_text(s, figure_hours(a, row->seconds));
	sheet_text(s, figure_count(a, row->failures));
	sheet_text(s, number(a, row->expected));
	sheet_text(s, number(a, row->ratio));
	sheet_text(s, number(a, row->share));
	sheet_text(s, hours(a, row->mttf[0]));
	sheet_cell(s, "%s-%s", hours(a, row->mttf[1]),
	    row->failures ? hours(z, row->mttf[2]) : "");
	sheet_text(s, figure_count(a, row->others));
	sheet_text(s, row->n_kinds ? row->kinds[0].category : "");
}

static void write_table(
    struct sheet *s, const struct lemons *l, const struct report_style *style)
{
	static const struct column columns[] = { { "CLUSTER", COLUMN_NAME },
		{ "NODE", COLUMN_NAME }, { "", COLUMN_WORD },
		{ "HOURS", COLUMN_NUMBER }, { "FAILED", COLUMN_NUMBER },
		{ "EXPECTED", COLUMN_NUMBER }, { "RATIO", COLUMN_NUMBER },
		{ "FALSE", COLUMN_NUMBER }, { "MTTF", COLUMN_NUMBER },
		{ "95 %", COLUMN_NUMBER }, { "OTHERS", COLUMN_NUMBER },
		{ "MOSTLY", COLUMN_NAME } };
	const size_t skip = l->several_clusters ? 0 : 1;
	size_t n = style->top ? style->top : TOP;

	if (n < l->n_lemons)
		n = l->n_lemons;

	sheet_table(s, columns + skip, sizeof columns / sizeof *columns - skip);
	for (size_t i = 0; i < l->n && i < n; i++)
		write_row(s, l, &l->v[i]);
	sheet_table_end(s);
	if (l->n > n)
		sheet_line(s, "and %zu more", l->n - n);
}

/* Attempts that are not among the failures, and why. */
static void write_rest(struct sheet *s, const struct lemons *l)
{
	const struct {
		uint64_t n;
		const char *why;
	} rest[] = {
		{ l->all.outages,
		    "died in outages of several nodes: left out" },
		{ l->all.unplaced,
		    "died of the infrastructure on a node that nobody names: "
		    "left out" },
		{ l->unmeasured, "of unknown nodes or times: no node-hours" },
	};
	char f[FIGURE];

	for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
		if (rest[i].n)
			sheet_line(s, "%s attempt%s %s",
			    figure_count(f, rest[i].n),
			    figure_plural(rest[i].n), rest[i].why);
}

static void write_sums(struct sheet *s, const struct lemons *l)
{
	const struct lemon *all = &l->all;
	char f[5][FIGURE];

	sheet_line(s, "%s to %s: %s node-hours of %s node%s, %s attempt%s",
	    figure_time(f[0], l->options.since),
	    figure_time(f[1], l->options.until),
	    figure_hours(f[2], all->seconds), figure_count(f[3], l->n),
	    figure_plural(l->n), figure_count(f[4], all->attempts),
	    figure_plural(all->attempts));
	sheet_line(s,
	    "%s failure%s by nodes' fault, of which %s attempt%s died; MTTF "
	    "of a node %s h (95 %%: %s to %s)",
	    figure_count(f[0], all->failures), figure_plural(all->failures),
	    figure_count(f[1], all->victims), figure_plural(all->victims),
	    hours(f[2], all->mttf[0]), hours(f[3], all->mttf[1]),
	    hours(f[4], all->mttf[2]));
	write_rest(s, l);
}

/* The proofs, and what to exclude. */
static int write_lemons(struct sheet *s, const struct lemons *l)
{
	struct buf b = BUF_INIT(BUF_MAX);
	char at[32];
	int rc = 0;

	if (!l->n_lemons) {
		sheet_line(s, "No node is a lemon.");
		return 0;
	}
	sheet_heading(s, "Lemons");
	for (size_t i = 0; i < l->n_lemons && !rc; i++) {
		buf_clear(&b);
		rc = add_lemon(&b, &l->v[i], "");
		for (struct span left = { b.p, b.len }; left.n && !rc;) {
			size_t n = span_find(left, "\n");

			sheet_line(s, "%.*s", (int)n, left.p);
			left = span_sub(left, n + 1, left.n);
		}
	}
	buf_clear(&b);
	for (size_t i = 0; i < l->n_lemons && !rc; i++)
		rc = buf_adds(&b, i ? "," : "") ||
		    text_visible(&b, span_of(l->v[i].node));
	if (!rc)
		sheet_line(s, "Exclude until %s: %s",
		    time_text(at, l->holds_until), b.p);
	buf_release(&b);
	return rc ? -1 : 0;
}

static int write_page(const struct lemons *l, const struct report_style *style,
    FILE *f, bool markdown)
{
	struct sheet s;
	int rc;

	sheet_begin(&s, f, markdown, style);
	sheet_title(&s, style->title ? style->title : "Failures of nodes");
	write_sums(&s, l);
	if (l->n)
		write_table(&s, l, style);
	rc = write_lemons(&s, l);
	return sheet_end(&s) || rc ? -1 : 0;
}

static int write_text(const struct lemons *l, const struct report_style *style,
    FILE *f, struct err *e)
{
	return write_page(l, style, f, false) ? err_nomem(e) : 0;
}

static int write_markdown(const struct lemons *l,
    const struct report_style *style, FILE *f, struct err *e)
{
	return write_page(l, style, f, true) ? err_nomem(e) : 0;
}

/* ---- for programs ---- */

static void put_real(struct object *o, const char *key, double v)
{
	object_put(o, key,
	    v >= 0 && v < HUGE_VAL ? json_new_real(v) : json_new_null());
}

static void put_mttf(struct object *o, const struct lemon *row)
{
	static const char *const keys[] = { "mttf_seconds", "mttf_low",
		"mttf_high" };

	for (size_t i = 0; i < 3; i++)
		object_put(o, keys[i],
		    row->mttf[i] < HUGE_VAL
			? json_new_int((int64_t)(row->mttf[i] * 3600))
			: json_new_null());
}

static void put_counts(struct object *o, const struct lemon *row)
{
	object_total(o, "attempts", row->attempts);
	object_int(o, "node_seconds", row->seconds);
	object_total(o, "failures", row->failures);
	object_total(o, "victims", row->victims);
	object_total(o, "node_log", row->node_log);
	object_total(o, "outages", row->outages);
	object_total(o, "other_failures", row->others);
	object_total(o, "unplaced", row->unplaced);
	put_mttf(o, row);
}

static struct json *sample_json(const struct entry *en)
{
	struct object o = object_new();

	object_string(&o, "job", en->job);
	object_int(&o, "attempt", en->attempt);
	object_string(&o, "cluster", en->cluster);
	object_string(&o, "user", en->user);
	object_time(&o, "at", entry_when(en));
	object_string(&o, "category", en->category);
	object_string(&o, "rule", en->rule);
	object_string(&o, "text", said(en));
	object_string(&o, "path", entry_log(en));
	object_count(&o, "line", entry_line(en));
	return object_done(&o);
}

static struct json *lemon_json(const struct lemon *row)
{
	struct object o = object_new(), kinds = object_new(),
		      samples = object_new_array();

	object_string(&o, "node", row->node);
	object_string(&o, "cluster", row->cluster);
	object_bool(&o, "lemon", row->lemon);
	put_counts(&o, row);
	put_real(&o, "expected", row->expected);
	put_real(&o, "ratio", row->ratio);
	put_real(&o, "p", row->p);
	put_real(&o, "false_share", row->share);
	for (size_t i = 0; i < row->n_kinds; i++)
		object_total(&kinds, row->kinds[i].category, row->kinds[i].n);
	object_put(&o, "categories", object_done(&kinds));
	for (size_t i = 0; i < row->n_samples; i++)
		object_add(&samples, sample_json(row->samples[i]));
	object_put(&o, "samples", object_done(&samples));
	return object_done(&o);
}

static int write_json(const struct lemons *l, const struct report_style *s,
    FILE *f, struct err *e)
{
	struct object o = object_new(), all = object_new(),
		      nodes = object_new_array(), out = object_new_array();

	object_string(&o, "schema", "jobtriage.nodes/1");
	object_string(&o, "title", s->title);
	object_time(&o, "since", l->options.since);
	object_time(&o, "until", l->options.until);
	object_time(&o, "holds_until", l->holds_until);
	put_real(&o, "level", l->options.level);
	put_counts(&all, &l->all);
	object_total(&all, "unmeasured", l->unmeasured);
	object_put(&o, "all", object_done(&all));
	for (size_t i = 0; i < l->n_lemons; i++)
		object_add(&out, json_new_string(l->v[i].node));
	object_put(&o, "exclude", object_done(&out));
	for (size_t i = 0; i < l->n; i++)
		object_add(&nodes, lemon_json(&l->v[i]));
	object_put(&o, "nodes", object_done(&nodes));
	return object_print(&o, f, e);
}

static int add_cell(struct buf *b, double v)
{
	return v >= 0 && v < HUGE_VAL ? buf_addf(b, "%.6g,", v)
				      : buf_addc(b, ',');
}

static int add_row(
    struct buf *b, const struct lemons *l, const struct lemon *row)
{
	char until[32];

	return csv_field(b, span_of(row->node), ",") ||
	    csv_field(b, span_of(row->cluster), ",") ||
	    buf_addf(b, "%d,%llu,%lld,%llu,%llu,%llu,%llu,%llu,%llu,",
		row->lemon, (unsigned long long)row->attempts,
		(long long)row->seconds, (unsigned long long)row->failures,
		(unsigned long long)row->victims,
		(unsigned long long)row->node_log,
		(unsigned long long)row->outages,
		(unsigned long long)row->others,
		(unsigned long long)row->unplaced) ||
	    add_cell(b, row->expected) || add_cell(b, row->ratio) ||
	    add_cell(b, row->p) || add_cell(b, row->share) ||
	    add_cell(b, row->mttf[0]) || add_cell(b, row->mttf[1]) ||
	    add_cell(b, row->mttf[2]) ||
	    csv_field(b, span_of(row->n_kinds ? row->kinds[0].category : NULL),
		",") ||
	    csv_field(b,
		span_of(row->lemon ? time_text(until, l->holds_until) : NULL),
		"\r\n");
}

static int write_csv(const struct lemons *l, const struct report_style *s,
    FILE *f, struct err *e)
{
	struct buf b = BUF_INIT(BUF_MAX);
	int rc = buf_adds(&b,
	    "node,cluster,lemon,attempts,node_seconds,failures,victims,"
	    "node_log,outages,other_failures,unplaced,expected,ratio,p,"
	    "false_share,mttf_hours,mttf_low,mttf_high,mostly,exclude_until"
	    "\r\n");

	(void)s;
	for (size_t i = 0; i < l->n && !rc; i++)
		rc = add_row(&b, l, &l->v[i]);
	if (!rc)
		fwrite(b.p, 1, b.len, f);
	buf_release(&b);
	return rc ? err_nomem(e) : 0;
}

const struct lemons_format *lemons_format_find(const char *name)
{
	static const struct lemons_format formats[] = {
		{ "text", write_text },
		{ "markdown", write_markdown },
		{ "json", write_json },
		{ "csv", write_csv },
		{ "slurm", write_slurm },
	};

	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	return NULL;
}
