/* What in a line is the same in every run. Private to explain_diff*.c. */
#ifndef REPORTS_EXPLAIN_DIFF_LINE_H
#define REPORTS_EXPLAIN_DIFF_LINE_H

#include "base/text.h"

struct buf;

/* Append the line without numbers, times, hex, temporary names and bars. -1:
 * no memory. *words: whether letters are left. */
int explain_diff_shape(struct buf *out, struct span line, bool *words);

enum explain_pair { PAIR_SETTING, PAIR_VERSION };

/* What a line says that something is; spans are of the line. */
struct explain_setting {
	enum explain_pair kind;
	struct span key, value;
};

/* What stands between the words of names and lines. */
bool explain_diff_between(char c);

/*
 * The next setting ("lr=0.1"; "batch size: 32", "lr = 0.1" or "lr ..... 0.1"
 * alone on its line or between commas) or version ("torch==2.1", "torch 2.1.0",
 * "CUDA version: 12.1") of a line, from *at on. versions: the line speaks of
 * some, so that two numbers are one. false: there is none.
 */
bool explain_diff_pair(
    struct span line, bool versions, size_t *at, struct explain_setting *out);

/* Whether the only number of a short line is a count ("Using 8 GPUs"). */
bool explain_diff_count(struct span line, struct span *value);

#endif
