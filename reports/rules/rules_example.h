/* Examples of rules, scanned as if they stood in a log. Private to reports/. */
#ifndef REPORTS_RULES_EXAMPLE_H
#define REPORTS_RULES_EXAMPLE_H

#include "diagnose/evidence/scan.h"
#include "rules/taxonomy.h"

struct matcher;

/* Whether an example of the rule can be seen by itself: a context rule leaves
 * no evidence, and one that needs another rule before it, or a kind of log,
 * cannot. */
bool rules_example_alone(const struct rule *r);

/* What a scan finds in text; the caller owns it. NULL with e set. */
struct findings *rules_example_scan(
    struct scan *s, const struct rule *r, const char *text, struct err *e);

/* 1: the rule matches in text, 0: not, -1 with e set. One that cannot be seen
 * by itself is asked for its expressions alone. shown: of r->pattern.n, set
 * for the expressions that did. */
int rules_example_seen(struct scan *s, struct matcher *m,
    const struct taxonomy *tax, const struct rule *r, const char *text,
    bool *shown, struct err *e);

#endif
