/* Whether the failure comes again, and always at the same place. */
#include "reports/explain/explain_parts.h"
#include "reports/period/sheet.h"

#include <string.h>

#define SHOWN 5 /* of the earlier attempts, the last ones */

static bool alike(const struct diagnosis *d, const struct explain_attempt *a)
{
	return a->failed == 1 && a->fingerprint && d->fingerprint[0] &&
	    strcmp(a->fingerprint, d->fingerprint) == 0;
}

static bool same_step(struct progress a, struct progress b)
{
	return a.step == b.step && a.epoch == b.epoch;
}

static void write_attempt(
    struct page *p, const struct explain *x, const struct explain_attempt *a)
{
	const struct category *c =
	    a->category ? taxonomy_category(x->tax, a->category) : NULL;
	char label[32];

	if (a->failed == 0)
		page_add(p, "ended well");
	else if (alike(x->d, a))
		page_add(p, "the same failure");
	else if (a->failed < 0)
		page_add(p, "cannot tell");
	else
		page_string(p, c ? c->name : "a failure that no rule explains");
	if (a->last.epoch >= 0 || a->last.step >= 0) {
		page_add(p, " after ");
		explain_position(p, a->last);
	}
	snprintf(label, sizeof label, "attempt %lld", (long long)a->attempt);
	page_fact(p, label);
}

static void write_verdict(
    struct page *p, const struct explain *x, struct progress last)
{
	size_t same = 0, place = 0;

	for (size_t i = 0; i < x->n_past; i++) {
		same += alike(x->d, &x->past[i]);
		place += alike(x->d, &x->past[i]) &&
		    same_step(x->past[i].last, last);
	}
	if (place) {
		page_add(p,
		    STRONG "reproducible" PLAIN
			   ": %zu of %zu attempts failed alike%s",
		    place + 1, x->n_past + 1,
		    last.step >= 0 || last.epoch >= 0 ? " at " : "");
		explain_position(p, last);
	} else if (same) {
		page_add(p,
		    STRONG "sporadic" PLAIN
			   ": %zu of %zu attempts failed alike, but at other "
			   "steps",
		    same + 1, x->n_past + 1);
	} else {
		page_add(p,
		    STRONG "new" PLAIN ": no earlier attempt failed like this");
	}
	page_fact(p, "in all");
}

static bool named(const struct explain_attempt *a, const char *input)
{
	for (size_t i = 0; i < a->n_inputs; i++)
		if (strcmp(a->inputs[i], input) == 0)
			return true;
	return false;
}

/* The input that most of the attempts which failed alike had named before. */
static void write_inputs(struct page *p, const struct explain *x)
{
	const struct inputs *in = x->d->facts.inputs;
	const char *best = NULL;
	size_t most = 0;

	for (size_t i = 0; in && i < in->n; i++) {
		size_t n = 0;

		for (size_t k = 0; k < x->n_past; k++)
			n += alike(x->d, &x->past[k]) &&
			    named(&x->past[k], in->v[i]);
		if (n <= most)
			continue;
		most = n;
		best = in->v[i];
	}
	if (!best)
		return;
	page_string(p, best);
	page_add(p, " was named last in %zu of the attempts that failed alike",
	    most + 1);
	page_fact(p, "input");
}

void explain_attempts(struct page *p, const struct explain *x)
{
	size_t from = x->n_past > SHOWN ? x->n_past - SHOWN : 0;

	if (x->n_past == 0)
		return;
	page_heading(p, "Earlier attempts");
	if (from) {
		page_add(p, "%zu more before these", from);
		page_fact(p, "");
	}
	for (size_t i = from; i < x->n_past; i++)
		write_attempt(p, x, &x->past[i]);
	write_verdict(p, x, x->d->facts.last);
	write_inputs(p, x);
}
