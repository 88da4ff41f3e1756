/* Strings and memory of an arena: equal strings once, and all of it aligned. */
#include "tests/test.h"

#include "base/arena.h"

#include <stdio.h>
#include <string.h>

static void keeps_strings_once(void **state)
{
	static char big[3 << 20];
	struct arena *p = arena_new();
	const char *first[5000];
	char text[32];
	uint64_t *n;

	(void)state;
	assert_null(arena_string(p, span_of(NULL)));
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 5000; i++) {
			const char *s;

			snprintf(text, sizeof text, "string %d", i);
			s = arena_string(p, span_of(text));
			assert_string_equal(s, text);
			if (round)
				assert_ptr_equal(s, first[i]);
			first[i] = s;
		}
	memset(big, 'b', sizeof big - 1);
	assert_string_equal(arena_string(p, span_of(big)), big);
	arena_string(p, span_of("y"));
	n = arena_memory(p, 3 * sizeof *n);
	assert_int_equal((uintptr_t)n % 16, 0);
	assert_true(n[0] == 0 && n[2] == 0);
	assert_string_equal(arena_string(p, (struct span){ "", 0 }), "");
	arena_free(p);
	arena_free(NULL);
}

/* A place tells a string from others. */
static void places(void **state)
{
	struct arena *p = arena_new();
	bool taken[1024] = { false };
	char text[2] = "";

	(void)state;
	assert_true(arena_place(NULL, span_of("a")) == SIZE_MAX);
	assert_true(arena_place(p, span_of("a")) == SIZE_MAX);
	assert_true(arena_places(NULL) == 0);
	assert_true(arena_size(NULL) == 0);
	for (char c = 'a'; c <= 'z'; c++) {
		text[0] = c;
		assert_non_null(arena_string(p, span_of(text)));
	}
	for (char c = 'a'; c <= 'z'; c++) {
		size_t k;

		text[0] = c;
		k = arena_place(p, span_of(text));
		assert_true(k < arena_places(p) && k < 1024);
		assert_false(taken[k]);
		taken[k] = true;
	}
	assert_true(arena_place(p, span_of("ab")) == SIZE_MAX);
	arena_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_strings_once),
		cmocka_unit_test(places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
