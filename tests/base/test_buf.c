/*
 * The growable buffer: always NUL-terminated, never over its ceiling, and
 * unchanged by an append that fails.
 */
#include "tests/test.h"

#include "base/buf.h"

#include <stdlib.h>
#include <string.h>

static void appends(void **state)
{
	struct buf b = BUF_INIT(BUF_MAX);

	(void)state;
	assert_int_equal(buf_adds(&b, "step "), 0);
	assert_int_equal(buf_addf(&b, "%d/%d", 7, 90), 0);
	assert_int_equal(buf_addc(&b, ':'), 0);
	assert_int_equal(buf_add(&b, "ok\n", 3), 0);
	assert_int_equal(b.len, 13);
	assert_string_equal(b.p, "step 7/90:ok\n");
	buf_release(&b);
}

static void holds_any_byte(void **state)
{
	const char bytes[] = { 0, 'a', 0, (char)0xff };
	struct buf b = BUF_INIT(BUF_MAX);

	(void)state;
	assert_int_equal(buf_add(&b, bytes, sizeof bytes), 0);
	assert_int_equal(b.len, sizeof bytes);
	assert_memory_equal(b.p, bytes, sizeof bytes);
	assert_int_equal(b.p[b.len], 0);
	buf_release(&b);
}

static void has_a_string_even_when_empty(void **state)
{
	struct buf b = BUF_INIT(16);

	(void)state;
	assert_null(b.p);
	assert_int_equal(buf_add(&b, NULL, 0), 0);
	assert_non_null(b.p);
	assert_string_equal(b.p, "");
	assert_int_equal(b.len, 0);
	buf_release(&b);

	assert_int_equal(buf_adds(&b, ""), 0);
	assert_string_equal(b.p, "");
	buf_release(&b);
}

static void grows_by_single_bytes(void **state)
{
	struct buf b = BUF_INIT(BUF_MAX);
	const size_t n = 100000;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(buf_addc(&b, (char)('a' + i % 26)), 0);
		assert_int_equal(b.p[b.len], 0);
		assert_true(b.len <= b.cap);
	}
	assert_int_equal(b.len, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(b.p[i], (int)('a' + i % 26));
	buf_release(&b);
}

static void stops_at_its_ceiling(void **state)
{
	struct buf b = BUF_INIT(10);

	(void)state;
	assert_int_equal(buf_adds(&b, "12345678"), 0);
	assert_int_equal(buf_adds(&b, "90x"), -1);
	assert_int_equal(buf_addf(&b, "%s", "90x"), -1);
	assert_int_equal(buf_reserve(&b, 3), -1);
	assert_int_equal(buf_reserve(&b, SIZE_MAX), -1);
	assert_int_equal(b.len, 8);
	assert_string_equal(b.p, "12345678");

	assert_int_equal(buf_addf(&b, "%d", 90), 0);
	assert_string_equal(b.p, "1234567890");
	assert_int_equal(buf_addc(&b, '!'), -1);
	assert_int_equal(buf_add(&b, NULL, 0), 0);
	assert_string_equal(b.p, "1234567890");
	assert_true(b.cap <= 10);
	buf_release(&b);
}

static void formats_long_texts(void **state)
{
	struct buf b = BUF_INIT(BUF_MAX);

	(void)state;
	assert_int_equal(buf_addf(&b, "%05000d|", 42), 0);
	assert_int_equal(b.len, 5001);
	assert_string_equal(b.p + 4996, "0042|");
	assert_int_equal(buf_addf(&b, "%s", ""), 0);
	assert_int_equal(b.len, 5001);
	buf_release(&b);
}

static void reserves_in_advance(void **state)
{
	struct buf b = BUF_INIT(BUF_MAX);
	const char *before;

	(void)state;
	assert_int_equal(buf_reserve(&b, 1000), 0);
	assert_int_equal(b.len, 0);
	assert_string_equal(b.p, "");
	before = b.p;
	for (int i = 0; i < 1000; i++)
		buf_addc(&b, 'x');
	assert_ptr_equal(b.p, before);
	buf_release(&b);
}

static void keeps_memory_when_cleared(void **state)
{
	struct buf b = BUF_INIT(BUF_MAX);
	size_t cap;

	(void)state;
	buf_clear(&b); /* nothing acquired yet */
	assert_int_equal(b.len, 0);
	buf_adds(&b, "some text");
	cap = b.cap;
	buf_clear(&b);
	assert_int_equal(b.len, 0);
	assert_int_equal(b.cap, cap);
	assert_string_equal(b.p, "");
	buf_adds(&b, "new");
	assert_string_equal(b.p, "new");
	buf_release(&b);
}

static void hands_over_its_bytes(void **state)
{
	struct buf b = BUF_INIT(BUF_MAX);
	char *first, *second, *empty;

	(void)state;
	buf_adds(&b, "one");
	first = buf_take(&b);
	assert_string_equal(first, "one");
	assert_null(b.p);
	assert_int_equal(b.len, 0);

	buf_adds(&b, "two");
	second = buf_take(&b);
	assert_string_equal(second, "two");
	assert_string_equal(first, "one");

	empty = buf_take(&b);
	assert_non_null(empty);
	assert_string_equal(empty, "");
	free(first);
	free(second);
	free(empty);
}

static void is_usable_after_release(void **state)
{
	struct buf b = BUF_INIT(12);

	(void)state;
	buf_release(&b); /* never acquired */
	buf_adds(&b, "abc");
	buf_release(&b);
	assert_null(b.p);
	assert_int_equal(b.len, 0);
	assert_int_equal(b.cap, 0);
	buf_release(&b);
	assert_int_equal(buf_adds(&b, "exactly 12 b"), 0);
	assert_int_equal(buf_addc(&b, '.'), -1); /* the ceiling stays */
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(appends),
		cmocka_unit_test(holds_any_byte),
		cmocka_unit_test(has_a_string_even_when_empty),
		cmocka_unit_test(grows_by_single_bytes),
		cmocka_unit_test(stops_at_its_ceiling),
		cmocka_unit_test(formats_long_texts),
		cmocka_unit_test(reserves_in_advance),
		cmocka_unit_test(keeps_memory_when_cleared),
		cmocka_unit_test(hands_over_its_bytes),
		cmocka_unit_test(is_usable_after_release),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
