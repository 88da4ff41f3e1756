/*
 * What the files of the HTML report share: the page being written, and the
 * ways in which a value gets onto it. Private to reports/report_html*.c.
 *
 * The sections are plain HTML, whole without JavaScript. A table that is drawn
 * as a chart keeps each figure in `data-v`; the script reads it from there, so
 * that table and chart cannot differ. The job table alone needs the script.
 */
#ifndef REPORTS_HTML_H
#define REPORTS_HTML_H

#include "base/buf.h"
#include "base/hash.h"
#include "reports/period/report.h"

struct html {
	FILE *f;
	const struct report *r;
	const struct report_style *style;
	const char *nonce;  /* of scripts and styles */
	size_t top;         /* rows of a list */
	struct buf visible; /* scratch */
	bool failed;        /* memory ran out */
};

/* ---- html_text.c: one value ---- */

/* Markup of our own; never anything from a log. */
void html_raw(struct html *h, const char *markup);
/* The only way for other text, between tags or in a quoted attribute. Breaks
 * of lines are kept, other control characters are shown. NULL: nothing. */
void html_text(struct html *h, const char *s);
/* markup, text, markup */
void html_wrap(
    struct html *h, const char *before, const char *s, const char *after);
void html_count(struct html *h, uint64_t n); /* 12,345 */
/* "1 job", "12,345 jobs" */
void html_counted(struct html *h, uint64_t n, const char *one);
/* GPU-hours with one decimal; "unknown" when no attempt of s is measured, and
 * a "~" before it when some are estimated. s may be NULL. */
void html_hours(struct html *h, int64_t gpu_seconds, const struct sums *s);
/* Per cent with one decimal; a dash when whole is 0. */
void html_share(struct html *h, double part, double whole);
/* "YYYY-MM-DD HH:MM" in the report's zone; a dash when not known. */
void html_time(struct html *h, int64_t micros);
/* A link that shows the jobs for which the field has the value. */
void html_jobs_link(
    struct html *h, const char *field, const char *value, const char *label);
/* A log's name, its line when above 0; a link where the style has one for it.
 * The page's script makes the same ones. */
void html_log(struct html *h, const char *path, int64_t line);
/* Percent-encoded, for the fragment of a link. */
void html_fragment(struct html *h, const char *s);
/* The share, after a bar as long as part is of most; kind is its colour:
 * "count", "hours". */
void html_part(
    struct html *h, const char *kind, double part, double whole, double most);

/* ---- html_lists.c: a table ---- */

/* A row of heads: names, each with a '#' before it when it is a figure; NULL
 * ends them. */
void html_table(struct html *h, const char *caption, const char *const *heads);
/* And so many more of what `one` names, which are not shown. */
void html_table_end(struct html *h, size_t left, const char *one);
/* A cell of its own for the first time and the last. */
void html_times_cell(struct html *h, int64_t first, int64_t last);
void html_count_cell(struct html *h, uint64_t n);
void html_hours_cell(struct html *h, int64_t v, const struct sums *s);
/* The line that shows what an entry is about, if there is one. */
void html_sample(struct html *h, const struct entry *en);
/* Its category. */
const char *html_title(const struct entry *en);

/* ---- sections: what stands between a heading and the next ---- */

/* html_head.c */
void html_headline(struct html *h);
void html_first_look(struct html *h);
/* html_groups.c */
void html_recent(struct html *h);
void html_trend(struct html *h);
void html_categories(struct html *h);
void html_stages(struct html *h);
void html_avoidable(struct html *h);
void html_people(struct html *h);
void html_more(struct html *h);
/* html_failures.c */
void html_failures(struct html *h);
void html_fresh(struct html *h);
void html_unknown(struct html *h);
/* html_unnamed.c */
void html_unnamed(struct html *h);
/* html_goodput.c */
void html_goodput(struct html *h);
/* html_lists.c */
void html_incidents(struct html *h);
void html_nodes(struct html *h);
void html_rules(struct html *h);
void html_notes(struct html *h);
void html_costliest(struct html *h);

/* ---- html_data.c: the packed jobs ---- */

/* 0, or -1 with e set. */
int html_data(struct html *h, struct err *e);
/* Of what names the attempts. */
void html_data_hash(const struct report *r, char out[HASH_HEX]);

#endif
