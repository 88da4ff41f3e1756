#include "jobs/stamp.h"
#include "tests/test.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static bool none(struct hash_value v)
{
	return v.low == 0 && v.high == 0;
}

static bool same(struct hash_value a, struct hash_value b)
{
	return a.low == b.low && a.high == b.high;
}

static struct hash_value stamp(const char *path)
{
	char *paths[] = { (char *)(uintptr_t)path };

	return stamp_files(paths, 1);
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* The change time cannot be set, so the test waits until it is old enough. */
static void settle(void)
{
	nanosleep(&(struct timespec){ .tv_sec = 4 }, NULL);
}

static void test_states(void **state)
{
	struct hash_value before;

	(void)state;
	write_file("a.log", "one");
	write_file("b.log", "one");
	assert_true(none(stamp("a.log"))); /* too fresh */
	settle();
	before = stamp("a.log");
	assert_false(none(before));
	assert_true(same(before, stamp("a.log")));
	assert_false(same(before, stamp("b.log")));
	assert_int_equal(
	    before.high & ~STAMP_HASH, stamp("b.log").high & ~STAMP_HASH);
	assert_true(same(stamp("a.log!x/y.log"), stamp("a.log!x/y.log")));
	assert_false(none(stamp("a.log!x/y.log")));
	/* the same size again, and the old modification time put back */
	write_file("a.log", "two");
	assert_int_equal(
	    utimensat(AT_FDCWD, "a.log",
		(const struct timespec[]){ { 1000, 0 }, { 1000, 0 } }, 0),
	    0);
	assert_true(none(stamp("a.log")));
	settle();
	assert_false(none(stamp("a.log")));
	assert_false(same(before, stamp("a.log")));
}

static void test_no_state(void **state)
{
	(void)state;
	assert_true(none(stamp("-")));
	assert_true(none(stamp("not/there")));
	assert_true(none(stamp("/dev/null")));
	assert_true(none(stamp(".")));
	assert_true(none(stamp_files(NULL, 0)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_no_state),
	};

	if (chdir(getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp"))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
