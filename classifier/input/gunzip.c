/*
 * zlib itself instead of libarchive's gzip filter, which does not look at the
 * CRC and length that end each part. What was made before a fault is given
 * first, the fault is told by the next call.
 */
#include "input/gunzip.h"

#include "base/err.h"
#include "input/source.h"

#include <stdlib.h>
#define ZLIB_CONST
#include <zlib.h>

#define PIECE ((size_t)128 << 10)

struct gunzip {
	struct source s; /* first: the two are one address */
	z_stream z;
	bool between; /* a part has ended, and none begun */
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
	g->z.next_in = (const Bytef *)p;
	g->z.avail_in = (uInt)n;
	return 1;
}

/* After a part: another one, zero bytes that fill a tape block, or nothing. */
static int next_part(struct gunzip *g)
{
	if (!*g->z.next_in) {
		g->z.next_in++;
		g->z.avail_in--;
		return 0;
	}
	if (*g->z.next_in != 0x1f)
		return source_fail(
		    &g->s, NOTE_DAMAGED, "other bytes follow the gzip data");
	g->between = false;
	inflateReset(&g->z);
	return 0;
}

static void inflate_fault(struct gunzip *g, int rc)
{
	const char *what = g->z.msg ? g->z.msg : zError(rc);

	source_fail(&g->s, NOTE_DAMAGED, "bad gzip data: %s", what);
}

static ssize_t gunzip_pull(struct source *s, const char **p)
{
	struct gunzip *g = (struct gunzip *)s;
	size_t made = 0;
	int rc;

	g->z.next_out = (Bytef *)g->data;
	g->z.avail_out = PIECE;
	while (!made && !s->failed) {
		if (!g->z.avail_in) {
			rc = refill(g);
			if (rc <= 0)
				return rc;
		}
		if (g->between) {
			next_part(g);
			continue;
		}
		rc = inflate(&g->z, Z_NO_FLUSH);
		made = PIECE - g->z.avail_out;
		if (rc == Z_STREAM_END)
			g->between = true;
		else if (rc != Z_OK && rc != Z_BUF_ERROR)
			inflate_fault(g, rc);
	}
	*p = g->data;
	return made ? (ssize_t)made : -1;
}

static void gunzip_close(struct source *s)
{
	struct gunzip *g = (struct gunzip *)s;

	inflateEnd(&g->z);
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
	g->between = false;
	g->z = (z_stream){ 0 };
	if (inflateInit2(&g->z, 15 + 16) != Z_OK) { /* + 16: gzip */
		free(g);
		err_nomem(e);
		return NULL;
	}
	return &g->s;
}
