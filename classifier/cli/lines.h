/* The lines of a file whose lines may be of any length. */
#ifndef CLI_LINES_H
#define CLI_LINES_H

#include "base/text.h"

#include <stdio.h>

struct lines {
	FILE *f;
	size_t most; /* bytes of a line that are kept */
	char *p;
	size_t cap;
	unsigned long long number; /* of the line told last, from 1 */
	bool too_long;             /* it had more bytes than are kept */
	bool failed;               /* memory ran out */
};

/* The next line with its end, borrowed until the next call. false: there is
 * none, f has an error, or l has failed. */
bool lines_next(struct lines *l, struct span *line);
void lines_release(struct lines *l);

#endif
