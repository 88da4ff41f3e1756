/* An array grows, and nothing else changes. */
#include "tests/test.h"

#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>

static void grows(void **state)
{
	uint32_t *v = NULL;
	size_t n = 0, cap = 0;

	(void)state;
	for (uint32_t i = 0; i < 1000; i++) {
		assert_int_equal(array_grow(&v, n, &cap, sizeof *v), 0);
		assert_true(cap > n);
		v[n++] = i;
	}
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(v[i], i);
	free(v);
}

static void fails(void **state)
{
	char *v = malloc(1), *was = v;
	size_t cap = 1;

	(void)state;
	assert_int_equal(array_grow(&v, 1, &cap, SIZE_MAX / 2), -1);
	assert_ptr_equal(v, was);
	assert_int_equal(cap, 1);
	free(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grows),
		cmocka_unit_test(fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
