#include "base/hash.h"
#include "tests/test.h"

#include <stdbool.h>
#include <string.h>

static bool same(struct hash_value a, struct hash_value b)
{
	return a.low == b.low && a.high == b.high;
}

static void test_pieces(void **state)
{
	const char *text = "the same bytes in pieces of any size";
	struct hash_value whole = hash_of(text, strlen(text));
	struct hash *h = hash_new();

	(void)state;
	assert_non_null(h);
	for (size_t step = 1; step < strlen(text); step++) {
		hash_reset(h);
		for (size_t i = 0; i < strlen(text); i += step) {
			size_t n = strlen(text) - i;

			hash_add(h, text + i, n < step ? n : step);
		}
		assert_true(same(hash_end(h), whole));
	}
	hash_reset(h);
	hash_add(h, text, strlen(text) - 1);
	assert_false(same(hash_end(h), whole));
	hash_free(h);
}

static void test_join(void **state)
{
	struct hash_value a = hash_of("a", 1), b = hash_of("b", 1);
	struct hash_value ab = { 0, 0 }, ba = { 0, 0 }, aa = { 0, 0 };

	(void)state;
	hash_join(&ab, a);
	hash_join(&ab, b);
	hash_join(&ba, b);
	hash_join(&ba, a);
	hash_join(&aa, a);
	hash_join(&aa, a);
	assert_true(same(ab, ba));
	assert_false(same(ab, aa));
	assert_false(same(ab, a));
}

static void test_hex(void **state)
{
	char text[HASH_HEX];

	(void)state;
	hash_hex((struct hash_value){ 0xab, 1 }, text);
	assert_string_equal(text, "000000000000000100000000000000ab");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_join),
		cmocka_unit_test(test_hex),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
