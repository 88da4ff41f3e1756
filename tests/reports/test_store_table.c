/*
 * Rows of a small table of the store: what people said of groups of failures.
 */
#include "tests/reports/store_lab.h"

#include "base/arena.h"
#include "reports/groups/decision.h"

#define NOW (INT64_C(1700000000) * 1000000)

static void put(struct lab *l, struct store *s, struct decision d)
{
	assert_int_equal(decision_put(s, &d, &l->e), 0);
}

static void test_rows(void **state)
{
	struct lab *l = *state;
	struct store *s = lab_store(l, STORE_WRITE);
	struct arena *p = arena_new();
	struct decisions d;

	assert_int_equal(decisions_read(&d, s, p, &l->e), 0);
	assert_int_equal(d.n, 0);
	assert_string_equal(decisions_root(&d, "b"), "b");
	decisions_release(&d);
	put(l, s, (struct decision){ "b", NULL, "it's \"b\"", false, NULL, 1 });
	put(l, s, (struct decision){ "a", "b", NULL, true, "anna", NOW });
	put(l, s, (struct decision){ "c", "a", NULL, false, "", -1 });
	put(l, s, (struct decision){ "b", NULL, "new", false, "bob", 2 });
	lab_end(l, s);
	s = lab_store(l, STORE_READ);
	assert_int_equal(decisions_read(&d, s, p, &l->e), 0);
	assert_int_equal(d.n, 3);
	assert_string_equal(d.v[0].id, "a");
	assert_string_equal(d.v[0].into, "b");
	assert_null(d.v[0].name);
	assert_true(d.v[0].ignored);
	assert_string_equal(d.v[0].by, "anna");
	assert_int_equal(d.v[0].at, NOW);
	assert_string_equal(decisions_find(&d, "b")->name, "new");
	assert_null(decisions_find(&d, "d"));
	assert_string_equal(decisions_root(&d, "c"), "b");
	assert_int_equal(d.v[2].at, -1);
	decisions_release(&d);
	arena_free(p);
	lab_end(l, s);
}

/* A circle of merges ends somewhere. */
static void test_circle(void **state)
{
	struct decision v[] = { { .id = "a", .into = "b" },
		{ .id = "b", .into = "a" } };
	struct decisions d = { .v = v, .n = 2 };

	(void)state;
	assert_non_null(decisions_root(&d, "a"));
}

static void test_reader(void **state)
{
	struct lab *l = *state;
	struct store *s = lab_store(l, STORE_WRITE);

	lab_end(l, s);
	s = lab_store(l, STORE_READ);
	assert_int_equal(
	    decision_put(s, &(struct decision){ .id = "a", .at = 1 }, &l->e),
	    -1);
	assert_non_null(strstr(l->e.text, "may not be written"));
	store_close(s, NULL);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, lab_open, lab_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_rows),
		TEST(test_circle),
		TEST(test_reader),
	};

	return cmocka_run_group_tests_name("store_table", tests, NULL, NULL);
}
