/*
 * A table as viewers of logs export it: a row of names, then a row for each
 * record, whose message may have lines of its own in quote marks. Each row
 * becomes an object of JSON on one line, which is read as any record is: so the
 * taxonomy says what the columns are.
 */
#include "base/text.h"
#include "input/jsonkeys.h"
#include "input/shape_private.h"

#include <string.h>

#define NAME_MOST 64
#define ROWS_FEW 2 /* tell, or all that there are */

/* ---- rows ---- */

/* What stands between two delimiters, without its quote marks. */
struct field {
	struct span text;
	bool quoted; /* then each in it is doubled */
};

/* The next field of a row, taken from it; false at its end. */
static bool take_field(struct span *row, char delimiter, struct field *f)
{
	const char *end;
	size_t i = 1;

	if (!row->p)
		return false;
	f->quoted = span_starts(*row, "\"");
	if (f->quoted) {
		for (; i < row->n; i++)
			if (row->p[i] != '"')
				continue;
			else if (i + 1 == row->n || row->p[i + 1] == delimiter)
				break;
			else
				i += row->p[i + 1] == '"';
		f->text = span_sub(*row, 1, i++);
	} else {
		end = row->n ? memchr(row->p, delimiter, row->n) : NULL;
		i = end ? (size_t)(end - row->p) : row->n;
		f->text = span_sub(*row, 0, i);
	}
	*row = i < row->n ? span_sub(*row, i + 1, row->n)
			  : (struct span){ NULL, 0 };
	return true;
}

void shape_csv_begin_row(struct shape_csv *c)
{
	c->at = 0;
	c->quoted = false;
	c->start = true;
}

bool shape_csv_is_open(struct shape_csv *c, struct span row)
{
	while (c->at < row.n) {
		const char *p = row.p + c->at;

		if (c->start && *p == '"') {
			c->quoted = true;
			c->start = false;
			c->at++;
			continue;
		}
		p = memchr(p, c->quoted ? '"' : c->delimiter, row.n - c->at);
		c->start = p && !c->quoted;
		c->at = p ? (size_t)(p - row.p) + 1 : row.n;
		if (!p || !c->quoted)
			continue;
		if (c->at < row.n && row.p[c->at] == '"')
			c->at++;
		else if (c->at == row.n || row.p[c->at] == c->delimiter ||
		    (row.p[c->at] == '\r' && c->at + 1 == row.n))
			c->quoted = false;
	}
	return c->quoted;
}

/* ---- names ---- */

/* As a key that the taxonomy knows, or in small letters; or NULL. */
static const struct jsonkeys_key *key_of(
    const struct jsonkeys *keys, struct span name, enum jsonkeys_field *field)
{
	char small[NAME_MOST];
	size_t id = jsonkeys_name(keys, name);

	for (size_t i = 0; !id && i < name.n; i++)
		small[i] = name.p[i] >= 'A' && name.p[i] <= 'Z'
		    ? (char)(name.p[i] | 0x20)
		    : name.p[i];
	id = id ? id : jsonkeys_name(keys, (struct span){ small, name.n });
	for (unsigned f = 0; id && f < JSONKEYS_FIELDS; f++)
		for (size_t i = 0; i < keys->keys[f].n; i++)
			if (f != JSONKEYS_NO_STACK &&
			    keys->keys[f].v[i].id == id) {
				*field = (enum jsonkeys_field)f;
				return &keys->keys[f].v[i];
			}
	return NULL;
}

static bool is_name(struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < ' ' || s.p[i] > '~' || strchr("\"{}=;,", s.p[i]))
			return false;
	return s.n > 0 && s.n < NAME_MOST && *s.p != ' ' && *s.p != '-';
}

/* Whether a row is one of names, of which one is that of a message, and a time
 * or quote marks say that rows are records. */
static bool read_names(
    struct shape_csv *c, const struct jsonkeys *keys, struct span row)
{
	bool time = false, quoted = false;
	struct field f;

	c->n = 0;
	c->message = SHAPE_CSV_MOST;
	while (take_field(&row, c->delimiter, &f)) {
		enum jsonkeys_field field = JSONKEYS_FIELDS;
		const struct jsonkeys_key *key;

		if (c->n == SHAPE_CSV_MOST || !is_name(f.text))
			return false;
		key = key_of(keys, f.text, &field);
		c->column[c->n].name = key ? key->name : NULL;
		c->column[c->n].first = field == JSONKEYS_TIME;
		if (field == JSONKEYS_MESSAGE && c->message == SHAPE_CSV_MOST)
			c->message = c->n;
		time |= field == JSONKEYS_TIME;
		quoted |= f.quoted;
		c->n++;
	}
	return c->message < c->n && (quoted || (time && c->n > 1));
}

/* ---- objects ---- */

static int add_text(struct buf *out, struct field f)
{
	int rc = buf_addc(out, '"');

	for (size_t i = 0; !rc && i < f.text.n; i++) {
		unsigned char c = (unsigned char)f.text.p[i];

		/* of a pair one is left out */
		i += c == '"' && f.quoted && i + 1 < f.text.n &&
		    f.text.p[i + 1] == '"';
		if (c < ' ')
			rc = c == '\n' ? buf_adds(out, "\\n")
				       : buf_addf(out, "\\u%04x", c);
		else if (c == '"' || c == '\\')
			rc = buf_addc(out, '\\') || buf_addc(out, f.text.p[i]);
		else
			rc = buf_addc(out, f.text.p[i]);
	}
	return rc || buf_addc(out, '"') ? -1 : 0;
}

static int add_member(struct buf *out, const char *name, struct field f)
{
	const struct field key = { span_of(name), false };

	return buf_addc(out, out->len ? ',' : '{') || add_text(out, key) ||
		buf_addc(out, ':') || add_text(out, f)
	    ? -1
	    : 0;
}

int shape_csv_object(
    const struct shape_csv *c, struct span row, struct buf *out)
{
	struct field f[SHAPE_CSV_MOST];
	unsigned n = 0;

	while (n < c->n && take_field(&row, c->delimiter, &f[n]))
		n++;
	if (n < c->n || row.p)
		return 0;
	buf_clear(out);
	/* a time tells at the front whether the newest is the first */
	for (int first = 1; first >= 0; first--)
		for (unsigned i = 0; i < n; i++)
			if (c->column[i].name && c->column[i].first == first &&
			    (f[i].text.n || i == c->message) &&
			    add_member(out, c->column[i].name, f[i]))
				return -1;
	return buf_addc(out, '}') ? -1 : 1;
}

/* ---- which it is ---- */

/* The next row of text, taken from it; false: it does not end. */
static bool take_row(struct shape_csv *c, struct span *text, struct span *row)
{
	const char *end = text->p;

	shape_csv_begin_row(c);
	do {
		end = text->n
		    ? memchr(end, '\n', text->n - (size_t)(end - text->p))
		    : NULL;
		if (!end)
			return false;
		*row = span_sub(*text, 0, (size_t)(end++ - text->p));
	} while (shape_csv_is_open(c, *row));
	*text = span_sub(*text, row->n + 1, text->n);
	if (span_ends(*row, "\r"))
		row->n--;
	return true;
}

static bool is_table(struct shape_csv *c, const struct jsonkeys *keys,
    struct span head, bool all)
{
	unsigned rows = 0, n;
	struct field f;
	struct span row;

	if (!take_row(c, &head, &row) || !read_names(c, keys, row))
		return false;
	while (take_row(c, &head, &row)) {
		if (!row.n)
			continue;
		for (n = 0; take_field(&row, c->delimiter, &f); n++)
			if (n == c->n)
				return false;
		if (n != c->n)
			return false;
		rows++;
	}
	return rows >= (all ? 1 : ROWS_FEW);
}

bool shape_is_csv(struct shape *s, struct span head, bool all)
{
	static const char delimiters[] = ",;\t";

	for (size_t i = 0; s->keys && delimiters[i]; i++) {
		s->csv = (struct shape_csv){ .delimiter = delimiters[i] };
		if (is_table(&s->csv, s->keys, head, all)) {
			shape_csv_begin_row(&s->csv);
			return true;
		}
	}
	return false;
}
