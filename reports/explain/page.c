/*
 * Text is put together with marks in it for its looks; when a line is complete
 * it is broken into rows, and the marks become escapes or Markdown. Looks are
 * switched off at the end of a row and on again in the next, since a pager
 * shows each row by itself.
 */
#define _DEFAULT_SOURCE /* gethostname */
#include "reports/explain/page.h"

#include "base/err.h"
#include "reports/period/sheet.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INDENT 2
#define LABEL 12 /* columns of a fact's label */

/* In the order of the marks from STRONG on. */
static const char *const escapes[] = { "\033[1m", "\033[2m", "\033[1;31m",
	"\033[1;32m", "\033[1;33m", "\033[1;31m" };
#define N_LOOKS (sizeof escapes / sizeof *escapes)

void page_begin(struct page *p, FILE *f, const struct explain_style *style)
{
	size_t width = style->width ? style->width : EXPLAIN_WIDTH;

	if (width < EXPLAIN_WIDTH_MIN)
		width = EXPLAIN_WIDTH_MIN;
	if (width > EXPLAIN_WIDTH_MAX)
		width = EXPLAIN_WIDTH_MAX;
	*p = (struct page){ .f = f,
		.style = style,
		.width = width,
		.line = BUF_INIT(BUF_MAX) };
}

int page_end(struct page *p)
{
	buf_release(&p->line);
	return p->failed ? -1 : 0;
}

/* ---- the line at hand ---- */

void page_add(struct page *p, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	p->failed |= buf_adds(&p->line, text) != 0;
}

void page_log(struct page *p, struct span text)
{
	p->failed |= explain_visible(&p->line, text) != 0;
}

void page_string(struct page *p, const char *text)
{
	page_log(p, span_of(text));
}

/* "file://host/path" of a file of this machine. */
static void add_url(struct page *p, const char *path)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789/-._~";
	char *real = realpath(path, NULL);
	char host[256] = "";

	if (real && !gethostname(host, sizeof host - 1)) {
		page_add(p, LINK_TO "file://%.200s", host);
		for (const char *c = real; *c; c++)
			page_add(p, strchr(safe, *c) ? "%c" : "%%%02X",
			    (unsigned char)*c);
		page_add(p, LINK_TEXT);
		p->linked = true;
	}
	free(real);
}

void page_place(struct page *p, const char *path, uint64_t line)
{
	if (p->style->links && !p->style->markdown)
		add_url(p, path);
	page_string(p, path);
	if (line)
		page_add(p, ":%llu", (unsigned long long)line);
	if (p->linked)
		page_add(p, LINK_END);
	p->linked = false;
}

/* ---- looks ---- */

static void put(struct page *p, struct span s)
{
	struct buf b = BUF_INIT(BUF_MAX);

	if (!p->style->markdown || p->code) {
		if (s.n)
			fwrite(s.p, 1, s.n, p->f);
		return;
	}
	if (sheet_markdown(&b, s))
		p->failed = true;
	else if (b.len)
		fwrite(b.p, 1, b.len, p->f);
	buf_release(&b);
}

static void put_blanks(struct page *p, size_t n)
{
	while (n--)
		fputc(' ', p->f);
}

/* Markdown knows strong text only; the verdict's word is strong, too. */
static void show_looks(struct page *p, unsigned looks)
{
	if (p->style->markdown) {
		if (!p->code && looks & ~2u)
			fputs("**", p->f);
		return;
	}
	for (size_t i = 0; i < N_LOOKS && p->style->colour; i++)
		if (looks & 1u << i)
			fputs(escapes[i], p->f);
}

static void hide_looks(struct page *p)
{
	if (p->style->markdown)
		show_looks(p, p->looks);
	else if (p->style->colour && p->looks)
		fputs("\033[0m", p->f);
}

static bool is_mark(char c)
{
	return (unsigned char)c < ' ';
}

/* Do what the mark at s says; returns its bytes. */
static size_t obey(struct page *p, struct span s)
{
	size_t end;

	if (s.p[0] == *PLAIN) {
		hide_looks(p);
		p->looks = 0;
	} else if (s.p[0] == *LINK_TO) {
		end = span_find(s, LINK_TEXT);
		fputs("\033]8;;", p->f);
		fwrite(s.p + 1, 1, end - 1, p->f);
		fputs("\033\\", p->f);
		return end + 1;
	} else if (s.p[0] == *LINK_END) {
		fputs("\033]8;;\033\\", p->f);
	} else {
		unsigned look = 1u << (s.p[0] - *STRONG);

		p->looks |= look;
		show_looks(p, look);
	}
	return 1;
}

/* ---- rows ---- */

/* Columns of text with marks in it. */
static size_t columns(struct span s)
{
	size_t n = 0, i = 0, from;

	while (i < s.n) {
		if (s.p[i] == *LINK_TO)
			while (i < s.n && s.p[i] != *LINK_TEXT)
				i++;
		if (i < s.n && is_mark(s.p[i])) {
			i++;
			continue;
		}
		from = i;
		while (i < s.n && !is_mark(s.p[i]))
			i++;
		n += text_width(span_sub(s, from, i));
	}
	return n;
}

/* The next word with the marks at it, and the blanks before it. */
static struct span next_word(struct span s, size_t *blanks)
{
	size_t i = 0;

	while (i < s.n && s.p[i] == ' ')
		i++;
	*blanks = i;
	while (i < s.n && s.p[i] != ' ') {
		if (s.p[i] == *LINK_TO)
			while (i < s.n && s.p[i] != *LINK_TEXT)
				i++;
		i += i < s.n;
	}
	return span_sub(s, *blanks, i);
}

static void new_row(struct page *p)
{
	hide_looks(p);
	fputc('\n', p->f);
	put_blanks(p, p->hang);
	show_looks(p, p->looks);
}

/* A word that may be wider than a row. Returns the column after it. */
static size_t put_word(struct page *p, struct span w, size_t at)
{
	size_t n;

	for (size_t i = 0; i < w.n;) {
		struct span run;

		if (is_mark(w.p[i])) {
			i += obey(p, span_sub(w, i, w.n));
			continue;
		}
		for (n = i; n < w.n && !is_mark(w.p[n]);)
			n++;
		run = span_sub(w, i, n);
		if (!p->style->markdown && text_width(run) > p->width - at) {
			run = text_fit(run, p->width - at);
			if (run.n == 0) {
				new_row(p);
				at = p->hang;
				continue;
			}
		}
		put(p, run);
		at += text_width(run);
		i += run.n;
	}
	return at;
}

/* As much of a word as the row still takes, then an ellipsis. */
static void put_cut(struct page *p, struct span word, size_t at)
{
	size_t n = 0;

	while (n < word.n && columns(span_sub(word, 0, n + 1)) + at < p->width)
		n++;
	/* not half of a character */
	while (n > 0 && n < word.n && ((unsigned char)word.p[n] & 0xc0) == 0x80)
		n--;
	put_word(p, span_sub(word, 0, n), at);
	hide_looks(p);
	p->looks = 0;
	fputs("\xe2\x80\xa6", p->f);
}

/* The line at hand in at most so many rows (0: any number), the first of which
 * is at column at. */
static void put_rows(struct page *p, size_t at, size_t rows)
{
	struct span s = { p->line.p, p->line.len }, word;
	size_t blanks, row = 1, width;

	p->looks = 0;
	while (s.n && !p->failed) {
		word = next_word(s, &blanks);
		s = span_sub(s, blanks + word.n, s.n);
		width = p->style->markdown ? 0 : columns(word);
		if (!p->style->markdown && at + blanks + width > p->width &&
		    row != rows && at > p->hang) {
			new_row(p);
			row++;
			at = p->hang;
			blanks = 0;
		}
		if (width && row == rows && at + blanks < p->width &&
		    at + blanks + width + (columns(s) > 0) > p->width) {
			put_blanks(p, blanks);
			put_cut(p, word, at + blanks);
			break;
		}
		if (width && row == rows && at + blanks >= p->width) {
			put_cut(p, word, p->width);
			break;
		}
		put_blanks(p, blanks);
		at = put_word(p, word, at + blanks);
	}
	hide_looks(p);
	fputc('\n', p->f);
	p->looks = 0;
	buf_clear(&p->line);
}

/* ---- parts ---- */

static void separate(struct page *p)
{
	if (p->begun)
		fputc('\n', p->f);
	p->begun = true;
}

void page_heading(struct page *p, const char *text)
{
	p->heading = text;
}

static void put_heading(struct page *p)
{
	if (!p->heading)
		return;
	separate(p);
	if (p->style->markdown)
		fprintf(p->f, "### %s\n\n", p->heading);
	else if (p->style->colour)
		fprintf(p->f, "\033[1m%s\033[0m\n", p->heading);
	else
		fprintf(p->f, "%s\n", p->heading);
	p->heading = NULL;
}

void page_paragraph(struct page *p)
{
	if (p->style->markdown)
		separate(p);
	p->begun = true;
	p->hang = 0;
	put_rows(p, 0, 0);
}

void page_note(struct page *p)
{
	put_heading(p);
	if (!p->style->markdown)
		put_blanks(p, INDENT);
	p->hang = p->style->markdown ? 0 : INDENT;
	put_rows(p, p->hang, 0);
}

void page_item(struct page *p, unsigned number)
{
	char lead[24];
	size_t n;

	put_heading(p);
	if (number)
		snprintf(lead, sizeof lead, "%u. ", number);
	else
		snprintf(lead, sizeof lead, "- ");
	n = strlen(lead);
	if (!p->style->markdown)
		put_blanks(p, INDENT);
	fputs(lead, p->f);
	p->hang = p->style->markdown ? 0 : INDENT + n;
	put_rows(p, p->hang, 0);
}

void page_fact(struct page *p, const char *label)
{
	size_t n = strlen(label);

	put_heading(p);
	if (p->style->markdown) {
		if (n)
			fprintf(p->f, "- **%s:** ", label);
		else
			fputs("- ", p->f);
		p->hang = 0;
		put_rows(p, 0, 0);
		return;
	}
	put_blanks(p, INDENT);
	if (p->style->colour)
		fprintf(p->f, "\033[2m%s\033[0m", label);
	else
		fputs(label, p->f);
	put_blanks(p, n < LABEL ? LABEL - n : 1);
	p->hang = INDENT + LABEL;
	put_rows(p, p->hang, 0);
}

/* An indented block: nothing that is in a line can end it. */
void page_code_begin(struct page *p)
{
	put_heading(p);
	p->code = true;
	if (p->style->markdown)
		fputc('\n', p->f);
}

void page_code_end(struct page *p)
{
	p->code = false;
	if (p->style->markdown)
		fputc('\n', p->f);
}

void page_code(struct page *p, const char *gutter, size_t rows)
{
	if (p->style->markdown) {
		fprintf(p->f, "    %s ", gutter);
		p->hang = 0;
		put_rows(p, 0, 0);
		return;
	}
	put_blanks(p, INDENT);
	if (p->style->colour)
		fprintf(p->f, "\033[2m%s\033[0m ", gutter);
	else
		fprintf(p->f, "%s ", gutter);
	p->hang = INDENT + strlen(gutter) + 1;
	put_rows(p, p->hang, rows);
}
