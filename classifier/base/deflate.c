/*
 * A packed block is a byte that says how, then the bytes: as they are, or
 * their number (four bytes, the high one first) and a raw deflate stream, which
 * may begin with a dictionary known to both sides.
 */
#include "base/deflate.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/isal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum method { STORED, DEFLATED, WITH_DICTIONARY };

#define HEAD 5 /* bytes before a deflate stream */

/* It only reads where it is given what to read. */
static uint8_t *bytes(const char *p)
{
	return (uint8_t *)(uintptr_t)p;
}

struct deflate_block {
	struct isal_zstream out;
	struct inflate_state in;
	struct span dictionary;
	struct isal_dict prepared; /* the dictionary: what to begin with */
};

struct deflate_block *deflate_block_new(struct span dictionary, struct err *e)
{
	struct deflate_block *b;

	if (library_load(&isal_library, e))
		return NULL;
	b = calloc(1, sizeof *b);
	if (!b) {
		err_nomem(e);
		return NULL;
	}
	b->dictionary = dictionary;
	isal.isal_inflate_init(&b->in);
	isal.isal_deflate_init(&b->out);
	/* a table of its own would not pay in so small a block */
	isal.isal_deflate_set_hufftables(&b->out, NULL, IGZIP_HUFFTABLE_STATIC);
	if (dictionary.n)
		isal.isal_deflate_process_dict(&b->out, &b->prepared,
		    bytes(dictionary.p), (uint32_t)dictionary.n);
	return b;
}

void deflate_block_free(struct deflate_block *b)
{
	free(b);
}

int deflate_pack(struct deflate_block *b, struct span in, struct buf *out)
{
	bool with = b->dictionary.n > 0;
	char head[HEAD] = { with ? WITH_DICTIONARY : DEFLATED,
		(char)(in.n >> 24 & 0xff), (char)(in.n >> 16 & 0xff),
		(char)(in.n >> 8 & 0xff), (char)(in.n & 0xff) };
	size_t before = out->len;

	if (buf_reserve(out, in.n + HEAD))
		return -1;
	if (in.n > HEAD && in.n <= UINT_MAX / 2) {
		(void)buf_add(out, head, HEAD);
		isal.isal_deflate_reset(&b->out);
		if (with)
			isal.isal_deflate_reset_dict(&b->out, &b->prepared);
		b->out.end_of_stream = 1;
		b->out.next_in = bytes(in.p);
		b->out.avail_in = (uint32_t)in.n;
		b->out.next_out = bytes(out->p + out->len);
		b->out.avail_out = (uint32_t)(in.n - HEAD);
		if (isal.isal_deflate(&b->out) == COMP_OK &&
		    b->out.internal_state.state == ZSTATE_END) {
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
	struct inflate_state *s = &b->in;
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
	isal.isal_inflate_reset(s);
	if (p[0] == WITH_DICTIONARY)
		isal.isal_inflate_set_dict(
		    s, bytes(b->dictionary.p), (uint32_t)b->dictionary.n);
	s->next_in = bytes(in.p + HEAD);
	s->avail_in = (uint32_t)(in.n - HEAD);
	s->next_out = bytes(out->p + out->len);
	s->avail_out = (uint32_t)n;
	/* of what it has read the last byte is begun */
	if (isal.isal_inflate(s) != ISAL_DECOMP_OK ||
	    s->block_state != ISAL_BLOCK_FINISH || s->avail_out ||
	    s->avail_in || s->read_in_length >= 8)
		return 1;
	out->len += n;
	out->p[out->len] = '\0';
	return 0;
}
