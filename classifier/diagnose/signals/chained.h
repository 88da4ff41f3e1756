/*
 * What an exception that came up while another one was handled arose in, and
 * which are raised for what a program expects.
 */
#ifndef DIAGNOSE_CHAINED_H
#define DIAGNOSE_CHAINED_H

#include "base/text.h"
#include "rules/taxonomy.h"

/* Whether a signal of this act knows a function's name (that of its class may
 * stand before it), a line of source, or "Type: message". */
bool chained_tells(
    const struct taxonomy *tax, enum signal_chained act, struct span text);

#endif
