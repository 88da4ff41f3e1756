/*
 * Errors: the text is whole or cut cleanly, the place goes in front, and a
 * caller who wants no text may pass none.
 */
#include "tests/test.h"

#include "base/err.h"

#include <errno.h>
#include <string.h>

static void sets_the_text(void **state)
{
	struct err e = { 0 };

	(void)state;
	assert_int_equal(err_set(&e, "%s:%d: odd", "rules.yaml", 12), -1);
	assert_string_equal(e.text, "rules.yaml:12: odd");
	assert_int_equal(err_set(&e, "later"), -1);
	assert_string_equal(e.text, "later");
}

static void names_lack_of_memory(void **state)
{
	struct err e = { 0 };

	(void)state;
	assert_int_equal(err_nomem(&e), -1);
	assert_string_equal(e.text, "out of memory");
	assert_true(e.lack);
	err_set(&e, "odd");
	assert_false(e.lack);
	assert_int_equal(err_missing(&e, "no libfoo"), -1);
	assert_string_equal(e.text, "no libfoo");
	assert_true(e.lack);
	err_prefix(&e, "x");
	assert_true(e.lack);
}

static void passes_on(void **state)
{
	struct err e = { 0 }, why = { 0 };

	(void)state;
	err_nomem(&why);
	assert_int_equal(err_pass(&e, &why), -1);
	assert_string_equal(e.text, "out of memory");
	assert_true(e.lack);
	assert_int_equal(err_pass(NULL, &why), -1);
}

static void tells_what_the_system_says(void **state)
{
	struct err e = { 0 };

	(void)state;
	errno = EACCES;
	assert_int_equal(err_errno(&e, "x.yaml"), -1);
	assert_string_equal(e.text, "x.yaml: Permission denied");
	errno = ENOMEM;
	assert_int_equal(err_errno(&e, "x.yaml"), -1);
	assert_string_equal(e.text, "out of memory");
}

static void puts_the_place_in_front(void **state)
{
	struct err e = { 0 };

	(void)state;
	err_set(&e, "unknown key '%s'", "patern");
	assert_int_equal(err_prefix(&e, "%s:%d", "x.yaml", 7), -1);
	assert_string_equal(e.text, "x.yaml:7: unknown key 'patern'");
	err_prefix(&e, "site");
	assert_string_equal(e.text, "site: x.yaml:7: unknown key 'patern'");
}

static void takes_no_error_at_all(void **state)
{
	(void)state;
	assert_int_equal(err_set(NULL, "%d", 1), -1);
	assert_int_equal(err_nomem(NULL), -1);
	assert_int_equal(err_prefix(NULL, "%d", 1), -1);
}

static void cuts_long_texts(void **state)
{
	struct err e;
	char longer[sizeof e.text + 100];

	(void)state;
	memset(&e, 'z', sizeof e);
	memset(longer, 'a', sizeof longer - 1);
	longer[sizeof longer - 1] = '\0';
	err_set(&e, "%s", longer);
	assert_int_equal(strlen(e.text), sizeof e.text - 1);
	assert_memory_equal(e.text, longer, sizeof e.text - 1);

	err_prefix(&e, "place");
	assert_int_equal(strlen(e.text), sizeof e.text - 1);
	assert_memory_equal(e.text, "place: aaa", 10);

	/* A prefix that leaves no room for the rest. */
	err_set(&e, "rest");
	err_prefix(&e, "%s", longer);
	assert_int_equal(strlen(e.text), sizeof e.text - 1);
	assert_memory_equal(e.text, longer, sizeof e.text - 1);
}

static void keeps_percent_signs(void **state)
{
	struct err e = { 0 };

	(void)state;
	err_set(&e, "%s", "100%s of %n");
	err_prefix(&e, "%s", "50%d");
	assert_string_equal(e.text, "50%d: 100%s of %n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sets_the_text),
		cmocka_unit_test(names_lack_of_memory),
		cmocka_unit_test(passes_on),
		cmocka_unit_test(tells_what_the_system_says),
		cmocka_unit_test(puts_the_place_in_front),
		cmocka_unit_test(takes_no_error_at_all),
		cmocka_unit_test(cuts_long_texts),
		cmocka_unit_test(keeps_percent_signs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
