/*
 * Every number that a system call may have, inside the sandbox: only what is
 * listed here gets to the kernel.
 */
#define _GNU_SOURCE /* syscall */
#include "tests/test.h"

#include "base/err.h"
#include "cli/sandbox.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NUMBERS 1024

/* What may pass with such arguments, when nothing is written. Kept apart from
 * the program's own table: who changes that one must say so here. */
static const short may_pass[] = {
	SYS_read, SYS_readv, SYS_pread64, SYS_preadv, SYS_preadv2, SYS_write,
	SYS_writev, SYS_lseek, SYS_close, SYS_fstat, SYS_newfstatat, SYS_statx,
	SYS_statfs, SYS_fstatfs, SYS_faccessat, 439 /* faccessat2 */,
	SYS_readlinkat, SYS_getdents64, SYS_getcwd, SYS_fadvise64, SYS_dup,
	SYS_dup3, SYS_pipe2, SYS_ppoll, SYS_pselect6, SYS_brk, SYS_mmap,
	SYS_mprotect, SYS_munmap, SYS_mremap, SYS_madvise, SYS_exit,
	SYS_exit_group, SYS_futex, 449 /* futex_waitv */, 454, 455,
	456 /* futex_wake, _wait, _requeue */, SYS_set_robust_list,
	SYS_set_tid_address, SYS_rseq, SYS_membarrier, SYS_sched_yield,
	SYS_sched_getaffinity, SYS_sched_getparam, SYS_sched_getscheduler,
	SYS_getcpu, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn,
	SYS_rt_sigpending, SYS_rt_sigtimedwait, SYS_rt_sigsuspend,
	SYS_sigaltstack, SYS_restart_syscall, SYS_getpid, SYS_getppid,
	SYS_gettid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid,
	SYS_getrusage, SYS_times, SYS_sysinfo, SYS_uname, SYS_umask,
	SYS_getrandom, SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep,
	SYS_nanosleep, SYS_gettimeofday,
#ifdef __x86_64__
	SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_getdents, SYS_dup2,
	SYS_pipe, SYS_poll, SYS_select, SYS_time, SYS_getrlimit, SYS_arch_prctl,
	335, 336 /* a profiler's */
#endif
};
/* When nothing is to be written: openat2, whose mode cannot be seen. */
static const short may_open[] = { 437 };
/* With an output, with a store, and where a child is waited for. */
static const short may_write[] = { SYS_fsync, SYS_fdatasync, SYS_ftruncate,
	SYS_unlinkat, SYS_renameat, SYS_renameat2,
#ifdef __x86_64__
	SYS_unlink, SYS_rename
#endif
};
static const short may_store[] = { SYS_fsync, SYS_fdatasync, SYS_ftruncate,
	SYS_unlinkat, SYS_pwrite64, SYS_pwritev, SYS_fallocate, SYS_msync,
#ifdef __x86_64__
	SYS_unlink
#endif
};
static const short may_wait[] = { SYS_wait4, SYS_waitid };

/* What a call answered that was given -1 everywhere. */
enum answer { NO_ANSWER, PASSED, NOT_PERMITTED, NOT_THERE };

/* What kills the child is not for cmocka, whose handlers it has. */
static void die_plainly(void)
{
	static const int signals[] = { SIGSEGV, SIGILL, SIGBUS, SIGABRT,
		SIGFPE };

	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		signal(signals[i], SIG_DFL);
	setsid();
	alarm(100);
}

static enum answer try_number(long number)
{
	pid_t me = getpid();
	long rc = syscall(number, -1L, -1L, -1L, -1L, -1L, -1L);
	int error = rc == -1 ? errno : 0;

	if (getpid() != me)
		_exit(0);
	/* ENOTTY is for ioctl, which asks the terminal nothing else */
	return error == EPERM || error == ENOTTY ? NOT_PERMITTED
	    : error == ENOSYS                    ? NOT_THERE
						 : PASSED;
}

/* In a child, whose alarm ends what waits: the answers from *next on, one byte
 * each. What ends the child has passed. s may be NULL: outside. */
static void try_numbers_from(
    const struct settings *s, unsigned needs, unsigned char *answers, int *next)
{
	int results[2], status;
	ssize_t n;
	pid_t pid;

	assert_int_equal(pipe(results), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		close(results[0]);
		die_plainly();
		if (s && sandbox_enter(s, needs, NULL))
			_exit(255);
		for (int i = *next; i < NUMBERS; i++) {
			unsigned char c = (unsigned char)try_number(i);

			if (write(results[1], &c, 1) != 1)
				_exit(254);
		}
		_exit(0);
	}
	close(results[1]);
	while ((n = read(results[0], answers + *next, 1)) == 1)
		++*next;
	close(results[0]);
	assert_int_equal(n, 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (*next < NUMBERS)
		answers[(*next)++] = PASSED;
}

static void try_numbers(
    const struct settings *s, unsigned needs, unsigned char *answers)
{
	int next = 0;

	while (next < NUMBERS)
		try_numbers_from(s, needs, answers, &next);
}

/* The answer without a sandbox. */
static enum answer outside(int number)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		die_plainly();
		_exit((int)try_number(number));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) && WEXITSTATUS(status) <= NOT_THERE
	    ? (enum answer)WEXITSTATUS(status)
	    : PASSED;
}

struct numbers {
	const short *v;
	size_t n;
};

static bool among(const struct numbers *lists, size_t n, int number)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < lists[i].n; k++)
			if (lists[i].v[k] == number)
				return true;
	return false;
}

#define LIST(v)                            \
	{                                  \
		v, sizeof(v) / sizeof *(v) \
	}

/* What passes is what is expected. What is expected and refused is refused by
 * this kernel, or by a container that the test runs in, outside, too. */
static int compare_numbers(const char *what, const struct settings *s,
    unsigned needs, const struct numbers *lists, size_t n)
{
	unsigned char answers[NUMBERS];
	int bad = 0, passed = 0;

	try_numbers(s, needs, answers);
	print_message("# passed, %s:", what);
	for (int i = 0; i < NUMBERS; i++) {
		bool expected = among(lists, n, i);

		passed += answers[i] == PASSED;
		if (answers[i] == PASSED)
			print_message(" %d", i);
		if (answers[i] == PASSED && !expected)
			print_error("\n%s: %d passed\n", what, i);
		else if (answers[i] != PASSED && expected &&
		    outside(i) != answers[i])
			print_error("\n%s: %d was refused\n", what, i);
		else
			continue;
		bad++;
	}
	print_message(" (%d of %d)\n", passed, NUMBERS);
	return bad;
}

static bool can_enter(const struct settings *s)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(sandbox_enter(s, 0, NULL) ? 1 : 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status == 0;
}

static void only_what_is_listed_passes(void **state)
{
	struct settings s;
	const struct numbers reading[] = { LIST(may_pass), LIST(may_open) },
			     waiting[] = { LIST(may_pass), LIST(may_open),
				     LIST(may_wait) },
			     writing[] = { LIST(may_pass), LIST(may_write) },
			     storing[] = { LIST(may_pass), LIST(may_store) };
	int bad;

	(void)state;
	options_init(&s);
	s.sandbox = SANDBOX_REQUIRE;
	if (!can_enter(&s)) {
		print_message("skip sandbox: this machine or build has none\n");
		skip();
	}
	bad = compare_numbers("reading", &s, SANDBOX_THREADS, reading, 2);
	bad += compare_numbers("a pager", &s, SANDBOX_CHILD, waiting, 3);
	s.output = "/nowhere/report";
	bad += compare_numbers("an output", &s, 0, writing, 2);
	s.output = NULL;
	s.store = "sqlite:/nowhere/store";
	bad += compare_numbers("a store", &s, 0, storing, 2);
	assert_int_equal(bad, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_is_listed_passes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
