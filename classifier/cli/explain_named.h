/*
 * A job by its number alone: the store knows where its logs lie.
 */
#ifndef CLI_EXPLAIN_NAMED_H
#define CLI_EXPLAIN_NAMED_H

#include "cli/cli.h"
#include "reports/store/entry.h"

/* What is asked for instead; all of it is owned but what `as` has of the
 * settings that it was made of. */
struct explain_named {
	struct settings as;
	struct entry_owner owner; /* of the attempts; in the arena */
	struct arena *arena;
	bool several; /* jobs have the number */
	struct list paths;
};

/*
 * If the only argument is no file, and the store has a job of this id: make
 * n->as ask for the logs of its last attempt that has any, and give them back;
 * else s. Before the sandbox is entered. NULL with e set: the store cannot be
 * read, or has no such job though it can only be one. Release n in every case.
 */
const struct settings *explain_named(
    struct explain_named *n, const struct settings *s, struct err *e);
void explain_named_release(struct explain_named *n);

#endif
