/*
 * {{name}} becomes (?:expression), so that whatever stands around it holds for
 * all of it. PCRE2 would read it as the text "{{name}}"; who means that has to
 * write \{\{, since a name that nobody gave is an error.
 */
#include "rules/pieces.h"

#include "base/buf.h"
#include "base/err.h"
#include "rules/fields.h"
#include "rules/pattern.h"
#include "rules/taxonomy_private.h"
#include "rules/yamldoc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyz"
#define PATTERNS_MAX 1000                   /* of one rule */
#define PATTERN_BYTES_MAX ((size_t)1 << 16) /* more than PCRE2 is let have */
#define DEPTH_MAX 8                         /* pieces in each other */

/* A later layer's comes first. */
static const struct raw_piece *find(
    const struct taxonomy_raw *raw, struct span name)
{
	for (size_t i = raw->n_pieces; i-- > 0;)
		if (raw->pieces[i].piece.text &&
		    span_is(name, raw->pieces[i].piece.name))
			return &raw->pieces[i];
	return NULL;
}

/* The name in a {{name}} that begins at p; empty: there is none. */
static struct span name_at(const char *p)
{
	size_t n = 0;

	if (p[0] == '{' && p[1] == '{' && p[2] && strchr(LETTERS, p[2]))
		n = strspn(p + 2, LETTERS "0123456789_");
	return n && p[2 + n] == '}' && p[3 + n] == '}'
	    ? (struct span){ p + 2, n }
	    : (struct span){ NULL, 0 };
}

static int fail(struct err *e, struct place at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static int fail(struct err *e, struct place at, const char *fmt, ...)
{
	struct err why;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why.text, sizeof why.text, fmt, ap);
	va_end(ap);
	return err_set(
	    e, "%s:%u:%u: %s", at.file, at.line, at.column, why.text);
}

/* Append text, which stands at a place, with its pieces filled in. */
static int fill(const struct taxonomy_raw *raw, struct place at,
    const char *text, int depth, struct buf *to, struct err *e)
{
	int rc = 0;

	for (const char *p = text; *p && !rc;) {
		struct span name = name_at(p);
		const struct raw_piece *piece;
		size_t as_is = p[0] == '\\' && p[1] ? 2 : 1;

		if (!name.n) {
			rc = buf_add(to, p, as_is);
			p += as_is;
			continue;
		}
		piece = find(raw, name);
		if (!piece)
			return fail(e, at,
			    "no piece '%.*s' (write \\{\\{ for two braces)",
			    (int)name.n, name.p);
		if (depth == DEPTH_MAX)
			return fail(e, at, "pieces nested too deeply, at '%s'",
			    piece->piece.name);
		rc = buf_adds(to, "(?:");
		if (!rc && fill(raw, at, piece->piece.text, depth + 1, to, e))
			return -1;
		rc = rc ? rc : buf_addc(to, ')');
		p = name.p + name.n + 2;
	}
	return rc ? err_nomem(e) : 0;
}

int pieces_pattern(struct reader *r, const struct yamldoc_node *n, void *to)
{
	struct buf full = BUF_INIT(PATTERN_BYTES_MAX);
	char **text = to;

	if (fields_text(r, n, text))
		return -1;
	if (!strstr(*text, "{{"))
		return 0;
	if (fill(r->raw, fields_place(r, n), *text, 0, &full, r->e)) {
		buf_release(&full);
		return -1;
	}
	free(*text);
	*text = full.p;
	return 0;
}

int pieces_patterns(struct reader *r, const struct yamldoc_node *n, void *to)
{
	struct strings *s = to;
	const struct yamldoc_node *c = n->kind == YAMLDOC_LIST ? n->first : n;
	size_t want = n->kind == YAMLDOC_LIST ? n->n : 1;

	if (!want || want > PATTERNS_MAX)
		return fields_bad(r, n, "'%s' must hold 1 to %d expressions",
		    fields_name(n), PATTERNS_MAX);
	s->v = calloc(want, sizeof *s->v);
	if (!s->v)
		return err_nomem(r->e);
	for (; s->n < want; c = c->next)
		if (pieces_pattern(r, c, &s->v[s->n++]))
			return -1;
	return 0;
}

int pieces_compile(struct reader *r, const struct yamldoc_node *n,
    const char *text, struct pattern **to)
{
	struct err reason;

	*to = pattern_new(text, NULL, &reason);
	if (*to)
		return 0;
	if (n->text && !strcmp(n->text, text))
		return fields_bad(r, n, "bad regular expression in '%s', %s",
		    fields_name(n), reason.text);
	return fields_bad(r, n, "bad regular expression in '%s', %s of %s",
	    fields_name(n), reason.text, text);
}

/* As it is written; a list is a choice. */
static int read_text(
    struct reader *r, const struct yamldoc_node *n, char **text)
{
	struct strings each = { 0 };
	struct buf all = BUF_INIT(BUF_MAX);
	int rc;

	if (n->kind != YAMLDOC_LIST || !n->n)
		return fields_text(r, n, text);
	rc = fields_list(r, n, &each);
	for (size_t i = 0; i < each.n && !rc; i++)
		if (buf_addf(&all, i ? "|%s" : "%s", each.v[i]))
			rc = err_nomem(r->e);
	taxonomy_strings_release(&each);
	if (rc)
		buf_release(&all);
	else
		*text = all.p;
	return rc;
}

static int read_piece(struct reader *r, const struct yamldoc_node *n)
{
	struct taxonomy_raw *raw = r->raw;
	const char *name = n->key->text;
	const struct raw_piece *twin = find(raw, span_of(name));
	struct raw_piece *piece;

	if (!strchr(LETTERS, name[0]) ||
	    name[strspn(name, LETTERS "0123456789_")])
		return fields_bad(r, n->key,
		    "a piece's name is lower case letters, digits and '_', "
		    "not '%s'",
		    name);
	if (twin && twin->layer == r->layer)
		return fields_bad(r, n->key,
		    "duplicate piece '%s', also at %s:%u", name, twin->at.file,
		    twin->at.line);
	piece = fields_more(r, (void **)&raw->pieces, &raw->n_pieces,
	    &raw->cap_pieces, sizeof *piece);
	if (!piece)
		return -1;
	piece->layer = r->layer;
	piece->at = fields_place(r, n->key);
	piece->piece.name = span_dup(span_of(name));
	if (!piece->piece.name)
		return err_nomem(r->e);
	return read_text(r, n, &piece->piece.text);
}

int pieces_read(struct reader *r, const struct yamldoc_node *n)
{
	if (n->kind != YAMLDOC_MAP)
		return fields_bad(
		    r, n, "'%s' must be a map of keys", fields_name(n));
	for (const struct yamldoc_node *c = n->first; c; c = c->next)
		if (read_piece(r, c))
			return -1;
	return 0;
}

static int check(const struct taxonomy_raw *raw, const struct raw_piece *piece,
    struct err *e)
{
	struct buf full = BUF_INIT(PATTERN_BYTES_MAX);
	int rc = fill(raw, piece->at, piece->piece.text, 0, &full, e);

	if (!rc) {
		struct err why;
		struct pattern *p = pattern_new(full.p, NULL, &why);

		if (!p)
			rc = fail(e, piece->at,
			    "bad regular expression in piece '%s', %s",
			    piece->piece.name, why.text);
		pattern_free(p);
	}
	buf_release(&full);
	return rc;
}

int pieces_check(const struct taxonomy_raw *raw, unsigned layer, struct err *e)
{
	for (size_t i = 0; i < raw->n_pieces; i++)
		if (raw->pieces[i].layer == layer &&
		    check(raw, &raw->pieces[i], e))
			return -1;
	return 0;
}
