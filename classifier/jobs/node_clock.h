/* A clock that is known to be off: "n08=+1h", of one node or of several. */
#ifndef JOBS_NODE_CLOCK_H
#define JOBS_NODE_CLOCK_H

#include "base/text.h"

struct err;

struct node_clock {
	struct span nodes; /* a glob of nodes' names or logs' paths; borrowed */
	int64_t ahead;     /* microseconds that it shows too much */
};

/* "GLOB=[+|-]NUMBER[s|m|h|d]". -1 with e set: it is not. */
int node_clock_read(const char *text, struct node_clock *out, struct err *e);
bool node_clock_is_of(const struct node_clock *c, struct span name);

#endif
