#include "tests/test.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

#include <string.h>

static struct json *parse(const char *text)
{
	struct err e;
	struct json *v = json_parse(span_of(text), JSON_PARSE, &e);

	if (!v)
		fail_msg("%s: %s", text, e.text);
	return v;
}

static void test_reads_every_kind(void **state)
{
	struct json *o = parse("{\"t\": \"a\\u0000b\", \"i\": -7, \"r\": 1.5, "
			       "\"b\": true, \"n\": null, \"a\": [1, \"x\"], "
			       "\"o\": {\"k\": \"v\"}, \"f\": false}");
	int64_t i = 99;
	double r = 0;

	(void)state;
	assert_int_equal(json_kind(o), JSON_IS_OBJECT);
	assert_int_equal(json_count(o), 8);
	assert_int_equal(json_get_text(o, "t").n, 3);
	assert_memory_equal(json_get_text(o, "t").p, "a\0b", 3);
	assert_true(json_int(json_get(o, "i"), &i));
	assert_int_equal(i, -7);
	assert_false(json_int(json_get(o, "r"), &i));
	assert_int_equal(i, -7);
	assert_true(json_number(json_get(o, "r"), &r) && r > 1.4 && r < 1.6);
	assert_true(json_number(json_get(o, "i"), &r) && r < -6.9 && r > -7.1);
	assert_false(json_number(json_get(o, "t"), &r));
	assert_true(json_true_value(json_get(o, "b")));
	assert_false(json_true_value(json_get(o, "f")));
	assert_true(json_is(json_get(o, "f"), JSON_IS_BOOL));
	assert_true(json_is(json_get(o, "n"), JSON_IS_NULL));
	assert_true(json_is(json_get(o, "r"), JSON_IS_REAL));
	assert_int_equal(json_count(json_get(o, "a")), 2);
	assert_true(span_is(json_text(json_at(json_get(o, "a"), 1)), "x"));
	assert_null(json_at(json_get(o, "a"), 2));
	assert_true(span_is(json_get_text(json_get(o, "o"), "k"), "v"));
	json_free(o);
}

static void test_nothing_is_nothing(void **state)
{
	int64_t i;
	void *at = NULL;
	struct span key;
	const struct json *v;

	(void)state;
	json_free(NULL);
	assert_int_equal(json_kind(NULL), JSON_IS_NULL);
	assert_null(json_get(NULL, "k"));
	assert_null(json_at(NULL, 0));
	assert_int_equal(json_count(NULL), 0);
	assert_null(json_text(NULL).p);
	assert_false(json_int(NULL, &i));
	assert_false(json_each(NULL, &at, &key, &v));
}

static void test_errors_name_the_place(void **state)
{
	static const struct {
		const char *text, *place;
	} cases[] = {
		{ "{\"a\": 1,\n \"b\" 2}", "2:" },
		{ "", "1:0: " },
		{ "{\"a\": \"\xff\"}", "1:" },
		{ "{} x", "1:" },
		{ "[1,\n2,\n\n\x1b[31m]", "4:" },
	};
	struct err e;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		memset(&e, 0, sizeof e);
		assert_null(json_parse(span_of(cases[i].text), JSON_PARSE, &e));
		if (strncmp(e.text, cases[i].place, strlen(cases[i].place)) !=
		    0)
			fail_msg("%s", e.text);
		assert_null(strchr(e.text, '\x1b'));
		assert_null(
		    json_parse(span_of(cases[i].text), JSON_PARSE, NULL));
	}
}

static void test_unique_keys(void **state)
{
	struct span s = span_of("{\"a\": 1, \"b\": 2, \"a\": 3}");
	struct err e = { .text = "untouched" };
	struct json *v = json_parse(s, JSON_PARSE, &e);

	(void)state;
	assert_non_null(v);
	assert_string_equal(e.text, "untouched");
	json_free(v);
	assert_null(json_parse(s, JSON_UNIQUE_KEYS, &e));
	assert_non_null(strstr(e.text, "uplicate"));
}

static void test_members_keep_their_order(void **state)
{
	struct json *o = parse("{\"z\": 1, \"a\": 2, \"m\": 3}");
	const struct json *v;
	void *at = NULL;
	struct span key;
	char seen[8];
	size_t n = 0;

	(void)state;
	while (json_each(o, &at, &key, &v))
		seen[n++] = key.p[0];
	assert_int_equal(n, 3);
	assert_memory_equal(seen, "zam", 3);
	json_free(o);
}

static void test_builds_and_writes(void **state)
{
	struct json *o = json_new_object(), *a = json_new_array();
	struct buf out = BUF_INIT(BUF_MAX);

	(void)state;
	assert_int_equal(json_append(a, json_new_int(INT64_MIN)), 0);
	assert_int_equal(json_append(a, json_new_null()), 0);
	assert_int_equal(json_set(o, "z", json_new_string("\"\n\x01")), 0);
	assert_int_equal(
	    json_set(o, "bad", json_new_text((struct span){ "a\xff\0b", 4 })),
	    0);
	assert_int_equal(json_set(o, "list", a), 0);
	assert_int_equal(json_set(o, "yes", json_new_bool(true)), 0);
	assert_int_equal(json_set(o, "none", json_new_string(NULL)), 0);
	assert_int_equal(json_set_span(o, (struct span){ "k\xfe", 2 },
			     json_new_text((struct span){ NULL, 0 })),
	    0);
	assert_int_equal(json_write(o, &out), 0);
	assert_string_equal(out.p,
	    "{\"z\":\"\\\"\\n\\u0001\",\"bad\":\"a\xef\xbf\xbd\\u0000b\","
	    "\"list\":[-9223372036854775808,null],\"yes\":true,"
	    "\"none\":null,\"k\xef\xbf\xbd\":\"\"}");
	json_free(o);
	buf_release(&out);
}

static void test_writes_indented(void **state)
{
	struct json *o = parse("{\"b\":[1],\"a\":{}}");
	struct buf out = BUF_INIT(BUF_MAX);

	(void)state;
	assert_int_equal(json_write_indented(o, &out), 0);
	assert_string_equal(
	    out.p, "{\n  \"b\": [\n    1\n  ],\n  \"a\": {}\n}");
	json_free(o);
	buf_release(&out);
}

/* Every kind, and every byte that does not stand for itself. */
static void test_writes_what_it_reads(void **state)
{
	static const char *const texts[] = {
		"[]",
		"{}",
		"[true,false,null,0,-1,9223372036854775807]",
		"[0.5,1e100,-2.4999999999999999e-7,100.0,0.10000000000000001]",
		"\"\\b\\f\\n\\r\\t\\\"\\\\/\\u0000\\u000B\\u001F\\u007F\"",
		"\"\\u0085\\u009B\\u202E\\u2069\\uFEFF\\uDB40\\uDC41\"",
		"{\"a\\nb\":[[],[{}],\"\xc3\xa9\xf0\x9f\x98\x80\"]}",
		"\"\xe2\x82\xac\"",
	};
	struct buf out = BUF_INIT(BUF_MAX);

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct json *v = parse(texts[i]);

		buf_clear(&out);
		assert_int_equal(json_write(v, &out), 0);
		assert_string_equal(out.p, texts[i]);
		json_free(v);
	}
	buf_release(&out);
}

/* A value that could not be made is an error of the call that puts it in. */
static void test_failures_are_seen(void **state)
{
	struct json *o = json_new_object();
	struct buf out = BUF_INIT(4);

	(void)state;
	assert_int_equal(json_set(o, "k", NULL), -1);
	assert_int_equal(json_set(NULL, "k", json_new_int(1)), -1);
	assert_int_equal(json_append(NULL, json_new_int(1)), -1);
	assert_int_equal(json_append(o, json_new_int(1)), -1);
	assert_int_equal(json_set(o, "key", json_new_int(12345)), 0);
	assert_int_equal(buf_adds(&out, "ab"), 0);
	assert_int_equal(json_write(o, &out), -1);
	assert_string_equal(out.p, "ab");
	assert_int_equal(json_write(NULL, &out), -1);
	json_free(o);
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads_every_kind),
		cmocka_unit_test(test_nothing_is_nothing),
		cmocka_unit_test(test_errors_name_the_place),
		cmocka_unit_test(test_unique_keys),
		cmocka_unit_test(test_members_keep_their_order),
		cmocka_unit_test(test_builds_and_writes),
		cmocka_unit_test(test_writes_indented),
		cmocka_unit_test(test_writes_what_it_reads),
		cmocka_unit_test(test_failures_are_seen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
