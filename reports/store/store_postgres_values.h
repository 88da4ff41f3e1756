/*
 * The values of a statement, in the binary form that PostgreSQL wants.
 */
#ifndef REPORTS_STORE_POSTGRES_VALUES_H
#define REPORTS_STORE_POSTGRES_VALUES_H

#include "reports/store/store_private.h"

#include <string.h>

#define PARAMS_MAX ((int)STORE_COLUMNS + 2)

/* Borrowed, but for numbers. */
struct params {
	const char *v[PARAMS_MAX];
	int len[PARAMS_MAX], format[PARAMS_MAX];
	char number[PARAMS_MAX][8];
	int n;
};

static inline void params_bytes(struct params *p, const char *v, size_t n)
{
	p->v[p->n] = v;
	p->len[p->n] = (int)n;
	p->format[p->n++] = 1;
}

static inline void params_text(struct params *p, const char *v)
{
	params_bytes(p, v, v ? strlen(v) : 0);
}

static inline void params_number(struct params *p, int64_t v)
{
	char *to = p->number[p->n];

	for (int i = 0; i < 8; i++)
		to[i] = (char)((uint64_t)v >> (56 - 8 * i) & 0xff);
	params_bytes(p, to, 8);
}

static inline void params_value(
    struct params *p, const struct store_item *it, enum store_column i)
{
	const struct store_value *v = &it->v[i];

	if (v->kind == STORE_INTEGER)
		params_number(p, v->i);
	else if (v->kind == STORE_NULL)
		params_text(p, NULL);
	else
		params_bytes(p, it->bytes + v->at, v->n);
}

#endif
