/*
 * A large log on two threads: the caller's decodes, another one looks at the
 * blocks in their order. Looking takes longer, so the caller also does the
 * part of it that needs no order, the prefilter, for blocks that would have to
 * wait. All that a scan keeps of a log belongs to the other thread until
 * crew_wait or crew_end; the answers are the same as without. Private to
 * scan.c.
 */
#ifndef DIAGNOSE_SCAN_CREW_H
#define DIAGNOSE_SCAN_CREW_H

#include "input/decode.h"

struct crew;
struct scan;

#define CREW_FROM ((uint64_t)8 << 20) /* clean bytes before it pays */

/* NULL: no thread may be started, or none could be. */
struct crew *crew_new(struct scan *s, _Atomic int *spare);
/* Have scan_block called for b. -1: it failed, for this block or another. */
int crew_put(struct crew *c, const struct decode_block *b);
/* As decode_sink's swap. */
int crew_swap(struct crew *c, char **memory, size_t cap);
/* Until all that was put has been looked at. */
void crew_wait(struct crew *c);
/* The same, and the thread ends. -1: it failed. */
int crew_end(struct crew *c);

#endif
