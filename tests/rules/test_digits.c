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
		"\\[Errno \\d\\]", "\\x41[\\x0a]" };
	static const char *const not [] = { "0", "Errno 2", "[1-9]", "[0-8]",
		"[01]", "[5]", "[a-z7]", "[+-9]", "[0-z]", "x{,3}", "x{1,2,3}",
		"{4}x}5", "(.)\\1", "(?<a>.)\\k<a>", "\\g{-1}", "\\x31",
		"[\\x30]", "\\Q1\\E", "(?#1)", "(*LIMIT_MATCH=1)", "(?R)",
		"(?1)", "(?(1)a|b)", "[", "[a", "(?<a", "\\", "\\p{L}", "\\x3",
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

/* The same is found in both, at the same places. */
static void same_finds(const char *pattern, const struct pattern *p,
    struct matcher *scratch, struct span a, struct span b)
{
	struct pattern_match x = { .n = 0 }, y = { .n = 0 };

	if (pattern_find(p, scratch, a, &x) != pattern_find(p, scratch, b, &y))
		fail_msg(
		    "%s\n%.*s\n%.*s", pattern, (int)a.n, a.p, (int)b.n, b.p);
	assert_int_equal(x.n, y.n);
	same_places(a, b, pattern, &x, &y);
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
		for (size_t i = 0; i <= n; i++)
			other[i] = text[i] >= '0' && text[i] <= '9'
			    ? DIGITS[((size_t)(text[i] - '0') + round + i) % 10]
			    : text[i];
		same_finds(pattern, p, scratch, (struct span){ text, n },
		    (struct span){ other, n });
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

/* Which rows of digits of a text may be of those that an expression names. */
static void rows_that_are_named(void **state)
{
	static const struct {
		const char *expression, *text;
		const char *named; /* N below each digit of one */
	} known[] = {
		{ "Errno 2", "[Errno 2] a 2", "       N     " },
		{ "Errno (?:13|2)\\]", "[Errno 219] Errno 5]",
		    "                  N " },
		{ "(?i)errno[ =:]*2\\b", "ERRNO= 7 errno9 no 5",
		    "       N      N    N" },
		{ "\\b40[134] Client", "404 403x a405 505 C 50 5050 ",
		    "NNN           NNN         " },
		{ "\\b[1-9]-?[Dd]\\b", "3D 4-d 5 66D 7-e a8D",
		    "N  N         N" },
		{ "code:? 1", "code 5 code: 6 mode:7 dg 8", "     N       N" },
		{ "(?:x|y) ?1", "x1 y 2 z3 z 4", " N   N      N" },
		{ "(?:1x)*1", "a1 2", " N N" },
		{ "x+1", "x5 xx6 y7", " N   N   " },
		{ "x*1", "x5 y7", " N  N" },
		{ "a(?=1)", "a2 b3", " N   " },
		{ "(?<=1)a", "1a 2b", "N  N " },
		{ ".1", "a2", " N" },
		{ "^1", "2 a3", "N  N" },
		{ "a1|b2", "a3 b4 c5", " N  N   " },
		{ "v50\\d:", "v1: v222: v33 v4444:", "    NNN" },
		{ "(?x) a 1", "a2", " N" },
		{ "in (?:x 1|y 2)\\b", "in x 3 in x 44 in x 5a in y 6, in y 7",
		    "     N                      N       N" },
		{ "no\\d*1\\b", "no 2 no5 a6b", "   N   N    " },
		{ "a1 ([a-z]+) but \\g{-1}", "a2 x but x 3", " N          " },
		/* only where letters stand that must */
		{ "code\\W{0,3}(?:is )?1", "Code 2 3", "     N N" },
		{ "code\\W{0,3}(?:is )?1", "cod 2 3", "       " },
		{ "codes?.1", "code 2", "     N" },
		{ "codes*.1", "code 2", "     N" },
		{ "ab{0,2}.1", "a 2", "  N" },
		{ "(?:code)?.1", "2", "N" },
		{ "(?:code|mode).1", "2", "N" },
		{ "a(?:xy.1|zz.2)", "a zz 3", "     N" },
		{ "a(?:xy.1|zz.2)", "a yy 3", "      " },
		{ "Errors: (?:code.1)", "Errors: mode 2", "              " },
		{ "code|.1", "2", "N" },
		{ "(?x)c o d e.1", "code 2", "     N" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		struct digits_row rows[8];
		struct span s = span_of(known[i].text);
		size_t n = digits_named(known[i].expression, rows, 8), end;

		assert_in_range(n, 1, 8);
		for (size_t at = 0; at < s.n; at = end + 1) {
			bool is = false;
			bool want = at < strlen(known[i].named) &&
			    known[i].named[at] == 'N';

			for (end = at; end < s.n && digits_is(s.p[end]);)
				end++;
			for (size_t k = 0; k < n && end > at; k++)
				is |= digits_are(s, at, end, &rows[k]);
			if (end > at && is != want)
				fail_msg("%s in %s at %zu: %d",
				    known[i].expression, known[i].text, at, is);
		}
	}
}

/* Put other digits to those rows of a text that are none of these. */
static void other_rows(char *to, struct span s, const struct digits_row *rows,
    size_t n, size_t round)
{
	for (size_t at = 0, end; at < s.n; at = end + 1) {
		bool is = false;

		for (end = at; end < s.n && digits_is(s.p[end]);)
			end++;
		for (size_t k = 0; k < n; k++)
			is |= digits_are(s, at, end, &rows[k]);
		for (; !is && at < end; at++)
			to[at] = DIGITS[((size_t)(s.p[at] - '0') + round * at +
					    round) %
			    10];
	}
}

/* Whatever the others are, the same is found at the same places. */
static void check_rows(const char *pattern, const struct digits_row *rows,
    size_t n, struct matcher *scratch, const char *text)
{
	struct pattern *p = pattern_new(pattern, NULL, NULL);
	struct span a = span_of(text);
	char *other = span_dup(a);

	assert_non_null(p);
	assert_non_null(other);
	for (size_t round = 0; round < 10; round++) {
		other_rows(other, a, rows, n, round);
		same_finds(pattern, p, scratch, a, (struct span){ other, a.n });
	}
	free(other);
	pattern_free(p);
}

/* The same of an expression in all examples of a rule. Whether it names some
 * that are known. */
static bool check_examples(
    const char *p, const struct rule *r, struct matcher *scratch)
{
	struct digits_row rows[64];
	size_t n = digits_named(p, rows, 64);

	if (n == 0 || n > 64)
		return false;
	for (size_t e = 0; e < r->match.n; e++)
		check_rows(p, rows, n, scratch, r->match.v[e]);
	for (size_t e = 0; e < r->no_match.n; e++)
		check_rows(p, rows, n, scratch, r->no_match.v[e]);
	return true;
}

/* So it is in all examples of the taxonomy. */
static void rows_of_the_taxonomy(void **state)
{
	struct taxonomy *t = taxonomy_load(NULL, 0, NULL);
	struct matcher *scratch = pattern_matcher_new(200000);
	size_t told = 0;

	(void)state;
	assert_non_null(t);
	assert_non_null(scratch);
	for (size_t i = 0; i < t->n_rules; i++) {
		const struct rule *r = taxonomy_rule_at(t, i);

		for (size_t k = 0; k < r->pattern.n; k++)
			told += check_examples(r->pattern.v[k], r, scratch);
		for (size_t k = 0; k < r->unless.n; k++)
			told += check_examples(r->unless.v[k], r, scratch);
	}
	assert_true(told > 200);
	pattern_matcher_free(scratch);
	taxonomy_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_answers),
		cmocka_unit_test(of_the_taxonomy),
		cmocka_unit_test(rows_that_are_named),
		cmocka_unit_test(rows_of_the_taxonomy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
