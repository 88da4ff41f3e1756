/*
 * The names in a directory, sorted. Directories of millions of files are met,
 * so a name costs its bytes and six more.
 */
#ifndef INPUT_NAMES_H
#define INPUT_NAMES_H

#include "base/buf.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>

enum name_type {
	NAME_UNKNOWN, /* a link, something special, or the file system does
		       * not tell */
	NAME_FILE,
	NAME_DIRECTORY
};

struct names {
	struct buf text; /* of each a byte for what it is, the name, a NUL */
	uint32_t *at;    /* where in text, in the names' order */
	size_t count, files;
};

#define NAMES_INIT                           \
	{                                    \
		.text = BUF_INIT(UINT32_MAX) \
	}

void names_release(struct names *n);

/* All names in dp, without "." and "..". 0; 1 with errno set: reading ended
 * too early, what was read is there; -1: out of memory. */
int names_read(struct names *n, DIR *dp);

const char *names_get(const struct names *n, size_t i);
enum name_type names_type(const struct names *n, size_t i);

/* One bit for the caller. */
void names_mark(struct names *n, size_t i);
bool names_marked(const struct names *n, size_t i);

#endif
