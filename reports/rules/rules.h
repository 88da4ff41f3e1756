/* The taxonomy shown, checked and tested. */
#ifndef REPORTS_RULES_H
#define REPORTS_RULES_H

#include "base/limits.h"
#include "rules/taxonomy.h"

#include <stdio.h>

struct err;

/* A table; returns 0. */
int rules_list_text(const struct taxonomy *tax, FILE *f);
/* {"categories": [{"id", "dimension", "in_study", "rules": [...]}],
 * "redactions": [...], "signals": [{"id", "signal", ...}]} */
int rules_list_json(const struct taxonomy *tax, FILE *f, struct err *e);
/* Everything about a category, rule, redaction or signal. -1 with e set: no
 * such id. */
int rules_show(
    const struct taxonomy *tax, const char *id, FILE *f, struct err *e);
/*
 * Warn about rules that are slow, put noise into the fingerprint, or claim what
 * belongs to another category. A line each, or as JSON {"categories", "rules",
 * "warnings": [{rule, kind, file, line, text}], "literals": [{rule, literal,
 * bits}]}: the fixed text of each rule that lines hold most often, and about
 * how many bits of surprise it has. 0: no warning, 1: some; -1 with e set: a
 * pattern does not compile. site: only the rules of overlays are looked at.
 */
int rules_check(const struct taxonomy *tax, const struct limits *limits,
    bool site, bool json, FILE *f, struct err *e);
/* Run every example through a scan as if it stood in a log. 0: all as they
 * should, 1: some not (told on f); -1 with e set. */
int rules_test(const struct taxonomy *tax, const struct limits *limits,
    bool prefilter, FILE *f, struct err *e);

/*
 * The effective policy as a table: budgets, then for each category its rows and
 * those of its rules, in the order in which they are asked. Returns 0.
 */
int rules_policy_show(const struct taxonomy *tax, FILE *f);
/* Warn about policy rows that cannot apply, or ask for what makes no sense. A
 * line each; 1: some, 0: none. */
int rules_policy_check(const struct taxonomy *tax, FILE *f);

#endif
