/* That a line with the key of a message is never taken for one without, and
 * that AVX2 stops where the same written plainly does. */
#include "tests/test.h"

#include "tests/input/keys.h"

#include "base/cpu.h"
#include "input/jsonline.h"

#include <string.h>

static const struct jsonkeys_list *messages(void)
{
	return &keys()->keys[JSONKEYS_MESSAGE];
}

/* The first byte of s that jsonline.h names. */
static size_t plain(struct span s)
{
	for (size_t i = 0; i < s.n; i++) {
		struct span rest = span_sub(s, i, s.n);
		unsigned char c = (unsigned char)s.p[i];

		if (c <= 8 || c == 27 || c == '\n' || c == '\r')
			return i;
		if (span_starts(rest, "\\u"))
			return i;
		for (size_t k = 0; k < messages()->n; k++) {
			const char *key = messages()->v[k].name;
			char head[] = { '"', key[0], key[1], key[2],
				key[3] ? key[3] : '"', '\0' };

			if (span_starts(rest, head))
				return i;
		}
	}
	return s.n;
}

static void compare(struct span s)
{
	size_t want = plain(s);

	for (int plain = 0; plain < 2; plain++) {
		cpu_plain(plain);
		assert_int_equal(jsonline_plain(keys(), s), want);
	}
}

static void test_keys(void **state)
{
	char text[200];

	(void)state;
	for (size_t k = 0; k < messages()->n; k++) {
		const char *key = messages()->v[k].name;

		for (size_t at = 2; at + strlen(key) + 2 < sizeof text; at++) {
			struct span s = { text, sizeof text };

			memset(text, 'x', sizeof text);
			memcpy(text, "{\"", 2);
			text[at] = text[at + strlen(key) + 1] = '"';
			memcpy(text + at + 1, key, strlen(key));
			text[sizeof text - 1] = '\n';
			for (int plain = 0; plain < 2; plain++) {
				cpu_plain(plain);
				assert_int_equal(jsonline_plain(keys(), s), at);
				assert_true(jsonline_may_be_record(keys(), s));
				assert_false(jsonline_is_none(keys(), s));
				/* no key that is cut off, or is not begun */
				text[at] = 'x';
				assert_true(jsonline_is_none(keys(), s));
				text[at] = '"';
			}
			/* the end of the text cuts off a key */
			compare(span_sub(s, 0, at + 4));
			compare(span_sub(s, 0, at + 5));
		}
	}
}

static void test_none(void **state)
{
	static const struct {
		const char *text;
		bool none;
	} cases[] = {
		{ "{\"step\": 1, \"loss\": 2.5, \"lr\": 1e-4}\n", true },
		{ "{\"step\": 1, \"a\\\\b\": \"\\\"\\n\"}\r", true },
		{ "{\"step\": 1}\n{\"log\": 1}", true },
		{ "{\"step\": 1}", false }, /* it may go on */
		{ "{\"m\\u0073g\": 1}\n", false },
		{ "{\"st\033[0mep\": 1}\n", false },
		{ "{\"st\bep\": 1}\n", false },
		{ "{'step': 1}\n", false }, /* no object */
		{ "", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (int plain = 0; plain < 2; plain++) {
			cpu_plain(plain);
			assert_int_equal(
			    jsonline_is_none(keys(), span_of(cases[i].text)),
			    cases[i].none);
		}
}

static void test_random(void **state)
{
	static const char *const words[] = { "\"log\"", "\"message\"", "\"los",
		"\"mess", "\\u", "\\", "u", "\"", "\n", "\r", "\033", "\b",
		"{\"", "\"step\": 7, " };
	uint32_t seed = 3;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		char text[160];
		size_t n = 0;

		while (n + 12 < sizeof text) {
			const char *word;

			seed = seed * 1664525u + 1013904223u;
			word = seed >> 24 < 16
			    ? words[(seed >> 8) %
				  (sizeof words / sizeof *words)]
			    : seed >> 24 < 80 ? "\""
					      : "x";
			memcpy(text + n, word, strlen(word));
			n += strlen(word);
		}
		compare((struct span){ text, n - (size_t)round % 40 });
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
