/* Text held back until it is known what it is, and where it came from. */
#ifndef INPUT_HELD_H
#define INPUT_HELD_H

#include "base/buf.h"
#include "input/blocks.h"

struct held {
	struct buf text;
	struct anchors at;
};

void held_release(struct held *h);
void held_clear(struct held *h);
/* -1: out of memory. */
int held_add(struct held *h, struct piece t, struct err *e);
/* The k-th of the h->at.n pieces that it is made of. */
struct piece held_piece(const struct held *h, size_t k);

#endif
