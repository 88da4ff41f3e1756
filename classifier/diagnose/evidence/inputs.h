/*
 * The last input files that a log names before a failure: paths of data,
 * shards of it. Found by going back from the failure, never by looking at each
 * line of a log.
 */
#ifndef DIAGNOSE_INPUTS_H
#define DIAGNOSE_INPUTS_H

#include "base/text.h"

struct taxonomy;

#define INPUTS_MAX 5
#define INPUTS_REACH (32u << 10) /* bytes that are looked back */

struct diagnosis;

/* Each once, the last named first; owned. {0} is an empty one. */
struct inputs {
	char *v[INPUTS_MAX];
	size_t n;
};

void inputs_release(struct inputs *in);

/*
 * Put the inputs that the lines of text[from, to) name before those that are
 * there. -1: out of memory, in is as it was.
 */
int inputs_search(const struct taxonomy *tax, struct inputs *in,
    struct span text, size_t from, size_t to);
/* -1: out of memory. */
int inputs_copy(struct inputs *to, const struct inputs *from);

/* Those named last before the root failure, or before the end of the logs;
 * borrowed. NULL when the scan did not keep them. */
const struct inputs *inputs_of(const struct diagnosis *d);

#endif
