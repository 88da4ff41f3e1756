/*
 * Events of libyaml become nodes in one arena; the stack of open lists and
 * maps is a fixed array, which is also the bound of the depth. Nothing of
 * libyaml's is kept after parsing. It is loaded with the first file: a run with
 * the built-in rules reads none.
 */
#include "rules/yamldoc.h"

#include "base/err.h"
#include "base/library.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* Bytes of one arena block; larger texts get a block of their own. */
#define BLOCK_BYTES ((size_t)64 << 10)

#define FUNCTIONS(X)                \
	X(yaml_event_delete)        \
	X(yaml_parser_delete)       \
	X(yaml_parser_initialize)   \
	X(yaml_parser_parse)        \
	X(yaml_parser_set_encoding) \
	X(yaml_parser_set_input_string)

static struct {
	FUNCTIONS(LIBRARY_SLOT)
} lib;
static const struct library_row rows[] = { FUNCTIONS(LIBRARY_ROW) };
static struct library library =
    LIBRARY_INIT("libyaml-0.so.2", "libyaml-0-2", rows);

struct block {
	struct block *next;
	size_t used, cap;
	max_align_t p[];
};

struct yamldoc {
	struct block *blocks;
	const struct yamldoc_node *root;
	const char *name;
	size_t nodes;
};

/* A list or map that is still open, and the key that waits for its value. */
struct open {
	struct yamldoc_node *node, *last;
	const struct yamldoc_node *key;
};

struct reader {
	struct yamldoc *doc;
	struct open open[YAMLDOC_DEPTH_MAX];
	size_t depth;
	bool done; /* the document has ended */
	struct err *e;
};

static void *arena_take(struct yamldoc *d, size_t n)
{
	struct block *b = d->blocks;
	size_t align = sizeof(max_align_t);
	void *p;

	n = (n + align - 1) / align * align;
	if (!b || b->cap - b->used < n) {
		size_t cap = n > BLOCK_BYTES ? n : BLOCK_BYTES;

		b = malloc(sizeof *b + cap);
		if (!b)
			return NULL;
		b->used = 0;
		b->cap = cap;
		b->next = d->blocks;
		d->blocks = b;
	}
	p = (char *)b->p + b->used;
	b->used += n;
	return p;
}

static const char *arena_text(struct yamldoc *d, const char *s, size_t n)
{
	char *p = arena_take(d, n + 1);

	if (p) {
		memcpy(p, s, n);
		p[n] = '\0';
	}
	return p;
}

static unsigned from_one(size_t n)
{
	return n < UINT32_MAX ? (unsigned)n + 1 : UINT32_MAX;
}

static int fail_at(struct reader *r, yaml_mark_t at, const char *text)
{
	return err_set(r->e, "%s:%u:%u: %s", r->doc->name, from_one(at.line),
	    from_one(at.column), text);
}

static int fail_parser(struct reader *r, const yaml_parser_t *p)
{
	const char *text = p->problem ? p->problem : "not readable as YAML";

	switch (p->error) {
	case YAML_MEMORY_ERROR:
		return err_nomem(r->e);
	case YAML_READER_ERROR:
		return err_set(r->e, "%s:%u:%u: %s", r->doc->name,
		    from_one(p->mark.line), from_one(p->mark.column), text);
	default:
		return fail_at(r, p->problem_mark, text);
	}
}

static struct yamldoc_node *new_node(
    struct reader *r, yaml_mark_t at, enum yamldoc_kind kind)
{
	struct yamldoc_node *n;

	if (++r->doc->nodes > YAMLDOC_NODES_MAX) {
		fail_at(r, at, "too many values in one file");
		return NULL;
	}
	n = arena_take(r->doc, sizeof *n);
	if (!n) {
		err_nomem(r->e);
		return NULL;
	}
	memset(n, 0, sizeof *n);
	n->kind = kind;
	n->line = from_one(at.line);
	n->column = from_one(at.column);
	return n;
}

/* Take n as the next key of the open map. */
static int add_key(struct reader *r, struct open *o, yaml_mark_t at,
    const struct yamldoc_node *n)
{
	if (n->kind != YAMLDOC_SCALAR)
		return fail_at(r, at, "a key must be a text");
	if (o->node->n == YAMLDOC_KEYS_MAX)
		return fail_at(r, at, "too many keys in one map");
	if (yamldoc_get(o->node, n->text))
		return err_set(r->e, "%s:%u:%u: duplicate key '%s'",
		    r->doc->name, n->line, n->column, n->text);
	o->key = n;
	return 0;
}

/* Hang n under the innermost open list or map. */
static int attach(struct reader *r, yaml_mark_t at, struct yamldoc_node *n)
{
	struct open *o = r->depth ? &r->open[r->depth - 1] : NULL;

	if (!o || !o->node) {
		r->doc->root = n;
		return 0;
	}
	if (o->node->kind == YAMLDOC_MAP) {
		if (!o->key)
			return add_key(r, o, at, n);
		n->key = o->key;
		o->key = NULL;
	}
	if (o->last)
		o->last->next = n;
	else
		o->node->first = n;
	o->last = n;
	o->node->n++;
	return 0;
}

static int add_scalar(struct reader *r, const yaml_event_t *ev)
{
	const char *text = (const char *)ev->data.scalar.value;
	size_t len = ev->data.scalar.length;
	struct yamldoc_node *n;

	if (ev->data.scalar.tag)
		return fail_at(r, ev->start_mark, "tags are not supported");
	if (memchr(text, 0, len))
		return fail_at(r, ev->start_mark, "a text must not hold NUL");
	n = new_node(r, ev->start_mark, YAMLDOC_SCALAR);
	if (!n)
		return -1;
	n->plain = ev->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	n->text = arena_text(r->doc, text, len);
	if (!n->text)
		return err_nomem(r->e);
	return attach(r, ev->start_mark, n);
}

static int add_open(struct reader *r, const yaml_event_t *ev)
{
	bool map = ev->type == YAML_MAPPING_START_EVENT;
	const yaml_char_t *tag =
	    map ? ev->data.mapping_start.tag : ev->data.sequence_start.tag;
	struct yamldoc_node *n;

	if (tag)
		return fail_at(r, ev->start_mark, "tags are not supported");
	if (r->depth == YAMLDOC_DEPTH_MAX)
		return fail_at(r, ev->start_mark, "nested too deeply");
	n = new_node(r, ev->start_mark, map ? YAMLDOC_MAP : YAMLDOC_LIST);
	if (!n || attach(r, ev->start_mark, n))
		return -1;
	r->open[r->depth++] = (struct open){ .node = n };
	return 0;
}

static int add_event(struct reader *r, const yaml_event_t *ev)
{
	switch (ev->type) {
	case YAML_SCALAR_EVENT:
		return add_scalar(r, ev);
	case YAML_SEQUENCE_START_EVENT:
	case YAML_MAPPING_START_EVENT:
		return add_open(r, ev);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		r->depth--;
		return 0;
	case YAML_ALIAS_EVENT:
		return fail_at(r, ev->start_mark, "aliases are not supported");
	case YAML_DOCUMENT_START_EVENT:
		if (r->doc->root)
			return fail_at(
			    r, ev->start_mark, "only one document in a file");
		return 0;
	case YAML_STREAM_END_EVENT:
		r->done = true;
		return 0;
	default:
		return 0;
	}
}

static int read_events(struct reader *r, yaml_parser_t *parser)
{
	while (!r->done) {
		yaml_event_t ev;
		int rc;

		if (!lib.yaml_parser_parse(parser, &ev))
			return fail_parser(r, parser);
		rc = add_event(r, &ev);
		lib.yaml_event_delete(&ev);
		if (rc)
			return -1;
	}
	if (!r->doc->root)
		return err_set(r->e, "%s:1:1: the file is empty", r->doc->name);
	return 0;
}

struct yamldoc *yamldoc_new(
    const char *data, size_t len, const char *name, struct err *e)
{
	struct yamldoc *d;
	struct reader r = { .e = e };
	yaml_parser_t parser;
	int rc = -1;

	if (library_load(&library, e))
		return NULL;
	r.doc = d = calloc(1, sizeof *d);
	if (!d) {
		err_nomem(e);
		return NULL;
	}
	if (!lib.yaml_parser_initialize(&parser)) {
		free(d);
		err_nomem(e);
		return NULL;
	}
	d->name = arena_text(d, name, strlen(name));
	if (!d->name) {
		err_nomem(e);
	} else if (len > YAMLDOC_BYTES_MAX) {
		err_set(e, "%s:1:1: the file is larger than %zu MiB", name,
		    YAMLDOC_BYTES_MAX >> 20);
	} else {
		lib.yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
		lib.yaml_parser_set_input_string(
		    &parser, (const unsigned char *)data, len);
		rc = read_events(&r, &parser);
	}
	lib.yaml_parser_delete(&parser);
	if (rc) {
		yamldoc_free(d);
		return NULL;
	}
	return d;
}

void yamldoc_free(struct yamldoc *d)
{
	if (!d)
		return;
	for (struct block *b = d->blocks, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	free(d);
}

const struct yamldoc_node *yamldoc_root(const struct yamldoc *d)
{
	return d->root;
}

const char *yamldoc_name(const struct yamldoc *d)
{
	return d->name;
}

const struct yamldoc_node *yamldoc_get(
    const struct yamldoc_node *map, const char *key)
{
	if (map->kind != YAMLDOC_MAP)
		return NULL;
	for (const struct yamldoc_node *c = map->first; c; c = c->next)
		if (!strcmp(c->key->text, key))
			return c;
	return NULL;
}

bool yamldoc_null(const struct yamldoc_node *n)
{
	if (n->kind != YAMLDOC_SCALAR || !n->plain)
		return false;
	return !n->text[0] || !strcmp(n->text, "~") || !strcmp(n->text, "null");
}
