/* The examples of redactions. Private to rules*.c. */
#ifndef REPORTS_RULES_REDACTION_H
#define REPORTS_RULES_REDACTION_H

#include "base/limits.h"
#include "base/text.h"
#include "rules/taxonomy.h"

#include <stdio.h>

struct err;

/* What a made-up secret of this kind ("hex") is made of, or NULL. */
const char *rules_redaction_letters(struct span name);

/* Run every example; how many there are. Adds to *bad how many are not as they
 * should, which is told on f. -1 with e set. */
int rules_redaction_test(const struct taxonomy *tax,
    const struct limits *limits, FILE *f, size_t *bad, struct err *e);

#endif
