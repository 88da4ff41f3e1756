/* The user's pager, for what is longer than the screen. */
#ifndef CLI_PAGER_H
#define CLI_PAGER_H

#include "base/buf.h"

#include <stdbool.h>
#include <sys/types.h>

struct pager {
	pid_t waiting; /* the process that is to become it, or 0 */
	int to;        /* what is written here it will show */
};

/* Have command ready, before the right to run one is given up. Nothing is run
 * until there is a text. */
void pager_prepare(struct pager *p, const char *command);
/* Show the text, and wait until it was read. false: there is no pager, or it
 * cannot be run; nothing was shown. */
bool pager_show(struct pager *p, const struct buf *text);
/* It is not needed. */
void pager_drop(struct pager *p);

#endif
