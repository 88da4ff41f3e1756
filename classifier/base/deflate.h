/*
 * Compression with zlib: gzip streams read piece by piece, and blocks packed
 * each by itself. The only user of zlib.
 */
#ifndef BASE_DEFLATE_H
#define BASE_DEFLATE_H

#include "base/text.h"

struct buf;

/* ---- a gzip stream ---- */

struct deflate; /* a reader of parts */

/* NULL: out of memory. Free with deflate_free. */
struct deflate *deflate_new(void);
void deflate_free(struct deflate *d);
/* Begin another part. */
void deflate_reset(struct deflate *d);
/*
 * Decompress from *in, from which is cut what was read, to out. *n: the room
 * there before, what came after. 0: it goes on, with more input once *in is
 * empty; 1: the part has ended, its length and CRC are right; -1: damaged.
 */
int deflate_read(struct deflate *d, struct span *in, char *out, size_t *n);
/* How it is damaged; borrowed. */
const char *deflate_why(const struct deflate *d);

/* ---- a block ---- */

struct deflate_block; /* scratch; of one thread at a time */

struct deflate_block *deflate_block_new(void); /* NULL: out of memory */
void deflate_block_free(struct deflate_block *b);
/* Append in to out, compressed when that is smaller. -1: out of memory. */
int deflate_pack(struct deflate_block *b, struct span in, struct buf *out);
/* Append what was packed. 1: damaged; -1: out of memory. */
int deflate_unpack(struct deflate_block *b, struct span in, struct buf *out);

#endif
