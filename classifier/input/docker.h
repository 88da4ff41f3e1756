/*
 * The lines of docker's json-file driver, as it and what imitates it write
 * them: {"log":"...","stream":"stderr","time":"..."}. Any other spelling is
 * left to a JSON parser, which gives the same.
 */
#ifndef INPUT_DOCKER_H
#define INPUT_DOCKER_H

#include "base/text.h"

struct buf;

struct docker_line {
	struct span log; /* lies in the buffer */
	struct span time;
	bool err; /* the stream is stderr */
};

/* 1: line is one, its text written over what text held; 0: it is to be read
 * by a JSON parser; -1: no memory. */
int docker_read(struct span line, struct buf *text, struct docker_line *out);

#endif
