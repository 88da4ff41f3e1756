/* What the two ways to an entry share. Private to entry*.c. */
#ifndef REPORTS_ENTRY_PRIVATE_H
#define REPORTS_ENTRY_PRIVATE_H

#include "reports/store/entry.h"

#define ENTRY_PROOFS ((size_t)4)    /* pieces of evidence; consequences */
#define ENTRY_STRINGS ((size_t)16)  /* remedies; notes */
#define ENTRY_RULES ((size_t)64)    /* ids of rules */
#define ENTRY_NODES ((size_t)16384) /* nodes of one job */
#define ENTRY_TRENDS ((size_t)8)    /* warnings */
#define ENTRY_CURVES ((size_t)4)

/* Nothing is known. */
extern const struct entry entry_empty;
extern const struct entry_proof entry_proof_empty;

/* s in the arena; a NUL in it, which would end the string early, becomes a
 * replacement character. NULL for NULL, and when out of memory. */
const char *entry_whole(struct arena *p, struct span s);
/* The same, cut to what a report shows of a string. */
const char *entry_cut(struct arena *p, struct span s);
/* "train.py:12 in main: loss.backward()"; line -1: not known. */
const char *entry_frame(struct arena *p, struct span file, int64_t line,
    struct span function, struct span code);
/* Set en->node; its evidence and nodes are known. */
void entry_node(struct entry *en);

/* Fill in en's trends, and the curves of what is warned of. -1 with e set: not
 * such a list, or out of memory. */
int entry_trends_read(struct entry *en, const struct json *record,
    struct arena *p, struct err *e);
/* -1: out of memory. */
int entry_trends_fill(struct entry *en, const struct diagnosis *d,
    const struct taxonomy *tax, struct arena *p);

#endif
