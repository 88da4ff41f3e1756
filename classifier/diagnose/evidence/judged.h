/*
 * What expressions have found in texts. A log that says the same a thousand
 * times does so with other numbers: where no expression tells one digit from
 * another, what it has found in the one text it finds in the other, at the same
 * places. Private to diagnose/.
 */
#ifndef DIAGNOSE_JUDGED_H
#define DIAGNOSE_JUDGED_H

#include "rules/pattern.h"

#include <stddef.h>
#include <stdint.h>

struct judged;
struct judgement;
struct taxonomy;

/* NULL: out of memory. tax is borrowed. */
struct judged *judged_new(const struct taxonomy *tax);
void judged_free(struct judged *j);

/* What is known of a text that these patterns are to be run on, for rules of
 * one kind; good until the next call. New and empty when nothing is. NULL: it
 * is not kept of such a one. */
struct judgement *judged_of(struct judged *j, unsigned kind, struct span text,
    const size_t *patterns, size_t n);
/* Whether it is known which pattern of the rule of patterns[i] and those behind
 * it finds something in the text: *by, with *m; or -1: none does. */
bool judged_told(const struct judgement *v, size_t i, struct span text,
    ptrdiff_t *by, struct pattern_match *m);
/* Whether the text has any. */
bool judged_has_digits(const struct judgement *v);
/* Keep that: where the text has digits, what was run must be alike. m->n: 0
 * where no pattern matched, whatever became of it. */
void judged_tell(struct judgement *v, size_t i, struct span text, ptrdiff_t by,
    const struct pattern_match *m);
/* Whether what patterns of one rule found in a text, and its unless where they
 * matched, they find in any that differs in digits only. */
bool judged_alike(
    struct judged *j, const size_t *patterns, size_t n, bool matched);

#endif
