/* The health of the rules, by what a store holds. */
#ifndef CLI_TAXONOMY_HEALTH_H
#define CLI_TAXONOMY_HEALTH_H

#include "cli/cli.h"

struct report;

/* All that s->store has, added up; free with report_free. NULL with e set. */
struct report *taxonomy_health(
    const struct settings *s, const struct taxonomy *tax, struct err *e);

#endif
