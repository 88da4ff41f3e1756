/*
 * With a thread that decompresses: all is told as without, to the byte.
 */
#include "tests/input/record.h"

#include "base/pool.h"

static unsigned started; /* threads, while a log was read */

/* What is told about path with that many threads to spare, to be freed. */
static char *told_with(const char *path, const char *limit, unsigned threads,
    uint64_t stop_after, uint64_t *read)
{
	struct record r = RECORD_INIT;
	struct err e;
	char *told;

	r.pool = pool_new(threads, &e);
	assert_non_null(r.pool);
	r.stop_after = stop_after;
	told = strdup(record_read(&r, path, limit));
	*read = r.read;
	assert_non_null(told);
	assert_int_equal(pool_spare(r.pool), threads);
	started = pool_started(r.pool);
	pool_free(r.pool);
	record_release(&r);
	return told;
}

/* least: the threads to spare of which one is used; 0: none ever is, as it is
 * not large enough, or not compressed. */
static void expect_same(const char *path, const char *limit, unsigned least)
{
	uint64_t read, read_ahead;
	char *one = told_with(path, limit, 0, 0, &read);

	assert_true(*one);
	for (int i = 1; i <= (limit ? 2 : 6); i++) {
		unsigned threads = (unsigned)i % 3 + 1;
		char *two = told_with(path, limit, threads, 0, &read_ahead);

		assert_string_equal(one, two);
		assert_int_equal(started > 0, least && threads >= least);
		if (!strstr(one, "limit"))
			assert_int_equal(read, read_ahead);
		free(two);
	}
	free(one);
}

static void make(void)
{
	write_lines("a.log", 0, 240000);
	write_lines("b.log", 0, 70000);
	write_lines("c.log", 0, 200);
}

static void test_same(void **state)
{
	static const struct {
		const char *command;
		unsigned least;
	} rows[] = {
		{ "cat a.log >X", 0 },
		{ "gzip -1 -c c.log >X", 0 },
		{ "gzip -1 -c a.log >X", 1 },
		{ "zstd -q -c a.log >X", 1 },
		{ "xz -0 -c a.log >X", 1 },
		{ "bzip2 -c a.log >X", 1 },
		{ "lz4 -q -c a.log >X", 1 },
		{ "tar cf X a.log b.log c.log", 0 },
		{ "tar cf X a.log b.log c.log; gzip -1 X; mv X.gz X", 2 },
		{ "tar c a.log c.log b.log | zstd -q -c >X", 2 },
		{ "zip -q -1 - a.log c.log b.log | cat >X", 1 },
		{ "rm -f X.7z; 7z a -bd -mx=1 X.7z a.log c.log b.log "
		  ">/dev/null && mv X.7z X",
		    1 },
		{ "gzip -1 -c a.log >a.gz; gzip -1 -c b.log >b.gz; "
		  "tar c a.gz c.log b.gz >X",
		    2 },
		{ "gzip -1 -c a.log | zstd -q -c >X", 1 },
		{ "gzip -1 -c a.log >a.gz; zip -q -0 - a.gz b.log >X", 1 },
	};

	(void)state;
	make();
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		sh(rows[i].command);
		expect_same("X", NULL, rows[i].least);
	}
}

static void test_damage(void **state)
{
	(void)state;
	make();
	sh("gzip -1 -c a.log >X; truncate -s -30K X");
	expect_same("X", NULL, 1);
	sh("gzip -1 -c a.log >X; truncate -s -1 X");
	expect_same("X", NULL, 1);
	sh("gzip -1 -c a.log >X; echo more >>X");
	expect_same("X", NULL, 1);
	sh("tar c a.log b.log | gzip -1 -c >X; truncate -s -30K X");
	expect_same("X", NULL, 2);
	sh("tar c a.log b.log | zstd -q -c >X; truncate -s -1 X");
	expect_same("X", NULL, 2);
	sh("zstd -q -c a.log >X; printf 'abcdefghij' | "
	   "dd of=X bs=1 seek=50000 conv=notrunc 2>/dev/null");
	expect_same("X", NULL, 1);
}

/* A limit is reached at the same byte. */
static void test_limits(void **state)
{
	(void)state;
	make();
	sh("head -c 70M /dev/zero >z; gzip -1 -c z >X; tar czf Y z a.log; "
	   "zip -q -1 - z a.log | cat >Z; rm z");
	expect_same("X", "archive-ratio=100", 1);
	expect_same("X", "archive-bytes=3M", 1);
	expect_same("Y", "archive-ratio=100", 2);
	expect_same("Y", "archive-bytes=3M", 2);
	expect_same("Y", "archive-bytes=72M", 2);
	expect_same("Z", "archive-ratio=100", 1);
	expect_same("Z", "archive-bytes=72M", 1);
	expect_same("X", "archive-bytes=1M", 1);
}

/* A sink that has enough ends the thread, and the next log is whole. */
static void test_stop(void **state)
{
	uint64_t read;

	(void)state;
	make();
	sh("gzip -1 -c a.log >X; tar czf Y a.log b.log; "
	   "zip -q -1 - a.log b.log | cat >Z");
	for (int i = 0; i < 3; i++) {
		static const char *const files[] = { "X", "Y", "Z" };
		char *one, *two;

		one = told_with(files[i], NULL, 0, 2 << 20, &read);
		two = told_with(files[i], NULL, 2, 2 << 20, &read);
		assert_true(started > 0);
		assert_non_null(strstr(two, "(cut)\n"));
		/* how much more than asked for comes is not told */
		assert_int_equal(
		    !strstr(one, "b.log="), !strstr(two, "b.log="));
		free(one);
		free(two);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_same),
		IN_FOLDER(test_damage),
		IN_FOLDER(test_limits),
		IN_FOLDER(test_stop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
