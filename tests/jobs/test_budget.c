/*
 * What owners may take: sums, without a clock but for the run's, which is far
 * away or over.
 */
#include "tests/test.h"

#include "base/limits.h"
#include "jobs/budget.h"

#include <stdio.h>
#include <string.h>

static struct budget *made(uint64_t owner, uint64_t run)
{
	struct limits l;
	struct budget *b;

	limits_init(&l);
	assert_false(budget_bounds(&l));
	l.v[LIMIT_OWNER_TIME] = owner;
	l.v[LIMIT_RUN_TIME] = run;
	assert_true(budget_bounds(&l));
	b = budget_new(&l);
	assert_non_null(b);
	return b;
}

struct told {
	char who[40], text[160];
	int n;
};

static void on_told(void *ctx, const char *who, const char *text)
{
	struct told *t = ctx;

	snprintf(t->who, sizeof t->who, "%s", who);
	snprintf(t->text, sizeof t->text, "%s", text);
	t->n++;
}

/* This program is somebody's; what is not there is nobody's. */
static void one_does_not_take_from_another(void **state)
{
	struct budget *b = made(5000, 1000000000);
	struct budget_owner *one = budget_owner(b, "/proc/self/exe");
	struct budget_owner *other = budget_owner(b, "not/there");
	struct told t = { .n = 0 };

	(void)state;
	assert_ptr_not_equal(one, other);
	assert_ptr_equal(budget_owner(b, "/proc/self/exe!a/b.log"), one);
	assert_true(budget_left(b, one) == 5000000);
	budget_spend(other, 2000000);
	assert_true(budget_left(b, other) == 3000000);
	budget_spend(other, 3000000);
	assert_true(budget_left(b, other) <= 0);
	assert_true(budget_left(b, one) == 5000000);
	assert_string_equal(budget_why(b, other),
	    "5 seconds of its owner are over (limit owner-time)");
	budget_each(b, on_told, &t);
	assert_int_equal(t.n, 0);
	budget_leave(other);
	budget_each(b, on_told, &t);
	assert_int_equal(t.n, 1);
	assert_string_equal(t.who, "owner unknown");
	assert_string_equal(t.text,
	    "1 file is not read: 5 seconds of its owner are over (limit "
	    "owner-time)");
	budget_free(b);
	budget_free(NULL);
}

static void a_run_ends_for_all(void **state)
{
	struct budget *b = made(1000000, 0);
	struct budget_owner *one = budget_owner(b, "/proc/self/exe");
	struct budget_owner *other = budget_owner(b, "not/there");
	struct told t = { .n = 0 };

	(void)state;
	assert_true(budget_left(b, one) <= 0);
	assert_string_equal(budget_why(b, one),
	    "0 seconds of the run are over (limit run-time)");
	budget_leave(one);
	budget_leave(other);
	budget_each(b, on_told, &t);
	assert_int_equal(t.n, 1);
	assert_string_equal(t.who, "run");
	assert_non_null(strstr(t.text, "2 files are not read: "));
	budget_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_does_not_take_from_another),
		cmocka_unit_test(a_run_ends_for_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
