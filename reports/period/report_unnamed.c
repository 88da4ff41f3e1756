/* The groups of failures that no rule names. */
#include "reports/period/report_private.h"

#include <stdlib.h>

int report_unnamed(struct report_builder *b)
{
	struct group_item *v = malloc((b->n_failures + 1) * sizeof *v);
	size_t n = 0;
	int rc = -1;

	for (size_t i = 0; v && i < b->n_failures; i++) {
		const struct item *it = b->failures[i];

		if (it->en->template_id && it->en->template_text)
			v[n++] = (struct group_item){
				it->en, it->when, it->job, it->now
			};
	}
	if (v)
		rc = groups_make(&b->r->unnamed, b->arena, v, n,
		    b->r->options.said);
	free(v);
	return rc;
}
