#include "cli/nearest.h"

#include <string.h>

#define WORD_MAX 64 /* longer words are near to nothing */

/* Letters to change, add, drop or swap between a and b. */
static unsigned distance(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	unsigned d[3][WORD_MAX + 1];

	if (n > WORD_MAX || m > WORD_MAX)
		return WORD_MAX;
	for (size_t k = 0; k <= m; k++)
		d[0][k] = (unsigned)k;
	for (size_t i = 1; i <= n; i++) {
		unsigned *row = d[i % 3], *above = d[(i + 2) % 3];

		row[0] = (unsigned)i;
		for (size_t k = 1; k <= m; k++) {
			row[k] = above[k - 1] + (a[i - 1] != b[k - 1]);
			if (above[k] + 1 < row[k])
				row[k] = above[k] + 1;
			if (row[k - 1] + 1 < row[k])
				row[k] = row[k - 1] + 1;
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] &&
			    a[i - 2] == b[k - 1] &&
			    d[(i + 1) % 3][k - 2] + 1 < row[k])
				row[k] = d[(i + 1) % 3][k - 2] + 1;
		}
	}
	return d[n % 3][m];
}

struct nearest nearest_to(const char *word)
{
	return (struct nearest){ word, NULL, (unsigned)(strlen(word) / 3 + 2) };
}

void nearest_offer(struct nearest *n, const char *candidate)
{
	unsigned d = distance(n->word, candidate);

	if (d >= n->best)
		return;
	n->best = d;
	n->found = candidate;
}
