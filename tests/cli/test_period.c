#include "cli/period.h"
#include "base/err.h"
#include "base/when.h"
#include "tests/test.h"

#include <string.h>

#define SECOND INT64_C(1000000)
/* 2026-11-20 13:14:15 UTC */
#define NOW (INT64_C(1795180455) * SECOND)

static void expect(const char *text, const char *utc)
{
	struct err e = { 0 };
	char got[32];
	int64_t t = 0;

	assert_int_equal(period_time(text, NOW, &t, &e), 0);
	when_format(t, got);
	assert_string_equal(got, utc);
}

static void test_utc(void **state)
{
	(void)state;
	assert_int_equal(period_zone("UTC", NULL), 0);
	expect("now", "2026-11-20T13:14:15Z");
	expect("today", "2026-11-20T00:00:00Z");
	expect("yesterday", "2026-11-19T00:00:00Z");
	expect("90m", "2026-11-20T11:44:15Z");
	expect("24h", "2026-11-19T13:14:15Z");
	expect("2w", "2026-11-06T13:14:15Z");
	expect("2026-01-02", "2026-01-02T00:00:00Z");
	expect("2026-01-02T03:04", "2026-01-02T03:04:00Z");
	expect("2026-01-02 03:04:05", "2026-01-02T03:04:05Z");
	expect("2026-01-02T03:04:05+02:00", "2026-01-02T01:04:05Z");
}

static void expect_local(const char *utc, const char *local)
{
	char got[32];
	int64_t t;

	assert_true(when_parse(span_of(utc), &t));
	when_format(period_local(t), got);
	assert_string_equal(got, local);
}

static void test_zone(void **state)
{
	(void)state;
	/* Central Europe by its rule, which needs no tzdata */
	assert_int_equal(period_zone("CET-1CEST,M3.5.0,M10.5.0/3", NULL), 0);
	expect("2026-01-02", "2026-01-01T23:00:00Z");
	expect("2026-07-02", "2026-07-01T22:00:00Z");
	expect("2026-07-02T00:00:00Z", "2026-07-02T00:00:00Z");
	expect("today", "2026-11-19T23:00:00Z");
	/* the night the clocks go back is 25 hours long */
	expect("2026-10-25", "2026-10-24T22:00:00Z");
	expect("2026-10-26", "2026-10-25T23:00:00Z");
	expect_local("2026-10-25T00:30:00Z", "2026-10-25T02:30:00Z");
	expect_local("2026-10-25T01:30:00Z", "2026-10-25T02:30:00Z");
	expect_local("2026-10-26T23:30:00Z", "2026-10-27T00:30:00Z");
	expect_local(
	    "1969-12-31T23:59:59.500000Z", "1970-01-01T00:59:59.500000Z");
	assert_int_equal(period_zone("UTC", NULL), 0);
	expect_local(
	    "1969-12-31T23:59:59.500000Z", "1969-12-31T23:59:59.500000Z");
}

static void test_bad(void **state)
{
	static const char *const texts[] = { "", "h", "24", "-3d", "tomorrow",
		"2026-13-01", "2026-01-32", "01:02:03", "2026-01-02x",
		"Jan  2 03:04:05", "99999999999d", "1.5d" };

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct err e = { 0 };
		int64_t t = 7;

		assert_int_equal(period_time(texts[i], NOW, &t, &e), -1);
		assert_int_equal(t, 7);
		assert_non_null(strstr(e.text, "is no time"));
	}
	for (size_t i = 0; i < 3; i++) {
		static const char *const zones[] = { "", "Nowhere/Land",
			"../etc/passwd" };
		struct err e = { 0 };

		assert_int_equal(period_zone(zones[i], &e), -1);
		assert_non_null(strstr(e.text, "no such zone"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_utc),
		cmocka_unit_test(test_zone),
		cmocka_unit_test(test_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
