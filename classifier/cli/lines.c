#include "cli/lines.h"

#include <stdlib.h>

#define PIECE ((size_t)64 << 10)

static bool room(struct lines *l)
{
	size_t cap = l->cap ? 2 * l->cap : PIECE;
	char *p = realloc(l->p, cap);

	if (!p)
		return false;
	l->p = p;
	l->cap = cap;
	return true;
}

bool lines_next(struct lines *l, struct span *line)
{
	size_t n = 0;
	int c = 0;

	l->too_long = false;
	while (c != '\n' && (c = getc_unlocked(l->f)) != EOF) {
		if (n == l->most) {
			l->too_long = true;
			continue;
		}
		if (n == l->cap && !room(l)) {
			l->failed = true;
			return false;
		}
		l->p[n++] = (char)c;
	}
	*line = (struct span){ l->p, n };
	l->number += n > 0;
	return n > 0;
}

void lines_release(struct lines *l)
{
	free(l->p);
	*l = (struct lines){ 0 };
}
