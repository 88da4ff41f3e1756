/*
 * The limit table: every row is sound, and `--limit` takes what it says it
 * takes and nothing else.
 */
#include "tests/test.h"

#include "base/err.h"
#include "base/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void rows_are_sound(void **state)
{
	(void)state;
	for (int i = 0; i < LIMIT_COUNT; i++) {
		const struct limit_row *r = &limit_table[i];

		assert_non_null(r->name);
		assert_non_null(r->help);
		assert_true(strlen(r->name) > 0);
		assert_true(strlen(r->help) > 10);
		assert_int_equal(strspn(r->name, "abcdefghijklmnopqrstuvwxyz-"),
		    strlen(r->name));
		assert_true(r->min > 0);
		assert_true(r->min <= r->standard);
		assert_true(r->standard <= r->max);
		for (int j = 0; j < i; j++)
			assert_string_not_equal(r->name, limit_table[j].name);
	}
}

static void starts_with_the_standard(void **state)
{
	struct limits l;

	(void)state;
	memset(&l, 0xff, sizeof l);
	limits_init(&l);
	for (int i = 0; i < LIMIT_COUNT; i++)
		assert_true(l.v[i] == limit_table[i].standard);
}

/* The ends of every row's range are taken, one beyond is not. */
static void keeps_to_the_range(void **state)
{
	char text[128];

	(void)state;
	for (int i = 0; i < LIMIT_COUNT; i++) {
		const struct limit_row *r = &limit_table[i];
		struct limits l;
		struct err e = { 0 };

		limits_init(&l);
		snprintf(text, sizeof text, "%s=%" PRIu64, r->name, r->min);
		assert_int_equal(limits_set(&l, text, &e), 0);
		assert_true(l.v[i] == r->min);
		snprintf(text, sizeof text, "%s=%" PRIu64, r->name, r->max);
		assert_int_equal(limits_set(&l, text, &e), 0);
		assert_true(l.v[i] == r->max);
		assert_string_equal(e.text, "");

		snprintf(text, sizeof text, "%s=%" PRIu64, r->name, r->max + 1);
		assert_int_equal(limits_set(&l, text, &e), -1);
		assert_non_null(strstr(e.text, "out of range"));
		snprintf(text, sizeof text, "%s=%" PRIu64, r->name, r->min - 1);
		assert_int_equal(limits_set(&l, text, &e), -1);
		assert_true(l.v[i] == r->max);
	}
}

static void sets_only_the_named_one(void **state)
{
	struct limits l, standard;
	struct err e = { 0 };

	(void)state;
	limits_init(&l);
	limits_init(&standard);
	assert_int_equal(limits_set(&l, "rule-hits=5", &e), 0);
	assert_true(l.v[LIMIT_RULE_HITS] == 5);
	l.v[LIMIT_RULE_HITS] = standard.v[LIMIT_RULE_HITS];
	assert_memory_equal(&l, &standard, sizeof l);
}

static void knows_units(void **state)
{
	struct limits l;
	struct err e = { 0 };

	(void)state;
	limits_init(&l);
	assert_int_equal(limits_set(&l, "line=9K", &e), 0);
	assert_true(l.v[LIMIT_LINE] == 9 * 1024);
	assert_int_equal(limits_set(&l, "nested-seek=3M", &e), 0);
	assert_true(l.v[LIMIT_NESTED_SEEK] == 3 * 1024 * 1024);
	assert_int_equal(limits_set(&l, "archive-bytes=2G", &e), 0);
	assert_true(l.v[LIMIT_ARCHIVE_BYTES] == (uint64_t)2 << 30);
}

static void refuses_nonsense(void **state)
{
	static const char *const bad[] = {
		"",
		"=",
		"line",
		"line=",
		"line= 9000",
		"line=+9000",
		"line=-1",
		"line=9k",
		"line=9KB",
		"line=9K ",
		"line=K",
		"line=9.5K",
		"line=0x4000",
		"line=1e4",
		"lin=9000",
		"lines=9000",
		"Line=9000",
		"=9000",
		"line=18446744073709551615",
		"line=18446744073709551616",
		"archive-bytes=18014398509481985K",
		"archive-bytes=17592186044416M",
	};
	struct limits l, standard;

	(void)state;
	limits_init(&standard);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct err e = { 0 };

		limits_init(&l);
		if (limits_set(&l, bad[i], &e) != -1)
			fail_msg("'%s' was taken", bad[i]);
		assert_non_null(strstr(e.text, bad[i]));
		assert_memory_equal(&l, &standard, sizeof l);
		assert_int_equal(limits_set(&l, bad[i], NULL), -1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_sound),
		cmocka_unit_test(starts_with_the_standard),
		cmocka_unit_test(keeps_to_the_range),
		cmocka_unit_test(sets_only_the_named_one),
		cmocka_unit_test(knows_units),
		cmocka_unit_test(refuses_nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
