/*
 * The numbers of base/number.h against those of the C library's libm. That
 * rounds to the nearest nearly always, so a difference in the last digit is
 * no fault, and must be rare. (What number_read reads: test_trend_read.c.)
 */
#include "tests/test.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TRIES 100000

/* Numbers of all sizes. */
static double next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return ldexp((double)(*seed >> 11), (int)(*seed >> 3 & 1023) - 560);
}

static bool near(double a, double b)
{
	return nextafter(a, b) == b; /* or equal */
}

static void test_log(void **state)
{
	(void)state;
	assert_true(number_log(1) == 0);
	assert_true(number_log(100) == log(100));
	assert_true(isinf(number_log(INFINITY)));
}

static void test_floor(void **state)
{
	static const double v[] = { 0, 0.5, -0.5, 1, -1, 2.99, -2.01, 1e15,
		-1e15 - 0.5, 4503599627370496.5, 9e18, 1e300, -1e300, INFINITY,
		-INFINITY };
	uint64_t seed = 7;

	(void)state;
	for (size_t i = 0; i < sizeof v / sizeof *v; i++)
		assert_true(number_floor(v[i]) == floor(v[i]));
	assert_true(isnan(number_floor(NAN)));
	for (int i = 0; i < TRIES; i++) {
		double x = i & 1 ? next(&seed) : -next(&seed);

		assert_true(number_floor(x) == floor(x));
	}
}

/* Beyond the powers of ten that are exact. */
static void test_exponents(void **state)
{
	int other = 0;

	(void)state;
	for (int by = -400; by <= 400; by++) {
		char text[16];
		double v = -1;

		snprintf(text, sizeof text, "1e%d", by);
		assert_true(number_read(span_of(text), &v) > 0);
		assert_true(near(v, strtod(text, NULL)));
		other += v != strtod(text, NULL);
	}
	assert_true(other < 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_log),
		cmocka_unit_test(test_floor),
		cmocka_unit_test(test_exponents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
