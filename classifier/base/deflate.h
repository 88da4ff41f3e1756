/*
 * Blocks packed each by itself.
 */
#ifndef BASE_DEFLATE_H
#define BASE_DEFLATE_H

#include "base/text.h"

struct buf;
struct err;

struct deflate_block; /* scratch; of one thread at a time */

/* dictionary: what most blocks have in common, borrowed; empty for none. Blocks
 * that are packed with one are only unpacked with it. NULL: e is set. */
struct deflate_block *deflate_block_new(struct span dictionary, struct err *e);
void deflate_block_free(struct deflate_block *b);
/* Append in to out, compressed when that is smaller. -1: out of memory. */
int deflate_pack(struct deflate_block *b, struct span in, struct buf *out);
/* Append what was packed. 1: damaged; -1: out of memory. */
int deflate_unpack(struct deflate_block *b, struct span in, struct buf *out);

#endif
