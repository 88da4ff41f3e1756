/*
 * A small set of short texts, for reading patterns: which texts a part of a
 * pattern may match. Case is ignored, and no text is held twice.
 */
#ifndef RULES_LITSET_H
#define RULES_LITSET_H

#include "rules/literals.h"

#include <stdbool.h>

#define LITSET_TEXT_MAX 64 /* bytes of one text */

struct rarity;

struct litset {
	unsigned n; /* 0: not known */
	int score;  /* how good it is, once that was computed */
	unsigned char len[LITERALS_MAX];
	char text[LITERALS_MAX][LITSET_TEXT_MAX];
};

/* ASCII upper case to lower. */
static inline unsigned char litset_fold(unsigned char c)
{
	return c >= 'A' && c <= 'Z' ? (unsigned char)(c + 32) : c;
}

/* The set of the empty text only. */
void litset_empty_text(struct litset *s);
void litset_copy(struct litset *to, const struct litset *from);

/* Add one byte as a text; false when there is no room. */
bool litset_add_byte(struct litset *s, unsigned char c);

/* Add all texts of from; false, and s not known, when they are too many. */
bool litset_merge(struct litset *s, const struct litset *from);

/* The same for texts of which one is needed: those that another one stands in
 * make room first. */
bool litset_merge_needed(struct litset *s, const struct litset *from);

/* s becomes each text of s followed by each of b; false, and s unchanged,
 * when that is too much. */
bool litset_multiply(struct litset *s, const struct litset *b);

/* Length of the shortest text; 0 when the set is not known. */
size_t litset_least(const struct litset *s);

/* Whether a text with one of by tells nothing of text i of s: that one stands
 * in all of these, or is one of them and more. */
bool litset_implied(
    const struct litset *s, unsigned i, const struct litset *by);

/* Drop the texts that another text of the set stands in; a set with the empty
 * text stays as it is. */
void litset_reduce(struct litset *s);

/* Let best become candidate if that is better at finding matches. Estimates
 * are made ready when first needed. */
void litset_consider(
    struct litset *best, const struct litset *candidate, struct rarity *r);

#endif
