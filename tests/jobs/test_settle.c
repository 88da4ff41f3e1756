/* When logs are taken for whole, and what a change of them looks like. */
#include "tests/input/record.h"

#include "jobs/settle.h"

#include <time.h>

static const char *const log_path[] = { "a.log" };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool look_same(const struct settle *a, const struct settle *b)
{
	return a->state.low == b->state.low && a->state.high == b->state.high;
}

static void looks(void **state)
{
	static const char *const paths[] = { "d", "nowhere", "a.log", "gone" };
	struct settle before, after;

	(void)state;
	sh("mkdir d && printf xy >d/b && printf z >a.log");
	settle_look(paths, 4, false, &before);
	assert_int_equal(before.missing, 1);
	assert_int_equal(before.files, 2);
	assert_int_equal(before.bytes, 3);
	settle_look(paths, 4, false, &after);
	assert_true(look_same(&before, &after));
	/* its size, its time, another file, another name */
	sh("printf y >>d/b");
	settle_look(paths, 4, false, &after);
	assert_false(look_same(&before, &after));
	before = after;
	sh("touch -d '2026-01-01' d/b");
	settle_look(paths, 4, false, &after);
	assert_false(look_same(&before, &after));
	before = after;
	sh("touch d/c");
	settle_look(paths, 4, false, &after);
	assert_false(look_same(&before, &after));
	assert_int_equal(after.files, 3);
	before = after;
	sh("mv d/c d/e");
	settle_look(paths, 4, false, &after);
	assert_false(look_same(&before, &after));
	settle_look(paths, 0, false, &after);
	assert_int_equal(after.missing, 0);
	assert_int_equal(after.files, 0);
}

static void an_address_is_its_archive(void **state)
{
	static const char *const path[] = { "a.tar!a.log" };
	struct settle s;

	(void)state;
	sh("echo x >a.log && tar cf a.tar a.log");
	settle_look(path, 1, false, &s);
	assert_int_equal(s.missing, 1);
	assert_true(s.bytes > 512);
}

static void old_is_whole(void **state)
{
	struct settle s;
	double begin = now();

	(void)state;
	sh("echo x >a.log && touch -d '2026-01-01' a.log");
	assert_true(settle_wait(log_path, 1, false, 60, &s));
	assert_true(now() - begin < 5);
}

static void fresh_is_waited_for(void **state)
{
	struct settle s;
	double begin = now();

	(void)state;
	sh("echo x >a.log");
	assert_true(settle_wait(log_path, 1, false, 60, &s));
	assert_true(now() - begin > 0.4 && now() - begin < 10);
	/* and not for longer than was asked for */
	sh("echo x >>a.log");
	begin = now();
	assert_true(settle_wait(log_path, 1, false, 0.2, &s));
	assert_true(now() - begin < 2);
}

static void not_there(void **state)
{
	struct settle s;
	double begin = now();

	(void)state;
	assert_false(settle_wait(log_path, 1, false, 0.2, &s));
	assert_int_equal(s.missing, 0);
	sh(": >a.log && touch -d '2026-01-01' a.log");
	assert_false(settle_wait(log_path, 1, false, 0.2, &s));
	assert_int_equal(s.missing, 1);
	assert_false(settle_wait(NULL, 0, false, 0.2, &s));
	assert_true(now() - begin > 0.5 && now() - begin < 5);
}

static void comes_later(void **state)
{
	struct settle s;

	(void)state;
	sh("(sleep 0.4; echo x >a.log) &");
	assert_true(settle_wait(log_path, 1, false, 30, &s));
	assert_int_equal(s.bytes, 2);
}

static void grows(void **state)
{
	struct settle s;

	(void)state;
	sh("echo x >a.log");
	sh("(for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do "
	   "echo x >>a.log; sleep 0.1; done) &");
	assert_false(settle_wait(log_path, 1, false, 0.8, &s));
	assert_true(settle_wait(log_path, 1, false, 30, &s));
	assert_int_equal(s.bytes, 42);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(looks),
		IN_FOLDER(an_address_is_its_archive),
		IN_FOLDER(old_is_whole),
		IN_FOLDER(fresh_is_waited_for),
		IN_FOLDER(not_there),
		IN_FOLDER(comes_later),
		IN_FOLDER(grows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
