/*
 * What links below a folder lead to, with openat2 and where the kernel has it
 * not. Who owns what is tried by tests/cli/links.sh.
 */
#define _GNU_SOURCE /* O_PATH, prctl */
#include "tests/input/record.h"

#include "input/below.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Whether the folder of one is kept for the next. */
static bool keeps;
static struct below_folder folder;

/* The byte that the file holds; 0: it could not be opened. */
static char read_below(const char *path, size_t given, enum below_why *why)
{
	const struct below b = {
		.path = path, .given = given, .folder = keeps ? &folder : NULL
	};
	struct stat st;
	int fd = below_open(&b, 0, &st, why);
	char c = 0;

	if (fd >= 0 && read(fd, &c, 1) != 1)
		c = 0;
	if (fd >= 0)
		close(fd);
	return c;
}

static bool opens(const char *path, size_t given, char want)
{
	enum below_why why;

	return read_below(path, given, &why) == want && why == BELOW_ERROR;
}

static bool refused(const char *path, size_t given, enum below_why want)
{
	enum below_why why;

	return !read_below(path, given, &why) && why == want;
}

/* The line where one fails; 0: none. */
static int try_each(void)
{
	char path[9000] = "d/";
	size_t n = 2;

	if (!opens("d/x", 1, '1') || !opens("d/deep/x", 1, '2') ||
	    !opens("d/here", 1, '1') || !opens("d/folder/x", 1, '2') ||
	    !opens("d/deep/../x", 1, '1'))
		return __LINE__;
	/* out of the folder, to one's own */
	if (!opens("d/out", 1, '3') || !opens("d/other/x", 1, '3'))
		return __LINE__;
	/* the user named the link */
	if (!opens("d/out", 5, '3') || !opens("d/other/x", 7, '3'))
		return __LINE__;
	if (!refused("d/proc", 1, BELOW_MACHINE) ||
	    !refused("d/all/version", 1, BELOW_MACHINE) ||
	    !refused("d/up/other/x", 1, BELOW_LOOP))
		return __LINE__;
	if (!refused("d/gone", 1, BELOW_ERROR) ||
	    !refused("d/x/y", 1, BELOW_ERROR) ||
	    !refused("d/round", 1, BELOW_ERROR))
		return __LINE__;
	if (!opens("d/second", 1, '1') || !refused("all/name", 3, BELOW_NAMES))
		return __LINE__;
	/* longer than the kernel takes */
	while (n < 8900)
		n += (size_t)snprintf(path + n, sizeof path - n, "deep/../");
	snprintf(path + n, sizeof path - n, "x");
	return opens(path, 1, '1') ? 0 : __LINE__;
}

static int try_all(void)
{
	int line;

	keeps = false;
	line = try_each();
	keeps = true;
	line = line ? line : try_each();
	below_folder_release(&folder);
	return line;
}

/* In this process openat2 is a call that the kernel does not know. */
static int forget_openat2(void)
{
	struct sock_filter v[] = {
		{ BPF_LD | BPF_W | BPF_ABS, 0, 0,
		    offsetof(struct seccomp_data, nr) },
		{ BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_openat2 },
		{ BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | ENOSYS },
		{ BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW },
	};
	struct sock_fprog program = { sizeof v / sizeof *v, v };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void make_place(void)
{
	sh("mkdir -p d/deep other all; chmod 1777 all; printf 1 >d/x; "
	   "printf 2 >d/deep/x; printf 3 >other/x; ln -s deep/../x d/here; "
	   "ln -s deep d/folder; ln -s ../other/x d/out; "
	   "ln -s $PWD/other d/other; ln -s /proc/self/status d/proc; "
	   "ln -s /proc d/all; ln -s ../.. d/up; ln -s round d/round; "
	   "ln d/x d/second; ln other/x all/name");
}

static void test_open(void **state)
{
	(void)state;
	make_place();
	assert_int_equal(try_all(), 0);
}

static void test_without_openat2(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	make_place();
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(forget_openat2() ? 255 : try_all() & 0xff);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* Refused, whatever failed before: that it is not there is not told. */
static void test_refused_is_told_once(void **state)
{
	const struct below at = { .path = "all/name", .given = 3 };
	const int before[] = { 0, ENOENT, ENOTDIR };
	const char *told =
	    "all/name skipped: a file with other names, to which others than "
	    "its owner may have given this one\n";

	(void)state;
	make_place();
	for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
		struct record r = RECORD_INIT;

		errno = before[i];
		assert_string_equal(record_read_below(&r, &at, NULL), told);
		record_release(&r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_open),
		IN_FOLDER(test_without_openat2),
		IN_FOLDER(test_refused_is_told_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
