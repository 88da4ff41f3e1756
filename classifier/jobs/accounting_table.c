/*
 * What rows under a header have in common, however they are split.
 */
#include "jobs/accounting_load.h"

#include <stdlib.h>
#include <string.h>

void accounting_table_release(struct accounting_table *t)
{
	free(t->header);
	free(t->names);
	free(t->fields);
	memset(t, 0, sizeof *t);
}

static int index_of(const struct accounting_table *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (accounting_same(t->names[i], name))
			return (int)i;
	return -1;
}

static bool has(void *ctx, const char *name)
{
	return index_of(ctx, name) >= 0;
}

struct accounting_names accounting_table_names(struct accounting_table *t)
{
	return (struct accounting_names){ t, has };
}

void accounting_table_bind(
    struct accounting_table *t, const struct accounting_map *map)
{
	struct accounting_names names = accounting_table_names(t);

	t->map = map;
	for (size_t c = 0; c < COLUMN_COUNT; c++) {
		const char *name =
		    accounting_map_name(map, (enum accounting_column)c, &names);

		t->at[c] = name ? index_of(t, name) : -1;
	}
}

int accounting_table_draft(
    struct load *l, const struct accounting_table *t, struct draft *d)
{
	for (size_t c = 0; c < COLUMN_COUNT; c++)
		if (t->at[c] >= 0 &&
		    accounting_draft_set(
			l, d, (enum accounting_column)c, t->fields[t->at[c]]))
			return -1;
	return 0;
}

int accounting_table_room(struct accounting_table *t, size_t n)
{
	struct span *fields;

	if (n <= t->cap)
		return 0;
	fields = realloc(t->fields, 2 * n * sizeof *fields);
	if (!fields)
		return -1;
	t->fields = fields;
	t->cap = 2 * n;
	return 0;
}
