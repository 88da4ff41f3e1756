/*
 * libzstd without libarchive in between, which copies what it makes. A frame
 * is a part; frames that carry nothing are read over by the library.
 */
#include "input/unpack.h"

#include "base/library.h"

#include <stdlib.h>
#include <zstd.h>

#define FUNCTIONS(X)             \
	X(ZSTD_DCtx_reset)       \
	X(ZSTD_createDCtx)       \
	X(ZSTD_decompressStream) \
	X(ZSTD_freeDCtx)         \
	X(ZSTD_getErrorName)     \
	X(ZSTD_isError)

static struct {
	FUNCTIONS(LIBRARY_SLOT)
} lib;
static const struct library_row rows[] = { FUNCTIONS(LIBRARY_ROW) };
static struct library libzstd = LIBRARY_INIT("libzstd.so.1", "libzstd1", rows);

struct zstd {
	ZSTD_DCtx *d;
	size_t rc; /* of the last call */
};

static void zstd_close(void *c)
{
	struct zstd *z = c;

	if (z)
		lib.ZSTD_freeDCtx(z->d);
	free(z);
}

static void *zstd_open(void)
{
	struct zstd *z = calloc(1, sizeof *z);

	if (z)
		z->d = lib.ZSTD_createDCtx();
	if (z && !z->d) {
		zstd_close(z);
		return NULL;
	}
	return z;
}

/* The first byte of a frame, or of one that carries nothing. */
static bool zstd_starts(char first)
{
	return first == 0x28 || (first & 0xf0) == 0x50;
}

static void zstd_begin(void *c)
{
	struct zstd *z = c;

	lib.ZSTD_DCtx_reset(z->d, ZSTD_reset_session_only);
}

static int zstd_read(void *c, struct span *in, char *out, size_t *n)
{
	struct zstd *z = c;
	ZSTD_inBuffer from = { in->p, in->n, 0 };
	ZSTD_outBuffer to = { out, *n, 0 };

	z->rc = lib.ZSTD_decompressStream(z->d, &to, &from);
	*in = span_sub(*in, from.pos, in->n);
	*n = to.pos;
	if (lib.ZSTD_isError(z->rc))
		return -1;
	return z->rc == 0;
}

static const char *zstd_why(const void *c)
{
	const struct zstd *z = c;

	return lib.ZSTD_getErrorName(z->rc);
}

const struct unpack_codec unpack_zstd = {
	.name = "zstd",
	.library = &libzstd,
	.open = zstd_open,
	.close = zstd_close,
	.starts = zstd_starts,
	.begin = zstd_begin,
	.read = zstd_read,
	.why = zstd_why,
};
