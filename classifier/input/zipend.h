/*
 * The end of a zip, which says how many members it has: what tells that some
 * were lost where the directory before it could not be read.
 */
#ifndef INPUT_ZIPEND_H
#define INPUT_ZIPEND_H

#include <stddef.h>
#include <stdint.h>

/* All that can stand there: a comment, the record before it, and the records
 * of a large zip. */
#define ZIPEND_BYTES ((size_t)(65535 + 22 + 20 + 56))

/* The last bytes of what was added; {0} of nothing. */
struct zipend {
	char *p;
	size_t n;
};

/* 0, or -1: out of memory. */
int zipend_add(struct zipend *z, const char *p, size_t n);
/* How many members, at least; -1: there is no such end. */
int64_t zipend_members(const struct zipend *z);
void zipend_release(struct zipend *z);

#endif
