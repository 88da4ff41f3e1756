/*
 * What a program shows of another one's output, indented below a line that says
 * so ("Command error:"): its lines are read as the other program wrote them.
 */
#ifndef DIAGNOSE_QUOTE_H
#define DIAGNOSE_QUOTE_H

#include "input/decode.h"

/* Offsets are of clean bytes in the log. */
struct quote {
	uint64_t from;  /* behind the line that says so; 0: none is open */
	uint64_t known; /* up to here every line is indented */
	size_t indent;  /* of the first of them; 0: none was seen yet */
};

/* The line of the block that ends at `end` says so. */
void quote_begin(struct quote *q, const struct decode_block *b, size_t end);
/* Where a quote that begins at a place in all ends. */
size_t quote_end(struct span all, size_t at);
/* A line at pos, without what it is indented by if it belongs to the quote that
 * is open; one that is not indented closes it. */
struct span quote_line(struct quote *q, const struct decode_block *b,
    size_t pos, struct span line);

#endif
