/*
 * Examples are run through the same scan as logs: the decoder, the envelopes,
 * the blocks, the guards, the prefilter and PCRE2. An exception is given the
 * traceback it would come with.
 */
#include "base/buf.h"
#include "base/err.h"
#include "base/text.h"
#include "diagnose/scan.h"
#include "reports/rules.h"

#include <string.h>

static int feed(
    struct scan *s, const struct rule *r, const char *text, struct err *e)
{
	static const char header[] = "Traceback (most recent call last):\n"
				     "  File \"/home/ada/train.py\", line 7, "
				     "in <module>\n    main()\n";

	if (scan_begin(s, "example", -1, NULL, e))
		return -1;
	if (r->where == WHERE_EXCEPTION &&
	    scan_feed(s, header, sizeof header - 1, e))
		return -1;
	return scan_feed(s, text, strlen(text), e) || scan_feed(s, "\n", 1, e)
	    ? -1
	    : 0;
}

/* 1: the rule matched in the text, 0: not, -1 with e set. */
static int seen(
    struct scan *s, const struct rule *r, const char *text, struct err *e)
{
	struct findings *f;
	int found = 0;

	if (feed(s, r, text, e))
		return -1;
	f = scan_end(s, true, e);
	if (!f)
		return -1;
	for (size_t i = 0; i < f->n_evidence; i++)
		found |= f->evidence[i].rule == r;
	findings_free(f);
	return found;
}

/* A context rule leaves no evidence, and one that needs another rule before it
 * cannot be seen alone: their patterns are run by the rule tests. */
static bool stands_alone(const struct rule *r)
{
	return r->role != ROLE_CONTEXT && !r->within && !r->sources;
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
		const struct rule *r = &tax->rules[i];

		if (!stands_alone(r))
			continue;
		n += r->match.n + r->no_match.n;
		rc = run_examples(s, r, &r->match, true, f, &bad, e) ||
			run_examples(s, r, &r->no_match, false, f, &bad, e)
		    ? -1
		    : 0;
	}
	scan_free(s);
	engine_free(en);
	if (rc)
		return -1;
	fprintf(
	    f, "%zu rules, %zu examples, %zu wrong\n", tax->n_rules, n, bad);
	return bad ? 1 : 0;
}
