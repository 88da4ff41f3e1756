/*
 * The screen of explain: paragraphs, labelled facts, lists and log lines,
 * wrapped to a width and coloured for a terminal, or as GitHub's Markdown. A
 * lack of memory is remembered, so that page_end is the only one to ask.
 * Private to explain*.c.
 */
#ifndef REPORTS_PAGE_H
#define REPORTS_PAGE_H

#include "base/buf.h"
#include "base/text.h"
#include "reports/explain/explain.h"

#include <stdio.h>

/* How a run of text looks; until PLAIN. Control characters: text that was made
 * visible has none. */
#define PLAIN "\001"
#define STRONG "\002"
#define FAINT "\003"
#define HIT "\004"
#define GOOD "\005"
#define CARE "\006"
#define BAD "\007"
/* LINK_TO url LINK_TEXT text LINK_END */
#define LINK_TO "\016"
#define LINK_TEXT "\017"
#define LINK_END "\020"

struct page {
	FILE *f;
	const struct explain_style *style;
	size_t width;
	struct buf line; /* being put together */
	size_t hang;     /* columns of its rows after the first */
	unsigned looks;  /* of the text at hand, as bits */
	bool linked;
	bool code;           /* Markdown: within a code block */
	const char *heading; /* to come before what comes next, or NULL */
	bool begun, failed;
};

void page_begin(struct page *p, FILE *f, const struct explain_style *style);
/* -1: out of memory, now or before. */
int page_end(struct page *p);

/* ---- the line at hand ---- */

/* The program's own words, with any of the above. */
void page_add(struct page *p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Text of a log, a record or a rule: see explain_visible. */
void page_log(struct page *p, struct span text);
void page_string(struct page *p, const char *text);
/* "path:line", with a link to the file where the terminal knows links; line 0:
 * the path alone. */
void page_place(struct page *p, const char *path, uint64_t line);

/* Write it, wrapped; what is to be said is complete. */
void page_paragraph(struct page *p);
/* The same, below its heading. */
void page_note(struct page *p);
/* The same as an item of a list: number 0 for no number. */
void page_item(struct page *p, unsigned number);
/* As a fact: with its label in a column of its own. */
void page_fact(struct page *p, const char *label);

/* ---- parts ---- */

/* It is written with what it stands above, or not at all. Static text. */
void page_heading(struct page *p, const char *text);
/* Log lines come between these two. */
void page_code_begin(struct page *p);
void page_code_end(struct page *p);
/* The line at hand as a log line: its gutter (a number or a mark), and at most
 * so many rows. */
void page_code(struct page *p, const char *gutter, size_t rows);

#endif
