/* Blocks that are packed come back; damaged ones are refused. gzip streams are
 * tested where they are read: tests/input/test_source.c. */
#include "tests/test.h"

#include "base/buf.h"
#include "base/deflate.h"

#include <stdlib.h>
#include <string.h>

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
		cmocka_unit_test(test_dictionary),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests_name("deflate", tests, NULL, NULL);
}
