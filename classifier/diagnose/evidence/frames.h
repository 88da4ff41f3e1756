/*
 * The names of the innermost frames of a traceback, which tell where the
 * exception was raised, whoever's program it was.
 */
#ifndef DIAGNOSE_FRAMES_H
#define DIAGNOSE_FRAMES_H

#include "base/text.h"

struct findings;

#define FRAMES_LAST 3

struct frames_last {
	unsigned n; /* that have come */
	struct {
		unsigned char n;
		char text[79];
	} v[FRAMES_LAST]; /* the n-th at n % FRAMES_LAST */
};

/* The next one inward. */
void frames_last_add(
    struct frames_last *l, struct span file, struct span function);
/* "module.py:forward < train.py:main", the innermost first, for f to own; NULL
 * where none has come, or there is no memory. */
char *frames_last_text(const struct frames_last *l, struct findings *f);

#endif
