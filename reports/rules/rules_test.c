/* Every example, match and no_match, of every rule. */
#include "base/err.h"
#include "reports/rules/rules.h"
#include "reports/rules/rules_example.h"
#include "reports/rules/rules_redaction.h"
#include "reports/rules/rules_signal.h"
#include "rules/pattern.h"

#include <stdlib.h>

struct test {
	const struct taxonomy *tax;
	struct scan *scan;
	struct matcher *matcher;
	FILE *f;
	bool *shown; /* of each pattern: an example shows it */
	size_t bad, unshown;
};

static int run_examples(struct test *t, const struct rule *r,
    const struct strings *v, bool want, struct err *e)
{
	for (size_t i = 0; i < v->n; i++) {
		int got = rules_example_seen(t->scan, t->matcher, t->tax, r,
		    v->v[i], t->shown + r->first, e);

		if (got < 0)
			return -1;
		if ((got == 1) == want)
			continue;
		t->bad++;
		fprintf(t->f, "%s:%u: rule %s: %s: %s\n", r->file, r->line,
		    r->id,
		    want ? "a match example does not match"
			 : "a no_match example matches",
		    v->v[i]);
	}
	return 0;
}

/* An expression that was never tried may not match what it means to. */
static void tell_unshown(struct test *t, const struct rule *r)
{
	for (size_t k = 0; k < r->pattern.n; k++) {
		if (t->shown[r->first + k])
			continue;
		t->unshown++;
		fprintf(t->f,
		    "%s:%u: rule %s: no match example shows pattern %zu: %s\n",
		    r->file, r->line, r->id, k + 1, r->pattern.v[k]);
	}
}

/* How many examples were run; -1 with e set. */
static int test_rules(struct test *t, struct err *e)
{
	size_t n = 0;

	for (size_t i = 0; i < t->tax->n_rules; i++) {
		const struct rule *r = taxonomy_rule_at(t->tax, i);

		n += r->match.n + r->no_match.n;
		if (run_examples(t, r, &r->match, true, e) ||
		    run_examples(t, r, &r->no_match, false, e))
			return -1;
		tell_unshown(t, r);
	}
	fprintf(t->f, "%zu of %zu expressions are shown by no example\n",
	    t->unshown, t->tax->n_patterns);
	return (int)n;
}

int rules_test(const struct taxonomy *tax, const struct limits *limits,
    bool prefilter, FILE *f, struct err *e)
{
	struct engine *en = engine_new(tax, limits, prefilter, e);
	struct test t = { .tax = tax, .f = f };
	size_t n;
	int rc = -1;

	t.scan = en ? scan_new(en, e) : NULL;
	t.matcher = pattern_matcher_new(limits->v[LIMIT_MATCH]);
	t.shown = calloc(tax->n_patterns + 1, sizeof *t.shown);
	if (t.scan && (!t.matcher || !t.shown))
		err_nomem(e);
	else if (t.scan)
		rc = test_rules(&t, e);
	free(t.shown);
	pattern_matcher_free(t.matcher);
	scan_free(t.scan);
	engine_free(en);
	if (rc < 0)
		return -1;
	n = (size_t)rc;
	rc = rules_redaction_test(tax, limits, f, &t.bad, e);
	if (rc < 0)
		return -1;
	n += (size_t)rc;
	rc = rules_signal_test(tax, limits, f, &t.bad, e);
	if (rc < 0)
		return -1;
	n += (size_t)rc;
	fprintf(f,
	    "%zu rules, %zu redactions, %zu signals, %zu examples, "
	    "%zu wrong\n",
	    tax->n_rules, tax->n_redactions, tax->n_signals, n, t.bad);
	return t.bad ? 1 : 0;
}
