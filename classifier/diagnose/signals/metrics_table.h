/*
 * Tables: a line of column names, then lines of numbers, as CSV loggers, YOLO
 * and notebooks print them. Private to metrics*.c.
 */
#ifndef DIAGNOSE_METRICS_TABLE_H
#define DIAGNOSE_METRICS_TABLE_H

#include "diagnose/signals/metrics_names.h"

#define METRICS_COLUMNS 32

struct metrics_table {
	const struct metric_name *column[METRICS_COLUMNS]; /* NULL: another */
	size_t n;      /* columns; 0: no table is open */
	char between;  /* ',', '|', or ' ' for blanks */
	unsigned past; /* lines since the last row */
};

/* A line with names and no numbers: a table begins if each column has a name.
 */
void metrics_table_head(struct metrics_table *t,
    const struct metric_names *names, struct span line);

/* The numbers of a line of the table that are of metrics; 0: it is none. */
size_t metrics_table_row(struct metrics_table *t, struct span line,
    const struct metric_name *names[METRICS_COLUMNS],
    double v[METRICS_COLUMNS]);

#endif
