/*
 * The lines of a failed job that no known good run prints: its leads. Lines of
 * one template are one, the first; of many the first and the last are told.
 */
#ifndef REPORTS_LEADS_H
#define REPORTS_LEADS_H

#include "reports/baseline/baseline.h"

struct leads;
struct findings;

#define LEADS_FIRST 3
#define LEADS_LAST 5
#define LEADS_TEXT 300 /* bytes of a line */

/* known and whose: borrowed. NULL: out of memory. */
struct leads *leads_new(
    const struct baseline *known, const struct baseline_whose *whose);
void leads_free(struct leads *l); /* accepts NULL */

/* Whether a raw line like this one was seen in this job. */
bool leads_seen(struct leads *l, struct span raw);
/* A line of a log without its envelope and secrets. -1: out of memory. */
int leads_line(struct leads *l, const struct findings *log, struct span line,
    uint64_t number, int rank);
/* All have been seen: d->leads. -1: out of memory. */
int leads_take(struct leads *l, struct diagnosis *d);

#endif
