/*
 * By what a failure that no rule names is found again: the template of its
 * failing line, and where that says little, of the frame that raised it. What
 * has one are failures that no rule explains, and those of which a rule says
 * only that something failed, or guesses from the class of an error.
 *
 * The id is a hash of the template, so it is the same on every host, in every
 * shard and every night; nothing is learned from other failures.
 */
#ifndef REPORTS_GROUPS_HEADLINE_H
#define REPORTS_GROUPS_HEADLINE_H

#include <stdbool.h>

struct diagnosis;

#define HEADLINE_ID 17
#define HEADLINE_TEXT 300 /* bytes of a template */

struct headline {
	char id[HEADLINE_ID]; /* hexadecimal digits; "": there is none */
	char *text;           /* owned: the template */
	const char *frames;   /* borrowed of the diagnosis: the innermost ones
			       * of the traceback; or NULL */
};

/* Of an answer that leaves open what failed (diagnosis_open_rule), and of what
 * has been redacted. -1: out of memory. Release in every case. */
int headline_of(const struct diagnosis *d, struct headline *h);
void headline_release(struct headline *h);

#endif
