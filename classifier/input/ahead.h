/*
 * A stream that another thread reads ahead, so that what is slow about it
 * (decompression) and what is done with its bytes go on side by side.
 */
#ifndef INPUT_AHEAD_H
#define INPUT_AHEAD_H

struct err;
struct source;

/*
 * The same bytes as up, and the same end. up is borrowed until source_close.
 * It is read ahead from where so many bytes have come that it pays, if that
 * many threads of the sink's pool have nothing to do then (least: where many
 * logs come of up, which threads scan side by side). All that is below up is
 * read by one thread at a time. NULL with e set: out of memory.
 */
struct source *ahead_open(struct source *up, int least, struct err *e);

#endif
