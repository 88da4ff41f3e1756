/* What is told is JSON, the same that a tree would give. */
#include "tests/test.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/jsontext.h"

#include <float.h>
#include <string.h>

/* Through the library and back. */
static void check(struct buf *out, const char *text)
{
	struct buf again = BUF_INIT(BUF_MAX);
	struct err e = { 0 };
	struct json *v =
	    json_parse((struct span){ out->p, out->len }, JSON_PARSE, &e);

	if (!v)
		fail_msg("%s: %s", out->p, e.text);
	if (text)
		assert_string_equal(out->p, text);
	assert_int_equal(json_write(v, &again), 0);
	assert_string_equal(again.p, out->p);
	json_free(v);
	buf_release(&again);
	buf_clear(out);
}

static void values_and_commas(void **state)
{
	struct buf out = BUF_INIT(BUF_MAX);
	struct jsontext t = { &out, false };

	(void)state;
	jsontext_open(&t, NULL, '{');
	jsontext_string(&t, "a", "x{");
	jsontext_string(&t, "b", NULL);
	jsontext_open(&t, "c", '[');
	jsontext_open(&t, NULL, '{');
	jsontext_close(&t, '}');
	jsontext_open(&t, NULL, '[');
	jsontext_close(&t, ']');
	jsontext_int(&t, NULL, INT64_MIN);
	jsontext_count(&t, NULL, -1);
	jsontext_count(&t, NULL, INT64_MAX);
	jsontext_close(&t, ']');
	jsontext_bool(&t, "d", true);
	jsontext_bool(&t, "e", false);
	jsontext_null(&t, "f");
	jsontext_span(&t, "g", (struct span){ NULL, 0 });
	jsontext_close(&t, '}');
	assert_false(t.failed);
	check(&out,
	    "{\"a\":\"x{\",\"b\":null,\"c\":[{},[],-9223372036854775808,null,"
	    "9223372036854775807],\"d\":true,\"e\":false,\"f\":null,"
	    "\"g\":\"\"}");
	/* one a line */
	jsontext_int(&t, NULL, 1);
	assert_int_equal(buf_addc(&out, '\n'), 0);
	jsontext_int(&t, NULL, 2);
	assert_string_equal(out.p, "1\n2");
	buf_release(&out);
}

static void every_byte(void **state)
{
	struct buf out = BUF_INIT(BUF_MAX);
	struct jsontext t = { &out, false };
	char all[512];

	(void)state;
	for (int i = 0; i < 512; i++)
		all[i] = (char)i;
	jsontext_span(&t, NULL, (struct span){ all, 128 });
	check(&out, NULL);
	jsontext_span(&t, NULL, (struct span){ all, sizeof all });
	check(&out, NULL);
	jsontext_string(&t, NULL, "\"\\/\b\f\n\r\t\x01\x1f\x7f\xc3\xa9\xff");
	check(&out,
	    "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001F\\u007F\xc3\xa9"
	    "\xef\xbf\xbd\"");
	buf_release(&out);
}

/* Wherever it stands, and whatever stood before it. */
static void specials_anywhere(void **state)
{
	static const char special[] = "\"\\\n\x1f";
	struct buf out = BUF_INIT(BUF_MAX);
	struct jsontext t = { &out, false };
	char text[71];

	(void)state;
	for (size_t i = 0; i < sizeof text; i++)
		for (size_t k = i; k < sizeof text; k++) {
			memset(text, 'a', sizeof text);
			text[i] = '"';
			text[k] = special[(i + k) % 4];
			jsontext_span(
			    &t, NULL, (struct span){ text, sizeof text });
			check(&out, NULL);
		}
	buf_release(&out);
}

static void reals(void **state)
{
	static const double values[] = { 0, 1, -1, 1.5, 0.1, 2e9, 1e15, 1e16,
		1e17, 1e100, -2.5e-7, 1e-5, DBL_MAX, DBL_MIN, 123456.789e-30 };
	struct buf out = BUF_INIT(BUF_MAX);
	struct jsontext t = { &out, false };

	(void)state;
	jsontext_open(&t, NULL, '[');
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		jsontext_real(&t, NULL, values[i]);
	jsontext_close(&t, ']');
	check(&out, NULL);
	buf_release(&out);
}

static void no_room_is_told(void **state)
{
	struct buf out = BUF_INIT(10);
	struct jsontext t = { &out, false };

	(void)state;
	jsontext_string(&t, NULL, "1234567");
	assert_false(t.failed);
	jsontext_int(&t, NULL, 12);
	assert_true(t.failed);
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_and_commas),
		cmocka_unit_test(every_byte),
		cmocka_unit_test(specials_anywhere),
		cmocka_unit_test(reals),
		cmocka_unit_test(no_room_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
