/*
 * What the program may still do once it reads what others have written: read
 * the paths it was given and the machine's libraries, write beside its output
 * and its store, and no more: no network, no other program, no other process.
 * Where a kernel lacks a part of it, the program runs without that part.
 */
#ifndef CLI_SANDBOX_H
#define CLI_SANDBOX_H

#include "cli/cli.h"

/*
 * Enter it, for good: before any thread is started, after the rules, records
 * and settings have been read. The arguments (and --diff) are what may be
 * read, links in them that lead elsewhere included as they are now. -1 with e
 * set: --sandbox=require, and this machine cannot; or out of memory.
 */
int sandbox_enter(const struct settings *s, struct err *e);

/* ---- sandbox_calls.c ---- */

/* Forbid the system calls that are of no use to a reader of logs, for good.
 * writes: it will make files whose owner and mode matter. -1 with errno. */
int sandbox_calls(bool writes);

#endif
