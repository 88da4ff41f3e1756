#include "jobs/node_clock.h"

#include "base/err.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#define SECOND INT64_C(1000000)
#define MOST (INT64_C(3653) * 86400) /* seconds; ten years */

int node_clock_read(const char *text, struct node_clock *out, struct err *e)
{
	static const char units[] = { 's', 'm', 'h', 'd' };
	static const int64_t seconds[] = { 1, 60, 3600, 86400 };
	const char *eq = strrchr(text, '='), *unit;
	struct span s = span_of(eq ? eq + 1 : "");
	int64_t n, each = 1;
	bool slow = span_starts(s, "-");

	if (slow || span_starts(s, "+"))
		s = span_sub(s, 1, s.n);
	unit = s.n ? memchr(units, s.p[s.n - 1], sizeof units) : NULL;
	if (unit) {
		each = seconds[unit - units];
		s = span_sub(s, 0, s.n - 1);
	}
	n = span_number(s);
	if (!eq || eq == text || n < 0 || n > MOST / each)
		return err_set(e,
		    "%s: expected NODE=+SECONDS or NODE=-SECONDS, or +5m, "
		    "-1h, +2d",
		    text);
	out->nodes = (struct span){ text, (size_t)(eq - text) };
	out->ahead = (slow ? -n : n) * each * SECOND;
	return 0;
}

bool node_clock_is_of(const struct node_clock *c, struct span name)
{
	char glob[256], text[4096];

	if (c->nodes.n >= sizeof glob || name.n >= sizeof text)
		return false;
	snprintf(glob, sizeof glob, "%.*s", (int)c->nodes.n, c->nodes.p);
	snprintf(text, sizeof text, "%.*s", (int)name.n, name.p);
	return fnmatch(glob, text, 0) == 0;
}
