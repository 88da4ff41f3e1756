/* Every example, match and no_match, of every rule. */
#include "base/err.h"
#include "reports/rules/rules.h"
#include "reports/rules/rules_example.h"
#include "reports/rules/rules_redaction.h"
#include "reports/rules/rules_signal.h"

/* 1: the rule matched in the text, 0: not, -1 with e set. */
static int seen(
    struct scan *s, const struct rule *r, const char *text, struct err *e)
{
	struct findings *f;
	int found = 0;

	f = rules_example_scan(s, r, text, e);
	if (!f)
		return -1;
	for (size_t i = 0; i < f->n_evidence; i++)
		found |= f->evidence[i].rule == r;
	findings_free(f);
	return found;
}

static int run_examples(struct scan *s, const struct rule *r,
    const struct strings *v, bool want, FILE *f, size_t *bad, struct err *e)
{
	for (size_t i = 0; i < v->n; i++) {
		int got = seen(s, r, v->v[i], e);

		if (got < 0)
			return -1;
		if ((got == 1) == want)
			continue;
		++*bad;
		fprintf(f, "%s:%u: rule %s: %s: %s\n", r->file, r->line, r->id,
		    want ? "a match example does not match"
			 : "a no_match example matches",
		    v->v[i]);
	}
	return 0;
}

int rules_test(const struct taxonomy *tax, const struct limits *limits,
    bool prefilter, FILE *f, struct err *e)
{
	struct engine *en = engine_new(tax, limits, prefilter, e);
	struct scan *s = en ? scan_new(en, e) : NULL;
	size_t bad = 0, n = 0;
	int rc = s ? 0 : -1;

	for (size_t i = 0; i < tax->n_rules && !rc; i++) {
		const struct rule *r = taxonomy_rule_at(tax, i);

		if (!rules_example_alone(r))
			continue;
		n += r->match.n + r->no_match.n;
		rc = run_examples(s, r, &r->match, true, f, &bad, e) ||
			run_examples(s, r, &r->no_match, false, f, &bad, e)
		    ? -1
		    : 0;
	}
	scan_free(s);
	engine_free(en);
	rc = rc ? -1 : rules_redaction_test(tax, limits, f, &bad, e);
	if (rc < 0)
		return -1;
	n += (size_t)rc;
	rc = rules_signal_test(tax, limits, f, &bad, e);
	if (rc < 0)
		return -1;
	n += (size_t)rc;
	fprintf(f,
	    "%zu rules, %zu redactions, %zu signals, %zu examples, "
	    "%zu wrong\n",
	    tax->n_rules, tax->n_redactions, tax->n_signals, n, bad);
	return bad ? 1 : 0;
}
