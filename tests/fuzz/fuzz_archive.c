/*
 * Bytes read as a file of any kind: what is told is in order, bounded and the
 * same twice, nothing that was not whole goes without a note, and no file is
 * left open.
 */
#include "tests/fuzz/fuzz.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/hash.h"
#include "input/input.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

struct told {
	struct buf account;
	struct hash *content;
	uint64_t logs, bytes, notes;
	bool open, noted; /* noted: a note in this log */
	uint64_t stop;    /* the log after so many bytes */
};

static int on_begin(void *ctx, const char *path)
{
	struct told *t = ctx;

	FUZZ_CHECK(!t->open && path[0]);
	t->open = true;
	t->noted = false;
	t->logs++;
	t->bytes = 0;
	hash_reset(t->content);
	return buf_addf(&t->account, "%s\n", path);
}

static int on_data(void *ctx, const char *p, size_t n)
{
	struct told *t = ctx;

	FUZZ_CHECK(t->open && n);
	hash_add(t->content, p, n);
	t->bytes += n;
	return t->stop && t->bytes >= t->stop ? -1 : 0;
}

static void on_end(void *ctx, bool whole)
{
	struct told *t = ctx;
	char hex[HASH_HEX];

	FUZZ_CHECK(t->open);
	FUZZ_CHECK(whole || t->noted || (t->stop && t->bytes >= t->stop));
	t->open = false;
	hash_hex(hash_end(t->content), hex);
	FUZZ_CHECK(!buf_addf(&t->account, "%llu %s %d\n",
	    (unsigned long long)t->bytes, hex, whole));
}

static void on_note(
    void *ctx, const char *path, enum input_note kind, const char *text)
{
	struct told *t = ctx;

	FUZZ_CHECK(path[0] && text[0]);
	t->noted = true;
	t->notes++;
	FUZZ_CHECK(!buf_addf(
	    &t->account, "%s %s: %s\n", path, input_note_name(kind), text));
}

static int lowest_free_fd(void)
{
	int fd = fcntl(0, F_DUPFD_CLOEXEC, 3);

	if (fd >= 0)
		close(fd);
	return fd;
}

static void read_it(struct told *t, const char *path, struct limits *limits)
{
	const struct input_sink sink = { .ctx = t,
		.begin = on_begin,
		.data = on_data,
		.end = on_end,
		.note = on_note };
	struct err e = { 0 };
	int fd = lowest_free_fd();

	t->account.max = BUF_MAX;
	t->content = hash_new();
	FUZZ_CHECK(t->content);
	fuzz_ok(input_read(path, limits, &sink, &e), &e);
	FUZZ_CHECK(!t->open);
	FUZZ_CHECK(
	    t->logs + t->notes <= 4 * limits->v[LIMIT_ARCHIVE_MEMBERS] + 16);
	FUZZ_CHECK(lowest_free_fd() == fd);
	hash_free(t->content);
}

static void run(struct span data)
{
	struct told once = { 0 }, again = { 0 }, stopped = { .stop = 1 };
	const char *path = fuzz_file(0, data);
	struct limits limits;

	limits_init(&limits);
	limits.v[LIMIT_ARCHIVE_DEPTH] = 4;
	limits.v[LIMIT_ARCHIVE_MEMBERS] = 64;
	limits.v[LIMIT_ARCHIVE_BYTES] = limit_table[LIMIT_ARCHIVE_BYTES].min;
	limits.v[LIMIT_NESTED_SEEK] = limit_table[LIMIT_NESTED_SEEK].min;
	read_it(&once, path, &limits);
	read_it(&again, path, &limits);
	fuzz_same(&once.account, &again.account);
	read_it(&stopped, path, &limits);
	buf_release(&once.account);
	buf_release(&again.account);
	buf_release(&stopped.account);
}

const struct fuzz_target fuzz_archive = { "archive", 32 << 10, run };
