/*
 * A library that is loaded late: found, missing, and one that lacks a
 * function.
 */
#include "base/library.h"
#include "base/err.h"
#include "tests/test.h"

#include <string.h>
#include <zlib.h>

#define FUNCTIONS(X) X(zlibVersion) X(crc32)

static struct {
	FUNCTIONS(LIBRARY_SLOT)
} lib;

static const struct library_row rows[] = { FUNCTIONS(LIBRARY_ROW) };

static void test_loaded(void **state)
{
	struct library l = LIBRARY_INIT("libz.so.1", "zlib1g", rows);
	struct err e = { .text = "untouched" };

	(void)state;
	memset(&lib, 0, sizeof lib);
	assert_int_equal(library_load(&l, &e), 0);
	assert_string_equal(lib.zlibVersion(), zlibVersion());
	assert_int_equal(lib.crc32(0, (const Bytef *)"abc", 3), 0x352441c2);
	memset(&lib, 0, sizeof lib);
	assert_int_equal(library_load(&l, &e), 0);
	assert_null(lib.crc32); /* once is enough */
	assert_string_equal(e.text, "untouched");
}

static void test_missing(void **state)
{
	struct library l = LIBRARY_INIT("libnot-there.so.7", "libnot7", rows);
	struct err e = { 0 };

	(void)state;
	memset(&lib, 0, sizeof lib);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(library_load(&l, &e), -1);
		assert_non_null(
		    strstr(e.text, "cannot load a library: libnot-there.so.7"));
		assert_non_null(strstr(e.text, "(package libnot7 "));
		assert_null(lib.zlibVersion);
	}
}

static void test_lacks(void **state)
{
	struct library l = LIBRARY_INIT("libc.so.6", "libc6", rows);
	struct err e = { 0 };

	(void)state;
	memset(&lib, 0, sizeof lib);
	assert_int_equal(library_load(&l, &e), -1);
	assert_non_null(strstr(e.text, "cannot use a library: "));
	assert_non_null(strstr(e.text, "zlibVersion"));
	assert_null(lib.zlibVersion);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loaded),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_lacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
