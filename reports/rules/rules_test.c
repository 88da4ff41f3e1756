/* Every example, match and no_match, of every rule. */
#include "base/err.h"
#include "reports/rules/rules.h"
#include "reports/rules/rules_example.h"
#include "reports/rules/rules_redaction.h"
#include "reports/rules/rules_signal.h"

#include <stdlib.h>

struct test {
	struct scan *scan;
	FILE *f;
	bool *shown; /* of each pattern: an example shows it */
	size_t bad;
};

/* 1: the rule matched in the text, 0: not, -1 with e set. */
static int seen(
    struct test *t, const struct rule *r, const char *text, struct err *e)
{
	struct findings *f = rules_example_scan(t->scan, r, text, e);
	int found = 0;

	if (!f)
		return -1;
	for (size_t i = 0; i < f->n_evidence; i++) {
		if (f->evidence[i].rule != r)
			continue;
		found = 1;
		t->shown[r->first + f->evidence[i].pattern] = true;
	}
	findings_free(f);
	return found;
}

static int run_examples(struct test *t, const struct rule *r,
    const struct strings *v, bool want, struct err *e)
{
	for (size_t i = 0; i < v->n; i++) {
		int got = seen(t, r, v->v[i], e);

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

/* How many examples were run; -1 with e set. */
static int test_rules(struct test *t, const struct taxonomy *tax, struct err *e)
{
	size_t n = 0, patterns = 0, shown = 0;

	for (size_t i = 0; i < tax->n_rules; i++) {
		const struct rule *r = taxonomy_rule_at(tax, i);

		if (!rules_example_alone(r))
			continue;
		n += r->match.n + r->no_match.n;
		if (run_examples(t, r, &r->match, true, e) ||
		    run_examples(t, r, &r->no_match, false, e))
			return -1;
		patterns += r->pattern.n;
		for (size_t k = 0; k < r->pattern.n; k++)
			shown += t->shown[r->first + k];
	}
	fprintf(t->f, "%zu of %zu expressions are shown by no example\n",
	    patterns - shown, patterns);
	return (int)n;
}

int rules_test(const struct taxonomy *tax, const struct limits *limits,
    bool prefilter, FILE *f, struct err *e)
{
	struct engine *en = engine_new(tax, limits, prefilter, e);
	struct test t = { .f = f };
	size_t n;
	int rc = -1;

	t.scan = en ? scan_new(en, e) : NULL;
	t.shown = calloc(tax->n_patterns + 1, sizeof *t.shown);
	if (!t.shown)
		err_nomem(e);
	else if (t.scan)
		rc = test_rules(&t, tax, e);
	free(t.shown);
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
