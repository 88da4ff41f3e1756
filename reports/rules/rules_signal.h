/* Signals listed, shown, and run on their examples. Private to rules*.c. */
#ifndef REPORTS_RULES_SIGNAL_H
#define REPORTS_RULES_SIGNAL_H

#include "base/limits.h"
#include "rules/taxonomy.h"

#include <stdio.h>

struct err;
struct json;

void rules_signal_list(const struct taxonomy *tax, FILE *f);
/* A list of one object a signal. NULL: out of memory. */
struct json *rules_signal_json(const struct taxonomy *tax);
void rules_signal_show(const struct signal *s, FILE *f);

/* Run every example; how many there are. Adds to *bad how many are not as they
 * should, which is told on f. -1 with e set. */
int rules_signal_test(const struct taxonomy *tax, const struct limits *limits,
    FILE *f, size_t *bad, struct err *e);

#endif
