/*
 * Which of a log's last lines differ from earlier ones in numbers only: what a
 * loop prints each time round. Such a line behind an error, of a kind that came
 * before it, tells that the loop went on.
 */
#ifndef DIAGNOSE_RECURRING_H
#define DIAGNOSE_RECURRING_H

#include "base/text.h"

struct findings;
struct prefixes;

/* Keep them in f->recurring, where lines enough stand behind the first
 * evidence. text: the end of the log. */
void recurring_find(
    struct findings *f, const struct prefixes *prefixes, struct span text);

#endif
