/*
 * Written once for every kind of value; messages name the key and its place.
 */
#include "rules/fields.h"

#include "base/array.h"
#include "base/err.h"
#include "rules/yamldoc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FACTOR_MAX 100

int fields_bad(
    struct reader *r, const struct yamldoc_node *n, const char *fmt, ...)
{
	char text[sizeof r->e->text];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return err_set(r->e, "%s:%u:%u: %s", r->file, n->line, n->column, text);
}

struct place fields_place(const struct reader *r, const struct yamldoc_node *n)
{
	return (struct place){ r->file, n->line, n->column };
}

struct place fields_id_place(
    const struct reader *r, const struct yamldoc_node *n)
{
	const struct yamldoc_node *id = yamldoc_get(n, "id");

	return fields_place(r, id ? id : n);
}

const char *fields_name(const struct yamldoc_node *n)
{
	return n->key ? n->key->text : "item";
}

/* Any text but none at all. */
int fields_text(struct reader *r, const struct yamldoc_node *n, void *to)
{
	char *copy;

	if (n->kind == YAMLDOC_MAP)
		return fields_bad(r, n,
		    "'%s' must be a text (quote one with ': ')",
		    fields_name(n));
	if (n->kind != YAMLDOC_SCALAR)
		return fields_bad(r, n, "'%s' must be a text", fields_name(n));
	if (yamldoc_null(n) || (!n->text[0] && n->key))
		return fields_bad(
		    r, n, "'%s' must not be empty", fields_name(n));
	copy = span_dup(span_of(n->text));
	if (!copy)
		return err_nomem(r->e);
	free(*(char **)to);
	*(char **)to = copy;
	return 0;
}

/* Lower case letters, digits, '_' and '.'. */
int fields_id(struct reader *r, const struct yamldoc_node *n, void *to)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789_.";

	if (fields_text(r, n, to))
		return -1;
	if (strspn(n->text, allowed) != strlen(n->text))
		return fields_bad(r, n,
		    "'%s' may hold lower case letters, digits, '_' and '.', "
		    "not '%s'",
		    fields_name(n), n->text);
	return 0;
}

int fields_bool(struct reader *r, const struct yamldoc_node *n, void *to)
{
	bool yes;

	if (n->kind != YAMLDOC_SCALAR || !n->plain)
		return fields_bad(
		    r, n, "'%s' must be true or false", fields_name(n));
	yes = !strcmp(n->text, "true");
	if (!yes && strcmp(n->text, "false") != 0)
		return fields_bad(r, n, "'%s' must be true or false, not '%s'",
		    fields_name(n), n->text);
	*(bool *)to = yes;
	return 0;
}

long fields_number(
    struct reader *r, const struct yamldoc_node *n, long least, long most)
{
	int64_t v = -1;

	if (n->kind == YAMLDOC_SCALAR && n->plain)
		v = span_number(span_of(n->text));
	if (v < least || v > most)
		return fields_bad(r, n, "'%s' must be a number from %ld to %ld",
		    fields_name(n), least, most);
	return (long)v;
}

/* Digits with a decimal point, which is '.' in any locale. */
int fields_factor(struct reader *r, const struct yamldoc_node *n, void *to)
{
	const char *s = n->kind == YAMLDOC_SCALAR && n->plain ? n->text : "";
	double v = 0, unit = 1;
	size_t digits = strspn(s, "0123456789");
	bool fine = digits > 0 && digits < 6;

	for (size_t i = 0; i < digits; i++)
		v = v * 10 + (s[i] - '0');
	if (fine && s[digits] == '.') {
		const char *p = s + digits + 1;

		fine = *p != '\0';
		for (; *p >= '0' && *p <= '9'; p++)
			v += (*p - '0') * (unit /= 10);
		fine = fine && !*p;
	} else {
		fine = fine && !s[digits];
	}
	if (!fine || v < 0.01 || v > FACTOR_MAX)
		return fields_bad(r, n, "'%s' must be a number from 0.01 to %d",
		    fields_name(n), FACTOR_MAX);
	*(double *)to = v;
	return 0;
}

int fields_list(struct reader *r, const struct yamldoc_node *n, void *to)
{
	struct strings *s = to;

	if (n->kind != YAMLDOC_LIST)
		return fields_bad(r, n, "'%s' must be a list", fields_name(n));
	s->v = calloc(n->n + 1, sizeof *s->v);
	if (!s->v)
		return err_nomem(r->e);
	for (const struct yamldoc_node *c = n->first; c; c = c->next)
		if (fields_text(r, c, &s->v[s->n++]))
			return -1;
	return 0;
}

int fields_examples(struct reader *r, const struct yamldoc_node *n, void *to)
{
	if (n->kind == YAMLDOC_LIST && !n->n)
		return fields_bad(r, n, "'%s' must hold at least one example",
		    fields_name(n));
	return fields_list(r, n, to);
}

int fields_choose(struct reader *r, const struct yamldoc_node *n,
    const char *const *names, size_t count)
{
	char list[256] = "";
	size_t used = 0;

	if (n->kind == YAMLDOC_SCALAR)
		for (size_t i = 0; i < count; i++)
			if (!strcmp(n->text, names[i]))
				return (int)i;
	for (size_t i = 0; i < count && used < sizeof list; i++)
		used += (size_t)snprintf(list + used, sizeof list - used,
		    "%s%s", i ? ", " : "", names[i]);
	return fields_bad(r, n, "bad %s '%s': must be one of %s",
	    fields_name(n),
	    n->kind == YAMLDOC_SCALAR ? n->text : "(not a text)", list);
}

int fields_map(struct reader *r, const struct yamldoc_node *n,
    const struct field *fields, void *base, unsigned *given)
{
	unsigned seen = 0;

	if (n->kind != YAMLDOC_MAP)
		return fields_bad(
		    r, n, "'%s' must be a map of keys", fields_name(n));
	for (const struct yamldoc_node *c = n->first; c; c = c->next) {
		size_t i = 0;

		while (
		    fields[i].name && strcmp(fields[i].name, c->key->text) != 0)
			i++;
		if (!fields[i].name)
			return fields_bad(
			    r, c->key, "unknown key '%s'", c->key->text);
		if (fields[i].read(r, c, (char *)base + fields[i].offset))
			return -1;
		seen |= 1u << i;
	}
	if (given) {
		*given = seen;
		return 0;
	}
	for (size_t i = 0; fields[i].name; i++)
		if (fields[i].required && !(seen & 1u << i))
			return fields_bad(
			    r, n, "missing key '%s'", fields[i].name);
	return 0;
}

int fields_each(struct reader *r, const struct yamldoc_node *list,
    int (*read)(struct reader *r, const struct yamldoc_node *n))
{
	if (!list)
		return 0;
	if (list->kind != YAMLDOC_LIST)
		return fields_bad(
		    r, list, "'%s' must be a list", fields_name(list));
	for (const struct yamldoc_node *c = list->first; c; c = c->next)
		if (read(r, c))
			return -1;
	return 0;
}

void *fields_more(
    struct reader *r, void **v, size_t *n, size_t *cap, size_t size)
{
	char *p;

	if (array_grow(v, *n, cap, size)) {
		err_nomem(r->e);
		return NULL;
	}
	p = (char *)*v + (*n)++ * size;
	memset(p, 0, size);
	return p;
}

int fields_confidence(struct reader *r, const struct yamldoc_node *n, void *to)
{
	static const char *const names[] = { "low", "medium", "high" };
	int i = fields_choose(r, n, names, COUNT(names));

	if (i < 0)
		return -1;
	*(int *)to = i;
	return 0;
}

int fields_verdict_number(
    struct reader *r, const struct yamldoc_node *n, void *to)
{
	const char *names[VERDICT_NONE];
	int i;

	for (i = 0; i < VERDICT_NONE; i++)
		names[i] = taxonomy_verdict_name((enum verdict)i);
	i = fields_choose(r, n, names, COUNT(names));
	if (i < 0)
		return -1;
	*(int *)to = i;
	return 0;
}

int fields_verdict(struct reader *r, const struct yamldoc_node *n, void *to)
{
	int i;

	if (fields_verdict_number(r, n, &i))
		return -1;
	*(enum verdict *)to = (enum verdict)i;
	return 0;
}
