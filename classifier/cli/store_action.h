/* What a command does with a store, and writes to --output. */
#ifndef CLI_STORE_ACTION_H
#define CLI_STORE_ACTION_H

#include "cli/cli.h"
#include "reports/store/store.h"

#include <stdio.h>

/* A status, told when it is not STATUS_OK or STATUS_DEGRADED. */
typedef enum exit_status store_action(
    const struct settings *s, struct store *st, FILE *f, struct err *e);

/* Open s->store, run it, and close the store. A store that fails is an output
 * that failed; then, and after a usage error, no output is left. */
enum exit_status store_action_run(
    const struct settings *s, enum store_mode mode, store_action *run);

#endif
