/* Blocks that are packed come back; damaged ones are refused. gzip streams are
 * tested where they are read: tests/input/test_source.c. */
#include "tests/test.h"

#include "base/buf.h"
#include "base/deflate.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static void check_block(struct deflate_block *b, struct span in, bool smaller)
{
	struct buf packed = BUF_INIT(BUF_MAX), out = BUF_INIT(BUF_MAX);

	assert_int_equal(buf_adds(&packed, "before"), 0);
	assert_int_equal(deflate_pack(b, in, &packed), 0);
	assert_true(smaller ? packed.len < in.n + 6 : packed.len == in.n + 7);
	assert_int_equal(buf_adds(&out, "x"), 0);
	assert_int_equal(
	    deflate_unpack(
		b, (struct span){ packed.p + 6, packed.len - 6 }, &out),
	    0);
	assert_int_equal(out.len, in.n + 1);
	assert_memory_equal(out.p + 1, in.p, in.n);
	buf_release(&packed);
	buf_release(&out);
}

static void test_blocks(void **state)
{
	struct deflate_block *b =
	    deflate_block_new((struct span){ NULL, 0 }, NULL);
	char *text = malloc(1 << 20);
	uint32_t seed = 1;

	(void)state;
	assert_non_null(b);
	assert_non_null(text);
	check_block(b, (struct span){ "", 0 }, false);
	check_block(b, (struct span){ "abc", 3 }, false);
	check_block(b, (struct span){ "abcdefgh", 8 }, false);
	memset(text, 'a', 1 << 20);
	check_block(b, (struct span){ text, 40 }, true);
	check_block(b, (struct span){ text, 1 << 20 }, true);
	for (size_t i = 0; i < 1 << 20; i++) {
		seed = seed * 1664525 + 1013904223;
		text[i] = (char)(seed >> 24);
	}
	check_block(b, (struct span){ text, 1 << 20 }, false);
	check_block(b, (struct span){ text, 100 }, false);
	free(text);
	deflate_block_free(b);
	deflate_block_free(NULL);
}

/* What zlib packed, as earlier versions did, is read, and zlib reads what is
 * packed. */
static void test_zlib(void **state)
{
	static const char known[] = "{\"failed\":true,\"category\":\"hang\"";
	static const char text[] = "{\"failed\":true,\"category\":\"hang\"}";
	struct deflate_block *b = deflate_block_new(span_of(known), NULL);
	struct buf packed = BUF_INIT(BUF_MAX), out = BUF_INIT(BUF_MAX);
	unsigned char block[100] = { 2, 0, 0, 0, sizeof text - 1 };
	char back[sizeof text] = "";
	z_stream z = { 0 };

	(void)state;
	assert_int_equal(deflateInit2(&z, 3, Z_DEFLATED, -15, 8, 0), Z_OK);
	deflateSetDictionary(&z, (const Bytef *)known, sizeof known - 1);
	z.next_in = (Bytef *)(uintptr_t)text;
	z.avail_in = sizeof text - 1;
	z.next_out = block + 5;
	z.avail_out = sizeof block - 5;
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(
	    deflate_unpack(
		b, (struct span){ (char *)block, 5 + z.total_out }, &out),
	    0);
	assert_int_equal(out.len, sizeof text - 1);
	assert_memory_equal(out.p, text, sizeof text - 1);
	deflateEnd(&z);

	assert_int_equal(deflate_pack(b, span_of(text), &packed), 0);
	assert_int_equal(packed.p[0], 2);
	z = (z_stream){ 0 };
	assert_int_equal(inflateInit2(&z, -15), Z_OK);
	inflateSetDictionary(&z, (const Bytef *)known, sizeof known - 1);
	z.next_in = (Bytef *)packed.p + 5;
	z.avail_in = (uInt)packed.len - 5;
	z.next_out = (Bytef *)back;
	z.avail_out = sizeof back - 1;
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_string_equal(back, text);
	inflateEnd(&z);
	buf_release(&packed);
	buf_release(&out);
	deflate_block_free(b);
}

/* What has a dictionary reads both kinds, what has none does not. */
static void test_dictionary(void **state)
{
	static const char text[] = "the job ended well: the job ended well";
	struct deflate_block *with = deflate_block_new(span_of(text), NULL);
	struct deflate_block *without =
	    deflate_block_new((struct span){ NULL, 0 }, NULL);
	struct buf a = BUF_INIT(BUF_MAX), b = BUF_INIT(BUF_MAX);
	struct buf out = BUF_INIT(BUF_MAX);

	(void)state;
	check_block(with, span_of(text), true);
	assert_int_equal(deflate_pack(with, span_of(text), &a), 0);
	assert_int_equal(deflate_pack(without, span_of(text), &b), 0);
	assert_true(a.len < b.len);
	assert_int_equal(
	    deflate_unpack(without, (struct span){ a.p, a.len }, &out), 1);
	assert_int_equal(
	    deflate_unpack(with, (struct span){ b.p, b.len }, &out), 0);
	assert_int_equal(buf_addc(&out, '\0'), 0);
	assert_string_equal(out.p, text);
	buf_release(&a);
	buf_release(&b);
	buf_release(&out);
	deflate_block_free(with);
	deflate_block_free(without);
}

static void test_damaged(void **state)
{
	struct deflate_block *b =
	    deflate_block_new((struct span){ NULL, 0 }, NULL);
	struct buf packed = BUF_INIT(BUF_MAX), out = BUF_INIT(BUF_MAX);
	char text[500];

	(void)state;
	memset(text, 'a', sizeof text);
	assert_int_equal(
	    deflate_pack(b, (struct span){ text, sizeof text }, &packed), 0);
	/* cut off anywhere, or with something behind it */
	for (size_t n = 0; n < packed.len; n++)
		assert_int_equal(
		    deflate_unpack(b, (struct span){ packed.p, n }, &out), 1);
	assert_int_equal(buf_addc(&packed, 'x'), 0);
	assert_int_equal(
	    deflate_unpack(b, (struct span){ packed.p, packed.len }, &out), 1);
	packed.len--;
	/* another length, another method */
	packed.p[4]++;
	assert_int_equal(
	    deflate_unpack(b, (struct span){ packed.p, packed.len }, &out), 1);
	packed.p[4] = (char)(packed.p[4] - 2);
	assert_int_equal(
	    deflate_unpack(b, (struct span){ packed.p, packed.len }, &out), 1);
	memset(packed.p + 1, 0xff, 4);
	assert_int_equal(
	    deflate_unpack(b, (struct span){ packed.p, packed.len }, &out), 1);
	packed.p[0] = 2;
	assert_int_equal(
	    deflate_unpack(b, (struct span){ packed.p, packed.len }, &out), 1);
	assert_int_equal(out.len, 0);
	buf_release(&packed);
	buf_release(&out);
	deflate_block_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_zlib),
		cmocka_unit_test(test_dictionary),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests_name("deflate", tests, NULL, NULL);
}
