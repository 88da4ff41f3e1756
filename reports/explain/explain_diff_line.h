/* What in a line is the same in every run. Private to explain_diff*.c. */
#ifndef REPORTS_EXPLAIN_DIFF_LINE_H
#define REPORTS_EXPLAIN_DIFF_LINE_H

#include "base/text.h"

struct buf;

/* Append the line without numbers, times, hex, temporary names and bars. -1:
 * no memory. *words: whether letters are left. */
int explain_diff_shape(struct buf *out, struct span line, bool *words);

enum explain_pair { PAIR_SETTING, PAIR_VERSION };

/*
 * The next setting ("lr=0.1", "lr: 0.1" alone on its line) or version
 * ("torch==2.1", "CUDA version: 12.1") of a line, from *at on. false: there is
 * none.
 */
bool explain_diff_pair(struct span line, size_t *at, enum explain_pair *kind,
    struct span *key, struct span *value);

#endif
