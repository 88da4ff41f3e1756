/* The study's view, written; what it means is in study.c. */
#include "reports/period/study_write.h"

#include "base/err.h"
#include "reports/output/object.h"
#include "reports/output/csv.h"
#include "reports/period/figure.h"

#include <string.h>

/* ---- for people ---- */

static const struct column columns[] = { { "", COLUMN_NAME },
	{ "FAILURES", COLUMN_NUMBER }, { "SHARE", COLUMN_NUMBER },
	{ "PAPER", COLUMN_NUMBER }, { "GPU-HOURS", COLUMN_NUMBER },
	{ "SHARE", COLUMN_NUMBER }, { "PAPER", COLUMN_NUMBER } };

#define N_COLUMNS (sizeof columns / sizeof *columns)

/* "39.4 %", "8.6 % of 2" for two rows together, "-". */
static void paper_cell(struct sheet *s, int share, unsigned together)
{
	if (share == STUDY_UNKNOWN)
		sheet_text(s, "-");
	else if (together > 1)
		sheet_cell(s, "%d.%d %% of %u", share / 100, share % 100 / 10,
		    together);
	else
		sheet_cell(s, "%.1f %%", (double)(share + share % 2) / 100);
}

static void row_cells(
    struct sheet *s, const struct study *y, const struct study_row *row)
{
	char text[FIGURE];

	sheet_text(s, figure_count(text, row->failures));
	sheet_text(
	    s, figure_share(text, (double)row->failures, (double)y->failures));
	paper_cell(s, row->share, row->together);
	sheet_text(s,
	    row->failures && row->unmeasured == row->failures
		? "unknown"
		: figure_hours(text, row->gpu_seconds));
	sheet_text(s,
	    figure_share(
		text, (double)row->gpu_seconds, (double)y->gpu_seconds));
	paper_cell(s, row->gpu_share, row->gpu_together);
}

static void part_table(
    struct sheet *s, const struct study *y, enum study_part part)
{
	sheet_table(s, columns, N_COLUMNS);
	for (size_t i = 0; i < y->n[part]; i++) {
		sheet_text(s, y->rows[part][i].name);
		row_cells(s, y, &y->rows[part][i]);
	}
	sheet_table_end(s);
}

static void category_table(struct sheet *s, const struct study *y)
{
	const struct study_row *d = y->rows[STUDY_DIMENSION];

	sheet_table(s, columns, N_COLUMNS);
	for (size_t i = 0; i < y->n[STUDY_DIMENSION]; i++) {
		sheet_text(s, d[i].name);
		row_cells(s, y, &d[i]);
		for (size_t k = 0; k < y->n[STUDY_CATEGORY]; k++) {
			const struct study_row *c = &y->rows[STUDY_CATEGORY][k];

			if (strcmp(c->dimension, d[i].id) != 0)
				continue;
			/* indented: "- " survives the trimming of cells */
			sheet_cell(s, "- %s", c->name);
			row_cells(s, y, c);
		}
	}
	sheet_table_end(s);
}

static void left_out_lines(struct sheet *s, const struct study *y)
{
	const struct {
		uint64_t n;
		const char *what;
	} lines[] = {
		{ y->earlier, "not the last attempt of their job" },
		{ y->not_failed, "ended well, or cannot be told" },
		{ y->unexplained, "explained by no rule" },
		{ y->outside, "of categories that the study does not have" },
	};
	char text[FIGURE];

	sheet_heading(s, "Left out");
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		sheet_line(s, "%s attempt%s %s", figure_count(text, lines[i].n),
		    figure_plural(lines[i].n), lines[i].what);
	if (s->markdown)
		return;
	for (size_t i = 0; i < y->n_left_out; i++)
		sheet_line(s, "  %s %s",
		    figure_count(text, y->left_out[i].failures),
		    y->left_out[i].name);
}

static void other_sheet(struct sheet *s, const struct study *y)
{
	char one[FIGURE], two[FIGURE];

	sheet_line(s, "%s failed attempts of %s, beside PAPER:",
	    figure_count(one, y->failures), figure_count(two, y->attempts));
	sheet_line(s, "the %s.", y->title);
	sheet_line(s,
	    "Its classes, by the nearest categories here "
	    "(\"-\": not published).");
	sheet_heading(s, "Classes");
	part_table(s, y, STUDY_CATEGORY);
	sheet_heading(s, "In no class");
	sheet_line(s, "%s failed attempts", figure_count(one, y->outside));
	for (size_t i = 0; i < y->n_left_out && !s->markdown; i++)
		sheet_line(s, "  %s %s",
		    figure_count(one, y->left_out[i].failures),
		    y->left_out[i].name);
}

int study_sheet(
    const struct report *r, const char *which, struct sheet *s, struct err *e)
{
	struct study y = { 0 };
	char one[FIGURE], two[FIGURE];

	if (study_init(&y, r, which))
		return err_nomem(e);
	if (y.title) {
		other_sheet(s, &y);
		return 0;
	}
	sheet_line(s,
	    "%s failures of %s attempts, as Zhang et al. (ICSE 2020) count "
	    "theirs:",
	    figure_count(one, y.failures), figure_count(two, y.attempts));
	sheet_line(s,
	    "jobs failed by the program, each by its last attempt; "
	    "PAPER: their share");
	sheet_line(s,
	    "of 4,960 failures (\"of N\": of N rows together, \"-\": not "
	    "published)");
	sheet_heading(s, "Categories in their dimensions");
	category_table(s, &y);
	sheet_heading(s, "Root causes (paper: of 400 sampled failures)");
	part_table(s, &y, STUDY_FAMILY);
	sheet_heading(s, "Stages");
	part_table(s, &y, STUDY_STAGE);
	left_out_lines(s, &y);
	return 0;
}

/* ---- JSON ---- */

static struct json *known(int v)
{
	return v == STUDY_UNKNOWN ? json_new_null() : json_new_int(v);
}

static struct json *row_json(const struct study_row *row)
{
	struct object o = object_new();

	object_string(&o, "id", row->id);
	object_string(&o, "name", row->name);
	object_string(&o, "dimension", row->dimension);
	object_total(&o, "failures", row->failures);
	object_int(&o, "gpu_seconds", row->gpu_seconds);
	object_total(&o, "unmeasured", row->unmeasured);
	object_put(&o, "paper_share", known(row->share));
	object_int(&o, "paper_share_of", row->together ? row->together : 1);
	object_put(&o, "paper_gpu_share", known(row->gpu_share));
	object_int(&o, "paper_gpu_share_of",
	    row->gpu_together ? row->gpu_together : 1);
	return object_done(&o);
}

static struct json *rows_json(const struct study_row *v, size_t n)
{
	struct object a = object_new_array();

	for (size_t i = 0; i < n; i++)
		object_add(&a, row_json(&v[i]));
	return object_done(&a);
}

struct json *study_json(const struct report *r, const char *which)
{
	struct object o = object_new();
	struct study y = { 0 };

	o.failed |= study_init(&y, r, which) != 0;
	object_string(&o, "of", which);
	object_total(&o, "attempts", y.attempts);
	object_total(&o, "earlier", y.earlier);
	object_total(&o, "not_failed", y.not_failed);
	object_total(&o, "unexplained", y.unexplained);
	object_total(&o, "outside", y.outside);
	object_total(&o, "failures", y.failures);
	object_int(&o, "gpu_seconds", y.gpu_seconds);
	object_total(&o, "unmeasured", y.unmeasured);
	for (int k = 0; k < STUDY_PART_COUNT; k++)
		object_put(&o, study_part_name((enum study_part)k),
		    rows_json(y.rows[k], y.n[k]));
	object_put(&o, "left_out", rows_json(y.left_out, y.n_left_out));
	return object_done(&o);
}

/* ---- CSV ---- */

static int csv_row(
    struct buf *b, const char *section, const struct study_row *row)
{
	const int paper[] = { row->share, row->gpu_share };
	const unsigned of[] = { row->together, row->gpu_together };
	int rc = csv_field(b, span_of(section), ",") ||
	    csv_field(b, span_of(row->id), ",") ||
	    csv_field(b, span_of(row->name), ",") ||
	    csv_field(b, span_of(row->dimension), ",") ||
	    buf_addf(b, "%llu,%llu,%lld", (unsigned long long)row->failures,
		(unsigned long long)row->unmeasured,
		(long long)row->gpu_seconds);

	for (int k = 0; k < 2 && !rc; k++)
		rc = paper[k] == STUDY_UNKNOWN
		    ? buf_adds(b, ",,")
		    : buf_addf(b, ",%d,%u", paper[k], of[k]);
	return rc || buf_adds(b, "\r\n");
}

static int csv_count(struct buf *b, const char *name, uint64_t n)
{
	const struct study_row row = { .id = name,
		.name = name,
		.failures = n,
		.share = STUDY_UNKNOWN,
		.gpu_share = STUDY_UNKNOWN };

	return csv_row(b, "attempts", &row);
}

int study_csv(const struct report *r, const char *which, FILE *f, struct err *e)
{
	struct buf b = BUF_INIT(BUF_MAX);
	struct study y = { 0 };
	int rc = study_init(&y, r, which) ||
	    buf_adds(&b,
		"section,key,label,dimension,failures,unmeasured,gpu_seconds,"
		"paper_share,paper_share_of,paper_gpu_share,"
		"paper_gpu_share_of\r\n");

	rc = rc || csv_count(&b, "all", y.attempts) ||
	    csv_count(&b, "earlier", y.earlier) ||
	    csv_count(&b, "not_failed", y.not_failed) ||
	    csv_count(&b, "unexplained", y.unexplained) ||
	    csv_count(&b, "outside", y.outside) ||
	    csv_count(&b, "failures", y.failures);
	for (int k = 0; k < STUDY_PART_COUNT && !rc; k++)
		for (size_t i = 0; i < y.n[k] && !rc; i++)
			rc = csv_row(&b, study_part_name((enum study_part)k),
			    &y.rows[k][i]);
	for (size_t i = 0; !rc && i < y.n_left_out; i++)
		rc = csv_row(&b, "left_out", &y.left_out[i]);
	if (!rc)
		fwrite(b.p, 1, b.len, f);
	buf_release(&b);
	return rc ? json_lacking(e) : 0;
}
