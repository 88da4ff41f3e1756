/*
 * From the threads that pass output through to the one that reads it for
 * failures. Putting never waits: when the reader does not keep up, the oldest
 * bytes are left out, since a failure stands at the end. Private to live/.
 */
#ifndef LIVE_QUEUE_H
#define LIVE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QUEUE_STREAMS 2
#define QUEUE_PIECE ((size_t)64 << 10)

struct piece {
	struct piece *next;
	int stream; /* from 0 */
	double at;  /* when its last bytes came */
	bool gap;   /* bytes of its stream before it were left out */
	size_t n;
	char data[QUEUE_PIECE];
};

struct queue;

/* For at most so many pieces. NULL: out of memory. */
struct queue *queue_new(size_t pieces);
void queue_free(struct queue *q);

/* An empty piece to read into; NULL: out of memory. */
struct piece *queue_take(struct queue *q);
/* Hand in a filled piece, or an empty one that is not needed. */
void queue_put(struct queue *q, struct piece *p);
/* No more will come. */
void queue_close(struct queue *q);

/* The next piece; waits at most so many seconds. NULL: none came (*closed
 * tells whether any will). */
struct piece *queue_get(struct queue *q, double seconds, bool *closed);
/* The reader is done with it. */
void queue_return(struct queue *q, struct piece *p);
/* Bytes that were left out. */
uint64_t queue_lost(struct queue *q);

#endif
