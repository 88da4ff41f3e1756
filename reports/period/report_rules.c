/*
 * How the rules fare: which explain failures, which speak up in jobs that end
 * well, which never do anything. Context rules give no evidence; they are not
 * counted among those.
 */
#include "reports/period/report_private.h"

#include <stdlib.h>
#include <string.h>

struct tallies {
	struct report_builder *b;
	struct numbers ids;
	struct rule_row *v; /* by number */
	size_t cap;
};

static struct rule_row *row_of(struct tallies *t, const char *id)
{
	size_t i = report_number_row(&t->ids, id, &t->v, &t->cap, sizeof *t->v);

	if (i == SIZE_MAX)
		return NULL;
	if (!t->v[i].id) {
		t->v[i].id = id;
		t->v[i].rule = taxonomy_rule(t->b->r->tax, id);
	}
	return &t->v[i];
}

static int count(
    struct tallies *t, const struct item *it, const struct item *next)
{
	const struct entry *en = it->en;
	struct rule_row *row;
	bool counted = false;

	for (size_t i = 0; i < en->n_rules; i++) {
		row = row_of(t, en->rules[i]);
		if (!row)
			return -1;
		row->seen++;
		row->on_good += en->failed == 0;
		counted |= en->rules[i] == en->rule;
	}
	if (!en->rule)
		return 0;
	row = row_of(t, en->rule);
	if (!row)
		return -1;
	row->won += en->failed == 1;
	row->seen += !counted;
	row->on_good += !counted && en->failed == 0;
	report_health(row, it, next);
	return 0;
}

static int by_won(const void *a, const void *b)
{
	const struct rule_row *x = a, *y = b;

	if (x->won != y->won)
		return x->won < y->won ? 1 : -1;
	return strcmp(x->id, y->id);
}

static int find_never(struct report *r, const struct rule_row *v, size_t n)
{
	const struct taxonomy *tax = r->tax;
	bool *seen = calloc(tax->n_rules + 1, sizeof *seen);

	r->never =
	    arena_memory(r->arena, (tax->n_rules + 1) * sizeof *r->never);
	if (!seen || !r->never) {
		free(seen);
		return -1;
	}
	for (size_t i = 0; i < n; i++)
		if (v[i].rule)
			seen[v[i].rule->number] = true;
	for (size_t i = 0; i < tax->n_rules; i++)
		if (!seen[i] && taxonomy_rule_at(tax, i)->role != ROLE_CONTEXT)
			r->never[r->n_never++] = taxonomy_rule_at(tax, i)->id;
	free(seen);
	return 0;
}

int report_rules(struct report_builder *b)
{
	struct tallies t = { .b = b };
	struct report *r = b->r;
	size_t n;
	int rc = 0;

	for (size_t i = 0; i < b->n && !rc; i++)
		if (b->items[i].now)
			rc = count(&t, &b->items[i],
			    i + 1 < b->n ? &b->items[i + 1] : NULL);
	n = t.ids.n;
	if (!rc) {
		r->rules = arena_memory(b->arena, (n + 1) * sizeof *r->rules);
		rc = r->rules ? find_never(r, t.v, n) : -1;
	}
	if (!rc && n) {
		qsort(t.v, n, sizeof *t.v, by_won);
		memcpy(r->rules, t.v, n * sizeof *t.v);
		r->n_rules = n;
	}
	rc = rc || report_mend(r) ? -1 : 0;
	report_numbers_release(&t.ids);
	free(t.v);
	return rc;
}
