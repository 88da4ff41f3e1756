/*
 * A document of headings, lines and tables, for a terminal or as GitHub's
 * Markdown. What is put into it may come from a log: it is made harmless for
 * the one or the other when it is written. A lack of memory is remembered, so
 * that sheet_end is the only one to ask.
 */
#ifndef REPORTS_SHEET_H
#define REPORTS_SHEET_H

#include "base/buf.h"
#include "base/text.h"
#include "reports/period/report.h"

#include <stdio.h>

enum column_kind {
	COLUMN_TEXT,   /* cut at its end when the table is too wide */
	COLUMN_NAME,   /* the same, in its middle */
	COLUMN_NUMBER, /* to the right, never cut */
	COLUMN_WORD    /* never cut */
};

struct column {
	const char *name;
	enum column_kind kind;
};

struct sheet {
	FILE *f;
	bool markdown, colour;
	size_t width; /* columns; text only */
	const struct column *columns;
	size_t n_columns;
	struct buf cells; /* of the table: strings, each with its NUL */
	bool after_table; /* Markdown: what follows must not join it */
	bool failed;      /* out of memory */
};

#define SHEET_WIDTH 80 /* when it is no terminal */

void sheet_begin(
    struct sheet *s, FILE *f, bool markdown, const struct report_style *style);
/* -1: out of memory, now or before. */
int sheet_end(struct sheet *s);

void sheet_title(struct sheet *s, const char *text);
void sheet_heading(struct sheet *s, const char *text);
void sheet_line(struct sheet *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* A table: begin, a cell for each column of each row, end. */
void sheet_table(struct sheet *s, const struct column *columns, size_t n);
void sheet_cell(struct sheet *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* NULL: an empty cell. */
void sheet_text(struct sheet *s, const char *text);
void sheet_table_end(struct sheet *s);

/* Append text so that Markdown shows it as it is: no markup, no link, no
 * mention, one line. -1: out of memory. */
int sheet_markdown(struct buf *out, struct span text);

#endif
