/*
 * What a log says last where it does not end well: all that is known of a job
 * that its scheduler calls failed, when nothing in its log does.
 */
#ifndef DIAGNOSE_LASTWORDS_H
#define DIAGNOSE_LASTWORDS_H

#include "base/text.h"

struct findings;
struct prefixes;

/* Keep the last line of text that has letters in it, without its prefix, in
 * f->last_words. */
void lastwords_keep(
    struct findings *f, const struct prefixes *prefixes, struct span text);

#endif
