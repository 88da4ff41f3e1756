#include "reports/totals.h"

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

void totals_add(struct totals *t, const struct diagnosis *d)
{
	t->jobs++;
	t->verdicts[d->verdict]++;
	if (d->failed == 0) {
		t->ended_well++;
		return;
	}
	if (d->failed < 0) {
		t->cannot_tell++;
		return;
	}
	t->failed++;
	t->confidence[d->confidence]++;
	if (d->category)
		t->categories[d->category - t->tax->categories]++;
	else
		t->unknown++;
}
