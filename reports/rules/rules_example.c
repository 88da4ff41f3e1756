/*
 * The same way as a log's: the decoder, the envelopes, the blocks, the guards,
 * the prefilter and PCRE2. An exception is given the traceback it would come
 * with, unless its rule asks for the frame that raised it.
 */
#include "reports/rules/rules_example.h"

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
