/* Which rules are near to a text: by the words they have in common. */
#ifndef REPORTS_GROUPS_DRAFT_NEAR_H
#define REPORTS_GROUPS_DRAFT_NEAR_H

#include "base/span.h"

struct buf;
struct taxonomy;

#define DRAFT_NEAR_WORDS 32

struct draft_near {
	struct {
		char text[24]; /* in small letters */
		size_t n;
	} v[DRAFT_NEAR_WORDS];
	size_t n;
};

/* Those of four letters or more. */
void draft_near_add(struct draft_near *w, struct span text);
/* How many of them stand in a text. */
unsigned draft_near_in(const struct draft_near *w, struct span text);
/* The nearest rules and their categories as comments. -1: out of memory. */
int draft_near_rules(
    const struct draft_near *w, const struct taxonomy *tax, struct buf *out);

#endif
