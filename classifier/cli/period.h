/* Points in time as people give them, and days, both in the local zone. */
#ifndef CLI_PERIOD_H
#define CLI_PERIOD_H

#include <stdint.h>

struct err;

/* Microseconds UTC now. */
int64_t period_now(void);
/*
 * "2026-11-20", "2026-11-20T08:30" (with a zone, too), "now", "today",
 * "yesterday" (both at midnight), or as long ago as "90m", "24h", "7d", "2w".
 * -1 with e set: none of these.
 */
int period_time(const char *text, int64_t now, int64_t *out, struct err *e);
/* "90m", "24h", "7d", "2w" in seconds. -1: none of these. */
int period_length(const char *text, int64_t *seconds);
/* What the clocks of the local zone show then, taken for UTC. */
int64_t period_local(int64_t micros);
/* Make zone the local one. -1 with e set: no such zone. */
int period_zone(const char *zone, struct err *e);
/* What the local zone is called: "CET", "UTC". Static. */
const char *period_zone_name(void);

#endif
