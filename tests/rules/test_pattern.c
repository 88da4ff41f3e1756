/*
 * Patterns: errors with their place, groups, bytes that are no UTF-8, limits.
 */
#include "tests/test.h"

#include "base/buf.h"
#include "base/err.h"
#include "rules/pattern.h"

#include <string.h>

static struct pattern *must(const char *text)
{
	struct err e = { 0 };
	struct pattern *p = pattern_new(text, NULL, &e);

	assert_string_equal(e.text, "");
	assert_non_null(p);
	return p;
}

static void test_error(void **state)
{
	struct err e = { 0 };
	size_t where = 99;

	(void)state;
	assert_null(pattern_new("ab(c", &where, &e));
	assert_string_equal(e.text, "at offset 4: missing closing parenthesis");
	assert_int_equal(where, 4);
	assert_null(pattern_new("a\\Cb", &where, NULL));
	assert_int_equal(where, 3);
}

static void test_too_long(void **state)
{
	static char text[20001];
	struct err e = { 0 };

	(void)state;
	memset(text, 'a', sizeof text - 1);
	assert_null(pattern_new(text, NULL, &e));
	assert_non_null(strstr(e.text, "at offset"));
}

static void test_groups(void **state)
{
	struct pattern *p = must("(?<a>x)|(?<b>y)(?<c>z)?");
	struct matcher *m = pattern_matcher_new(10000);
	struct pattern_match out;

	(void)state;
	assert_int_equal(pattern_groups(p), 3);
	assert_int_equal(pattern_group(p, "c"), 3);
	assert_int_equal(pattern_group(p, "none"), -1);
	assert_int_equal(pattern_find(p, m, span_of("--y--"), &out), 1);
	assert_int_equal(out.n, 4);
	assert_true(span_is(out.group[0], "y"));
	assert_null(out.group[1].p);
	assert_true(span_is(out.group[2], "y"));
	assert_null(out.group[3].p);
	assert_null(out.group[PATTERN_GROUPS - 1].p);
	assert_int_equal(pattern_find(p, m, span_of("none"), &out), 0);
	pattern_matcher_free(m);
	pattern_free(p);
}

static void test_many_groups(void **state)
{
	char text[3 * (PATTERN_GROUPS + 5) + 1] = "";
	char subject[PATTERN_GROUPS + 6] = "";
	struct matcher *m = pattern_matcher_new(10000);
	struct pattern_match out;
	struct pattern *p;

	(void)state;
	for (int i = 0; i < PATTERN_GROUPS + 5; i++) {
		text[3 * i] = '(';
		text[3 * i + 1] = '.';
		text[3 * i + 2] = ')';
		subject[i] = 'k';
	}
	p = must(text);
	assert_int_equal(pattern_find(p, m, span_of(subject), &out), 1);
	assert_int_equal(out.n, PATTERN_GROUPS);
	assert_true(span_is(out.group[PATTERN_GROUPS - 1], "k"));
	pattern_matcher_free(m);
	pattern_free(p);
}

static void test_bytes(void **state)
{
	static const char text[] = "\xff\x00"
				   "key\xe9\nnext";
	struct pattern *p = must("^.\\x00key.$(?=\\nnext)");
	struct matcher *m = pattern_matcher_new(10000);
	struct span s = { text, sizeof text - 1 };

	(void)state;
	assert_int_equal(pattern_find(p, m, s, NULL), 0);
	pattern_free(p);
	p = must("(?m)^.\\x00key.$");
	assert_int_equal(pattern_find(p, m, s, NULL), 1);
	pattern_free(p);
	p = must("^$");
	assert_int_equal(pattern_find(p, m, (struct span){ NULL, 0 }, NULL), 1);
	pattern_free(p);
	pattern_matcher_free(m);
}

/* A pattern that needs exponential time stops at the limit, in JIT code as
 * well as in the interpreter. */
static void test_limit(void **state)
{
	struct pattern *p = must("^(?:a+)+(?:a+)+$");
	struct pattern *slow = must("(*NO_JIT)^(?:a+)+(?:a+)+$");
	struct matcher *m = pattern_matcher_new(5000);
	struct span s =
	    span_of("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!");

	(void)state;
	assert_int_equal(pattern_find(p, m, s, NULL), -1);
	assert_int_equal(pattern_find(slow, m, s, NULL), -1);
	assert_int_equal(pattern_find(p, m, span_of("aaa"), NULL), 1);
	pattern_matcher_free(m);
	pattern_free(p);
	pattern_free(slow);
}

/* What PCRE2's own limit does not count: long walks within one item, and the
 * price of many groups. An own pattern is watched on long subjects only. */
static void test_work_is_counted(void **state)
{
	static const char *const slow[] = { "(?=.*[bc])a", "(?=.*(?=.*[bc]))a",
		"(?=(.*))(?=(.*))\\1\\2[b]?$", "(*NO_JIT)(?=.*[bc])a",
		"(?:a*+)++[bc]" };
	static char text[65536];
	struct matcher *m = pattern_matcher_new(200000);
	struct span s = { text, sizeof text };

	(void)state;
	memset(text, 'a', sizeof text);
	for (size_t i = 0; i < sizeof slow / sizeof *slow; i++) {
		struct pattern *p = must(slow[i]);
		struct pattern *own = pattern_new_own(slow[i], NULL);

		assert_non_null(own);
		assert_int_equal(pattern_find(p, m, s, NULL), -1);
		assert_int_equal(pattern_find(own, m, s, NULL), -1);
		assert_int_not_equal(
		    pattern_find(own, m, span_sub(s, 0, 50), NULL), -1);
		pattern_free(p);
		pattern_free(own);
	}
	pattern_matcher_free(m);
}

static void test_bytes_only(void **state)
{
	(void)state;
	assert_null(pattern_new("(*UTF)a", NULL, NULL));
	assert_null(pattern_new("\\C", NULL, NULL));
	assert_null(pattern_new("((a{1,100}){1,100}){1,100}", NULL, NULL));
}

/* JIT code is made after some text; no answer may tell whether it has
 * been. The steps allowed are few, so that either side gives up now and
 * then. */
static void test_cold_and_hot(void **state)
{
	static const char *const patterns[] = { "(?<a>a+)(?:b|(c))*d?$",
		"^(?:a+)+b", "(?i)error(?!s)[: ]+(?<what>\\S+)$",
		"(a|ab)(c|bcd)(d*)", "(?<!x)(\\d+)(?>[a-z]*)\\1" };
	static const char *const texts[] = { "", "aaaabccd", "aaaaaaaaaaaac",
		"1 ERROR: none", "errors errors error  x y", "abcd", "x77ab7",
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab" };
	static char fill[1 << 16];

	(void)state;
	memset(fill, '-', sizeof fill);
	for (uint64_t limit = 1; limit < 400; limit += 1 + limit / 8) {
		struct matcher *m = pattern_matcher_new(limit);

		for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
			for (size_t k = 0; k < sizeof texts / sizeof *texts;
			     k++) {
				struct pattern *p = must(patterns[i]);
				struct span s = span_of(texts[k]);
				struct pattern_match a = { .n = 0 }, b = a;
				int cold = pattern_find(p, m, s, &a);

				pattern_find(p, m,
				    (struct span){ fill, sizeof fill }, NULL);
				assert_int_equal(
				    pattern_find(p, m, s, &b), cold);
				assert_memory_equal(&a, &b, sizeof a);
				pattern_free(p);
			}
		pattern_matcher_free(m);
	}
}

/* Compiled once, by who asks first. */
static void test_late(void **state)
{
	pattern_slot slot = NULL;
	const struct pattern *late = pattern_late(&slot, "(?<a>q+)y");

	(void)state;
	assert_non_null(late);
	assert_int_equal(pattern_group(late, "a"), 1);
	assert_ptr_equal(pattern_late(&slot, ""), late);
	pattern_free(slot);
}

static void test_release_nothing(void **state)
{
	(void)state;
	pattern_free(NULL);
	pattern_matcher_free(NULL);
	assert_null(pattern_new("(", NULL, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_error),
		cmocka_unit_test(test_too_long),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_many_groups),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_late),
		cmocka_unit_test(test_work_is_counted),
		cmocka_unit_test(test_bytes_only),
		cmocka_unit_test(test_cold_and_hot),
		cmocka_unit_test(test_release_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
