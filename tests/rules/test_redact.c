/*
 * Redaction as a function: where marks go, line ends, what overlaps, what was
 * seen before, parts, options, limits. What is hidden is tested by the examples
 * of the rules.
 */
#define _DEFAULT_SOURCE /* mkstemps */
#include "tests/test.h"

#include "base/buf.h"
#include "base/err.h"
#include "rules/redact.h"
#include "rules/taxonomy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char rules[] =
    "redactions:\n"
    "  - {id: redact.t_key, title: key, pattern: 'key-\\w+',\n"
    "     examples: {secret: [a], clean: [b]}}\n"
    "  - {id: redact.t_pass, title: pass, pattern: 'pass=(?<secret>\\S+)',\n"
    "     examples: {secret: [a], clean: [b]}}\n"
    "  - {id: redact.t_block, title: block,\n"
    "     pattern: 'BEGIN(?<secret>[\\s\\S]*?)END',\n"
    "     examples: {secret: [a], clean: [b]}}\n"
    "  - {id: redact.t_long, title: long, word: 12, pattern: '[0-9]{12}',\n"
    "     examples: {secret: [a], clean: [b]}}\n"
    "  - {id: redact.t_option, title: zip, option: zip,\n"
    "     pattern: 'zip (?<secret>\\d+)',\n"
    "     examples: {secret: [a], clean: [b]}}\n"
    "  - {id: redact.t_slow, title: slow, pattern: 'slow (a+)+$',\n"
    "     examples: {secret: [a], clean: [b]}}\n";

static struct taxonomy *tax;

static int load(void **state)
{
	char name[] = "redact_XXXXXX.yaml";
	const char *overlay = name;
	struct err e = { 0 };
	int fd = mkstemps(name, 5);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, rules, sizeof rules - 1), sizeof rules - 1);
	close(fd);
	tax = taxonomy_load(&overlay, 1, &e);
	unlink(name);
	assert_string_equal(e.text, "");
	return 0;
}

static int unload(void **state)
{
	(void)state;
	taxonomy_free(tax);
	return 0;
}

/* What is shown of a text; NULL: all of it. */
static void expect(const char *words, const char *in, const char *want,
    struct redact_marks *marks)
{
	struct redactor *r = redact_rules_new(tax, words, 10000, NULL);
	struct redact *x = redact_new(r);
	struct buf out = BUF_INIT(BUF_MAX);
	int rc = redact_text(x, span_of(in), &out, marks);

	assert_int_equal(rc, want ? 1 : 0);
	if (want)
		assert_string_equal(out.p, want);
	else
		assert_int_equal(out.len, 0);
	buf_release(&out);
	redact_free(x);
	redact_rules_free(r);
}

static void test_texts(void **state)
{
	(void)state;
	expect(NULL, "", NULL, NULL);
	expect(NULL, "nothing here", NULL, NULL);
	expect(NULL, "a key-x1 b", "a [redacted: key] b", NULL);
	expect(NULL, "pass=x pass=y",
	    "pass=[redacted: pass] "
	    "pass=[redacted: pass]",
	    NULL);
	/* the first rule names what two of them hide */
	expect(NULL, "pass=key-x1", "pass=[redacted: key]", NULL);
	expect(NULL, "pass=akey-x1", "pass=[redacted: key]", NULL);
	/* the length of a word decides whether it is looked at */
	expect(NULL, "12345678901 2", NULL, NULL);
	expect(NULL, "n 123456789012", "n [redacted: long]", NULL);
	/* what was hidden stays */
	expect(
	    NULL, "pass=[redacted: pass]", "pass=[redacted: pass] pass]", NULL);
}

static void test_lines(void **state)
{
	(void)state;
	expect(NULL, "1\nBEGIN x\n\n y\nEND\n5",
	    "1\nBEGIN[redacted: block]\n\n[redacted: block]\nEND\n5", NULL);
}

static void test_marks(void **state)
{
	static const struct {
		const char *in, *want;
		struct redact_marks at, moved;
	} cases[] = {
		/* before, around, within, after */
		{ "Error key-x", "Error [redacted: key]", { 0, 5 }, { 0, 5 } },
		{ "key-x Error", "[redacted: key] Error", { 6, 11 },
		    { 16, 21 } },
		{ "a key-x b", "a [redacted: key] b", { 0, 9 }, { 0, 19 } },
		{ "a key-x b", "a [redacted: key] b", { 4, 6 }, { 2, 17 } },
		{ "a key-x b", "a [redacted: key] b", { 2, 7 }, { 2, 17 } },
		{ "a key-x b", "a [redacted: key] b", { 8, 9 }, { 18, 19 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct redact_marks m = cases[i].at;

		expect(NULL, cases[i].in, cases[i].want, &m);
		assert_int_equal(m.from, cases[i].moved.from);
		assert_int_equal(m.to, cases[i].moved.to);
	}
}

static void test_options(void **state)
{
	struct err e = { 0 };

	(void)state;
	expect(NULL, "zip 123", NULL, NULL);
	expect("zip", "zip 123", "zip [redacted: zip]", NULL);
	expect("email,zip", "zip 123", "zip [redacted: zip]", NULL);
	expect("all", "zip 123", "zip [redacted: zip]", NULL);
	assert_null(redact_rules_new(tax, "zip,zap", 1000, &e));
	assert_string_equal(
	    e.text, "--redact zap: no redaction has this option");
}

static void test_limit(void **state)
{
	(void)state;
	expect(NULL, "x key-1\nslow aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab",
	    "[redacted: not checked, it took too long]\n"
	    "[redacted: not checked, it took too long]",
	    NULL);
}

/* 1: hidden, 0: not. */
static int seen(struct redact *x, const char *in)
{
	struct buf out = BUF_INIT(BUF_MAX);
	int rc = redact_seen(x, span_of(in), &out, NULL);

	buf_release(&out);
	return rc;
}

static int part(struct redact *x, const char *in)
{
	struct buf out = BUF_INIT(BUF_MAX);
	int rc = redact_part(x, span_of(in), &out);

	buf_release(&out);
	return rc;
}

static void test_again(void **state)
{
	struct redactor *r = redact_rules_new(tax, NULL, 10000, NULL);
	struct redact *x = redact_new(r);
	struct buf out = BUF_INIT(BUF_MAX);

	(void)state;
	assert_false(redact_has_seen(x));
	redact_text(x, span_of("pass=training"), &out, NULL);
	assert_int_equal(part(x, "training"), 1);
	assert_int_equal(part(x, "me:training"), 1);
	assert_int_equal(part(x, "tr"), 0);
	assert_int_equal(part(x, "other"), 0);
	redact_text(
	    x, span_of("slow aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"), &out, NULL);
	assert_int_equal(part(x, "other"), 1);
	/* it may be any word */
	assert_false(redact_has_seen(x));
	redact_text(x, span_of("pass=train4711 pass=1 pass=x7"), &out, NULL);
	assert_true(redact_has_seen(x));
	assert_int_equal(seen(x, "train"), 0);
	assert_int_equal(seen(x, "1 x7"), 0);
	assert_int_equal(
	    redact_seen(x, span_of("(train4711)train4711"), &out, NULL), 1);
	assert_string_equal(out.p, "([redacted: pass])[redacted: pass]");
	redact_free(x);
	/* the next one has what the last one matched with, and nothing else */
	x = redact_new(r);
	assert_false(redact_has_seen(x));
	assert_int_equal(
	    redact_text(x, span_of("pass=train4712"), &out, NULL), 1);
	assert_string_equal(out.p, "pass=[redacted: pass]");
	buf_release(&out);
	redact_free(x);
	redact_rules_free(r);
}

/* All bytes, and any cut of them, are legal. */
static void test_bytes(void **state)
{
	struct redactor *r = redact_rules_new(tax, "all", 10000, NULL);
	struct redact *x = redact_new(r);
	struct buf out = BUF_INIT(BUF_MAX);
	char text[600];

	(void)state;
	for (size_t i = 0; i < sizeof text; i++)
		text[i] = (char)(i * 7 + i / 256);
	memcpy(text + 100, "pass=\xff\0\x80 key-1", 14);
	for (size_t n = 0; n <= sizeof text; n++) {
		struct redact_marks m = { n / 3, n / 2 };
		int rc = redact_text(x, (struct span){ text, n }, &out, &m);

		assert_int_equal(rc, n > 105 ? 1 : 0);
		assert_true(m.from <= m.to);
		assert_true(m.to <= (rc ? out.len : n));
	}
	buf_release(&out);
	redact_free(x);
	redact_rules_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_again),
		cmocka_unit_test(test_bytes),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
