#include "diagnose/signals/metrics_table.h"

#include "base/number.h"

#include <string.h>

#define PAST 8 /* lines between two rows of a table: bars, notes */

static char separator(struct span s)
{
	if (memchr(s.p, ',', s.n))
		return ',';
	return memchr(s.p, '|', s.n) ? '|' : ' ';
}

static bool blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Cut the next cell off. */
static bool next_cell(struct span *rest, char between, struct span *cell)
{
	size_t i = 0;

	if (between == ' ')
		while (rest->n && blank(rest->p[0]))
			*rest = span_sub(*rest, 1, rest->n);
	if (rest->n == 0)
		return false;
	while (i < rest->n &&
	    (between == ' ' ? !blank(rest->p[i]) : rest->p[i] != between))
		i++;
	*cell = span_trim(span_sub(*rest, 0, i));
	*rest = span_sub(*rest, i < rest->n ? i + 1 : i, rest->n);
	return true;
}

/* Borders of a Markdown table. */
static struct span without_borders(struct span s, char between)
{
	s = span_trim(s);
	if (between == '|' && s.n && s.p[0] == '|')
		s = span_sub(s, 1, s.n);
	if (between == '|' && s.n && s.p[s.n - 1] == '|')
		s = span_sub(s, 0, s.n - 1);
	return s;
}

void metrics_table_head(
    struct metrics_table *t, const struct metric_names *names, struct span line)
{
	struct metrics_table made = { .between = separator(line) };
	struct span cell;
	size_t known = 0;
	double v;

	line = without_borders(line, made.between);
	while (next_cell(&line, made.between, &cell)) {
		const struct metric_name *name;

		if (made.n == METRICS_COLUMNS || cell.n == 0 ||
		    number_read(cell, &v))
			return;
		name = metric_names_at(names, cell, 0);
		if (name &&
		    (name->n != cell.n ||
			name->metric == METRIC_NAME_VALIDATION))
			name = NULL;
		known += name != NULL;
		made.column[made.n++] = name;
	}
	if (known >= 2 && made.n >= 3)
		*t = made;
}

/* "3/100" is the third of 100; "2.3G" a size. */
static bool cell_number(struct span cell, double *v)
{
	size_t n = number_read(cell, v);

	return n > 0 && (n == cell.n || strchr("/GM%:", cell.p[n]));
}

size_t metrics_table_row(struct metrics_table *t, struct span line,
    const struct metric_name *names[METRICS_COLUMNS], double v[METRICS_COLUMNS])
{
	struct span rest = without_borders(line, t->between), cell;
	size_t n = 0, at = 0;

	while (at < t->n && next_cell(&rest, t->between, &cell)) {
		const struct metric_name *name = t->column[at++];

		/* a CSV logger leaves out what it has not measured */
		if (cell.n == 0 && t->between != ' ')
			continue;
		if (!cell_number(cell, &v[n])) {
			n = 0;
			break;
		}
		if (name)
			names[n++] = name;
	}
	/* a comma at the end: nothing was measured for the last column */
	if (t->between == ',' && rest.n == 0 && at + 1 == t->n)
		at++;
	if (at < t->n || (rest.n && t->between != ' '))
		n = 0;
	t->past = n ? 0 : t->past + 1;
	if (t->past > PAST)
		t->n = 0;
	return n;
}
