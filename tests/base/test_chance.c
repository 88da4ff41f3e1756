#include "tests/test.h"

#include "base/chance.h"

static double off(double is, double should)
{
	double d = is > should ? is - should : should - is;

	return should > 1 ? d / should : d;
}

/* Exact 95 % limits of a Poisson mean, as tables of Garwood's limits have
 * them (K. Ulm, Am. J. Epidemiol. 131, 1990, and others). */
static void limits_are_those_of_the_tables(void **state)
{
	static const struct {
		unsigned k;
		double low, high;
	} table[] = {
		{ 0, 0, 3.6889 },
		{ 1, 0.0253, 5.5716 },
		{ 2, 0.2422, 7.2247 },
		{ 3, 0.6187, 8.7673 },
		{ 4, 1.0899, 10.2416 },
		{ 5, 1.6235, 11.6683 },
		{ 10, 4.7954, 18.3904 },
		{ 20, 12.2165, 30.8884 },
		{ 50, 37.1110, 65.9188 },
		{ 100, 81.3640, 121.6266 },
	};
	double low, high;

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		chance_poisson_bounds(table[i].k, 0.025, &low, &high);
		assert_true(off(low, table[i].low) < 6e-5);
		assert_true(off(high, table[i].high) < 6e-5);
	}
	/* far from where sums overflow, too: close to k -/+ 1.96 sqrt(k) */
	chance_poisson_bounds(100000, 0.025, &low, &high);
	assert_true(off(low, 99381.2) < 1e-5);
	assert_true(off(high, 100621.8) < 1e-5);
}

static void tails_of_the_poisson_distribution(void **state)
{
	(void)state;
	assert_true(chance_poisson(0, 3) == 1);
	assert_true(chance_poisson(3, 0) == 0);
	assert_true(off(chance_poisson(1, 1), 0.632120558829) < 1e-12);
	assert_true(off(chance_poisson(3, 0.5), 0.014387677967) < 1e-12);
	assert_true(off(chance_poisson(2, 1000), 1) < 1e-12);
	assert_true(chance_poisson(5000, 1000) < 1e-300);
	/* relative, where it is very small: 1e-4^5 / 5! */
	assert_true(off(chance_poisson(5, 1e-4) * 1e22 * 1.2, 1) < 1e-3);
}

static void tries_of_several_kinds(void **state)
{
	static const struct chance_tries one[] = { { 10, 0.5 } };
	static const struct chance_tries mixed[] = { { 1, 0.5 }, { 1, 0.25 },
		{ 0, 1 } };
	static const struct chance_tries sure[] = { { 3, 1.0 }, { 5, 0.0 } };
	static const struct chance_tries rare[] = { { 100, 1e-6 } };
	double room[16];

	(void)state;
	assert_true(chance_tries(0, one, 1, room) == 1);
	assert_true(off(chance_tries(8, one, 1, room), 56.0 / 1024) < 1e-12);
	assert_true(off(chance_tries(1, mixed, 3, room), 0.625) < 1e-12);
	assert_true(off(chance_tries(2, mixed, 3, room), 0.125) < 1e-12);
	assert_true(chance_tries(3, mixed, 3, room) == 0);
	assert_true(chance_tries(3, sure, 2, room) == 1);
	assert_true(chance_tries(4, sure, 2, room) == 0);
	/* 100 choose 5 times 1e-30, but for a part in ten thousand */
	assert_true(
	    off(chance_tries(5, rare, 1, room) * 1e30 / 75287520, 1) < 2e-4);
}

/* The fifteen chances of Benjamini and Hochberg (1995): four are called at a
 * share of 0.05. */
static void share_of_false_ones(void **state)
{
	double p[] = { 0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298,
		0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1 };
	double few[] = { 0.01, 0.02 };
	size_t n = 0;

	(void)state;
	chance_false_share(p, 15, 15);
	while (n < 15 && p[n] <= 0.05)
		n++;
	assert_int_equal(n, 4);
	assert_true(off(p[0], 0.0015) < 1e-9);
	assert_true(off(p[4], 0.0603) < 1e-9);
	assert_true(p[5] <= p[6] && p[14] == 1);
	chance_false_share(few, 2, 40);
	assert_true(off(few[0], 0.4) < 1e-9 && off(few[1], 0.4) < 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits_are_those_of_the_tables),
		cmocka_unit_test(tails_of_the_poisson_distribution),
		cmocka_unit_test(tries_of_several_kinds),
		cmocka_unit_test(share_of_false_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
