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

/* Whether text tells signal i. m: scratch memory, NULL for a kind of words
 * only. out, when not NULL: the pattern's match, or the last word found as its
 * group 0. */
bool signals_tell(const struct taxonomy *tax, size_t i, struct matcher *m,
    struct span text, struct pattern_match *out);

/* Whether a word in lower case stands in text, in either case. */
bool signals_word(struct span text, const char *word);

/* The first signal of a kind that text tells, or NULL. */
const struct signal *signals_find(const struct taxonomy *tax,
    enum signal_kind kind, struct matcher *m, struct span text);

#endif
