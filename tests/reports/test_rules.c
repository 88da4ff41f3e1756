/* Each warning of the check, on rules made to deserve it. */
#include "tests/test.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "reports/rules/rules.h"
#include "reports/rules/rules_regex.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- what a regular expression looks like ---- */

static void nested(void **state)
{
	static const struct {
		const char *pattern;
		bool nested;
	} rows[] = {
		{ "(a+)+", true },
		{ "(?:a+)*x", true },
		{ "x(?:\\s*\\w*)+", true },
		{ "(?:a|b+)+", true },
		{ "(?:a+){2,}", true },
		{ "((?:a+))+", true },
		{ "(?:(?:a+)b?)+", true },
		{ "(?:(?:x,)+)*", true },
		{ "(?<words>\\w+)*", true },
		{ "(?i)(?:[a-z]+)+", true },
		{ "(?:a{1,200}){1,200}", true },
		{ "(?:[)]+)+", true },
		{ "(?:a+?)+", true },
		/* something in each turn stands there once */
		{ "(?:\\w+\\.)*Error", false },
		{ "(?:, \\w+)+", false },
		{ "(?:ab|cd)+", false },
		{ "(?:a?b)+", false },
		/* bounded, possessive, atomic, once */
		{ "(?:a+){1,3}", false },
		{ "(?:a+)?", false },
		{ "(?:a++)+", false },
		{ "(?:a+)++", false },
		{ "(?>a+)+", false },
		{ "a+b+", false },
		/* no quantifiers at all */
		{ "(a\\+)\\+", false },
		{ "\\Q(a+)+\\E", false },
		{ "[(a+)+]", false },
		{ "(?#(a+)+)x", false },
		{ "(?<!a)\\*+\\(x\\)+", false },
		{ "(?=a+)+x", false },
		{ "", false },
		{ "(", false },
		{ ")", false },
		{ "[", false },
		{ "\\", false },
		{ "a{2", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rules_regex_read(rows[i].pattern).nested != rows[i].nested)
			fail_msg("%s", rows[i].pattern);
}

static void skips(void **state)
{
	static const struct {
		const char *pattern;
		bool skips;
	} rows[] = {
		{ ".*x", true },
		{ ".+x", true },
		{ ".*?x", true },
		{ "^.*x", true },
		{ "(?i).*x", true },
		{ "(?:.*x|y)", true },
		{ "(?:x|.*y)", true },
		{ "x|.*y", true },
		{ "\\S+: x", true },
		{ "[^:]*: x", true },
		{ "[\\s\\S]+x", true },
		{ ".{3,}x", true },
		{ "\\b[^ ]+x", true },
		/* anchored, bounded, later, possessive */
		{ "^[^:]*: x", false },
		{ "\\A[^:]*: x", false },
		{ ".{0,80}x", false },
		{ "x.*y", false },
		{ "(?:x)?.*y", false },
		{ "[^\\n]*+x", false },
		{ "\\w+Error", false },
		{ "\\.*x", false },
		{ "(?!.*x)y", false },
		{ "x(?=.*y)", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rules_regex_read(rows[i].pattern).skips != rows[i].skips)
			fail_msg("%s", rows[i].pattern);
}

/* ---- the check ---- */

#define RULE(id, pattern, rest)                                             \
	"  - {id: " id ", title: Ours, pattern: '" pattern "', role: root," \
	" " rest "}\n"
#define EXAMPLES(match) "examples: {match: [" match "], no_match: [nothing]}"

/* An overlay for a category. */
static void write_overlay(
    const char *path, const char *category, const char *rules)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	fprintf(out, "category: %s\nrules:\n%s", category, rules);
	assert_int_equal(fclose(out), 0);
}

static struct taxonomy *load(const char *storage, const char *data)
{
	const char *tmp = getenv("TMPDIR");
	char dir[256], a[300], b[300];
	const char *const paths[] = { a, b };
	struct err e = { 0 };
	struct taxonomy *tax;

	snprintf(dir, sizeof dir, "%s/rules.XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(dir));
	snprintf(a, sizeof a, "%s/0.yaml", dir);
	snprintf(b, sizeof b, "%s/1.yaml", dir);
	write_overlay(a, "storage_fault", storage);
	if (data)
		write_overlay(b, "corrupt_data", data);
	tax = taxonomy_load(paths, data ? 2 : 1, &e);
	if (!tax)
		fail_msg("%s", e.text);
	assert_int_equal(unlink(a), 0);
	assert_int_equal(data ? unlink(b) : 0, 0);
	assert_int_equal(rmdir(dir), 0);
	return tax;
}

/* What the check says of the shipped rules and these. */
static char *checked(const char *storage, const char *data, bool json)
{
	struct taxonomy *tax = load(storage, data);
	struct limits limits;
	struct err e = { 0 };
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	int rc;

	assert_non_null(f);
	limits_init(&limits);
	rc = rules_check(tax, &limits, true, json, f, &e);
	assert_string_equal(e.text, "");
	assert_int_equal(fclose(f), 0);
	/* 1 exactly when a warning was told */
	if (!json)
		assert_int_equal(rc, strstr(text, " rule ") ? 1 : 0);
	taxonomy_free(tax);
	return text;
}

/* The check of these rules says of rule id that; NULL: nothing. */
static void expect_of(
    const char *storage, const char *data, const char *id, const char *what)
{
	char *text = checked(storage, data, false), mark[128];
	const char *at;

	snprintf(mark, sizeof mark, ": rule %s: ", id);
	at = strstr(text, mark);
	if (!what && at)
		fail_msg("%.200s", at);
	if (what) {
		if (!at)
			fail_msg("nothing of %s", id);
		at += strlen(mark);
		if (strncmp(at, what, strlen(what)) != 0)
			fail_msg("%.200s", at);
		/* and nothing else */
		assert_null(strstr(at, mark));
	}
	free(text);
}

#define A "storage_fault.site"
#define B "corrupt_data.site"

static void clean(void **state)
{
	(void)state;
	expect_of(RULE(A, "frobnicator \\w{1,20} lost its cache",
		      EXAMPLES("frobnicator x lost its cache")),
	    NULL, A, NULL);
}

static void literals(void **state)
{
	(void)state;
	expect_of(RULE(A, "\\d+[a-z]\\d+", EXAMPLES("12x34")), NULL, A,
	    "no fixed text that every match contains");
	expect_of(RULE(A, "qzj \\d+", EXAMPLES("qzj 4")), NULL, A,
	    "the fixed text 'qzj ' is under 5 bytes");
	/* one branch of many is enough */
	expect_of(RULE(A, "frobnicator lost|qzj", EXAMPLES("frobnicator lost")),
	    NULL, A, "the fixed text 'qzj' is under 5 bytes");
	expect_of(RULE(A, "\\d loss: \\d", EXAMPLES("'3 loss: 4'")), NULL, A,
	    "the fixed text ' loss: ' stands in many lines (");
}

static void shapes(void **state)
{
	(void)state;
	expect_of(RULE(A, "(?:\\w+)+ frobnicator lost",
		      EXAMPLES("x frobnicator lost")),
	    NULL, A, "a quantifier over a quantifier");
	expect_of(RULE(A, ".*frobnicator lost", EXAMPLES("frobnicator lost")),
	    NULL, A, "it begins with an unbounded skip");
	/* in unless it is as slow */
	expect_of(RULE(A, "frobnicator lost",
		      "unless: '(a+)+b', " EXAMPLES("frobnicator lost")),
	    NULL, A, "a quantifier over a quantifier");
}

static void attacks(void **state)
{
	(void)state;
	expect_of(RULE(A, "frobnicator[^\\n]{0,200} lost its motor",
		      EXAMPLES("frobnicator x lost its motor")),
	    NULL, A, "a line that repeats 'frobnicator");
	/* what does not go past the next beginning */
	expect_of(
	    RULE(A, "frobnicator(?:(?!frobn)[^\\n]){0,200} lost its motor",
		EXAMPLES("frobnicator x lost its motor")),
	    NULL, A, NULL);
	/* in unless, on a line that the pattern matches */
	expect_of(RULE(A, "frobnicator lost",
		      "unless: 'gasket[^\\n]{0,200} is sunken', " EXAMPLES(
			  "frobnicator lost")),
	    NULL, A, "unless: a line that repeats 'gasket");
}

/* A rule with a key, and an example of this value. */
static void expect_key(const char *value, const char *what)
{
	char rules[512], said[128];

	snprintf(rules, sizeof rules,
	    RULE(A, "frobnicator (?<part>(?:(?!frobn).){1,60}) lost",
		"key: [part], " EXAMPLES("frobnicator %s lost")),
	    value);
	snprintf(said, sizeof said,
	    "key 'part' takes %s into the fingerprint: '%s'", what ? what : "",
	    value);
	expect_of(rules, NULL, A, what ? said : NULL);
}

static void keys(void **state)
{
	(void)state;
	expect_key("/scratch/ada/x.bin", "a path");
	expect_key("48213", "a number");
	expect_key("of pid 48213", "a number");
	expect_key("0x7ffc", "an address");
	expect_key("at 0x00007f3c", "an address");
	expect_key("4f9a01bc", "a hash");
	expect_key("x-4f9a01bc22d1", "a hash");
	/* what tells failures apart */
	expect_key("79", NULL);
	expect_key("xid 119", NULL);
	expect_key("libcudnn.so.8", NULL);
	expect_key("sm_90", NULL);
	expect_key("torch.nn.Conv2d", NULL);
	expect_key("deadbeef", NULL); /* a word too */
	expect_key("encoder.layers.11.attn", NULL);
}

/* The longer fixed text wins, the role and generic before it. */
#define LONG "frobnicator \\w{1,20} lost its cache, truly and for ever"
#define SHORT "frobnicator \\w{1,20} lost its cache"
#define ONE "'frobnicator x lost its cache, truly and for ever'"
#define TWICE                                                 \
	"frobnicator x lost its cache, truly and for ever\\n" \
	"frobnicator y lost its cache"
#define OTHER "'frobnicator x lost its cache'"

static void shadowed(void **state)
{
	(void)state;
	expect_of(RULE(A, SHORT, EXAMPLES(ONE)), RULE(B, LONG, EXAMPLES(ONE)),
	    A, B " (corrupt_data) wins every one of its match examples");
	/* a generic rule that never wins is as good as none */
	expect_of(RULE(A, LONG, "generic: true, " EXAMPLES(ONE)),
	    RULE(B, SHORT, EXAMPLES(ONE)), A,
	    B " (corrupt_data) wins every one of its match examples");
	/* of its own category it may lose to any */
	expect_of(RULE(A, SHORT, EXAMPLES(ONE))
		      RULE(A "_long", LONG, EXAMPLES(ONE)),
	    NULL, A, NULL);
}

static void beaten(void **state)
{
	(void)state;
	expect_of(RULE(A, SHORT, EXAMPLES(OTHER ", " ONE)),
	    RULE(B, LONG, EXAMPLES(ONE)), A,
	    B " (corrupt_data) wins 1 of its 2 match examples: 'frobnicator x "
	      "lost its cache, truly and for ever'");
	/* that is what generic means */
	expect_of(RULE(A, SHORT, "generic: true, " EXAMPLES(OTHER ", " ONE)),
	    RULE(B, LONG, EXAMPLES(ONE)), A, NULL);
}

static void overlap(void **state)
{
	(void)state;
	expect_of(RULE(A, LONG, EXAMPLES(ONE)),
	    RULE(B, SHORT, EXAMPLES(ONE ", " OTHER)), A,
	    B " (corrupt_data) matches 1 of its 1 match examples: ");
	expect_of(RULE(A, LONG, EXAMPLES(ONE)),
	    RULE(B, SHORT, "generic: true, " EXAMPLES(ONE ", " OTHER)), A,
	    NULL);
	/* an example counts once, however often it shows there */
	expect_of(RULE(A, LONG, EXAMPLES("\"" TWICE "\"")),
	    RULE(B, SHORT, EXAMPLES(OTHER)), A,
	    B " (corrupt_data) matches 1 of its 1 match examples: ");
}

static const struct json *find(
    const struct json *list, const char *key, const char *value)
{
	for (size_t i = 0; i < json_count(list); i++)
		if (span_is(json_get_text(json_at(list, i), key), value))
			return json_at(list, i);
	fail_msg("no %s %s", key, value);
	return NULL;
}

static void as_json(void **state)
{
	char *text = checked(RULE(A, "qzj \\d+", EXAMPLES("qzj 4")) RULE(
				 A "_none", "\\d+[a-z]\\d+", EXAMPLES("12x34")),
	    NULL, true);
	struct err e = { 0 };
	struct json *o = json_parse(span_of(text), JSON_UNIQUE_KEYS, &e);
	const struct json *w, *l;
	int64_t n = 0, count = 0;

	(void)state;
	assert_non_null(o);
	w = find(json_get(o, "warnings"), "rule", A);
	assert_true(span_is(json_get_text(w, "kind"), "short_literal"));
	assert_true(span_ends(json_get_text(w, "file"), "0.yaml"));
	assert_true(json_int(json_get(w, "line"), &n));
	assert_int_equal(n, 3);
	assert_true(json_int(json_get(o, "rules"), &count));
	assert_int_equal(json_count(json_get(o, "literals")), count);
	l = find(json_get(o, "literals"), "rule", A);
	assert_true(span_is(json_get_text(l, "literal"), "qzj "));
	assert_true(json_int(json_get(l, "bits"), &n));
	l = find(json_get(o, "literals"), "rule", A "_none");
	assert_true(json_is(json_get(l, "literal"), JSON_IS_NULL));
	assert_true(json_is(json_get(l, "bits"), JSON_IS_NULL));
	json_free(o);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nested),
		cmocka_unit_test(skips),
		cmocka_unit_test(clean),
		cmocka_unit_test(literals),
		cmocka_unit_test(shapes),
		cmocka_unit_test(attacks),
		cmocka_unit_test(keys),
		cmocka_unit_test(shadowed),
		cmocka_unit_test(beaten),
		cmocka_unit_test(overlap),
		cmocka_unit_test(as_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
