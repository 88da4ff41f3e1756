/*
 * A packed block is a byte that says how, then the bytes: as they are, or
 * their number (four bytes, the high one first) and a raw deflate stream, which
 * may begin with a dictionary known to both sides.
 */
#include "base/deflate.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/library.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST
#include <zlib.h>

#define FUNCTIONS(X)            \
	X(deflate)              \
	X(deflateEnd)           \
	X(deflateInit2_)        \
	X(deflateReset)         \
	X(deflateSetDictionary) \
	X(inflate)              \
	X(inflateEnd)           \
	X(inflateInit2_)        \
	X(inflateReset)         \
	X(inflateSetDictionary)

static struct {
	FUNCTIONS(LIBRARY_SLOT)
} lib;
static const struct library_row rows[] = { FUNCTIONS(LIBRARY_ROW) };
static struct library zlib = LIBRARY_INIT("libz.so.1", "zlib1g", rows);

#define WINDOW 15
#define LEVEL 6
#define LEVEL_SMALL 3 /* of what is small, and mostly in the dictionary */
#define MEMORY 8      /* zlib's default */

enum method { STORED, DEFLATED, WITH_DICTIONARY };

#define HEAD 5 /* bytes before a deflate stream */

struct deflate_block {
	z_stream in, out; /* set up once: that costs more than a record */
	struct span dictionary;
};

struct deflate_block *deflate_block_new(struct span dictionary, struct err *e)
{
	struct deflate_block *b;

	if (library_load(&zlib, e))
		return NULL;
	b = calloc(1, sizeof *b);
	if (!b) {
		err_nomem(e);
		return NULL;
	}
	b->dictionary = dictionary;
	if (lib.deflateInit2_(&b->out, dictionary.n ? LEVEL_SMALL : LEVEL,
		Z_DEFLATED, -WINDOW, MEMORY, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
		sizeof b->out) == Z_OK) {
		if (lib.inflateInit2_(
			&b->in, -WINDOW, ZLIB_VERSION, sizeof b->in) == Z_OK)
			return b;
		lib.deflateEnd(&b->out);
	}
	err_nomem(e);
	free(b);
	return NULL;
}

void deflate_block_free(struct deflate_block *b)
{
	if (!b)
		return;
	lib.deflateEnd(&b->out);
	lib.inflateEnd(&b->in);
	free(b);
}

int deflate_pack(struct deflate_block *b, struct span in, struct buf *out)
{
	const struct span d = b->dictionary;
	char head[HEAD] = { d.n ? WITH_DICTIONARY : DEFLATED,
		(char)(in.n >> 24 & 0xff), (char)(in.n >> 16 & 0xff),
		(char)(in.n >> 8 & 0xff), (char)(in.n & 0xff) };
	size_t before = out->len;

	if (buf_reserve(out, in.n + HEAD))
		return -1;
	if (in.n > HEAD && in.n <= UINT_MAX / 2) {
		(void)buf_add(out, head, HEAD);
		lib.deflateReset(&b->out);
		if (d.n)
			lib.deflateSetDictionary(
			    &b->out, (const Bytef *)d.p, (uInt)d.n);
		b->out.next_in = (const Bytef *)in.p;
		b->out.avail_in = (uInt)in.n;
		b->out.next_out = (Bytef *)out->p + out->len;
		b->out.avail_out = (uInt)(in.n - HEAD);
		if (lib.deflate(&b->out, Z_FINISH) == Z_STREAM_END) {
			out->len += b->out.total_out;
			out->p[out->len] = '\0';
			return 0;
		}
		out->len = before;
	}
	(void)buf_addc(out, STORED);
	return buf_add(out, in.p, in.n);
}

int deflate_unpack(struct deflate_block *b, struct span in, struct buf *out)
{
	const unsigned char *p = (const unsigned char *)in.p;
	size_t n;

	if (in.n && p[0] == STORED)
		return buf_add(out, in.p + 1, in.n - 1);
	if (in.n < HEAD || in.n > UINT_MAX ||
	    (p[0] != DEFLATED && (p[0] != WITH_DICTIONARY || !b->dictionary.n)))
		return 1;
	n = (size_t)p[1] << 24 | (size_t)p[2] << 16 | (size_t)p[3] << 8 | p[4];
	/* deflate makes at most 1032 bytes of one: a damaged number is no
	 * reason to ask for much memory */
	if (n / 1032 > in.n)
		return 1;
	if (buf_reserve(out, n))
		return -1;
	lib.inflateReset(&b->in);
	if (p[0] == WITH_DICTIONARY)
		lib.inflateSetDictionary(&b->in, (const Bytef *)b->dictionary.p,
		    (uInt)b->dictionary.n);
	b->in.next_in = p + HEAD;
	b->in.avail_in = (uInt)(in.n - HEAD);
	b->in.next_out = (Bytef *)out->p + out->len;
	b->in.avail_out = (uInt)n;
	if (lib.inflate(&b->in, Z_FINISH) != Z_STREAM_END || b->in.avail_out ||
	    b->in.avail_in)
		return 1;
	out->len += n;
	out->p[out->len] = '\0';
	return 0;
}
