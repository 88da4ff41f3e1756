/*
 * Expressions to which all digits are alike: known answers, and the promise
 * itself, over all rules of the taxonomy and their examples.
 */
#include "tests/test.h"

#include "rules/digits.h"
#include "rules/pattern.h"
#include "rules/taxonomy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS "0123456789"

static void known_answers(void **state)
{
	static const char *const alike[] = { "", "a b", "\\d+\\.\\d", "[0-9]",
		"[a-f0-9]{1,40}", "x{3}y{2,}", "(?<code2>\\w+)", "(?P<a1>.)",
		"(?i:No\\b)[^\\n]", "[]0-9]", "[^]]", "[[:digit:]x]", "(?<!x)y",
		"(?<=x)(?=y)(?!z)(?>u)(?|v)", "[\\d.-]", "[!-~]", "a\\.b",
		"\\[Errno \\d\\]" };
	static const char *const not [] = { "0", "Errno 2", "[1-9]", "[0-8]",
		"[01]", "[5]", "[a-z7]", "[+-9]", "[0-z]", "x{,3}", "x{1,2,3}",
		"{4}x}5", "(.)\\1", "(?<a>.)\\k<a>", "\\g{-1}", "\\x41",
		"[\\x30]", "\\Q1\\E", "(?#1)", "(*LIMIT_MATCH=1)", "(?R)",
		"(?1)", "(?(1)a|b)", "[", "[a", "(?<a", "\\", "\\p{L}",
		"(?P=a)", "(?P>a)", "(?&a)", "[--1]" };

	(void)state;
	for (size_t i = 0; i < sizeof alike / sizeof *alike; i++)
		if (!digits_alike(alike[i]))
			fail_msg("not alike: %s", alike[i]);
	for (size_t i = 0; i < sizeof not / sizeof *not ; i++)
		if (digits_alike(not [i]))
			fail_msg("alike: %s", not [i]);
}

/* What is found in two texts of one length is at the same places. */
static void same_places(struct span a, struct span b, const char *pattern,
    const struct pattern_match *x, const struct pattern_match *y)
{
	for (int i = 0; i < x->n; i++) {
		struct span u = x->group[i], v = y->group[i];

		if (!u.p == !v.p &&
		    (!u.p || (u.p - a.p == v.p - b.p && u.n == v.n)))
			continue;
		fail_msg(
		    "%s\n%.*s\n%.*s", pattern, (int)a.n, a.p, (int)b.n, b.p);
	}
}

/* A text with other digits is one in which the same is found. */
static void check_text(
    const char *pattern, struct matcher *scratch, const char *text)
{
	struct pattern *p = pattern_new(pattern, NULL, NULL);
	size_t n = strlen(text);
	char *other = malloc(n + 1);

	assert_non_null(p);
	assert_non_null(other);
	for (unsigned round = 0; round < 10; round++) {
		struct pattern_match x = { .n = 0 }, y = { .n = 0 };
		struct span a = { text, n }, b = { other, n };

		for (size_t i = 0; i <= n; i++)
			other[i] = text[i] >= '0' && text[i] <= '9'
			    ? DIGITS[((size_t)(text[i] - '0') + round + i) % 10]
			    : text[i];
		assert_int_equal(pattern_find(p, scratch, a, &x),
		    pattern_find(p, scratch, b, &y));
		assert_int_equal(x.n, y.n);
		same_places(a, b, pattern, &x, &y);
	}
	free(other);
	pattern_free(p);
}

/* What is called alike finds the same in all the examples of its rule. */
static void of_the_taxonomy(void **state)
{
	struct taxonomy *t = taxonomy_load(NULL, 0, NULL);
	struct matcher *scratch = pattern_matcher_new(200000);
	size_t alike = 0;

	(void)state;
	assert_non_null(t);
	assert_non_null(scratch);
	for (size_t i = 0; i < t->n_rules; i++) {
		const struct rule *r = taxonomy_rule_at(t, i);

		for (size_t k = 0; k < r->pattern.n; k++) {
			if (!digits_alike(r->pattern.v[k]))
				continue;
			alike++;
			for (size_t e = 0; e < r->match.n; e++)
				check_text(
				    r->pattern.v[k], scratch, r->match.v[e]);
		}
	}
	/* most are, or nothing is gained */
	assert_true(alike > t->n_patterns * 3 / 4);
	pattern_matcher_free(scratch);
	taxonomy_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_answers),
		cmocka_unit_test(of_the_taxonomy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
