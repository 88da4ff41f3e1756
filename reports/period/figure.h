/* Figures, as people read them. */
#ifndef REPORTS_FIGURE_H
#define REPORTS_FIGURE_H

#include "reports/period/report.h"

#define FIGURE 48

/* "1,234" */
const char *figure_count(char out[FIGURE], uint64_t n);
/* What makes a word plural, of n things: "s", or "" of one. */
const char *figure_plural(uint64_t n);
/* GPU-seconds as GPU-hours, "1,234.5". */
const char *figure_hours(char out[FIGURE], int64_t seconds);
/* The same of sums: "~" for a part that is estimated, "unknown" when nothing
 * was measured. */
const char *figure_used(
    char out[FIGURE], const struct sums *s, int64_t seconds);
/* "12.3 %", or "-" when there is nothing to be part of. */
const char *figure_share(char out[FIGURE], double part, double all);
/* "+12 %", "-3 %", "new", or "" when both are 0. */
const char *figure_change(char out[FIGURE], double now, double before);
/* "2026-11-20 08:15Z", or "-". */
const char *figure_time(char out[FIGURE], int64_t micros);
/* How many days of it the store has; 1 at least. */
double figure_days(const struct report *r, const struct recent *v);
/* The day: "11-20", and with its year where that is not `of`'s. */
const char *figure_day(char out[FIGURE], int64_t micros, int64_t of);

/* What the figures of a report leave out or estimate: of so many attempts, in
 * words that follow "1 attempt" as well as "2 attempts". */
#define FIGURE_NOTES 12
struct figure_note {
	uint64_t n;
	const char *what;
};
void figure_notes(const struct report *r, struct figure_note out[FIGURE_NOTES]);
/* Without the year, for where it is known: "11-20 08:15Z". */
const char *figure_moment(char out[FIGURE], int64_t micros);
/* "2026-11", of 12 * year + month - 1; "-": negative. */
const char *figure_month(char out[FIGURE], int64_t month);
/* "45 min", "3 h", "12 d" */
const char *figure_length(char out[FIGURE], int64_t micros);

#endif
