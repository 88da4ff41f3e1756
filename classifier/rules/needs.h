/*
 * Words of which a text must hold one for an expression to match, beside those
 * that nominate it: most of what is nominated in one line would be compiled to
 * find nothing.
 */
#ifndef RULES_NEEDS_H
#define RULES_NEEDS_H

#include "base/span.h"

struct rule;

/* Set rule.needs: of each of its patterns, then of its unless. 0, or -1: out of
 * memory. */
int needs_set(struct rule *r);

/* What a text holds: a bit for each three bytes, in either case. The text is
 * borrowed. */
#define NEEDS_BITS 11
struct needs_seen {
	uint64_t threes[(1 << NEEDS_BITS) / 64];
	struct span text;
};
void needs_look(struct needs_seen *seen, struct span text);
/* Whether that text may match pattern i of the rule; pattern.n: its unless. */
bool needs_met(const struct rule *r, size_t i, const struct needs_seen *seen);

#endif
