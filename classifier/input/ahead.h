/*
 * A stream that a thread of its own reads ahead, so that what is slow about
 * it (decompression) and what is done with its bytes go on side by side.
 */
#ifndef INPUT_AHEAD_H
#define INPUT_AHEAD_H

#include <stdbool.h>

struct err;
struct source;

/*
 * The same bytes as up, and the same end. up is borrowed until source_close.
 * The thread is started once so many bytes have come that it pays, if the
 * sink's spare allows it then (least: so many threads, where many logs come of
 * up, which threads scan side by side); all that is below up belongs to it
 * until it has ended. NULL with e set: out of memory.
 */
struct source *ahead_open(struct source *up, int least, struct err *e);

/* Take one off the threads that may be started; false: there are not at least
 * so many (or NULL). Put it back with atomic_fetch_add. */
bool ahead_spare(_Atomic int *spare, int least);

#endif
