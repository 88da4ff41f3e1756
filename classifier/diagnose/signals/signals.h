/*
 * Whether a text tells a signal of the taxonomy. What becomes of it is for the
 * readers of each kind.
 */
#ifndef DIAGNOSE_SIGNALS_H
#define DIAGNOSE_SIGNALS_H

#include "base/text.h"
#include "rules/pattern.h"
#include "rules/taxonomy.h"

/* A signal that a text tells, and where. */
struct signal_told {
	size_t signal; /* its number in the taxonomy */
	struct pattern_match match;
};

/* Of which signals words were found in a text; of the others those that are
 * looked for by words cannot be told by it. Where a function takes NULL for it,
 * nothing is known, and all are tried. */
struct signal_hits {
	const uint32_t *stamp; /* of each signal: `now` when it was hit */
	uint32_t now;
	unsigned kinds; /* that may be told, as bits */
	unsigned any;   /* kinds with signals that no word is known of */
};

/* Whether signal i need be tried on a text with these hits. */
bool signals_may(
    const struct taxonomy *tax, size_t i, const struct signal_hits *hits);

/* Whether text tells signal i. m: scratch memory, NULL for a kind of words
 * only. out, when not NULL: the pattern's match, or the last word found as its
 * group 0. */
bool signals_tell(const struct taxonomy *tax, size_t i, struct matcher *m,
    struct span text, struct pattern_match *out);

/* Whether a word in lower case stands in text, in either case. */
bool signals_word(struct span text, const char *word);

/* The first signal of a kind that text tells, or NULL. */
const struct signal *signals_find(const struct taxonomy *tax,
    enum signal_kind kind, struct matcher *m, struct span text,
    const struct signal_hits *hits);

#endif
