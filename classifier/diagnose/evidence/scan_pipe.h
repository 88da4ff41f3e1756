/*
 * A large log on several threads: the caller's decodes, any of them searches a
 * block with the prefilter, which needs no order, and one at a time looks at
 * the blocks in their order. All that a scan keeps of a log belongs to who
 * looks until scan_pipe_wait or scan_pipe_end; the answers are the same as
 * without. Private to scan.c.
 */
#ifndef DIAGNOSE_SCAN_PIPE_H
#define DIAGNOSE_SCAN_PIPE_H

#include "input/decode.h"

struct pool;
struct scan;
struct scan_pipe;

#define SCAN_PIPE_FROM ((uint64_t)4 << 20) /* clean bytes before it pays */

/* NULL: no thread of the pool has nothing to do, or there is no memory. */
struct scan_pipe *scan_pipe_new(struct scan *s, struct pool *pool);
/* Have scan_block called for b. -1: it failed, for this block or another. */
int scan_pipe_put(struct scan_pipe *c, const struct decode_block *b);
/* As decode_sink's swap. */
int scan_pipe_swap(struct scan_pipe *c, char **memory, size_t cap);
/* Until all that was put has been looked at. */
void scan_pipe_wait(struct scan_pipe *c);
/* The same, and free it. -1: it failed. */
int scan_pipe_end(struct scan_pipe *c);

#endif
