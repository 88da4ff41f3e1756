/*
 * A table is collected before it is written, since the widths of its columns
 * depend on all of its rows. When it is too wide for the terminal, the widest
 * column of text gives way first.
 */
#include "reports/period/sheet.h"

#include "base/when.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define GAP 2       /* blanks between columns */
#define TEXT_MIN 12 /* columns of text are not cut below this */
#define COLUMNS_MAX 12

/* ---- making it harmless ---- */

int sheet_markdown(struct buf *out, struct span text)
{
	struct buf clean = BUF_INIT(BUF_MAX);
	int rc = text_visible(&clean, text);

	for (size_t i = 0; i < clean.len && !rc; i++) {
		struct span rest = { clean.p + i, clean.len - i };
		char c = clean.p[i];

		if (c == '<')
			rc = buf_adds(out, "&lt;");
		else if (c == '>')
			rc = buf_adds(out, "&gt;");
		else if (c == '&')
			rc = buf_adds(out, "&amp;");
		else if (c == '@' || c == '#')
			/* U+200B: no mention, no address, no issue */
			rc = buf_addc(out, c) || buf_adds(out, "\xe2\x80\x8b");
		else if (strchr("\\`*_[]|~$", c) || span_starts(rest, "://") ||
		    (c == '.' && i >= 3 &&
			span_ends(
			    span_sub((struct span){ clean.p, i }, i - 3, i),
			    "www")))
			rc = buf_addc(out, '\\') || buf_addc(out, c);
		else
			rc = buf_addc(out, c);
	}
	buf_release(&clean);
	return rc;
}

static int harmless(const struct sheet *s, struct buf *out, struct span text)
{
	return s->markdown ? sheet_markdown(out, text)
			   : text_visible(out, text);
}

static void write_text(struct sheet *s, const char *text)
{
	struct buf b = BUF_INIT(BUF_MAX);

	if (harmless(s, &b, span_of(text)))
		s->failed = true;
	else if (b.len)
		fwrite(b.p, 1, b.len, s->f);
	buf_release(&b);
}

static void colour(const struct sheet *s, const char *code)
{
	if (s->colour)
		fputs(code, s->f);
}

/* ---- the document ---- */

void sheet_begin(
    struct sheet *s, FILE *f, bool markdown, const struct report_style *style)
{
	*s = (struct sheet){
		.f = f,
		.markdown = markdown,
		.colour = !markdown && style->colour,
		.width = style->width ? style->width : SHEET_WIDTH,
		.cells = BUF_INIT(BUF_MAX),
	};
}

int sheet_end(struct sheet *s)
{
	buf_release(&s->cells);
	return s->failed ? -1 : 0;
}

void sheet_title(struct sheet *s, const char *text)
{
	if (s->markdown)
		fputs("# ", s->f);
	colour(s, "\033[1m");
	write_text(s, text);
	colour(s, "\033[0m");
	fputs(s->markdown ? "\n\n" : "\n", s->f);
}

void sheet_heading(struct sheet *s, const char *text)
{
	fputs(s->markdown ? "\n## " : "\n", s->f);
	s->after_table = false;
	colour(s, "\033[1m");
	write_text(s, text);
	colour(s, "\033[0m");
	fputs(s->markdown ? "\n\n" : "\n", s->f);
}

void sheet_line(struct sheet *s, const char *fmt, ...)
{
	char text[4096];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (s->markdown)
		fputs(s->after_table ? "\n- " : "- ", s->f);
	s->after_table = false;
	write_text(s, text);
	fputc('\n', s->f);
}

/* ---- tables ---- */

void sheet_table(struct sheet *s, const struct column *columns, size_t n)
{
	buf_clear(&s->cells);
	s->columns = columns;
	s->n_columns = n < COLUMNS_MAX ? n : COLUMNS_MAX;
}

void sheet_text(struct sheet *s, const char *text)
{
	struct buf *b = &s->cells;

	if (harmless(s, b, span_trim(span_of(text))) || buf_addc(b, '\0'))
		s->failed = true;
}

void sheet_cell(struct sheet *s, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	sheet_text(s, text);
}

/* The next cell, from *at on; false when there is none. */
static bool next_cell(const struct sheet *s, size_t *at, struct span *cell)
{
	if (*at >= s->cells.len)
		return false;
	*cell = span_of(s->cells.p + *at);
	*at += cell->n + 1;
	return true;
}

static void find_widths(const struct sheet *s, size_t widths[])
{
	size_t at = 0, total = 0, widest;
	struct span cell;

	for (size_t i = 0; i < s->n_columns; i++)
		widths[i] = text_width(span_of(s->columns[i].name));
	for (size_t i = 0; next_cell(s, &at, &cell); i++) {
		size_t w = text_width(cell);

		if (w > widths[i % s->n_columns])
			widths[i % s->n_columns] = w;
	}
	for (size_t i = 0; i < s->n_columns; i++)
		total += widths[i] + (i ? GAP : 0);
	while (total > s->width) {
		widest = SIZE_MAX;
		for (size_t i = 0; i < s->n_columns; i++)
			if (s->columns[i].kind <= COLUMN_NAME &&
			    widths[i] > TEXT_MIN &&
			    (widest == SIZE_MAX || widths[i] > widths[widest]))
				widest = i;
		if (widest == SIZE_MAX)
			return;
		widths[widest]--;
		total--;
	}
}

static void write_blanks(const struct sheet *s, size_t n)
{
	while (n--)
		fputc(' ', s->f);
}

/* Of a name its end tells more than its beginning. Returns the columns. */
static size_t write_cut(
    const struct sheet *s, struct span cell, size_t width, bool name)
{
	struct span head = text_fit(cell, name ? width / 3 : width - 1);
	size_t w = text_width(head) + 1;
	struct span tail = text_tail(cell, name ? width - w : 0);

	fwrite(head.p, 1, head.n, s->f);
	fputs("\xe2\x80\xa6", s->f);
	if (tail.n)
		fwrite(tail.p, 1, tail.n, s->f);
	return w + text_width(tail);
}

static void write_cell(
    const struct sheet *s, struct span cell, size_t column, size_t width)
{
	size_t w = text_width(cell);
	bool last = column + 1 == s->n_columns;

	if (column)
		write_blanks(s, GAP);
	if (w > width) {
		w = write_cut(
		    s, cell, width, s->columns[column].kind == COLUMN_NAME);
		if (!last)
			write_blanks(s, width - w);
		return;
	}
	if (s->columns[column].kind == COLUMN_NUMBER)
		write_blanks(s, width - w);
	if (cell.n)
		fwrite(cell.p, 1, cell.n, s->f);
	if (s->columns[column].kind != COLUMN_NUMBER && !last)
		write_blanks(s, width - w);
}

static void text_table(const struct sheet *s)
{
	size_t widths[COLUMNS_MAX] = { 0 }, at = 0;
	struct span cell;

	find_widths(s, widths);
	colour(s, "\033[2m");
	for (size_t i = 0; i < s->n_columns; i++)
		write_cell(s, span_of(s->columns[i].name), i, widths[i]);
	colour(s, "\033[0m");
	fputc('\n', s->f);
	for (size_t i = 0; next_cell(s, &at, &cell); i++) {
		size_t column = i % s->n_columns;

		write_cell(s, cell, column, widths[column]);
		if (column + 1 == s->n_columns)
			fputc('\n', s->f);
	}
}

static void markdown_table(const struct sheet *s)
{
	size_t at = 0;
	struct span cell;

	fputc('|', s->f);
	for (size_t i = 0; i < s->n_columns; i++)
		fprintf(s->f, " %s |", s->columns[i].name);
	fputs("\n|", s->f);
	for (size_t i = 0; i < s->n_columns; i++)
		fputs(
		    s->columns[i].kind == COLUMN_NUMBER ? " ---: |" : " --- |",
		    s->f);
	fputc('\n', s->f);
	for (size_t i = 0; next_cell(s, &at, &cell); i++) {
		if (i % s->n_columns == 0)
			fputc('|', s->f);
		fprintf(s->f, " %.*s |", (int)cell.n, cell.p);
		if ((i + 1) % s->n_columns == 0)
			fputc('\n', s->f);
	}
}

void sheet_table_end(struct sheet *s)
{
	if (s->n_columns == 0)
		return;
	if (s->markdown)
		markdown_table(s);
	else
		text_table(s);
	s->after_table = true;
}
