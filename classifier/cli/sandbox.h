/*
 * What the program may still do once it reads what others have written: read
 * the paths it was given and the machine's libraries, write beside its output
 * and its store, and no more: no network, no other program, no other process.
 * Where a kernel lacks a part of it, the program runs without that part.
 */
#ifndef CLI_SANDBOX_H
#define CLI_SANDBOX_H

#include "cli/cli.h"

/* What a command does in it, beside reading: more calls are allowed for it. */
enum sandbox_need {
	SANDBOX_THREADS = 1,
	SANDBOX_CHILD = 2, /* it waits for a child made before, its pager */
	SANDBOX_STORE_OPEN = 16, /* the store, if there is one, is open */
	SANDBOX_OUTPUT = 4,      /* known from the settings */
	SANDBOX_STORE = 8,       /* the same; writing, or its locks */
	SANDBOX_SERVER = 32      /* the same; a connection, and another when
				  * it is lost */
};

/*
 * Enter it, for good: before any thread is started, after the rules, records
 * and settings have been read. The arguments (and
 * --diff) are what may be read, links in them that lead elsewhere included as
 * they are now. needs: bits of enum sandbox_need. -1 with e set:
 * --sandbox=require, and this machine cannot; or out of memory.
 */
int sandbox_enter(const struct settings *s, unsigned needs, struct err *e);

/* ---- sandbox_calls.c ---- */

struct sandbox_calls {
	unsigned needs;    /* bits of enum sandbox_need */
	unsigned uid, gid; /* whom new files of the store may be given to */
};

/* Forbid all system calls but those of a reader of logs, and what it needs
 * beside them, for good. -1 with errno. */
int sandbox_calls(const struct sandbox_calls *c);

#endif
