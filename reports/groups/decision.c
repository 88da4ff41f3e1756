#include "reports/groups/decision.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/err.h"
#include "reports/store/store_table.h"

#include <stdlib.h>
#include <string.h>

#define STEPS_MAX 64 /* of merges in a row; a circle has no end */

static const struct store_table table = {
	"failure_group",
	1,
	6,
	{
	    { "id", false },
	    { "merged_into", false },
	    { "name", false },
	    { "ignored", true },
	    { "said_by", false },
	    { "at", true },
	},
};

static int on_row(void *ctx, const struct store_cell *c, struct err *e)
{
	struct decisions *d = ctx;
	struct decision *to;

	if (array_grow(&d->v, d->n, &d->cap, sizeof *d->v))
		return err_nomem(e);
	to = &d->v[d->n];
	*to = (struct decision){
		.id = arena_string(d->arena, span_of(c[0].text)),
		.into = c[1].text ? arena_string(d->arena, span_of(c[1].text))
				  : NULL,
		.name = c[2].text ? arena_string(d->arena, span_of(c[2].text))
				  : NULL,
		.ignored = c[3].number != 0,
		.by = c[4].text ? arena_string(d->arena, span_of(c[4].text))
				: NULL,
		.at = c[5].number,
	};
	d->n++;
	return !to->id || (c[1].text && !to->into) ||
		(c[2].text && !to->name) || (c[4].text && !to->by)
	    ? err_nomem(e)
	    : 0;
}

int decisions_read(
    struct decisions *d, struct store *s, struct arena *p, struct err *e)
{
	*d = (struct decisions){ .arena = p };
	return store_table_each(s, &table, on_row, d, e);
}

void decisions_release(struct decisions *d)
{
	free(d->v);
	*d = (struct decisions){ 0 };
}

static int by_id(const void *a, const void *b)
{
	return strcmp(a, ((const struct decision *)b)->id);
}

const struct decision *decisions_find(const struct decisions *d, const char *id)
{
	return d && d->n ? bsearch(id, d->v, d->n, sizeof *d->v, by_id) : NULL;
}

const char *decisions_root(const struct decisions *d, const char *id)
{
	for (int i = 0; i < STEPS_MAX; i++) {
		const struct decision *x = decisions_find(d, id);

		if (!x || !x->into)
			break;
		id = x->into;
	}
	return id;
}

int decision_put(struct store *s, const struct decision *d, struct err *e)
{
	const struct store_cell row[] = {
		{ d->id, 0 },
		{ d->into, 0 },
		{ d->name, 0 },
		{ NULL, d->ignored },
		{ d->by, 0 },
		{ NULL, d->at },
	};

	return store_table_put(s, &table, row, e);
}
