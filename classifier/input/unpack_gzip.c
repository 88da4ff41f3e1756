/*
 * By ISA-L. A header is read by a call of its own: the one that is part of
 * isal_inflate forgets where it was when a header comes in two pieces.
 */
#include "input/unpack.h"

#include "base/isal.h"

#include <limits.h>
#include <stdlib.h>

struct gzip {
	struct isal_gzip_header header;
	bool in_header;
	int rc; /* of the last call */
	struct inflate_state s;
};

static void *gzip_open(void)
{
	struct gzip *g = calloc(1, sizeof *g);

	if (g)
		isal.isal_inflate_init(&g->s);
	return g;
}

static bool gzip_starts(char first)
{
	return first == 0x1f;
}

static void gzip_begin(void *c)
{
	struct gzip *g = c;

	isal.isal_inflate_reset(&g->s);
	isal.isal_gzip_header_init(&g->header);
	g->s.crc_flag = ISAL_GZIP_NO_HDR_VER;
	g->in_header = true;
}

static uint32_t at_once(size_t n)
{
	return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

static int gzip_read(void *c, struct span *in, char *out, size_t *n)
{
	struct gzip *g = c;
	uint32_t given = at_once(in->n), room = at_once(*n);

	/* it only reads there */
	g->s.next_in = (uint8_t *)(uintptr_t)in->p;
	g->s.avail_in = given;
	g->s.next_out = (uint8_t *)out;
	g->s.avail_out = room;
	g->rc = ISAL_DECOMP_OK;
	if (g->in_header) {
		g->rc = isal.isal_read_gzip_header(&g->s, &g->header);
		g->in_header = g->rc == ISAL_END_INPUT;
	}
	if (g->rc == ISAL_DECOMP_OK)
		g->rc = isal.isal_inflate(&g->s);
	*in = span_sub(*in, given - g->s.avail_in, in->n);
	*n = room - g->s.avail_out;
	if (g->rc < 0)
		return -1;
	return !g->in_header && g->s.block_state == ISAL_BLOCK_FINISH;
}

static const char *gzip_why(const void *c)
{
	const struct gzip *g = c;

	switch (g->rc) {
	case ISAL_INVALID_BLOCK:
		return "invalid block";
	case ISAL_INVALID_SYMBOL:
		return "invalid symbol";
	case ISAL_INVALID_LOOKBACK:
		return "invalid distance";
	case ISAL_INVALID_WRAPPER:
	case ISAL_UNSUPPORTED_METHOD:
		return "incorrect header";
	case ISAL_INCORRECT_CHECKSUM:
		return "incorrect length or checksum";
	default:
		return "it cannot be read";
	}
}

const struct unpack_codec unpack_gzip = {
	.name = "gzip",
	.library = &isal_library,
	.open = gzip_open,
	.close = free,
	.starts = gzip_starts,
	.begin = gzip_begin,
	.read = gzip_read,
	.why = gzip_why,
};
