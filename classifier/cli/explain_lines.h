/* The lines of logs one by one, for explain --diff. */
#ifndef CLI_EXPLAIN_LINES_H
#define CLI_EXPLAIN_LINES_H

#include "cli/cli.h"
#include "reports/explain/explain.h"

/*
 * What the logs of d print that the log good does not, written to out in x's
 * style. *degraded is set when something could not be read. -1 with e set: out
 * of memory.
 */
int explain_lines_diff(const struct settings *s, const struct explain *x,
    bool *degraded, FILE *out, struct err *e);

#endif
