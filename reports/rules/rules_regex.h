/*
 * What can be told of a regular expression's cost by reading it. PCRE2 syntax;
 * heuristic in both directions, for advice only.
 */
#ifndef REPORTS_RULES_REGEX_H
#define REPORTS_RULES_REGEX_H

#include <stdbool.h>

struct rules_regex {
	/* A repeated group that holds nothing but repeated and optional parts,
	 * like (a+)+: the same text splits in very many ways. */
	bool nested;
	/* It begins with an unbounded run of almost anything, like .*x: tried
	 * from each place of a line in turn. */
	bool skips;
};

struct rules_regex rules_regex_read(const char *pattern);

#endif
