/*
 * For the tests of the input module: a fresh folder to work in, and a sink
 * that writes down what it is told, a line each:
 *
 *   PATH=CONTENT       a log, up to RECORD_SHOWN bytes of it
 *   PATH=#SIZE:HASH    a longer one
 *   PATH=...(cut)      one whose end was not reached
 *   PATH kind: text    a note
 */
#ifndef TESTS_INPUT_RECORD_H
#define TESTS_INPUT_RECORD_H

#include "base/buf.h"
#include "base/err.h"
#include "input/below.h"
#include "input/input.h"
#include "tests/test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define RECORD_SHOWN 60

struct record {
	struct buf told;  /* the lines */
	struct buf shown; /* start of the log in progress */
	char path[4096];
	uint64_t size, hash, logs, read;
	uint64_t stop_after; /* data() says stop at so many bytes of a log */
	int answer;          /* of begin() */
	bool open;
	struct pool *pool;                 /* for the sink; or NULL */
	void (*on_data)(struct record *r); /* or NULL */
};

static inline int record_begin(void *ctx, const char *path)
{
	struct record *r = ctx;

	assert_false(r->open);
	if (r->answer) {
		assert_int_equal(buf_addf(&r->told, "%s?\n", path), 0);
		return r->answer;
	}
	r->open = true;
	r->size = 0;
	r->hash = 14695981039346656037u;
	r->logs++;
	buf_clear(&r->shown);
	snprintf(r->path, sizeof r->path, "%s", path);
	return 0;
}

static inline int record_data(void *ctx, const char *p, size_t n)
{
	struct record *r = ctx;

	assert_true(r->open);
	assert_true(n > 0);
	r->size += n;
	for (size_t i = 0; i < n; i++)
		r->hash = (r->hash ^ (unsigned char)p[i]) * 1099511628211u;
	if (r->size <= RECORD_SHOWN)
		assert_int_equal(buf_add(&r->shown, p, n), 0);
	if (r->on_data)
		r->on_data(r);
	return r->stop_after && r->size >= r->stop_after ? -1 : 0;
}

static inline void record_end(void *ctx, bool whole)
{
	struct record *r = ctx;

	assert_true(r->open);
	r->open = false;
	if (r->size <= RECORD_SHOWN)
		buf_addf(
		    &r->told, "%s=%s", r->path, r->shown.p ? r->shown.p : "");
	else
		buf_addf(&r->told, "%s=#%" PRIu64 ":%" PRIx64, r->path, r->size,
		    r->hash);
	assert_int_equal(buf_adds(&r->told, whole ? "\n" : "(cut)\n"), 0);
}

static inline void record_note(
    void *ctx, const char *path, enum input_note kind, const char *text)
{
	struct record *r = ctx;

	assert_int_equal(buf_addf(&r->told, "%s %s: %s\n", path,
			     input_note_name(kind), text),
	    0);
}

static inline void record_progress(void *ctx, uint64_t bytes)
{
	struct record *r = ctx;

	r->read += bytes;
}

#define RECORD_INIT                                                   \
	{                                                             \
		.told = BUF_INIT(BUF_MAX), .shown = BUF_INIT(BUF_MAX) \
	}

static inline void record_release(struct record *r)
{
	buf_release(&r->told);
	buf_release(&r->shown);
}

static inline int lowest_free_fd(void)
{
	int fd = dup(1);

	close(fd);
	return fd;
}

/* What input_read_below tells about at; limit: "NAME=VALUE" or NULL. */
static inline const char *record_read_below(
    struct record *r, const struct below *at, const char *limit)
{
	const struct input_sink sink = {
		.ctx = r,
		.begin = record_begin,
		.data = record_data,
		.end = record_end,
		.note = record_note,
		.progress = record_progress,
		.pool = r->pool,
	};
	struct limits limits;
	struct err e = { 0 };
	int fd = lowest_free_fd();

	limits_init(&limits);
	if (limit)
		assert_int_equal(limits_set(&limits, limit, &e), 0);
	buf_clear(&r->told);
	r->logs = r->read = 0;
	assert_int_equal(input_read_below(at, &limits, &sink, &e), 0);
	assert_string_equal(e.text, "");
	assert_false(r->open);
	assert_int_equal(lowest_free_fd(), fd);
	return r->told.p ? r->told.p : "";
}

/* The same of a path that the user names. */
static inline const char *record_read(
    struct record *r, const char *path, const char *limit)
{
	const struct below at = { .path = path, .given = strlen(path) };

	return record_read_below(r, &at, limit);
}

/* Reading path tells exactly that. */
static inline void record_expect(
    const char *path, const char *limit, const char *told)
{
	struct record r = RECORD_INIT;

	assert_string_equal(record_read(&r, path, limit), told);
	record_release(&r);
}

/* The same with path as the standard input. */
static inline void record_expect_stdin(
    const char *command, const char *address, const char *told)
{
	struct record r = RECORD_INIT;
	int keep = dup(0);
	FILE *pipe = popen(command, "r");

	assert_non_null(pipe);
	assert_int_equal(dup2(fileno(pipe), 0), 0);
	assert_string_equal(record_read(&r, address, NULL), told);
	assert_int_equal(dup2(keep, 0), 0);
	close(keep);
	pclose(pipe);
	record_release(&r);
}

static inline void expect_start(const char *told, const char *start)
{
	assert_true(strlen(told) >= strlen(start));
	assert_memory_equal(told, start, strlen(start));
}

static inline void write_file(const char *path, const char *p, size_t n)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(p, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static inline void write_text(const char *path, const char *text)
{
	write_file(path, text, strlen(text));
}

/* Numbered lines, so that no two pieces are equal. */
static inline void write_lines(const char *path, int from, int to)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	for (int i = from; i < to; i++)
		fprintf(f, "step %d loss %d\n", i, i % 1000 * 7919 % 1000);
	assert_int_equal(fclose(f), 0);
}

/* The line that a whole log at path, with the bytes of file, is told by. */
static inline const char *record_line(
    struct record *r, const char *file, const char *path)
{
	static char line[8192];
	const char *told = record_read(r, file, NULL);
	size_t n = strlen(file);

	assert_memory_equal(told, file, n);
	snprintf(line, sizeof line, "%s%s", path, told + n);
	return line;
}

static inline void sh(const char *command)
{
	if (system(command) != 0)
		fail_msg("failed: %s", command);
}

/* A cmocka setup and teardown: a new folder, and into it. */
static inline int folder_enter(void **state)
{
	const char *tmp = getenv("TMPDIR");
	char *dir = malloc(4096);

	if (!dir)
		return -1;
	snprintf(dir, 4096, "%s/input.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	*state = dir;
	return mkdtemp(dir) ? chdir(dir) : -1;
}

static inline int folder_leave(void **state)
{
	char command[4200];
	int rc = chdir("/");

	snprintf(command, sizeof command, "rm -rf '%s'", (char *)*state);
	if (system(command) != 0)
		rc = -1;
	free(*state);
	return rc;
}

#define IN_FOLDER(test) \
	cmocka_unit_test_setup_teardown(test, folder_enter, folder_leave)

#endif
