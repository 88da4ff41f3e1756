/* That bits are the same, told by the processor and without its help. */
#include "tests/test.h"

#include "base/wide.h"

static void test_bits(void **state)
{
	uint32_t draw = 1;

	(void)state;
	for (int i = 0; i < 10000; i++) {
		unsigned want = i < 16 ? 1u << i : (draw >> 8 & 0xffff);
		wide v = { 0 };

		draw = draw * 1664525 + 1013904223;
		for (unsigned k = 0; k < sizeof v; k++)
			v[k] = want >> k & 1 ? 255 : 0;
		assert_int_equal(wide_bits(v), want);
		assert_int_equal(wide_bits_by_words(v), want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
