/*
 * Each column is a bar: block characters of an eighth to a whole row. A column
 * that stands for several values shows their mean; a curve of few values has
 * columns of equal width.
 */
#include "reports/explain/plot.h"

#include "base/buf.h"
#include "base/number.h"

#include <math.h>

#define FAR 1000 /* times: then the scale is logarithmic */

static const char *const blocks[] = { " ", "\xe2\x96\x81", "\xe2\x96\x82",
	"\xe2\x96\x83", "\xe2\x96\x84", "\xe2\x96\x85", "\xe2\x96\x86",
	"\xe2\x96\x87", "\xe2\x96\x88" };
static const char *const signs[] = { " ", ".", ":", "#" };

struct plot_scale plot_scale(const struct plot *p)
{
	struct plot_scale s = { p->v[0], p->v[0], false };

	for (size_t i = 1; i < p->n; i++) {
		if (p->v[i] < s.low || isnan(s.low))
			s.low = p->v[i];
		if (p->v[i] > s.high || isnan(s.high))
			s.high = p->v[i];
	}
	s.logarithm = s.low > 0 && s.high / s.low > FAR;
	return s;
}

static size_t columns(const struct plot *p)
{
	size_t most = p->columns ? p->columns : 1;

	if (most > PLOT_COLUMNS_MAX)
		most = PLOT_COLUMNS_MAX;
	if (p->n == 0 || p->n >= most)
		return most;
	return p->n * (most / p->n);
}

/* The mean of what column c of n stands for. */
static double value(const struct plot *p, size_t c, size_t n)
{
	size_t from = c * p->n / n, to = (c + 1) * p->n / n;
	double sum = 0;

	if (to == from)
		to++;
	for (size_t i = from; i < to; i++)
		sum += p->v[i];
	return sum / (double)(to - from);
}

/* From 0 to 1. */
static double height(const struct plot_scale *s, double v)
{
	if (!(s->high > s->low))
		return 0.5;
	if (s->logarithm)
		return number_log(v / s->low) / number_log(s->high / s->low);
	/* halves: the difference of the two may be infinite */
	return (v / 2 - s->low / 2) / (s->high / 2 - s->low / 2);
}

int plot_row(const struct plot *p, size_t row, struct buf *out)
{
	const char *const *shapes = p->ascii ? signs : blocks;
	int whole = p->ascii ? 3 : 8;
	struct plot_scale s = plot_scale(p);
	size_t n = columns(p), blanks = 0;

	for (size_t c = 0; c < n; c++) {
		double h = height(&s, value(p, c, n));
		int level = 1 + (int)(h * (PLOT_ROWS * whole - 1) + 0.5);

		level -= (int)(PLOT_ROWS - 1 - row) * whole;
		if (level <= 0) {
			blanks++;
			continue;
		}
		for (; blanks; blanks--)
			if (buf_addc(out, ' '))
				return -1;
		if (buf_adds(out, shapes[level < whole ? level : whole]))
			return -1;
	}
	return 0;
}
