/* A curve drawn in a few rows of text. */
#ifndef REPORTS_PLOT_H
#define REPORTS_PLOT_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

#define PLOT_ROWS 4
#define PLOT_COLUMNS_MAX 60

struct plot {
	const double *v; /* finite */
	size_t n;        /* at least 1 */
	size_t columns;  /* at most; at most PLOT_COLUMNS_MAX */
	bool ascii;      /* no block characters */
};

/* Where the scale of the plot begins and ends. Its logarithm is drawn when
 * values are positive and far apart. */
struct plot_scale {
	double low, high;
	bool logarithm;
};

struct plot_scale plot_scale(const struct plot *p);

/* Append a row: 0 is the top one. No line end, no blanks at its end. -1: out
 * of memory. */
int plot_row(const struct plot *p, size_t row, struct buf *out);

#endif
