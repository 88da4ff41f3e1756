/*
 * CSV by RFC 4180 under a column map: quotes, doubled quotes, line ends inside
 * quotes, any of the usual delimiters.
 */
#include "jobs/accounting_load.h"

#include "base/buf.h"

#include <stdlib.h>
#include <string.h>

#define ROW_MAX ((size_t)1 << 20)

struct csv {
	struct accounting_table t;
	char delimiter;
	struct buf text; /* of quoted fields, without the quotes */
	size_t n;        /* fields of the row */
};

/* The likeliest of the usual delimiters in a line, or '\0'. */
static char delimiter_of(struct span line)
{
	static const char usual[] = "\t,;|";
	size_t best = 0;
	char found = '\0';

	for (const char *c = usual; *c; c++) {
		size_t n = 0;

		for (size_t i = 0; i < line.n; i++)
			n += line.p[i] == *c;
		if (n > best) {
			best = n;
			found = *c;
		}
	}
	return found;
}

/* A header: two names or more, none of them empty or a sentence. */
static bool fits(const struct taxonomy *tax, struct span head)
{
	struct span line = { "", 0 };
	size_t run = 0;
	char d;

	(void)tax;
	span_line(&head, &line);
	line = span_trim(line);
	d = delimiter_of(line);
	if (!d || !head.n)
		return false;
	for (size_t i = 0; i <= line.n; i++) {
		unsigned char c = (unsigned char)(i < line.n ? line.p[i] : d);

		if ((char)c == d) {
			if (!run)
				return false;
			run = 0;
		} else if (c < ' ' || ++run > 64 || c == '{' || c == '=') {
			return false;
		}
	}
	return true;
}

enum cut { CUT_ROW, CUT_MORE, CUT_BROKEN };

/* Where the row at the start of text ends: *len without its line end. */
static enum cut row_end(
    const struct csv *c, struct span text, bool last, size_t *len)
{
	bool quoted = false, begins = true;

	for (size_t i = 0; i < text.n; i++) {
		char ch = text.p[i];

		if (quoted) {
			quoted = ch != '"';
		} else if (ch == '"') {
			/* a doubled quote opens again what it closed */
			quoted = begins || (i && text.p[i - 1] == '"');
		} else if (ch == '\n') {
			*len = i;
			return CUT_ROW;
		}
		begins = ch == c->delimiter;
		if (i >= ROW_MAX)
			return CUT_BROKEN;
	}
	*len = text.n;
	if (!last)
		return CUT_MORE;
	return quoted ? CUT_BROKEN : CUT_ROW;
}

/* One field from *rest; *more: another follows. */
static int take_field(
    struct csv *c, struct span *rest, struct span *field, bool *more)
{
	size_t i = 0, start = c->text.len;

	if (!rest->n || rest->p[0] != '"') {
		while (i < rest->n && rest->p[i] != c->delimiter)
			i++;
		*field = span_sub(*rest, 0, i);
	} else {
		for (i = 1; i < rest->n; i++) {
			if (rest->p[i] == '"' &&
			    (i + 1 == rest->n || rest->p[++i] != '"'))
				break;
			if (buf_addc(&c->text, rest->p[i]))
				return -1;
		}
		while (i < rest->n && rest->p[i] != c->delimiter)
			i++;
		*field =
		    (struct span){ c->text.p + start, c->text.len - start };
	}
	*more = i < rest->n;
	*rest = span_sub(*rest, i + 1, rest->n);
	return 0;
}

static int split(struct csv *c, struct span row)
{
	bool more = true;

	c->n = 0;
	buf_clear(&c->text);
	/* so that the text does not move under the fields */
	if (buf_reserve(&c->text, row.n))
		return -1;
	while (more) {
		if (accounting_table_room(&c->t, c->n + 1) ||
		    take_field(c, &row, &c->t.fields[c->n], &more))
			return -1;
		c->n++;
	}
	return 0;
}

static int read_header(struct load *l, struct csv *c, struct span line)
{
	const struct accounting_map *map;
	struct accounting_names names;

	c->delimiter = l->map && l->map->delimiter ? l->map->delimiter
						   : delimiter_of(line);
	if (!c->delimiter)
		return err_set(l->e, "%s: one column only", l->path);
	c->t.header = span_dup(line);
	if (!c->t.header)
		return err_nomem(l->e);
	line.p = c->t.header;
	/* quoted names live in c->text, which the rows need */
	if (split(c, line))
		return err_nomem(l->e);
	c->t.n = c->n;
	c->t.names = calloc(c->n, sizeof *c->t.names);
	if (!c->t.names)
		return err_nomem(l->e);
	for (size_t i = 0, at = 0; i < c->n; i++) {
		struct span f = span_trim(c->t.fields[i]);

		/* never longer than it was */
		memmove(c->t.header + at, f.p, f.n);
		c->t.names[i] = (struct span){ c->t.header + at, f.n };
		at += f.n;
	}
	names = accounting_table_names(&c->t);
	map = accounting_load_choose(l, &names);
	if (!map)
		return -1;
	accounting_table_bind(&c->t, map);
	return 0;
}

static int add_row(struct load *l, struct csv *c, struct span row)
{
	struct draft d;

	if (split(c, row))
		return err_nomem(l->e);
	if (c->n != c->t.n) {
		accounting_note(l, TROUBLE_ROW, l->line,
		    "row lost: %zu fields, the header has %zu", c->n, c->t.n);
		return 0;
	}
	accounting_draft_init(&d, l, c->t.map, l->line);
	if (accounting_table_draft(l, &c->t, &d) || accounting_draft_add(l, &d))
		return err_nomem(l->e);
	return 0;
}

static int take_row(struct load *l, struct csv *c, struct span row)
{
	row = span_sub(row, 0, row.n - (row.n && row.p[row.n - 1] == '\r'));
	if (!c->t.header)
		return read_header(l, c, row);
	return span_trim(row).n ? add_row(l, c, row) : 0;
}

static int read_csv(struct load *l, struct span text, bool last, size_t *used)
{
	struct csv *c = l->state;
	struct span rest = text;
	size_t len;

	if (!c) {
		l->state = c = calloc(1, sizeof *c);
		if (!c)
			return err_nomem(l->e);
		c->text.max = BUF_MAX;
		c->delimiter = l->map && l->map->delimiter
		    ? l->map->delimiter
		    : delimiter_of(span_sub(text, 0, span_find(text, "\n")));
	}
	while (rest.n) {
		enum cut cut = row_end(c, rest, last, &len);

		if (cut == CUT_MORE)
			break;
		if (cut == CUT_BROKEN) {
			len = span_find(rest, "\n");
			accounting_note(l, TROUBLE_ROW, l->line,
			    "row lost: a quote that is not closed");
		} else if (take_row(l, c, span_sub(rest, 0, len))) {
			return -1;
		}
		len = len < rest.n ? len + 1 : rest.n;
		accounting_load_lines(l, span_sub(rest, 0, len));
		rest = span_sub(rest, len, rest.n);
	}
	*used = text.n - rest.n;
	return 0;
}

static void close_csv(void *state)
{
	struct csv *c = state;

	if (!c)
		return;
	accounting_table_release(&c->t);
	buf_release(&c->text);
	free(c);
}

const struct accounting_reader accounting_csv = {
	"CSV whose columns have usual names, or a column map",
	fits,
	read_csv,
	close_csv,
};
