/* That text is copied alike with and without AVX2, and as the rules of
 * clean.h say: against the same written plainly. */
#include "tests/test.h"

#include "tests/input/keys.h"

#include "base/cpu.h"
#include "input/clean.h"
#include "input/jsonline.h"

#include <string.h>

static bool stops(struct span s, size_t i, char before)
{
	char c = s.p[i];

	if (c != '{')
		return c == '\0' || c == '\b' || c == '\033';
	return (before == '\n' || before == '\r') &&
	    (i + 1 == s.n || (unsigned char)s.p[i + 1] < ' ' ||
		(s.p[i + 1] == '"' &&
		    !jsonline_is_none(keys(), span_sub(s, i, s.n))));
}

static void compare(struct span s, char before)
{
	size_t n = 0;
	uint64_t lines = 0;

	while (n < s.n && !stops(s, n, n ? s.p[n - 1] : before))
		lines += s.p[n++] == '\n';
	for (int plain = 0; plain < 2; plain++) {
		char out[402];
		uint64_t counted = 7;

		cpu_plain(plain);
		memset(out, '.', sizeof out);
		out[0] = before;
		assert_int_equal(clean_copy(keys(), s, out + 1, &counted), n);
		assert_int_equal(counted, lines + 7);
		assert_memory_equal(out + 1, s.p, n);
		assert_int_equal(out[0], before);
		assert_int_equal(out[s.n + 1], '.');
	}
}

static void test_copy(void **state)
{
	static const char bytes[] = "\n\r{{\"'a \x01\x07\t\x80\xff\0\b\033";
	uint32_t seed = 5;

	(void)state;
	compare((struct span){ "", 0 }, '\n');
	for (int round = 0; round < 20000; round++) {
		char text[400];
		struct span s = { text, (size_t)round % sizeof text };
		/* from none of the bytes that stop to all of them */
		size_t some = round % 3 ? sizeof bytes - 4 : sizeof bytes - 1;

		for (size_t i = 0; i < s.n; i++) {
			seed = seed * 1664525u + 1013904223u;
			text[i] = seed >> 29 || round % 5 == 0
			    ? 'x'
			    : bytes[(seed >> 8) % some];
		}
		compare(s, round % 2 ? '\n' : 'x');
	}
}

/* A stop at every place of a long text. */
static void test_places(void **state)
{
	static const char *const stop[] = { "\033", "\b", "\n{\"", "\r{\"",
		"\n{\n", "x{\"", "\n{'", "\n{\"a\": 1}\n",
		"\n{\"a\": \"log\"}\n" };
	char text[200];

	(void)state;
	for (size_t k = 0; k < sizeof stop / sizeof *stop; k++)
		for (size_t at = 0; at + strlen(stop[k]) < sizeof text; at++) {
			memset(text, at % 2 ? 'y' : '\n', sizeof text);
			memcpy(text + at, stop[k], strlen(stop[k]));
			compare((struct span){ text, sizeof text }, 'x');
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copy),
		cmocka_unit_test(test_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
