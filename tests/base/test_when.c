#include "tests/test.h"

#include "base/when.h"

#include <stdio.h>
#include <string.h>

/* What each text is as a time, and how many of its bytes are the time. */
static const struct {
	const char *text, *iso;
	size_t used; /* 0: no time */
} cases[] = {
	{ "2024-02-29T23:59:59Z", "2024-02-29T23:59:59Z", 20 },
	{ "2024-02-29, 23:59:59 UTC] x", "2024-02-29T23:59:59Z", 24 },
	{ "2024-02-29 23:59:59,5 x", "2024-02-29T23:59:59.500000Z", 21 },
	{ "2024-02-29 23:59:59.123456789Z", "2024-02-29T23:59:59.123456Z", 30 },
	{ "2024-01-01T00:30:00+01:00", "2023-12-31T23:30:00Z", 25 },
	{ "2024-01-01T00:30:00-0730 x", "2024-01-01T08:00:00Z", 24 },
	{ "2024-01-01 00:30:00 +0200", "2023-12-31T22:30:00Z", 25 },
	{ "2024-01-01 00:30:00 UTC]", "2024-01-01T00:30:00Z", 23 },
	{ "2024-01-01 00:30:00 - app", "2024-01-01T00:30:00Z", 19 },
	{ "2024/01/02 03:04:05 x", "2024-01-02T03:04:05Z", 19 },
	{ "01/02/2024 03:04:05 x", "2024-01-02T03:04:05Z", 19 },
	{ "[01/02/24 03:04:05] INFO", "2024-01-02T03:04:05Z", 19 },
	{ "24/01/02 03:04:05 INFO", "2024-01-02T03:04:05Z", 17 },
	{ "[24/01/02 03:04:05] INFO", "2024-01-02T03:04:05Z", 19 },
	{ "01/02/2024 | 03:04:05 | Fan", "2024-01-02T03:04:05Z", 21 },
	{ "02.01.2024 03:04:05 x", "2024-01-02T03:04:05Z", 19 },
	{ "[02.01.2024, 03:04:05.5] x", "2024-01-02T03:04:05.500000Z", 24 },
	{ "01.13.2024 03:04:05", NULL, 0 },
	{ "02.01.24 03:04:05", NULL, 0 },
	{ "01/02/2024 |03:04:05", NULL, 0 },
	{ "01/02/2024| 03:04:05", NULL, 0 },
	{ "Jan 02 2024 03:04:05 x", "2024-01-02T03:04:05Z", 20 },
	{ "[Mar  9 2026 03:12:44] x", "2026-03-09T03:12:44Z", 22 },
	{ "24/01/02 03:04:05 x", "2024-01-02T03:04:05Z", 17 },
	{ "Jan 02, 2024 3:04:05 PM x", "2024-01-02T15:04:05Z", 23 },
	{ "Jan 2, 2024 12:04:05 AM x", "2024-01-02T00:04:05Z", 23 },
	{ "Jan 2, 2024 3:04:05 x", NULL, 0 },
	{ "Jan 2, 2024 13:04:05 PM x", NULL, 0 },
	{ "01/02 03:04:05 x", "1970-01-02T03:04:05Z", 14 },
	{ "01-02 03:04:05 x", "1970-01-02T03:04:05Z", 14 },
	{ "Jan  2 03:04:05 host", "1970-01-02T03:04:05Z", 15 },
	{ "Dec 12 03:04:05 host", "1970-12-12T03:04:05Z", 15 },
	{ "0102 03:04:05.000006 77", "1970-01-02T03:04:05.000006Z", 20 },
	{ "102 03:04:05.000006 x", "1970-01-02T03:04:05.000006Z", 19 },
	{ "20240102 03:04:05.000006", "2024-01-02T03:04:05.000006Z", 24 },
	{ "Tue Jan  2 03:04:05 2024", "2024-01-02T03:04:05Z", 24 },
	{ "Tue Jan  2 03:04:05 UTC 2024", "2024-01-02T03:04:05Z", 28 },
	{ "[2024-01-02 03:04:05,678] x", "2024-01-02T03:04:05.678000Z", 25 },
	{ "[Tue Jan  2 03:04:05 2024] x", "2024-01-02T03:04:05Z", 26 },
	{ "2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z", 20 },
	{ "1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z", 27 },
	{ "0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z", 20 },
	{ "9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z", 20 },
	{ "1900-02-28T00:00:00Z", "1900-02-28T00:00:00Z", 20 },
	{ "2000-02-29T00:00:00Z", "2000-02-29T00:00:00Z", 20 },
	{ "2023-02-29T00:00:00Z", NULL, 0 },
	{ "1900-02-29T00:00:00Z", NULL, 0 },
	{ "2024-13-01T00:00:00Z", NULL, 0 },
	{ "2024-00-01T00:00:00Z", NULL, 0 },
	{ "2024-04-31T00:00:00Z", NULL, 0 },
	{ "2024-01-01T24:00:00Z", NULL, 0 },
	{ "2024-01-01T00:60:00Z", NULL, 0 },
	{ "2024-01-01T00:00:61Z", NULL, 0 },
	{ "0000-01-01T00:00:00Z", NULL, 0 },
	{ "2024-01-01", NULL, 0 },
	{ "2024-01-01T00:00:00x", NULL, 0 },
	{ "[2024-01-01T00:00:00", NULL, 0 },
	{ "[2024-01-01 00:00:00 x]", NULL, 0 },
	{ "0102 03:04:05", NULL, 0 },
	{ "12:34:56", NULL, 0 },
	{ "Jam  2 03:04:05", NULL, 0 },
	{ "May be", NULL, 0 },
	{ "1234567", NULL, 0 },
	{ "[", NULL, 0 },
	{ "", NULL, 0 },
};

static void test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int64_t t = -77;
		size_t n = when_parse(span_of(cases[i].text), &t);
		char out[32];

		if (n != cases[i].used)
			fail_msg("'%s': took %zu", cases[i].text, n);
		if (n == 0) {
			assert_int_equal(t, -77);
			continue;
		}
		when_format(t, out);
		assert_string_equal(out, cases[i].iso);
	}
}

static void test_what_was_said(void **state)
{
	struct when w;

	(void)state;
	assert_int_not_equal(when_scan(span_of("2024-01-02 03:04:05"), &w), 0);
	assert_true(w.year && !w.zone);
	assert_int_not_equal(when_scan(span_of("2024-01-02T03:04:05Z"), &w), 0);
	assert_true(w.year && w.zone);
	assert_int_not_equal(when_scan(span_of("Jan  2 03:04:05"), &w), 0);
	assert_true(!w.year && !w.zone);
}

/* Every day of 800 years, there and back. */
static void test_round_trip(void **state)
{
	int64_t day = INT64_C(86400) * 1000000, t, back;
	char out[32];

	(void)state;
	for (int64_t d = -146097; d < 146097; d++) {
		t = d * day + 12345678901;
		when_format(t, out);
		assert_int_equal(when_parse(span_of(out), &back), strlen(out));
		assert_true(back == t);
	}
}

static void test_extremes(void **state)
{
	char out[32];

	(void)state;
	when_format(0, out);
	assert_string_equal(out, "1970-01-01T00:00:00Z");
	when_format(-1, out);
	assert_string_equal(out, "1969-12-31T23:59:59.999999Z");
	when_format(INT64_MAX, out);
	assert_string_equal(out, "294247-01-10T04:00:54.775807Z");
	when_format(INT64_MIN, out);
	assert_string_equal(out, "-290308-12-21T19:59:05.224192Z");
}

/* A text cut anywhere is read no further than its end. */
static void test_cut(void **state)
{
	char room[64];

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (size_t k = 0; k <= strlen(cases[i].text); k++) {
			struct span s = { room + sizeof room - k, k };
			int64_t t;

			memcpy(room + sizeof room - k, cases[i].text, k);
			assert_true(when_parse(s, &t) <= k);
		}
}

static void test_near(void **state)
{
	static const struct {
		const char *without, *dated, *want;
	} rows[] = {
		{ "0502 10:00:00.0", "2024-05-01 09:00:00",
		    "2024-05-02T10:00:00Z" },
		{ "0101 00:10:00.0", "2023-12-31 23:50:00",
		    "2024-01-01T00:10:00Z" },
		{ "1231 23:50:00.0", "2024-01-01 00:10:00",
		    "2023-12-31T23:50:00Z" },
		{ "0228 10:00:00.0", "2024-02-28 09:00:00",
		    "2024-02-28T10:00:00Z" },
		{ "0301 10:00:00.0", "2024-03-01 09:00:00",
		    "2024-03-01T10:00:00Z" },
		{ "0301 10:00:00.0", "2023-03-01 09:00:00",
		    "2023-03-01T10:00:00Z" },
		{ "1231 10:00:00.0", "2024-12-31 09:00:00",
		    "2024-12-31T10:00:00Z" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		int64_t a, b;
		char out[32];

		assert_true(when_parse(span_of(rows[i].without), &a) > 0);
		assert_true(when_parse(span_of(rows[i].dated), &b) > 0);
		assert_false(when_has_year(a));
		assert_true(when_has_year(b));
		when_format(when_near(a, b), out);
		assert_string_equal(out, rows[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_what_was_said),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_extremes),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_near),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
