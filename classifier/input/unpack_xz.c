/*
 * liblzma without libarchive in between, which drops what it has made when the
 * next bytes are bad. Two formats: xz, and the older .lzma, which has no sums.
 */
#include "input/unpack.h"

#include "base/library.h"

#include <lzma.h>
#include <stdlib.h>

/* More than xz -9 needs, which is 65 MiB. */
#define MEMORY ((uint64_t)128 << 20)

#define FUNCTIONS(X)          \
	X(lzma_alone_decoder) \
	X(lzma_code)          \
	X(lzma_end)           \
	X(lzma_stream_decoder)

static struct {
	FUNCTIONS(LIBRARY_SLOT)
} lib;
static const struct library_row rows[] = { FUNCTIONS(LIBRARY_ROW) };
static struct library liblzma = LIBRARY_INIT("liblzma.so.5", "liblzma5", rows);

struct xz {
	lzma_stream s;
	lzma_ret rc; /* of the last call */
};

static void *xz_open(void)
{
	return calloc(1, sizeof(struct xz));
}

static void xz_close(void *c)
{
	struct xz *x = c;

	if (x)
		lib.lzma_end(&x->s);
	free(x);
}

static bool xz_starts(char first)
{
	return first == (char)0xfd;
}

static void xz_begin(void *c)
{
	struct xz *x = c;

	x->rc = lib.lzma_stream_decoder(&x->s, MEMORY, 0);
}

/* There is one only. */
static bool lzma_starts(char first)
{
	(void)first;
	return false;
}

static void lzma_begin(void *c)
{
	struct xz *x = c;

	x->rc = lib.lzma_alone_decoder(&x->s, MEMORY);
}

static int xz_read(void *c, struct span *in, char *out, size_t *n)
{
	struct xz *x = c;
	size_t room = *n;

	*n = 0;
	if (x->rc != LZMA_OK && x->rc != LZMA_BUF_ERROR)
		return -1;
	x->s.next_in = (const uint8_t *)in->p;
	x->s.avail_in = in->n;
	x->s.next_out = (uint8_t *)out;
	x->s.avail_out = room;
	x->rc = lib.lzma_code(&x->s, LZMA_RUN);
	*in = span_sub(*in, in->n - x->s.avail_in, in->n);
	*n = room - x->s.avail_out;
	if (x->rc == LZMA_STREAM_END)
		return 1;
	return x->rc == LZMA_OK || x->rc == LZMA_BUF_ERROR ? 0 : -1;
}

static const char *xz_why(const void *c)
{
	const struct xz *x = c;

	switch (x->rc) {
	case LZMA_MEM_ERROR:
		return "out of memory";
	case LZMA_MEMLIMIT_ERROR:
		return "it needs more than 128 MiB of memory";
	case LZMA_FORMAT_ERROR:
		return "incorrect header";
	case LZMA_OPTIONS_ERROR:
		return "options that are not known";
	default:
		return "it is corrupt";
	}
}

const struct unpack_codec unpack_xz = {
	.name = "xz",
	.library = &liblzma,
	.open = xz_open,
	.close = xz_close,
	.starts = xz_starts,
	.begin = xz_begin,
	.read = xz_read,
	.why = xz_why,
};

const struct unpack_codec unpack_lzma = {
	.name = "lzma",
	.library = &liblzma,
	.open = xz_open,
	.close = xz_close,
	.starts = lzma_starts,
	.begin = lzma_begin,
	.read = xz_read,
	.why = xz_why,
};
