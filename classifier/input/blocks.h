/*
 * The last step of decoding: clean text is gathered into blocks of whole
 * lines, long lines are cut, and for each place in a block it is known where
 * in the raw log it came from.
 */
#ifndef INPUT_BLOCKS_H
#define INPUT_BLOCKS_H

#include "input/anchors.h"
#include "input/decode.h"

/* A piece of clean text and where it came from. */
struct piece {
	struct span text;
	uint64_t raw;
	uint32_t step;
};

struct clean;

struct blocks {
	struct decode_sink sink;
	const struct jsonkeys *keys;
	size_t line_max;
	char *p;
	size_t cap;
	size_t history; /* p[history..text) came before the block */
	size_t text;    /* p[text..len) is the block so far */
	size_t len;
	size_t line_start; /* of the line that is not ended */
	struct anchors at; /* relative to text */
	bool cut;          /* the line that is not ended was cut before */
	uint64_t line;     /* number of the block's first line */
	uint64_t newlines; /* in the block so far */
	uint64_t clean;    /* bytes before the block */
	uint64_t long_lines;
	bool error_file; /* what blocks say of the log */
	bool logged;
};

/* Whether a byte ends a line. */
static inline bool blocks_ends(char c)
{
	return c == '\n' || c == '\r';
}

/* The bytes before the first line end, or s.n. */
size_t blocks_line_end(struct span s);
/* The first line with its end, or all of s when it has none. */
struct span blocks_line(struct span s);

void blocks_begin(struct blocks *b, const struct decode_sink *sink);
void blocks_release(struct blocks *b);

/* 0, or -1: out of memory (e set) or the sink stopped (e untouched). */
int blocks_add(struct blocks *b, struct piece t, struct err *e);
/* The same for a line that has no '\n', and its end. */
int blocks_add_line(
    struct blocks *b, struct piece line, struct piece end, struct err *e);
/*
 * The short way for ordinary bytes of the log that c has not yet seen: take
 * from the front of t what neither ends the block nor a line that is too long
 * nor begins a record, and leave the rest. May take nothing.
 */
int blocks_take(
    struct blocks *b, struct clean *c, struct piece *t, struct err *e);
/* Give the whole lines so far, or with last all there is. -1: the sink
 * stopped. */
int blocks_flush(struct blocks *b, bool last);
/* Whether the text so far ends with a line end, or there is none. */
bool blocks_at_start(const struct blocks *b);

#endif
