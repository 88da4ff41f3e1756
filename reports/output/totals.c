#include "reports/output/totals.h"

#include <stdlib.h>
#include <string.h>

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

	enum ending ending = entry_ending(en);

	t->jobs++;
	if (en->failed == 1 || ending == ENDING_CUT || ending == ENDING_UNKNOWN)
		t->verdicts[en->verdict]++;
	if (en->failed != 1) {
		t->endings[ending]++;
		return;
	}
	t->failed++;
	t->confidence[en->confidence]++;
	if (c)
		t->categories[c - t->tax->categories]++;
	else if (strcmp(entry_category(en), ENTRY_NO_LOG) == 0)
		t->no_log++;
	else
		t->unknown++;
}
