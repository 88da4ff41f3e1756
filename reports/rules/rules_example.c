/*
 * The same way as a log's: the decoder, the envelopes, the blocks, the guards,
 * the prefilter and PCRE2. An exception is given the traceback it would come
 * with, unless its rule asks for the frame that raised it.
 */
#include "reports/rules/rules_example.h"

#include "rules/pattern.h"

#include <string.h>

bool rules_example_alone(const struct rule *r)
{
	return r->role != ROLE_CONTEXT && !r->within && !r->sources;
}

static int feed(
    struct scan *s, const struct rule *r, const char *text, struct err *e)
{
	static const char header[] = "Traceback (most recent call last):\n"
				     "  File \"/home/ada/train.py\", line 7, "
				     "in <module>\n    main()\n";

	if (scan_begin(s, "example", -1, NULL, e))
		return -1;
	if (r->where == WHERE_EXCEPTION && !r->raised_bits &&
	    scan_feed(s, header, sizeof header - 1, e))
		return -1;
	return scan_feed(s, text, strlen(text), e) || scan_feed(s, "\n", 1, e)
	    ? -1
	    : 0;
}

struct findings *rules_example_scan(
    struct scan *s, const struct rule *r, const char *text, struct err *e)
{
	return feed(s, r, text, e) ? NULL : scan_end(s, true, e);
}

/* What its expressions say of the text, whatever stands around it. */
static int seen_directly(struct matcher *m, const struct taxonomy *tax,
    const struct rule *r, const char *text, bool *shown)
{
	const struct pattern *unless = taxonomy_unless(tax, r->number);
	int found = 0;

	if (unless && pattern_find(unless, m, span_of(text), NULL) == 1)
		return 0;
	for (size_t k = 0; k < r->pattern.n; k++) {
		if (pattern_find(taxonomy_pattern(tax, r->first + k), m,
			span_of(text), NULL) != 1)
			continue;
		shown[k] = true;
		found = 1;
	}
	return found;
}

int rules_example_seen(struct scan *s, struct matcher *m,
    const struct taxonomy *tax, const struct rule *r, const char *text,
    bool *shown, struct err *e)
{
	struct findings *f;
	int found = 0;

	if (!rules_example_alone(r))
		return seen_directly(m, tax, r, text, shown);
	f = rules_example_scan(s, r, text, e);
	if (!f)
		return -1;
	for (size_t i = 0; i < f->n_evidence; i++) {
		if (f->evidence[i].rule != r)
			continue;
		shown[f->evidence[i].pattern] = true;
		found = 1;
	}
	findings_free(f);
	return found;
}
