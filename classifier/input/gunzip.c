/*
 * zlib itself instead of libarchive's gzip filter, which does not look at the
 * CRC and length that end each part. What was made before a fault is given
 * first, the fault is told by the next call.
 */
#include "input/gunzip.h"

#include "base/deflate.h"
#include "base/err.h"
#include "input/source.h"

#include <stdlib.h>

#define PIECE ((size_t)128 << 10)

struct gunzip {
	struct source s; /* first: the two are one address */
	struct deflate *d;
	struct span in; /* not read yet */
	bool between;   /* a part has ended, and none begun */
	char data[PIECE];
};

/* More input. 1, 0 at the end, -1. */
static int refill(struct gunzip *g)
{
	const char *p;
	ssize_t n = source_read(g->s.up, &p);

	if (n < 0)
		return source_fail(&g->s, g->s.up->fault, "%s", g->s.up->why);
	if (n == 0 && !g->between)
		return source_fail(
		    &g->s, NOTE_DAMAGED, "the gzip data ends too early");
	if (n == 0)
		return 0;
	g->in = (struct span){ p, (size_t)n };
	return 1;
}

/* After a part: another one, zero bytes that fill a tape block, or nothing. */
static int next_part(struct gunzip *g)
{
	if (!*g->in.p) {
		g->in = span_sub(g->in, 1, g->in.n);
		return 0;
	}
	if (*g->in.p != 0x1f)
		return source_fail(
		    &g->s, NOTE_DAMAGED, "other bytes follow the gzip data");
	g->between = false;
	deflate_reset(g->d);
	return 0;
}

static ssize_t gunzip_pull(struct source *s, const char **p)
{
	struct gunzip *g = (struct gunzip *)s;
	size_t made = 0;
	int rc;

	while (!made && !s->failed) {
		if (!g->in.n) {
			rc = refill(g);
			if (rc <= 0)
				return rc;
		}
		if (g->between) {
			next_part(g);
			continue;
		}
		made = PIECE;
		rc = deflate_read(g->d, &g->in, g->data, &made);
		if (rc > 0)
			g->between = true;
		else if (rc < 0)
			source_fail(s, NOTE_DAMAGED, "bad gzip data: %s",
			    deflate_why(g->d));
	}
	*p = g->data;
	return made ? (ssize_t)made : -1;
}

static void gunzip_close(struct source *s)
{
	struct gunzip *g = (struct gunzip *)s;

	deflate_free(g->d);
	free(g);
}

struct source *gunzip_open(struct source *up, struct err *e)
{
	struct gunzip *g = malloc(sizeof *g);

	if (!g) {
		err_nomem(e);
		return NULL;
	}
	source_init(&g->s, up->run, up);
	g->s.pull = gunzip_pull;
	g->s.close = gunzip_close;
	g->in = (struct span){ NULL, 0 };
	g->between = false;
	g->d = deflate_new();
	if (!g->d) {
		free(g);
		err_nomem(e);
		return NULL;
	}
	return &g->s;
}
