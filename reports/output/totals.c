#include "reports/output/totals.h"

#include <stdlib.h>

int totals_init(struct totals *t, const struct taxonomy *tax)
{
	*t = (struct totals){ .tax = tax };
	t->categories = calloc(tax->n_categories + 1, sizeof *t->categories);
	return t->categories ? 0 : -1;
}

void totals_release(struct totals *t)
{
	free(t->categories);
	t->categories = NULL;
}

void totals_add(struct totals *t, const struct entry *en)
{
	const struct category *c = taxonomy_category(t->tax, en->category);

	t->jobs++;
	t->verdicts[en->verdict]++;
	if (en->failed == 0) {
		t->ended_well++;
		return;
	}
	if (en->failed < 0) {
		t->cannot_tell++;
		return;
	}
	t->failed++;
	t->confidence[en->confidence]++;
	if (c)
		t->categories[c - t->tax->categories]++;
	else
		t->unknown++;
}
