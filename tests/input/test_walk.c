/*
 * Which files are told, in which order, and that no tree can exhaust
 * descriptors or the stack.
 */
#include "tests/input/record.h"

#include "base/hash.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

struct told {
	struct buf text;
	int files, leaves, stop_at;
	bool brief; /* only count */
};

static int on_file(void *ctx, const char *path, int64_t size)
{
	struct told *t = ctx;

	if (!t->brief)
		buf_addf(&t->text, "%s %d\n", path, (int)size);
	return ++t->files == t->stop_at ? -1 : 0;
}

static int on_leave(void *ctx, const char *dir)
{
	struct told *t = ctx;

	t->leaves++;
	if (!t->brief)
		buf_addf(&t->text, "(%s)\n", dir);
	return 0;
}

static void on_note(
    void *ctx, const char *path, enum input_note kind, const char *text)
{
	struct told *t = ctx;

	buf_addf(&t->text, "%s %s: %s\n", path, input_note_name(kind), text);
}

static int walk(struct told *t, const char *path, struct err *e)
{
	const struct walk_sink sink = {
		.ctx = t,
		.file = on_file,
		.leave = on_leave,
		.note = on_note,
		.sizes = true,
	};

	return walk_path(path, &sink, e);
}

static void expect(const char *path, const char *text)
{
	struct told t = { .text = BUF_INIT(BUF_MAX) };
	struct err e = { 0 };

	assert_int_equal(walk(&t, path, &e), 0);
	assert_string_equal(e.text, "");
	assert_string_equal(t.text.p ? t.text.p : "", text);
	buf_release(&t.text);
}

static void expect_error(const char *path, const char *text)
{
	struct told t = { .text = BUF_INIT(BUF_MAX) };
	struct err e = { 0 };

	assert_int_equal(walk(&t, path, &e), -1);
	assert_string_equal(e.text, text);
	assert_int_equal(t.text.len, 0);
	buf_release(&t.text);
}

static void test_order(void **state)
{
	(void)state;
	sh("mkdir -p d/b d/b-x d/.h d/empty d/b/B");
	write_text("d/b/two", "22");
	write_text("d/b/B/one", "1");
	write_text("d/b-x/three", "333");
	write_text("d/b.log", "");
	write_text("d/a", "aaaa");
	write_text("d/Z", "z");
	write_text("d/\xc3\xa9", "e");
	write_text("d/.h/hidden", "hh");
	expect("d",
	    "d/.h/hidden 2\n(d/.h)\n"
	    "d/Z 1\nd/a 4\n"
	    "d/b/B/one 1\n(d/b/B)\nd/b/two 2\n(d/b)\n"
	    "d/b-x/three 3\n(d/b-x)\n"
	    "d/b.log 0\n(d/empty)\nd/\xc3\xa9 1\n(d)\n");
	expect("d/b///", "d/b/B/one 1\n(d/b/B)\nd/b/two 2\n(d/b)\n");
	expect("./d/b/B/", "./d/b/B/one 1\n(./d/b/B)\n");
	expect("d/a", "d/a 4\n");
}

static void test_stop(void **state)
{
	struct told t = { .text = BUF_INIT(BUF_MAX), .stop_at = 2 };
	struct err e = { 0 };

	(void)state;
	sh("mkdir -p d/e; echo 1 >d/1; echo 2 >d/e/2; echo 3 >d/e/3");
	assert_int_equal(walk(&t, "d", &e), 0);
	assert_string_equal(t.text.p, "d/1 2\nd/e/2 2\n");
	assert_int_equal(t.leaves, 0);
	buf_release(&t.text);
}

static void test_links(void **state)
{
	(void)state;
	sh("mkdir -p d/a other/deep; echo 1 >d/a/x; echo 22 >other/deep/y");
	sh("ln -s ../../d d/a/up; ln -s . d/a/self; ln -s a/x d/file; "
	   "ln -s ../other d/out; ln -s nowhere d/broken; "
	   "ln -s round d/round");
	expect("d",
	    "d/a/up skipped: link loop\n"
	    "d/a/x 2\n(d/a)\n"
	    "d/broken unreadable: No such file or directory\n"
	    "d/out/deep/y 3\n(d/out/deep)\n(d/out)\n"
	    "d/round unreadable: Too many levels of symbolic links\n"
	    "(d)\n");
	/* named, a link is what it leads to */
	expect("d/out/", "d/out/deep/y 3\n(d/out/deep)\n(d/out)\n");
	expect("d/file", "d/file 2\n");
	expect("d/round",
	    "d/round unreadable: Too many levels of symbolic links\n");
}

static void test_read_once(void **state)
{
	(void)state;
	sh("mkdir -p d/a; echo 1 >d/a/x; ln -s a d/b; ln -s a/x d/c");
	expect("d", "d/a/x 2\n(d/a)\n(d)\n");
}

/* Ten folders, each with links to all the others. */
static void test_one_link_a_folder(void **state)
{
	struct told t = { .text = BUF_INIT(BUF_MAX), .brief = true };
	struct err e = { 0 };

	(void)state;
	sh("mkdir d; for i in 0 1 2 3 4 5 6 7 8 9; do mkdir d/$i; "
	   "echo 1 >d/$i/x; for k in 0 1 2 3 4 5 6 7 8 9; do "
	   "ln -s ../$k d/$i/$k; done; done");
	assert_int_equal(walk(&t, "d", &e), 0);
	/* by their own name and by a link, and these in some folder each */
	assert_in_range(t.files, 10, 20);
	buf_release(&t.text);
}

static void test_machine(void **state)
{
	(void)state;
	sh("mkdir d; ln -s /proc d/p; "
	   "ln -s /proc/self/status d/q; ln -s / d/top; echo 1 >d/x");
	expect("d",
	    "d/top skipped: link loop\n"
	    "d/x 2\n"
	    "d skipped: links, 2, that lead to files of the kernel's\n"
	    "(d)\n");
	expect("/proc", "/proc skipped: a file system of the kernel's\n");
}

static void test_specials(void **state)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX,
		.sun_path = "d/socket" };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)state;
	sh("mkdir d; mkfifo d/pipe; ln -s /dev/null d/null");
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
	close(fd);
	expect("d",
	    "d/null skipped: a device\n"
	    "d/pipe skipped: a named pipe\n"
	    "d/socket skipped: a socket\n"
	    "(d)\n");
	expect("d/pipe", "d/pipe -1\n");
	expect("d/null", "d/null skipped: a device\n");
}

static void test_no_right(void **state)
{
	uid_t was = geteuid();

	(void)state;
	sh("mkdir -p d/closed; echo 1 >d/closed/x; echo 2 >d/open; "
	   "chmod 0 d/closed; chmod 755 . d");
	if (was == 0)
		assert_int_equal(seteuid(65534), 0);
	expect("d", "d/closed unreadable: Permission denied\nd/open 2\n(d)\n");
	expect("d/closed", "d/closed unreadable: Permission denied\n");
	expect("d/closed/x", "d/closed/x unreadable: Permission denied\n");
	if (was == 0)
		assert_int_equal(seteuid(was), 0);
	sh("chmod 755 d/closed");
}

static void test_named(void **state)
{
	(void)state;
	write_text("a.tar", "123");
	write_text("odd!name", "1234");
	sh("mkdir dir; mkfifo pipe");
	expect("-", "- -1\n");
	expect("-!x/y", "-!x/y -1\n");
	expect("a.tar!x!y", "a.tar!x!y 3\n");
	expect("odd!name", "odd!name 4\n");
	expect("odd!name!x", "odd!name!x 4\n");
	expect("pipe!x", "pipe!x -1\n");
	expect_error("gone", "gone: No such file or directory");
	expect_error("gone!x", "gone!x: No such file or directory");
	expect_error("dir!x", "dir!x: No such file or directory");
	expect_error("a.tar/x", "a.tar/x: Not a directory");
	expect_error("", ": No such file or directory");
}

/* 10,000 levels, with fewer descriptors than that and a small stack. */
#define LEVELS 10000

static void test_deep(void **state)
{
	struct told t = { .text = BUF_INIT(BUF_MAX), .brief = true };
	struct rlimit files, few = { 16, 16 };
	struct err e = { 0 };
	int dir = open(".", O_RDONLY), next;

	(void)state;
	for (int i = 0; i < LEVELS; i++) {
		assert_int_equal(mkdirat(dir, "ddd", 0755), 0);
		next = openat(dir, "ddd", O_RDONLY);
		assert_true(next >= 0);
		close(dir);
		dir = next;
	}
	next = openat(dir, "log", O_WRONLY | O_CREAT, 0644);
	assert_int_equal(write(next, "deep", 4), 4);
	close(next);
	close(dir);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
	few.rlim_max = files.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	assert_int_equal(walk(&t, "ddd", &e), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
	assert_int_equal(t.text.len, 0);
	assert_int_equal(t.files, 1);
	assert_int_equal(t.leaves, LEVELS);
	buf_release(&t.text);
}

/* Paths longer than the kernel takes can be read as well. */
static void test_long_path(void **state)
{
	struct buf path = BUF_INIT(BUF_MAX), told = BUF_INIT(BUF_MAX);
	int dir = open(".", O_RDONLY), next;
	struct record r = RECORD_INIT;

	(void)state;
	for (int i = 0; i < 300; i++) {
		const char *name = "a_name_of_thirty_bytes_or_more";

		assert_int_equal(mkdirat(dir, name, 0755), 0);
		next = openat(dir, name, O_RDONLY);
		close(dir);
		dir = next;
		buf_addf(&path, "%s/", name);
	}
	next = openat(dir, "log", O_WRONLY | O_CREAT, 0644);
	assert_int_equal(write(next, "far away", 8), 8);
	close(next);
	close(dir);
	buf_adds(&path, "log");
	assert_true(path.len > 9000);
	record_read(&r, path.p, NULL);
	assert_int_equal(r.size, 8);
	assert_string_equal(r.shown.p, "far away");
	path.p[path.len - 1] = 'x';
	buf_addf(&told, "%s unreadable: No such file or directory\n", path.p);
	assert_string_equal(record_read(&r, path.p, NULL), told.p);
	record_release(&r);
	buf_release(&path);
	buf_release(&told);
}

static void test_many_names(void **state)
{
	struct told t = { .text = BUF_INIT(BUF_MAX) };
	struct err e = { 0 };
	const char *p;

	(void)state;
	assert_int_equal(mkdir("d", 0755), 0);
	for (int i = 0; i < 3000; i++) {
		char name[32];

		snprintf(name, sizeof name, "d/%04d", i * 7 % 3000);
		write_text(name, "");
	}
	assert_int_equal(walk(&t, "d", &e), 0);
	p = t.text.p;
	for (int i = 0; i < 3000; i++) {
		char line[32];

		snprintf(line, sizeof line, "d/%04d 0\n", i);
		assert_memory_equal(p, line, strlen(line));
		p += strlen(line);
	}
	assert_string_equal(p, "(d)\n");
	buf_release(&t.text);
}

/* Pairs 0 and 2500, 1 and 2501, ...; each told as it is in last(). */
static int pair_of(void *ctx, const char *path, uint64_t *group)
{
	unsigned long n = strtoul(strrchr(path, '/') + 1, NULL, 10) % 2500;

	(void)ctx;
	*group = hash_of(&n, sizeof n).low;
	return 0;
}

static int on_last(void *ctx, const char *path)
{
	struct told *t = ctx;

	buf_addf(&t->text, "last %s\n", path);
	return 0;
}

static void test_last_of_group(void **state)
{
	struct told t = { .text = BUF_INIT(BUF_MAX) };
	const struct walk_sink sink = {
		.ctx = &t,
		.file = on_file,
		.leave = on_leave,
		.note = on_note,
		.group = pair_of,
		.last = on_last,
	};
	struct err e = { 0 };
	const char *p;

	(void)state;
	sh("mkdir d && cd d && seq -w 0 4999 | xargs touch");
	assert_int_equal(walk_path("d", &sink, &e), 0);
	p = t.text.p;
	for (int i = 0; i < 5000; i++) {
		char line[64];

		snprintf(line, sizeof line, "d/%04d -1\n", i);
		if (i >= 2500)
			snprintf(line, sizeof line, "d/%04d -1\nlast d/%04d\n",
			    i, i);
		expect_start(p, line);
		p += strlen(line);
	}
	assert_string_equal(p, "(d)\n");
	/* a folder below may hold more of a group */
	sh("mkdir d/x");
	buf_clear(&t.text);
	assert_int_equal(walk_path("d", &sink, &e), 0);
	assert_null(strstr(t.text.p, "last"));
	buf_release(&t.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_order),
		IN_FOLDER(test_stop),
		IN_FOLDER(test_links),
		IN_FOLDER(test_read_once),
		IN_FOLDER(test_one_link_a_folder),
		IN_FOLDER(test_machine),
		IN_FOLDER(test_specials),
		IN_FOLDER(test_no_right),
		IN_FOLDER(test_named),
		IN_FOLDER(test_deep),
		IN_FOLDER(test_long_path),
		IN_FOLDER(test_many_names),
		IN_FOLDER(test_last_of_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
