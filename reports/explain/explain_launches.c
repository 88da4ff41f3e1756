/* The runs of a program that one log holds, each with its own end. */
#include "diagnose/decision/verdict.h"
#include "reports/explain/explain_parts.h"
#include "reports/period/figure.h"

#include <stdio.h>

#define SHOWN 8 /* of a log, the last ones */

static void write_launch(struct page *p, const struct explain *x,
    const struct launch *l, size_t number)
{
	bool timed = l->first_time != ENVELOPE_NO_TIME &&
	    l->last_time != ENVELOPE_NO_TIME && l->last_time >= l->first_time;
	char label[32], one[FIGURE], two[FIGURE];

	page_add(p, "lines %s to %s", figure_count(one, l->first_line),
	    figure_count(two, l->last_line));
	if (timed)
		page_add(p, ", %s",
		    figure_length(one, l->last_time - l->first_time));
	page_add(p, ": ");
	if (l->trial)
		page_add(p, "a run of its own: ");
	if (l->rule) {
		page_string(p, x->tax->categories[l->rule->category].name);
		page_add(p, ", %s",
		    taxonomy_verdict_name(verdict_of_rule(x->tax, l->rule)));
	} else {
		page_add(p,
		    l->ended_well ? "ended well"
			: l->stub ? "has only begun"
				  : "tells no failure");
	}
	snprintf(label, sizeof label, "launch %zu", number);
	page_fact(p, label);
}

void explain_launches(struct page *p, const struct explain *x)
{
	for (size_t i = 0; i < x->d->n_logs; i++) {
		const struct findings *f = x->d->logs[i];
		size_t n = f->n_launches, from = n > SHOWN ? n - SHOWN : 0;

		if (n == 0)
			continue;
		page_heading(p, "Launches");
		page_string(p, f->path);
		page_add(
		    p, " is of %zu launches: the last one is the answer", n);
		page_item(p, 0);
		for (size_t k = from; k < n; k++)
			write_launch(p, x, &f->launches[k], k + 1);
	}
}
