/*
 * For a terminal: a row for each job that did not end well, then the sums.
 * Text from logs is made visible before it is printed, and cut to the width.
 */
#include "base/err.h"
#include "reports/output/output.h"

#include <stdlib.h>
#include <string.h>

#define CATEGORY_COLUMNS 22
#define VERDICT_COLUMNS 10
#define WIDE 120 /* columns of a terminal from which the message fits, too */
#define NO_LOG_WORDS "failed, no log"
#define ELLIPSIS "\xe2\x80\xa6"

/* Whether the message has a line of its own. */
static bool narrow(const struct writer *w)
{
	return w->width > 0 && w->width < WIDE;
}

/* A quarter of the terminal for the job's name, within reason; all that the
 * other columns leave when the message has a line of its own. */
static size_t job_columns(const struct writer *w)
{
	size_t others = CATEGORY_COLUMNS + VERDICT_COLUMNS + 4;

	if (w->width == 0)
		return 40;
	if (narrow(w))
		return w->width > others + 16 ? w->width - others : 16;
	return w->width > 192 ? 48 : w->width / 4;
}

static const char *verdict_colour(enum verdict v)
{
	switch (v) {
	case VERDICT_RETRY:
		return "\033[32m";
	case VERDICT_ADJUST:
		return "\033[33m";
	case VERDICT_STOP:
		return "\033[31m";
	default:
		return "\033[2m";
	}
}

static int add_colour(struct writer *w, const char *code)
{
	return w->colour ? buf_adds(&w->line, code) : 0;
}

/* s made visible, cut to so many columns: in the middle, but rather its start,
 * since a path's end tells more. How wide it has become goes to *width. */
static int add_cut(struct buf *b, struct span s, size_t columns, size_t *width)
{
	struct buf clean = BUF_INIT(BUF_MAX);
	int rc = text_visible(&clean, s);
	struct span all = { clean.p, clean.len };
	struct span head = text_fit(all, columns / 3), tail;

	*width = rc ? 0 : text_width(all);
	if (!rc && *width <= columns) {
		rc = all.n ? buf_add(b, all.p, all.n) : 0;
	} else if (!rc) {
		tail = text_tail(all, columns - 1 - text_width(head));
		*width = text_width(head) + 1 + text_width(tail);
		rc = (head.n && buf_add(b, head.p, head.n)) ||
		    buf_adds(b, ELLIPSIS) || buf_add(b, tail.p, tail.n);
	}
	buf_release(&clean);
	return rc;
}

/* The same, filled up with blanks. */
static int add_cell(struct buf *b, struct span s, size_t columns)
{
	size_t width;
	int rc = add_cut(b, s, columns, &width);

	while (!rc && width++ < columns)
		rc = buf_addc(b, ' ');
	return rc ? rc : buf_adds(b, "  ");
}

static int add_heading(struct writer *w)
{
	static const char *const names[] = { "JOB", "CATEGORY", "VERDICT" };
	const size_t columns[] = { job_columns(w), CATEGORY_COLUMNS,
		VERDICT_COLUMNS };
	int rc = add_colour(w, "\033[1m");

	for (size_t i = 0; i < 3 && !rc; i++)
		rc = add_cell(&w->line, span_of(names[i]), columns[i]);
	return rc || (!narrow(w) && buf_adds(&w->line, "ROOT FAILURE")) ||
	    add_colour(w, "\033[0m") || buf_addc(&w->line, '\n');
}

/* The file's name; on a terminal not where the job has it already. */
static struct span name_of(
    const struct writer *w, const struct entry *en, const char *path)
{
	const char *base = strrchr(path, '/');
	struct span name = span_of(base ? base + 1 : path), job, stem;
	const char *dot = strrchr(name.p, '.');

	job = span_of(en->job);
	stem = span_sub(name, 0, dot ? (size_t)(dot - name.p) : name.n);
	if (w->width && job.n > stem.n && job.p[job.n - stem.n - 1] == '/' &&
	    span_eq(span_sub(job, job.n - stem.n, job.n), stem))
		return span_sub(name, 0, 0);
	return name;
}

/* "train.log:123 rank 3: ValueError: ..." */
static int add_cause(struct writer *w, const struct entry *en)
{
	size_t used = narrow(w)
	    ? 4
	    : job_columns(w) + CATEGORY_COLUMNS + VERDICT_COLUMNS + 6;
	size_t room = w->width > used + 10 ? w->width - used : 400;
	const struct entry_proof *p = en->evidence;
	struct buf text = BUF_INIT(BUF_MAX), clean = BUF_INIT(BUF_MAX);
	struct span s;
	int rc;

	if (en->n_evidence == 0) {
		rc = buf_adds(&text, en->reason);
	} else {
		s = name_of(w, en, p->path);
		rc = buf_addf(&text, "%.*s%s%lld", (int)s.n, s.p,
		    s.n ? ":" : "line ", (long long)p->line);
		if (!rc && p->rank >= 0)
			rc = buf_addf(&text, " rank %lld", (long long)p->rank);
		s = span_trim(span_of(p->text));
		if (!rc)
			rc = buf_adds(&text, ": ") || buf_add(&text, s.p, s.n);
	}
	if (!rc)
		rc = text_visible(&clean, (struct span){ text.p, text.len });
	s = (struct span){ clean.p, clean.len };
	if (!rc && text_width(s) > room) {
		s = text_fit(s, room - 1);
		rc =
		    buf_add(&w->line, s.p, s.n) || buf_adds(&w->line, ELLIPSIS);
	} else if (!rc && s.n) {
		rc = buf_add(&w->line, s.p, s.n);
	}
	buf_release(&text);
	buf_release(&clean);
	return rc;
}

/* The words of its row, or NULL: it has none, for nothing is seen to have gone
 * wrong. */
static const char *listed_as(const struct entry *en)
{
	if (en->failed == 1)
		return strcmp(entry_category(en), ENTRY_NO_LOG) ? en->category
								: NO_LOG_WORDS;
	switch (entry_ending(en)) {
	case ENDING_CUT:
		return "cut off";
	case ENDING_UNKNOWN:
		return en->category;
	default:
		return NULL;
	}
}

/* How many rows there are for the jobs so far. */
static uint64_t listed(const struct totals *t)
{
	return t->failed + t->endings[ENDING_CUT] + t->endings[ENDING_UNKNOWN];
}

static int text_entry(struct writer *w, const struct entry *en, struct err *e)
{
	const char *what = listed_as(en);
	int rc = 0;

	if (!what)
		return 0;
	if (listed(&w->totals) == 1)
		rc = add_heading(w);
	rc = rc || add_cell(&w->line, span_of(en->job), job_columns(w)) ||
	    add_cell(&w->line, span_of(what), CATEGORY_COLUMNS) ||
	    add_colour(w, verdict_colour(en->verdict)) ||
	    buf_addf(&w->line, "%-*s", narrow(w) ? 0 : VERDICT_COLUMNS,
		taxonomy_verdict_name(en->verdict)) ||
	    add_colour(w, "\033[0m") ||
	    buf_adds(&w->line, narrow(w) ? "\n    " : "  ") ||
	    add_cause(w, en) || buf_addc(&w->line, '\n');
	return rc ? err_nomem(e) : 0;
}

/* ---- the sums ---- */

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static int add_size(struct buf *b, uint64_t bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	double v = (double)bytes;
	size_t u = 0;

	while (v >= 1024 && u < 4) {
		v /= 1024;
		u++;
	}
	return buf_addf(b, u ? "%.1f %s" : "%.0f %s", v, units[u]);
}

static int add_headline(struct writer *w)
{
	static const struct {
		enum ending ending;
		const char *words;
	} rows[] = {
		{ ENDING_UNPROVEN, "without a sign of failure" },
		{ ENDING_CUT, "cut off" },
		{ ENDING_RUNNING, "not ended yet" },
		{ ENDING_UNKNOWN, "cannot be told" },
	};
	const struct totals *t = &w->totals;
	struct buf *b = &w->line;
	int rc = buf_addf(b, "%s%llu job%s: %llu failed, %llu ended well",
	    listed(t) ? "\n" : "", (unsigned long long)t->jobs, plural(t->jobs),
	    (unsigned long long)t->failed,
	    (unsigned long long)t->endings[ENDING_PROVEN]);

	for (size_t i = 0; i < sizeof rows / sizeof *rows && !rc; i++)
		if (t->endings[rows[i].ending])
			rc = buf_addf(b, ", %llu %s",
			    (unsigned long long)t->endings[rows[i].ending],
			    rows[i].words);
	rc = rc ||
	    buf_addf(b, " (%llu log%s, ", (unsigned long long)w->logs,
		plural(w->logs)) ||
	    add_size(b, w->bytes);
	if (!rc && w->others)
		rc = buf_addf(b, "; %llu other file%s left out",
		    (unsigned long long)w->others, plural(w->others));
	if (!rc && w->recalled)
		rc = buf_addf(b, "; %llu job%s unchanged since the last scan",
		    (unsigned long long)w->recalled, plural(w->recalled));
	if (!rc && w->unread)
		rc = buf_addf(b, "; %llu input%s not read whole",
		    (unsigned long long)w->unread, plural(w->unread));
	return rc || buf_adds(b, ")\n");
}

struct row {
	const struct category *c;
	uint64_t n;
};

static int by_count(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->n != y->n)
		return x->n < y->n ? 1 : -1;
	return strcmp(x->c->id, y->c->id);
}

static int add_row(
    struct writer *w, const char *dimension, const char *name, uint64_t n)
{
	double share = 100.0 * (double)n / (double)w->totals.failed;

	return add_cell(&w->line, span_of(dimension), 22) ||
	    add_cell(&w->line, span_of(name), 26) ||
	    buf_addf(
		&w->line, "%6llu  %5.1f %%\n", (unsigned long long)n, share);
}

/* Categories under their dimensions, the dimension with most failures first. */
static int add_categories(struct writer *w, struct row *rows, size_t n)
{
	struct buf *b = &w->line;
	int rc = buf_addc(b, '\n') || add_colour(w, "\033[1m") ||
	    add_cell(b, span_of("DIMENSION"), 22) ||
	    add_cell(b, span_of("CATEGORY"), 26) ||
	    buf_adds(b, "  JOBS    SHARE") || add_colour(w, "\033[0m") ||
	    buf_addc(b, '\n');

	for (size_t left = n; left && !rc;) {
		const char *best = NULL;
		uint64_t most = 0;
		bool first = true;

		for (size_t i = 0; i < n; i++) {
			uint64_t sum = 0;

			if (rows[i].n == 0)
				continue;
			for (size_t k = 0; k < n; k++)
				if (strcmp(rows[k].c->dimension,
					rows[i].c->dimension) == 0)
					sum += rows[k].n;
			if (sum > most) {
				most = sum;
				best = rows[i].c->dimension;
			}
		}
		for (size_t i = 0; best && i < n && !rc; i++) {
			if (rows[i].n == 0 ||
			    strcmp(rows[i].c->dimension, best) != 0)
				continue;
			rc = add_row(
			    w, first ? best : "", rows[i].c->id, rows[i].n);
			rows[i].n = 0;
			left--;
			first = false;
		}
		if (!best)
			break;
	}
	return rc;
}

static int add_table(struct writer *w)
{
	const struct taxonomy *tax = w->tax;
	struct row *rows = calloc(tax->n_categories + 1, sizeof *rows);
	size_t n = 0;
	int rc;

	if (!rows)
		return -1;
	for (size_t i = 0; i < tax->n_categories; i++)
		if (w->totals.categories[i])
			rows[n++] = (struct row){ &tax->categories[i],
				w->totals.categories[i] };
	if (n)
		qsort(rows, n, sizeof *rows, by_count);
	rc = add_categories(w, rows, n);
	free(rows);
	if (!rc && w->totals.unknown)
		rc = add_row(w, "", "unknown", w->totals.unknown);
	if (!rc && w->totals.no_log)
		rc = add_row(w, "", NO_LOG_WORDS, w->totals.no_log);
	return rc;
}

static int add_verdicts(struct writer *w)
{
	static const enum verdict order[] = { VERDICT_RETRY, VERDICT_ADJUST,
		VERDICT_STOP, VERDICT_UNDECIDED };
	const struct totals *t = &w->totals;
	struct buf *b = &w->line;
	int rc = buf_adds(b, "\nverdicts    ");

	for (size_t i = 0; i < 4 && !rc; i++)
		rc = add_colour(w, verdict_colour(order[i])) ||
		    buf_addf(b, "%s %llu", taxonomy_verdict_name(order[i]),
			(unsigned long long)t->verdicts[order[i]]) ||
		    add_colour(w, "\033[0m") || buf_adds(b, i < 3 ? ", " : "");
	return rc ||
	    buf_addf(b, "\nconfidence  high %llu, medium %llu, low %llu\n",
		(unsigned long long)t->confidence[CONFIDENCE_HIGH],
		(unsigned long long)t->confidence[CONFIDENCE_MEDIUM],
		(unsigned long long)t->confidence[CONFIDENCE_LOW]);
}

static int text_end(struct writer *w, struct err *e)
{
	int rc = add_headline(w);

	if (!rc && w->totals.failed)
		rc = add_table(w) || add_verdicts(w);
	return rc ? err_nomem(e) : 0;
}

const struct output output_text = {
	.name = "text", .entry = text_entry, .end = text_end
};
