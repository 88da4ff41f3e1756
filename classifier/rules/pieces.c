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
#include "rules/yamldoc.h"

#include <stdlib.h>
#include <string.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyz"
#define PATTERNS_MAX 1000 /* of one rule */

/* A later layer's comes first. */
static const struct raw_piece *find(
    const struct taxonomy_raw *raw, struct span name)
{
	for (size_t i = raw->n_pieces; i-- > 0;)
		if (raw->pieces[i].text && span_is(name, raw->pieces[i].name))
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

/* Append text with its pieces filled in. */
static int fill(struct reader *r, const struct yamldoc_node *n,
    const char *text, struct buf *to)
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
		piece = find(r->raw, name);
		if (!piece)
			return fields_bad(r, n,
			    "no piece '%.*s' (write \\{\\{ for two braces)",
			    (int)name.n, name.p);
		rc = buf_addf(to, "(?:%s)", piece->text);
		p = name.p + name.n + 2;
	}
	return rc ? err_nomem(r->e) : 0;
}

int pieces_pattern(struct reader *r, const struct yamldoc_node *n, void *to)
{
	struct buf full = BUF_INIT(BUF_MAX);
	char **text = to;

	if (fields_text(r, n, text))
		return -1;
	if (!strstr(*text, "{{"))
		return 0;
	if (fill(r, n, *text, &full)) {
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
	if (!strcmp(n->text, text))
		return fields_bad(r, n, "bad regular expression in '%s', %s",
		    fields_name(n), reason.text);
	return fields_bad(r, n, "bad regular expression in '%s', %s of %s",
	    fields_name(n), reason.text, text);
}

static int check_piece(
    struct reader *r, const struct yamldoc_node *n, const char *text)
{
	struct pattern *p = NULL;
	int rc = pieces_compile(r, n, text, &p);

	pattern_free(p);
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
	piece->name = span_dup(span_of(name));
	if (!piece->name)
		return err_nomem(r->e);
	if (pieces_pattern(r, n, &piece->text))
		return -1;
	return r->layer ? check_piece(r, n, piece->text) : 0;
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
